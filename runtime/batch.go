package runtime

import (
	"sync"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// maxBatch is the maximum number of messages in a batch.
const maxBatch = 1000

// batch collects the answers to the requests of one incoming batch. When the last one is ready, it
// sends them as one array, in the order in which they became ready.
type batch struct {
	peer  *peer
	route Route

	mu   sync.Mutex
	left int    // number of missing answers, plus one until all messages are taken
	text []byte // the array so far, "[" and no "]"
	lost bool   // a request is not answered
}

// takeBatch handles the messages of an array. If the batch is not allowed, it sends an error and
// returns it.
func (p *peer) takeBatch(in *Incoming) error {
	items, err := jsonrpc.ParseBatch(in.Text, maxBatch)
	if err == nil && !p.era.batches() {
		err = jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "invalid request: no batches in this revision or before initialize")
	}
	if err != nil {
		p.logBad("batch refused", err, in.Text)
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
		step := p.takeMessage(m, in, b)
		step.Do()
	}
	b.add(nil, false)
	return nil
}

// add adds a copy of an answer. Text is nil if there is none; lost is true if a request is not
// answered.
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
		b.peer.send(b.peer.life.Context(), &b.text, Outgoing{Kind: jsonrpc.Response, Route: b.route})
	}
	b.peer.done(b.route, b.lost)
}
