package runtime

import (
	"context"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// inbox is the Inbox of a peer.
type inbox struct{ peer *peer }

func (i inbox) Accept(in Incoming) (run func()) {
	p := i.peer
	if !p.many {
		p.taking.Lock()
		defer p.taking.Unlock()
	}
	if p.life.Stopped() {
		return unanswered
	}
	if len(in.Text) > p.limits.MaxMessage {
		err := jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "invalid request: a message longer than %d bytes", p.limits.MaxMessage)
		if !in.Answers.IsZero() {
			p.noAnswer(&in, unwrapped(err))
			return nil
		}
		p.received(&in, err)
		return nil
	}
	step := p.take(&in)
	run = step.Serve
	step.Serve = nil
	step.Do()
	return run
}

// Restore implements Restorer.
func (i inbox) Restore(h Handshake) {
	if e, ok := i.peer.era.(*serverEra); ok {
		e.restore(h)
	}
}

func (i inbox) Lose(answer *AnswerError) {
	i.peer.pending.Resolve(answer.ID, engine.Reply{Err: answer.Err})
}

func (i inbox) End(why error) { i.peer.end(why) }

func (i inbox) Shutdown(ctx context.Context) {
	i.peer.drain(ctx, nil)
	i.peer.end(ErrClosed)
}
