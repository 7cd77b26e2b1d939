package runtime_test

import (
	"context"
	"testing"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// page and marks are results that are no pointers, although an interface holds them as one word.
type (
	page  struct{ Next *string }
	marks map[string]bool
)

func (p page) AppendJSON(dst []byte) ([]byte, error)  { return append(dst, `{}`...), nil }
func (m marks) AppendJSON(dst []byte) ([]byte, error) { return append(dst, `{}`...), nil }

// TestNoResult checks that a nil pointer is no result, and that other values are results.
func TestNoResult(t *testing.T) {
	for _, tt := range []struct {
		name   string
		result func() (wire.Appender, error)
		want   bool
	}{
		{"nil", answer[wire.Appender](nil), false},
		{"a nil pointer", answer[*page](nil), false},
		{"a nil pointer in an interface", answer[wire.Appender]((*page)(nil)), false},
		{"a pointer", answer(&page{}), true},
		{"a struct of a nil pointer", answer(page{}), true},
		{"a nil map", answer(marks(nil)), true},
	} {
		result, err := tt.result()
		if err != nil || (result != nil) != tt.want {
			t.Errorf("%s: %v, %v", tt.name, result, err)
		}
	}
}

// answer returns what Answer returns for the result of a handler.
func answer[R wire.Appender](result R) func() (wire.Appender, error) {
	return func() (wire.Appender, error) {
		return runtime.Answer(context.Background(), &runtime.Message{Kind: jsonrpc.Request, Method: "a"}, new(wire.Object),
			func(context.Context, *wire.Object) (R, error) { return result, nil })
	}
}
