package runtime

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
)

// This file decides which notifications the handler of a stateless request may send, and until when. A
// client knows only its own requests, so a notification must belong to a request for whose answer the
// client waits ("Receiving Messages" in basic/transports/stdio, 2026-07-28).

// ErrNotRequested is the error of a notification that a handler sends in a stateless call although it does
// not belong to the request. Such notifications go to the clients that listen for them.
var ErrNotRequested = errors.New("runtime: the notification does not belong to the request")

// errAnswered is the error of a notification that is sent after the answer or the cancellation.
var errAnswered = fmt.Errorf("%w: the request is answered or cancelled", ErrNotRequested)

// alone is the part of a call that only stateless requests have.
type alone struct {
	sending sync.RWMutex // held by notifications while they are sent
	hint    *CacheHint   // set by Call.Cache; guarded by Call.mu
	code    int64        // of the error answer; 0 for a result
	asking  atomic.Pointer[rounds]
	session *ServerSession // of a listener; otherwise nil
}

// statelessCall is a call with its stateless part, so that both take one allocation.
type statelessCall struct {
	Call
	own alone
}

// newCall returns a call under the terms.
func (a *admission) newCall() *Call {
	if !a.terms.serving() {
		return new(Call)
	}
	c := new(statelessCall)
	c.alone = &c.own
	return &c.Call
}

// scoped returns an error if a notification cannot belong to the request. Those for which a server must
// declare a part of a capability, such as tools.listChanged, are for listeners.
func (c *Call) scoped(method string, r row) error {
	listeners := method == methodCancelled || method == methodAck || strings.Contains(c.terms.bound.needs[r.need], ".")
	switch {
	case listeners || c.id.IsZero():
		return fmt.Errorf("%w: %.100s", ErrNotRequested, method)
	case c.alone == nil: // a detached call
		return errAnswered
	}
	return nil
}

// hold delays the answer until unhold is called. It returns false if the request is answered or
// cancelled.
func (c *Call) hold() bool {
	c.alone.sending.RLock()
	if c.over.Load() || c.context.Err() != nil {
		c.alone.sending.RUnlock()
		return false
	}
	return true
}

// unhold ends what hold has begun.
func (c *Call) unhold() { c.alone.sending.RUnlock() }

// close waits for the notifications that are being sent and allows no further ones.
func (c *Call) close() {
	c.alone.sending.Lock()
	c.over.Store(true)
	c.alone.sending.Unlock()
}
