package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/generated"
	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/tools/contract"
	"github.com/mcpgen/mcpgen/tests/examples/notes/client"
)

// TestNotes uses everything that the server offers, in every revision.
func TestNotes(t *testing.T) {
	for _, binding := range generated.ClientBindings() {
		t.Run(binding.Revision, func(t *testing.T) {
			server, err := NewServer(&handlers{}, mcp.ServerOptions{Name: "notes", Version: "1"})
			if err != nil {
				t.Fatal(err)
			}
			session, err := runtime.NewClient(runtime.ClientOptions{Name: "test", Version: "1"}, binding).Connect(t.Context(), contract.Connect(t, server))
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			use(t, client.NewClient(session), binding.Revision)
		})
	}
}

func use(t *testing.T, notes *client.Client, revision string) {
	ctx := t.Context()
	if revision >= "2025-06-18" { // definitions have no outputSchema before
		if err := notes.Check(ctx); err != nil {
			t.Error(err)
		}
	}
	for _, in := range []*client.AddNoteInput{{Topic: "garden", Text: "water the roses"}, {Topic: "house", Text: "paint the door"}} {
		if _, err := notes.AddNote(ctx, in); err != nil {
			t.Fatal(err)
		}
	}
	summary, err := notes.Summary(ctx, &client.SummaryArgs{Topic: "garden", Length: new(client.SummaryArgsLengthShort)})
	if err != nil {
		t.Fatal(err)
	}
	const want = "Summarize these notes about garden in one sentence:\n\nwater the roses"
	if text, ok := summary.Messages[0].Content.(*mcp.TextContent); !ok || text.Text != want {
		t.Errorf("the prompt is %+v, want %q", summary.Messages[0].Content, want)
	}
	_, err = notes.Summary(ctx, &client.SummaryArgs{Topic: "garden", Length: new(client.SummaryArgsLength("medium"))})
	if refused, ok := errors.AsType[*jsonrpc.Error](err); !ok || refused.Code != jsonrpc.CodeInvalidParams || !strings.Contains(refused.Message, "invalid params: /arguments/length") {
		t.Errorf("the length is not one of the list: %v", err)
	}
	help, err := notes.ReadHelp(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if got := textOf(help); got != "A note has a topic and a text. Its URI is notes://notes/ID.\n" {
		t.Errorf("the help is %q", got)
	}
	note, err := notes.ReadNote(ctx, &client.NoteVariables{ID: "1"})
	if err != nil {
		t.Fatal(err)
	}
	if got := textOf(note); got != "paint the door" {
		t.Errorf("the note is %q", got)
	}
	if _, err := notes.ReadNote(ctx, &client.NoteVariables{ID: "7"}); err == nil || !strings.Contains(err.Error(), "resource not found") {
		t.Errorf("a note that does not exist: %v", err)
	}
	topics, err := notes.CompleteSummaryTopic(ctx, "ho", nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"house"}, topics.Completion.Values); diff != "" {
		t.Errorf("topics (-want +got):\n%s", diff)
	}
}

func textOf(r *mcp.ReadResourceResult) string {
	if text, ok := r.Contents[0].(*mcp.TextResourceContents); ok {
		return text.Text
	}
	return ""
}

// TestNoService has no implementation.
func TestNoService(t *testing.T) {
	if _, err := NewServer(nil, mcp.ServerOptions{}); err == nil || err.Error() != "NewServer: the implementation of Service is nil" {
		t.Errorf("got %v", err)
	}
}
