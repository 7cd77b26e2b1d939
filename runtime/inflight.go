package runtime

import "github.com/mcpgen/mcpgen/runtime/wire"

// inflight are the requests of the peer without an answer, by canonical id. A session in which
// there is one at a time, or none, has no map of them.
type inflight struct {
	one  *Call
	more map[wire.Scalar]*Call // all but one; nil before there is another
}

func (f *inflight) get(key wire.Scalar) *Call {
	if f.one != nil && f.one.key == key {
		return f.one
	}
	return f.more[key]
}

// all returns every call in flight.
func (f *inflight) all() []*Call {
	var calls []*Call
	if f.one != nil {
		calls = append(calls, f.one)
	}
	for _, c := range f.more {
		calls = append(calls, c)
	}
	return calls
}

// add takes a call whose key is none of theirs.
func (f *inflight) add(c *Call) {
	if f.one == nil {
		f.one = c
		return
	}
	if f.more == nil {
		f.more = make(map[wire.Scalar]*Call)
	}
	f.more[c.key] = c
}

// remove returns the call of a key, which is in flight no more; nil when there is none.
func (f *inflight) remove(key wire.Scalar) *Call {
	c := f.get(key)
	if c != nil && c == f.one {
		f.one = nil
	} else {
		delete(f.more, key)
	}
	return c
}
