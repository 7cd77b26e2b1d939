package runtime

import (
	"errors"
	"fmt"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// takeAnswer is take for a text that must answer a request of this side. If it does not, the
// wait for the answer ends with an error that quotes the text. Reading goroutine.
func (p *peer) takeAnswer(in *Incoming) *Call {
	if jsonrpc.IsBatch(in.Text) {
		if err := p.receiveBatch(*in); err != nil {
			p.unanswered(in, "%s", problemOf(err))
		} else {
			p.unanswered(in, "the batch has no answer to it")
		}
		return nil
	}
	m, err := jsonrpc.Parse(in.Text)
	switch {
	case err != nil:
		p.unanswered(in, "%s", problemOf(err))
	case m.Kind != jsonrpc.Response:
		// It may be of use to somebody, though it is in the place of the answer.
		c := p.receive(&m, in, nil)
		p.unanswered(in, "it is a %s, %.100q", m.Kind, m.Method)
		return c
	case m.ID.IsZero():
		p.unanswered(in, "it is an error without an id: %w", m.Error)
	default:
		p.receiveResponse(&m)
		if m.ID.Canonical() != in.Answers.Canonical() {
			p.unanswered(in, "it answers the request with id %.100s", m.ID.String())
		}
	}
	return nil
}

// unanswered ends the wait for the answer that a text should have been, unless it was in it.
// The format and its arguments say what is wrong with the text.
func (p *peer) unanswered(in *Incoming, format string, args ...any) {
	why := fmt.Errorf(format, args...)
	err := fmt.Errorf("runtime: the response holds no answer to request %s: %w; received %.200q", in.Answers.String(), why, in.Text)
	if p.resolve(in.Answers, reply{err: err}) {
		p.log.Warn("bad response", "error", err)
	}
}

// problemOf is what an error of this side's own parser says. It is not wrapped as an error,
// because callers take a *jsonrpc.Error for one that the peer has sent.
func problemOf(err error) string {
	if e, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return e.Message
	}
	return err.Error()
}
