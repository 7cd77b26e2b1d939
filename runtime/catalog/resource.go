package catalog

import (
	"context"
	"errors"
	"fmt"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Resource is a resource that clients can read (server/resources of every revision).
type Resource struct {
	// Definition is the Resource object in the list. Its uri is how the resource is
	// read, and is compared byte by byte.
	Definition wire.Object

	// Read returns a ReadResourceResult. ErrNoResource tells that the resource is not
	// there any more.
	Read func(ctx context.Context, uri string) (wire.Appender, error)
}

// ErrNoResource is what Read returns, wrapped or not, for a resource that is not there.
// The client gets the error that the revision has for that.
var ErrNoResource = errors.New("catalog: no such resource")

// resource is a Resource as it is kept.
type resource struct {
	read func(ctx context.Context, uri string) (wire.Appender, error)
}

// AddResources adds resources; one whose URI is taken replaces the other in its place.
// An error is about a definition, and then none is added.
func (c *Catalog) AddResources(resources ...Resource) error {
	if len(resources) == 0 {
		return nil
	}
	err := add(c.resources, resources, func(r Resource) (definition, *resource, error) {
		d, err := kindResource.define(r.Definition)
		if err != nil {
			return d, nil, err
		}
		if err := (&uriParams{uri: d.key}).Validate(); err != nil {
			return d, nil, fmt.Errorf("catalog: resource %.100q: %w", d.key, err)
		}
		if r.Read == nil {
			return d, nil, fmt.Errorf("catalog: resource %.100q: no Read", d.key)
		}
		return d, &resource{r.Read}, nil
	})
	if err == nil {
		c.announce(resourcesChanged)
	}
	return err
}

// RemoveResources removes the resources of these URIs and returns how many there were.
// Sessions stay subscribed to them.
func (c *Catalog) RemoveResources(uris ...string) int {
	n := c.resources.remove(uris)
	if n > 0 {
		c.announce(resourcesChanged)
	}
	return n
}

// reader finds what reads the resource of a URI: the resource itself, or else the first
// template that was added of those that fit.
func (c *Catalog) reader(uri string) (func(context.Context) (wire.Appender, error), error) {
	if r, ok := c.resources.get(uri); ok {
		return func(ctx context.Context) (wire.Appender, error) { return r.read(ctx, uri) }, nil
	}
	for _, it := range c.templates.view().ordered {
		if variables, ok := it.value.match(uri); ok {
			return func(ctx context.Context) (wire.Appender, error) { return it.value.read(ctx, uri, variables) }, nil
		}
	}
	return nil, noResource(uri)
}

// readResource answers resources/read.
func (c *Catalog) readResource(ctx context.Context, p *uriParams) (wire.Appender, error) {
	read, err := c.reader(p.uri)
	if err != nil {
		return nil, err
	}
	result, err := read(ctx)
	if errors.Is(err, ErrNoResource) {
		return nil, noResource(p.uri)
	}
	return result, err
}

// noResource is the error for a resource that is not there ("Error Handling" in
// server/resources).
func noResource(uri string) error {
	data, err := wire.AppendString([]byte(`{"uri":`), uri)
	if err != nil {
		data = nil
	} else {
		data = append(data, '}')
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeResourceNotFound, Message: "resource not found", Data: wire.Raw(data)}
}
