package contract

import (
	"context"
	"errors"

	"github.com/mcpgen/mcpgen/runtime/tools"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Fake holds the answers of the generated fake implementation and records its calls.
type Fake struct {
	called    string // the tool, or the method of another item, that was called last
	arguments wire.Raw
	uri       string // of a resource
	value     string // to complete
	settled   map[string]string
	output    wire.Raw // source text of structured results
	fail      error
	panics    bool
}

// errFake is the error that a fake tool returns on request.
var errFake = errors.New("fake error")

// Text is the text that a fake tool without an output schema returns.
const Text = "an answer"

// call records a call and fails or panics if requested.
func (f *Fake) call(tool string, in wire.Appender) error {
	arguments, err := wire.MarshalString(in)
	if err != nil {
		return err
	}
	f.called, f.arguments = tool, wire.Raw(arguments)
	if f.panics {
		panic("fake panic")
	}
	return f.fail
}

// Output returns the result of a fake tool with an output schema.
func Output[Out any, POut interface {
	*Out
	wire.Value
}](f *Fake, tool string, in wire.Appender) (*Out, error) {
	if err := f.call(tool, in); err != nil {
		return nil, err
	}
	return decode[Out, POut](f.output)
}

// Blocks returns the result of a fake tool without an output schema: the given blocks, one
// of which has the text Text.
func Blocks[Block wire.Appender](f *Fake, tool string, in wire.Appender, blocks ...Block) ([]Block, error) {
	if err := f.call(tool, in); err != nil {
		return nil, err
	}
	return blocks, nil
}

// Structured returns the test of a tool with an output schema. call is the client's method.
func Structured[In, Out any, PIn interface {
	*In
	wire.Value
}, POut interface {
	*Out
	wire.Value
}](t *tools.Tool, call func(context.Context, *In) (*Out, error), s Samples) Tool {
	return Tool{
		tool:    t,
		samples: s,
		round:   round[In, PIn],
		call: func(ctx context.Context, arguments wire.Raw) (wire.Raw, error) {
			in, err := decode[In, PIn](arguments)
			if err != nil {
				return "", err
			}
			out, err := call(ctx, in)
			if err != nil {
				return "", err
			}
			text, err := wire.MarshalString(POut(out))
			return wire.Raw(text), err
		},
		answer: func(ctx context.Context, arguments wire.Object, result wire.Raw) error {
			fresh := func() PIn { return new(In) }
			handler := func(context.Context, PIn) (*wire.Raw, error) { return &result, nil }
			_, err := tools.Structured(t, tools.Options{}, fresh, nil, handler).Call(ctx, arguments)
			return err
		},
	}
}

// Content returns the test of a tool without an output schema. call is the client's method.
func Content[In any, Block wire.Appender, PIn interface {
	*In
	wire.Value
}](t *tools.Tool, call func(context.Context, *In) ([]Block, error), s Samples) Tool {
	return Tool{
		tool:    t,
		samples: s,
		round:   round[In, PIn],
		call: func(ctx context.Context, arguments wire.Raw) (wire.Raw, error) {
			in, err := decode[In, PIn](arguments)
			if err != nil {
				return "", err
			}
			blocks, err := call(ctx, in)
			if err != nil {
				return "", err
			}
			text := []byte{'['}
			for _, block := range blocks {
				if text, err = block.AppendJSON(wire.AppendComma(text)); err != nil {
					return "", err
				}
			}
			return wire.Raw(append(text, ']')), nil
		},
	}
}

func decode[T any, P interface {
	*T
	wire.Value
}](text wire.Raw) (*T, error) {
	v := new(T)
	return v, wire.UnmarshalString(string(text), P(v))
}

// round decodes and encodes arguments.
func round[In any, PIn interface {
	*In
	wire.Value
}](arguments wire.Raw) (wire.Raw, error) {
	in, err := decode[In, PIn](arguments)
	if err != nil {
		return "", err
	}
	text, err := wire.MarshalString(PIn(in))
	return wire.Raw(text), err
}
