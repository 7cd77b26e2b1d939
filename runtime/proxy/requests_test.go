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
	old, next := newRequests(reply, messages, true, 0), newRequests(reply, messages[:1], true, 0)
	if err := q.add(old); err != nil {
		t.Fatal(err)
	}
	var got []string
	answer := func(m jsonrpc.Message, only *request) {
		r := q.remove(m.ID, only)
		got = append(got, fmt.Sprint(r != nil && slices.Contains(old, r), r != nil && slices.Contains(next, r)))
	}
	answer(messages[0], nil)
	if err := q.add(next); err != nil {
		t.Fatal(err)
	}
	answer(messages[0], old[0])
	for range 2 {
		answer(messages[1], old[1])
	}
	answer(messages[0], nil)
	want := []string{"true false", "false false", "true false", "false false", "false true"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
