package replay_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/recording"
	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/replay"
	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/typed"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// In both recordings a client lists the tools, and calls the tool order, which asks for a size.
const (
	recorded2025 = `
{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{"form":{}}},"clientInfo":{"name":"c","version":"1"}}}
{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"order","arguments":{"what":"tea"},"_meta":{"progressToken":2}}}
{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"mode":"form","message":"Which size?","requestedSchema":{"type":"object","properties":{}}}}
{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"size":"large"}}}
{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"a large tea"}]}}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"none"}}
{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"unknown tool: none"}}
{"jsonrpc":"2.0","id":4,"method":"tasks/list"}
{"jsonrpc":"2.0","id":4,"result":{"tasks":[]}}
{"jsonrpc":"2.0","id":5,"method":"tools/list"}
{"jsonrpc":"2.0","id":6,"method":"vendor/status","params":{}}
{"jsonrpc":"2.0","id":6,"error":{"code":-32601,"message":"unknown method"}}
`
	recorded2026 = `
{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"order","arguments":{"what":"tea"},"_meta":{META}}}
{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create","params":{"mode":"form","message":"Which size?","requestedSchema":{"type":"object","properties":{}}}}},"requestState":"s"}}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"order","arguments":{"what":"tea"},"inputResponses":{"a":{"action":"accept","content":{"size":"large"}}},"requestState":"s","_meta":{META}}}
{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","content":[{"type":"text","text":"a large tea"}]}}
`
	meta2026 = `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}`
)

type arguments struct {
	What string `json:"what"`
}

// newServer returns a server whose tool order asks for a size. Its answer begins with a word.
func newServer(t *testing.T, word string) *runtime.Server {
	t.Helper()
	tool := typed.ContentTool(&mcp.Tool{Name: "order"}, func(ctx context.Context, in *arguments) ([]mcp.ContentBlock, error) {
		answer, err := mcp.NewClientCaller(runtime.CallOf(ctx)).Elicit(ctx, &mcp.ElicitRequestFormParams{Message: "Which size?"})
		if err != nil {
			return nil, err
		}
		size, _ := answer.Content.Get("size")
		text, err := wire.MarshalString(size)
		if err != nil {
			return nil, err
		}
		return []mcp.ContentBlock{&mcp.TextContent{Text: word + " " + strings.Trim(text, `"`) + " " + in.What}}, nil
	})
	server, err := mcp.NewServer(mcp.ServerOptions{Name: "s", Version: "1"}, tool)
	if err != nil {
		t.Fatal(err)
	}
	return server
}

// play plays a recording of one session against a server.
func play(t *testing.T, recorded string, server *runtime.Server, ignore ...recording.Pattern) (*replay.Session, []replay.Change) {
	t.Helper()
	sessions, err := replay.Read(strings.NewReader(recorded))
	if err != nil || len(sessions) != 1 {
		t.Fatalf("%d sessions, %v", len(sessions), err)
	}
	binding, err := sessions[0].Binding()
	if err != nil {
		t.Fatal(err)
	}
	there, here := inproc.Pair()
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error)
	go func() { served <- server.Serve(ctx, there) }()
	defer func() { cancel(); <-served }()
	session, err := runtime.NewClient(runtime.ClientOptions{Name: "c", Version: "1"}, binding).Connect(t.Context(), here)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	changes, err := sessions[0].Play(t.Context(), session, ignore)
	if err != nil {
		t.Fatal(err)
	}
	return sessions[0], changes
}

// TestPlay checks that a server gets the recorded requests and answers, with a session and without.
func TestPlay(t *testing.T) {
	for name, recorded := range map[string]string{
		"2025-11-25": recorded2025,
		"2026-07-28": strings.ReplaceAll(recorded2026, "META", meta2026),
	} {
		t.Run(name, func(t *testing.T) {
			s, changes := play(t, recorded, newServer(t, "a"), "/error/message", "/result/_meta")
			if len(changes) > 0 || s.Revision != name {
				t.Errorf("revision %s, changes %+v", s.Revision, changes)
			}
			_, changes = play(t, recorded, newServer(t, "one"), "/error/message", "/result/_meta")
			if len(changes) != 1 || changes[0].Pointer != "/result/content/0/text" || changes[0].Old != `"a large tea"` || changes[0].New != `"one large tea"` ||
				changes[0].Subject != "order" || changes[0].Method != "tools/call" {
				t.Errorf("%+v", changes)
			}
			if _, changes = play(t, recorded, newServer(t, "one"), "/error", "/result/content/*/text", "/result/_meta"); len(changes) > 0 {
				t.Errorf("ignored: %+v", changes)
			}
		})
	}
}

// TestSkipped checks which requests are not played.
func TestSkipped(t *testing.T) {
	s, _ := play(t, recorded2025, newServer(t, "a"))
	want := map[string]int{"tasks/list is about a task, whose id differs each time": 1, "tools/list has no answer in the recording": 1, "vendor/status is not a request of the revision": 1}
	if diff := cmp.Diff(want, s.Skipped); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	var methods []string
	for _, r := range s.Requests {
		methods = append(methods, r.Method)
	}
	if diff := cmp.Diff([]string{"tools/call", "tools/call"}, methods); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestUnknownRevision checks the error of a recording that this program cannot play.
func TestUnknownRevision(t *testing.T) {
	sessions, err := replay.Read(strings.NewReader(strings.ReplaceAll(recorded2025, "2025-11-25", "2099-01-01")))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sessions[0].Binding(); err == nil || !strings.Contains(err.Error(), `revision "2099-01-01"`) {
		t.Errorf("%v", err)
	}
}

// TestRedacted expects that a request with a redacted argument is not played, and that a redacted
// part of an answer may have any value.
func TestRedacted(t *testing.T) {
	secret := strings.Replace(recorded2025, `"arguments":{"what":"tea"}`, `"arguments":{"what":"`+recording.RedactedPrefix+`0123"}`, 1)
	session, changes := play(t, secret, newServer(t, "another"), "/error/message")
	if len(changes) != 0 || session.Skipped["tools/call has a secret that the recording leaves out"] != 1 {
		t.Errorf("%v, skipped %v", changes, session.Skipped)
	}
	if _, changes := play(t, strings.Replace(recorded2025, `"text":"a large tea"`, `"text":"`+recording.RedactedPrefix+`0123"`, 1), newServer(t, "another"), "/error/message"); len(changes) != 0 {
		t.Errorf("%v", changes)
	}
}

func TestParsePattern(t *testing.T) {
	if _, err := recording.ParsePattern("result"); err == nil {
		t.Error("a pattern without a slash")
	}
}
