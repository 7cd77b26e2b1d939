package tools_test

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated"
	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/tools"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestResultOf checks what handlers add to their results, in every revision.
func TestResultOf(t *testing.T) {
	meta := wire.Object(`{"example.com/a":1}`)
	text := &mcp.TextContent{Text: "more"}
	for _, row := range []struct {
		name   string
		blocks []mcp.ContentBlock // nil for a tool with an output schema
		out    *words
		result tools.Result
		fails  error
		want   string // in the newest revision
		old    string // before structuredContent
	}{
		{
			name: "nothing", out: &words{text: "a"},
			want: `{"content":[{"type":"text","text":"{\"text\":\"a\"}"}],"structuredContent":{"text":"a"}}`,
			old:  `{"content":[{"type":"text","text":"{\"text\":\"a\"}"}]}`,
		},
		{
			name: "all", out: &words{text: "a"}, result: tools.Result{Content: []wire.Appender{text}, Meta: meta, IsError: true},
			want: `{"content":[{"type":"text","text":"more"}],"structuredContent":{"text":"a"},"_meta":{"example.com/a":1},"isError":true}`,
			old:  `{"content":[{"type":"text","text":"more"}],"_meta":{"example.com/a":1},"isError":true}`,
		},
		{
			name: "_meta alone", out: &words{text: "a"}, result: tools.Result{Meta: meta},
			want: `{"content":[{"type":"text","text":"{\"text\":\"a\"}"}],"structuredContent":{"text":"a"},"_meta":{"example.com/a":1}}`,
			old:  `{"content":[{"type":"text","text":"{\"text\":\"a\"}"}],"_meta":{"example.com/a":1}}`,
		},
		{
			name: "an error without a value", result: tools.Result{Content: []wire.Appender{text}, IsError: true},
			want: `{"content":[{"type":"text","text":"more"}],"isError":true}`,
			old:  `{"content":[{"type":"text","text":"more"}],"isError":true}`,
		},
		{
			name: "blocks", blocks: []mcp.ContentBlock{&mcp.TextContent{Text: "first"}}, result: tools.Result{Content: []wire.Appender{text}, Meta: meta},
			want: `{"content":[{"type":"text","text":"first"},{"type":"text","text":"more"}],"_meta":{"example.com/a":1}}`,
			old:  `{"content":[{"type":"text","text":"first"},{"type":"text","text":"more"}],"_meta":{"example.com/a":1}}`,
		},
		{
			name: "no blocks", blocks: []mcp.ContentBlock{},
			want: `{"content":[]}`,
			old:  `{"content":[]}`,
		},
		{
			name: "no value", result: tools.Result{Content: []wire.Appender{text}},
			want: `{"content":[{"type":"text","text":"the tool returned no result"}],"isError":true}`,
			old:  `{"content":[{"type":"text","text":"the tool returned no result"}],"isError":true}`,
		},
		{
			name: "failed", fails: errors.New("failed"), result: tools.Result{Content: []wire.Appender{text}, Meta: meta},
			want: `{"content":[{"type":"text","text":"failed"}],"isError":true}`,
			old:  `{"content":[{"type":"text","text":"failed"}],"isError":true}`,
		},
		{
			name: "bad _meta", out: &words{text: "a"}, result: tools.Result{Meta: "[]"},
			want: `{"content":[{"type":"text","text":"the _meta of the tool's result cannot be encoded: expected an object, found an array"}],"isError":true}`,
			old:  `{"content":[{"type":"text","text":"the _meta of the tool's result cannot be encoded: expected an object, found an array"}],"isError":true}`,
		},
		{
			name: "a nil block", out: &words{text: "a"}, result: tools.Result{Content: []wire.Appender{(*mcp.TextContent)(nil)}},
			want: `{"content":[{"type":"text","text":"block 0 of the tool's result is nil"}],"isError":true}`,
			old:  `{"content":[{"type":"text","text":"block 0 of the tool's result is nil"}],"isError":true}`,
		},
	} {
		tool := &tools.Item{Kind: "tool", Key: "set",
			Definition: `{"name":"set","inputSchema":{"type":"object"}}`,
			Input:      checkWords, Output: checkWords,
		}
		change := func(ctx context.Context) {
			r := tools.ResultOf(ctx)
			r.Content, r.Meta, r.IsError = row.result.Content, row.result.Meta, row.result.IsError
		}
		item := tools.Structured(tool, tools.Options{}, newWords, func(ctx context.Context, _ *words) (*words, error) {
			change(context.WithoutCancel(ctx)) // a derived context will do
			return row.out, row.fails
		})
		if row.blocks != nil {
			item = tools.Content(tool, tools.Options{}, newWords, func(ctx context.Context, _ *words) ([]mcp.ContentBlock, error) {
				change(ctx)
				return row.blocks, nil
			})
		}
		for _, client := range sessionBindings() {
			session := connect(t, tools.Options{}, client, item)
			var result wire.Raw
			if err := session.Call(t.Context(), "tools/call", wire.Raw(`{"name":"set","arguments":{"text":""}}`), &result); err != nil {
				t.Errorf("%s in %s: %v", row.name, client.Revision, err)
				continue
			}
			want := row.want
			if client.Revision < "2025-06-18" {
				want = row.old
			}
			if !wire.Equal(result, wire.Raw(want)) {
				t.Errorf("%s in %s:\n got %s\nwant %s", row.name, client.Revision, result, want)
			}
		}
	}
	tools.ResultOf(t.Context()).IsError = true // outside of a call, it has no effect
}

// TestRevisions makes the same calls in each revision. Results must be valid there.
//
// F23
func TestRevisions(t *testing.T) {
	for _, client := range sessionBindings() {
		t.Run(client.Revision, func(t *testing.T) {
			session := connect(t, tools.Options{}, client)
			if out, err := tools.Call(t.Context(), session, shout, &words{text: "a"}, new(words)); err != nil || out.text != "A" {
				t.Errorf("shout: got %+v, %v", out, err)
			}
			got, err := tools.CallRaw(t.Context(), session, "draw", &words{text: "a"})
			if err != nil {
				t.Fatal(err)
			}
			revision, _ := generated.Lookup(client.Revision)
			result, _ := revision.New("CallToolResult")
			if err := wire.UnmarshalString(string(got), result); err != nil {
				t.Error(err)
			} else if err := wire.Validate(result); err != nil {
				t.Errorf("%s: %v", got, err)
			}

			_, err = tools.CallRaw(t.Context(), session, "shout", wire.Raw(`{"n":"x"}`))
			text, toModel := "", client.Revision >= "2025-11-25"
			if failed, ok := errors.AsType[*tools.Error](err); ok && toModel {
				text = failed.Content
			}
			if answer, ok := errors.AsType[*jsonrpc.Error](err); ok && !toModel && answer.Code == jsonrpc.CodeInvalidParams {
				text = answer.Message
			}
			for _, part := range []string{"invalid arguments", "/n", "text"} {
				if !strings.Contains(text, part) {
					t.Errorf("bad arguments: got %v, which lacks %q", err, part)
				}
			}
		})
	}
}

// TestDefectsAreLogged checks that a result that reveals a mistake in a tool, and a panic, are
// logged to slog.Default unless the options name a logger. Ordinary errors are not logged.
//
// F24
func TestDefectsAreLogged(t *testing.T) {
	var standard, own strings.Builder
	before := slog.Default()
	defer slog.SetDefault(before)
	slog.SetDefault(slog.New(slog.NewTextHandler(&standard, nil)))
	item := tools.Structured(shout, tools.Options{}, newWords, func(_ context.Context, in *words) (*words, error) { return handle(in) })
	for _, row := range []struct {
		logger *slog.Logger
		log    *strings.Builder
	}{{nil, &standard}, {slog.New(slog.NewTextHandler(&own, nil)), &own}} {
		server, err := mcp.NewServer(mcp.ServerOptions{Logger: row.logger}, item)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"error", "panic", "nothing", "bad", "odd", "fine"} {
			standard.Reset()
			own.Reset()
			params := wire.Raw(`{"name":"shout","arguments":{"text":"` + text + `"}}`)
			if _, err := serveOne(t, server, params); err != nil {
				t.Error(err)
			}
			want := text != "error" && text != "fine"
			if got := strings.Contains(row.log.String(), "level=ERROR") && strings.Contains(row.log.String(), "tool=shout"); got != want {
				t.Errorf("%s: logged %v, want %v:\n%s", text, got, want, row.log)
			}
		}
	}
}

// serveOne makes one call of a tool in a session of its own.
func serveOne(t *testing.T, server *runtime.Server, params wire.Raw) (result wire.Raw, err error) {
	client := runtime.NewClient(runtime.ClientOptions{Name: "test", Version: "1"}, mcp.BindClient(mcp.UnimplementedClient{}))
	near, far := inproc.Pair()
	served := make(chan error, 1)
	go func() { served <- server.Serve(context.Background(), far) }()
	session, err := client.Connect(t.Context(), near)
	if err != nil {
		return "", err
	}
	err = session.Call(t.Context(), "tools/call", params, &result)
	session.Close()
	return result, errors.Join(err, <-served)
}

// sessionBindings returns the bindings of a client for the revisions with sessions.
func sessionBindings() []runtime.Binding {
	return slices.DeleteFunc(generated.ClientBindings(), func(b runtime.Binding) bool { return b.Stateless() })
}

// sent is a Caller that keeps the params of a request.
type sent struct {
	runtime.Caller
	params string
}

func (s *sent) Call(_ context.Context, _ string, params wire.Appender, _ wire.Value) (err error) {
	s.params, err = wire.MarshalString(params)
	return cmp.Or(err, errors.New("kept"))
}

// TestNilArguments calls a tool with a nil pointer, which is no arguments. A value that is missing within the
// arguments remains an error.
func TestNilArguments(t *testing.T) {
	s := new(sent)
	for _, none := range []wire.Appender{nil, (*words)(nil)} {
		if _, err := tools.CallRaw(t.Context(), s, "draw", none); err == nil || s.params != `{"name":"draw","arguments":{}}` {
			t.Errorf("sent %s: %v", s.params, err)
		}
	}
	if _, err := tools.GetPrompt(t.Context(), s, &tools.Item{Kind: "prompt", Key: "p"}, (*words)(nil), new(words)); err == nil || s.params != `{"name":"p","arguments":{}}` {
		t.Errorf("sent %s: %v", s.params, err)
	}
	if uri, err := (&tools.Item{Kind: "template", Key: "x://a{?b}"}).Expand((*words)(nil)); err != nil || uri != "x://a" {
		t.Errorf("%s: %v", uri, err)
	}
	if _, err := tools.CallRaw(t.Context(), s, "draw", holed{}); !errors.Is(err, wire.ErrMissing) {
		t.Errorf("sent %s: %v", s.params, err)
	}
}

// holed is a value within which one is missing.
type holed struct{}

func (holed) AppendJSON(dst []byte) ([]byte, error) { return dst, wire.In(wire.ErrMissing, "x") }
