package runtime

import (
	"context"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// batch collects the answers to the requests of one incoming batch. When the last one is ready, it
// sends them as one array, in the order in which they became ready.
type batch struct {
	peer *peer
	to   Reply

	mu   sync.Mutex
	left int    // number of missing answers, plus one until all messages are taken
	text []byte // the array so far, "[" and no "]"

	abandoned bool // a handler does not return, see Outgoing
}

// batched is the Reply of one message in a batch.
type batched struct{ *batch }

// takeBatch takes the messages of an array. It returns the function that serves the requests in it, or nil.
// If the batch is not allowed, it sends an error and returns it.
func (p *peer) takeBatch(in *Incoming) (run func(), err error) {
	items, err := in.Content().Batch, in.Content().Err
	if err == nil && !p.era.batches() {
		err = jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "invalid request: no batches in this revision or before initialize")
	}
	if err != nil {
		p.logBad("batch refused", err, in.Text)
		p.refuse(wire.Scalar{}, err, in.Reply)
		return nil, err
	}
	b := &batch{peer: p, to: in.Reply, left: 1}
	for i := range items {
		if items[i].Err != nil || items[i].Kind == jsonrpc.Request {
			b.left++
		}
	}
	var serves []func()
	for i := range items {
		m, to := &items[i].Message, &batched{b}
		if err := items[i].Err; err != nil {
			p.malformed(m, err, "", to)
			continue
		}
		step := p.takeMessage(m, in, to)
		if step.Serve != nil {
			serves = append(serves, step.Serve)
			step.Serve = nil
		}
		step.Do()
	}
	b.add(nil)
	if len(serves) == 0 {
		return nil, nil
	}
	return func() {
		var all sync.WaitGroup
		for _, serve := range serves[1:] {
			all.Go(serve)
		}
		serves[0]()
		all.Wait()
	}, nil
}

// Send implements Reply.
func (b *batched) Send(ctx context.Context, m Outgoing) error {
	if m.Kind == jsonrpc.Response {
		b.mu.Lock()
		b.abandoned = b.abandoned || m.Abandoned
		b.mu.Unlock()
		b.add(m.Text)
		return nil
	}
	return b.peer.send(ctx, &m.Text, b.to, m)
}

// Unwrap returns the Reply of the whole batch.
func (b *batched) Unwrap() Reply { return b.to }

// skip records that a message gets no answer, for a batch that waits for it.
func skip(to Reply) {
	if b, ok := to.(*batched); ok {
		b.add(nil)
	}
}

// add adds a copy of an answer. Text is nil if there is none.
func (b *batch) add(text []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if text != nil {
		sep := byte(',')
		if b.text == nil {
			sep = '['
		}
		b.text = append(append(b.text, sep), text...)
	}
	if b.left--; b.left == 0 && b.text != nil {
		b.text = append(b.text, ']')
		b.peer.send(b.peer.life.Context(), &b.text, b.to, Outgoing{Kind: jsonrpc.Response, Abandoned: b.abandoned})
	}
}
