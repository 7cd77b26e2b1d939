package runtime

import (
	"sync"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// batch collects the answers to the requests of one incoming batch and sends them as
// one array, in the order in which they were ready, when the last one is.
type batch struct {
	peer  *peer
	route Route

	mu   sync.Mutex
	left int    // answers still to come, and one for the reading goroutine
	text []byte // the array so far, "[" and no "]"
	lost bool   // a request is not answered
}

// receiveBatch handles the messages of an array. The error is that of an array none of whose
// messages may be handled; the peer is sent it, if this side does that. Reading goroutine.
func (p *peer) receiveBatch(in Incoming) error {
	items, err := jsonrpc.ParseBatch(in.Text, maxBatch)
	if err == nil && !p.lifecycle.batches() {
		err = jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "invalid request: no batches in this revision or before initialize")
	}
	if err != nil {
		p.logGarbage("batch refused", err, in.Text)
		p.refuse(wire.Scalar{}, err, in.Route, nil)
		p.done(in.Route, false)
		return err
	}
	b := &batch{peer: p, route: in.Route, left: 1}
	for i := range items {
		if items[i].Err != nil || items[i].Kind == jsonrpc.Request {
			b.left++
		}
	}
	for i := range items {
		m := &items[i].Message
		if err := items[i].Err; err != nil {
			p.malformed(m, err, "", in.Route, b)
			continue
		}
		if c := p.receive(m, &in, b); c != nil {
			go c.serve()
		}
	}
	b.add(nil, false)
	return nil
}

// add takes one answer, which it copies; nil for none, and lost when one was due.
func (b *batch) add(text []byte, lost bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lost = b.lost || lost
	if text != nil {
		sep := byte(',')
		if b.text == nil {
			sep = '['
		}
		b.text = append(append(b.text, sep), text...)
	}
	if b.left--; b.left > 0 {
		return
	}
	if b.text != nil {
		b.text = append(b.text, ']')
		b.peer.send(b.peer.ctx, &b.text, Outgoing{Kind: jsonrpc.Response, Route: b.route})
	}
	b.peer.done(b.route, b.lost)
}
