package tools_test

import (
	"context"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/schema"
	"github.com/mcpgen/mcpgen/runtime/tools"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// month is an argument whose check accepts more than its type.
type month struct{}

func (*month) AppendJSON(dst []byte) ([]byte, error) { return append(dst, "{}"...), nil }

func (*month) DecodeJSON(r *wire.Reader) error {
	for r.BeginObject(); r.Member(); {
		r.ReadInt64()
	}
	return r.Err()
}

// TestInvalidArguments checks that the error for invalid arguments of a prompt names the argument, whatever finds
// the problem.
func TestInvalidArguments(t *testing.T) {
	prompt := tools.Item{Kind: "prompt", Definition: `{"name":"p","arguments":[{"name":"month"}]}`, Input: func(*schema.Checker) {}}
	item := tools.ServePrompt(&prompt, func() *month { return new(month) }, func(context.Context, *month) (wire.Object, error) { return "{}", nil })
	_, err := item.Get(t.Context(), map[string]string{"month": "May"})
	if want := `jsonrpc: error -32602: invalid params: /arguments/month: expected an integer, found a string`; err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}
