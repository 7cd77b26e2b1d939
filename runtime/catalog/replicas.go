package catalog

import (
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file exchanges changes with the other replicas of a server.

// join connects the catalog with the replicas of its first server.
func (c *Catalog) join(r *runtime.Replicas) {
	c.joining.Do(func() {
		r.Follow(c.hear, c.missed)
		c.replicas.Store(r)
	})
}

// hear takes a notification of another replica.
func (c *Catalog) hear(n runtime.Notification) {
	if n.Method == methodUpdated {
		c.updated(wire.Object(n.Params).GetString("uri"))
		return
	}
	for _, of := range changes {
		if of.method == n.Method && c.open.Load() != 0 {
			c.note(&c.heard, of.change)
		}
	}
}

// missed notifies the sessions of everything that may have changed at other replicas.
func (c *Catalog) missed() {
	if c.open.Load() == 0 {
		return
	}
	c.note(&c.heard, toolsChanged|promptsChanged|resourcesChanged)
	c.watched.mu.Lock()
	defer c.watched.mu.Unlock()
	for _, of := range c.watched.byURI {
		for s, u := range of {
			s.tell(0, u)
		}
	}
}

// tellReplicas announces changes of lists to the other replicas. That is not delayed, so that replicas that
// make the same change at the same time notify each client once.
func (c *Catalog) tellReplicas(what change) {
	r := c.replicas.Load()
	if r == nil {
		return
	}
	for _, of := range changes {
		if what&of.change != 0 {
			r.Announce(runtime.Notification{Method: of.method})
		}
	}
}

// tellReplicasUpdated announces the update of a resource to the other replicas. A URI that is not valid
// UTF-8 has no subscribers.
func (c *Catalog) tellReplicasUpdated(uri string) {
	r := c.replicas.Load()
	if r == nil {
		return
	}
	if params, err := wire.MarshalString(updatedParams(uri)); err == nil {
		r.Announce(runtime.Notification{Method: methodUpdated, Params: wire.Raw(params)})
	}
}
