package proxy

import (
	"fmt"
	"slices"
	"testing"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// TestAnswerOfAnother checks that a client that leaves does not remove a later request with the same id, and that each
// request in a batch is answered once.
func TestAnswerOfAnother(t *testing.T) {
	reply, _ := inproc.Pair()
	var q requests
	messages := read(&runtime.Incoming{Text: `[{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","id":2,"method":"a"}]`})
	old, next := newRequest(reply, messages), newRequest(reply, messages[:1])
	if err := q.add(old); err != nil {
		t.Fatal(err)
	}
	var got []string
	answer := func(m jsonrpc.Message, of *request) {
		r, last := q.answer(m.ID, of)
		got = append(got, fmt.Sprint(r == old, r == next, last))
	}
	answer(messages[0], nil)
	if err := q.add(next); err != nil {
		t.Fatal(err)
	}
	for _, id := range []int{0, 1, 1} {
		answer(messages[id], old)
	}
	answer(messages[0], nil)
	want := []string{"true false false", "false false false", "true false true", "false false false", "false true true"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
