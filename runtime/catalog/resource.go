package catalog

import (
	"context"
	"errors"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Resource is a resource that clients can read (server/resources of every revision).
type Resource struct {
	// Definition is the Resource object in the list, such as a *mcp.Resource or a
	// wire.Object. Its uri identifies the resource in requests, which are compared with it
	// byte by byte.
	Definition wire.Appender

	// Read returns a ReadResourceResult. It returns ErrNoResource if the resource no longer
	// exists.
	Read func(ctx context.Context, uri string) (wire.Appender, error)

	// Scopes are those that the access token of a caller must have, see [runtime.Authorize]. They
	// are not part of the definition, so clients do not see them.
	Scopes []string
}

// NewResource returns a resource with a handler whose result has a type, such as
// *mcp.ReadResourceResult.
func NewResource[R wire.Appender](definition wire.Appender, read func(ctx context.Context, uri string) (R, error)) Resource {
	if read == nil {
		return Resource{Definition: definition}
	}
	return Resource{Definition: definition, Read: func(ctx context.Context, uri string) (wire.Appender, error) {
		return untyped(read(ctx, uri))
	}}
}

// ErrNoResource reports that a resource does not exist. Read may wrap it. The client gets
// the error that its revision defines for this case.
var ErrNoResource = errors.New("catalog: no such resource")

// resource is a Resource in a catalog.
type resource struct {
	read func(ctx context.Context, uri string) (wire.Appender, error)
}

// add implements Item.
func (r Resource) add(a *addition, room int) error {
	d, err := kindResource.define(r.Definition)
	if err != nil {
		return err
	}
	if err := (&uriParams{uri: d.key}).Validate(); err != nil {
		return kindResource.error(d.key, err)
	}
	if r.Read == nil {
		return kindResource.error(d.key, errors.New("no function Read"))
	}
	kept, err := a.resources.add(kindResource, d, r.Scopes, room)
	if err == nil {
		*kept = resource{r.Read}
	}
	return err
}

// RemoveResources removes the resources with these URIs and returns how many there were.
// Sessions remain subscribed to them.
func (c *Catalog) RemoveResources(uris ...string) int { return c.resources.remove(uris) }

// reader returns the function that reads the resource with a URI. A resource takes
// precedence over templates, and the template that was added first over later ones. The error
// says that there is no such resource, or that the caller may not read it.
func (c *Catalog) reader(ctx context.Context, uri string) (func(context.Context) (wire.Appender, error), error) {
	if r, ok := c.resources.get(uri); ok {
		if err := runtime.Authorize(ctx, c.resources.scopesOf(uri)); err != nil {
			return nil, err
		}
		return func(ctx context.Context) (wire.Appender, error) { return r.read(ctx, uri) }, nil
	}
	for _, it := range c.templates.view().ordered {
		if variables, ok := it.value.match(uri); ok {
			if err := runtime.Authorize(ctx, it.scopes); err != nil {
				return nil, err
			}
			return func(ctx context.Context) (wire.Appender, error) { return it.value.read(ctx, uri, variables) }, nil
		}
	}
	return nil, noResource(uri)
}

// readResource handles resources/read.
func (c *Catalog) readResource(ctx context.Context, p *uriParams) (wire.Appender, error) {
	read, err := c.reader(ctx, p.uri)
	if err != nil {
		return nil, err
	}
	result, err := read(ctx)
	if errors.Is(err, ErrNoResource) {
		return nil, noResource(p.uri)
	}
	return result, err
}

// noResource returns the error for a resource that does not exist ("Error Handling" in
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
