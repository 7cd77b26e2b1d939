package catalog

import (
	"context"
	"fmt"
	"slices"
	"weak"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

const methodUpdated = "notifications/resources/updated"

// served adds a server that the catalog is behind. A catalog does not keep its servers alive.
func (c *Catalog) served(s *runtime.Server) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if own := weak.Make(s); !slices.Contains(c.servers, own) {
		c.servers = append(c.servers, own)
	}
}

// publish sends a notification to the clients of all servers.
func (c *Catalog) publish(method string, params wire.Appender) {
	c.mu.Lock()
	c.servers = slices.DeleteFunc(c.servers, func(s weak.Pointer[runtime.Server]) bool { return s.Value() == nil })
	servers := slices.Clone(c.servers)
	c.mu.Unlock()
	for _, s := range servers {
		if s := s.Value(); s != nil {
			// An error means that no revision of the server has the notification, or that a URI is not valid UTF-8 and so has
			// no subscribers.
			_ = s.Publish(method, params)
		}
	}
}

// ResourceUpdated notifies the clients that have subscribed to a resource of an update, here and at the other
// replicas of the server (runtime.ServerOptions.Replicas). It does not wait for them. Updates that follow each other
// before a client has received the first notification are sent as one.
func (c *Catalog) ResourceUpdated(uri string) { c.publish(methodUpdated, updatedParams(uri)) }

// updatedParams is the URI in the params of notifications/resources/updated.
type updatedParams string

// AppendJSON implements wire.Appender.
func (p updatedParams) AppendJSON(dst []byte) ([]byte, error) {
	dst, err := wire.AppendString(append(dst, `{"uri":`...), string(p))
	return append(dst, '}'), err
}

// listen returns an error if a client cannot listen to a value: one of a resource that the catalog does not have, or
// that the client may not read.
func (c *Catalog) listen(ctx context.Context, notification, value string) error {
	if notification != methodUpdated {
		return fmt.Errorf("catalog: there is no %.100q for %s", value, notification)
	}
	_, _, err := c.findResource(ctx, value)
	return err
}

// subscribe handles resources/subscribe. The server records the subscription.
func (c *Catalog) subscribe(ctx context.Context, q *request) (wire.Appender, error) {
	_, _, err := c.findResource(ctx, q.key)
	return empty, err
}

// unsubscribe handles resources/unsubscribe. It succeeds if there is no subscription.
func (c *Catalog) unsubscribe(context.Context, *request) (wire.Appender, error) { return empty, nil }

// empty is an EmptyResult.
const empty = wire.Object("{}")

// sessionOf returns the session of a handler's context, or nil.
func sessionOf(ctx context.Context) *runtime.ServerSession {
	if call := runtime.CallOf(ctx); call != nil {
		return call.Session()
	}
	return nil
}
