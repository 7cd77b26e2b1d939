package runtime

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// offers are the capabilities that a server declares in a stateless revision. They belong to no session,
// and what a catalog declares grows with its items, so they are computed again when a message needs more.
type offers struct {
	bound  *bound
	server *Server

	mu   sync.Mutex // held while last is replaced
	last atomic.Pointer[offer]
}

// offer is the value of offers at a time. It is immutable.
type offer struct {
	text   wire.Object
	grants grants // of every capability that was declared so far
}

// offers reports whether this side has declared the capability with that index in bound.needs.
func (t *terms) offers(need int) bool {
	if need == 0 || !t.serving() {
		return t.own.has(need)
	}
	o := t.bound.offered
	return o.current().grants.has(need) || o.renewed().grants.has(need)
}

// current returns the last offer.
func (o *offers) current() *offer {
	if last := o.last.Load(); last != nil {
		return last
	}
	return o.renewed()
}

// renewed returns a new offer. If the capabilities cannot be declared, it is the last one, or an offer of
// nothing. A capability that was declared once stays granted, because a request must not depend on the
// requests before it: a list whose last item was removed is empty, not unknown.
func (o *offers) renewed() *offer {
	text, err := o.declared()
	if err != nil {
		o.server.log.Error("the capabilities cannot be declared", "revision", o.bound.Revision, "error", err)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	last := o.last.Load()
	if err != nil && last != nil {
		return last
	}
	if err != nil {
		text = "{}"
	}
	next := &offer{text: text, grants: o.bound.grants(text)}
	if last != nil {
		for i, granted := range last.grants {
			next.grants[i] = next.grants[i] || granted
		}
		if last.text == next.text && slices.Equal(last.grants, next.grants) {
			return last
		}
	}
	o.last.Store(next)
	return next
}

// declared returns the capabilities that the server declares now.
func (o *offers) declared() (wire.Object, error) {
	declared, err := o.bound.declare(o.server.opts.Capabilities)
	if err != nil {
		return "", err
	}
	return objectOf(declared)
}
