package everything_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/generated"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
	"github.com/mcpgen/mcpgen/tests/internal/everything"
)

// client is a session in one revision. It decodes every message of the server with the types
// of that revision and validates it.
type client struct {
	*runtime.Session
	t       *testing.T
	code    generated.Revision
	methods map[string]runtime.Method

	mu       sync.Mutex
	notified []string // the methods of received notifications
}

// answers are the results for the server's requests, by method.
var answers = map[string]wire.Object{
	"sampling/createMessage": `{"model":"m","role":"assistant","content":{"type":"text","text":"said the model"}}`,
	"elicitation/create":     `{"action":"accept","content":{"username":"Ada","name":"Ada","email":"ada@example.com","ok":true,"color":"blue","context":"tests"}}`,
	"roots/list":             `{"roots":[{"uri":"file:///a"},{"uri":"file:///b"}]}`,
}

func connect(t *testing.T, revision generated.Revision) *client {
	server, _, err := everything.New(everything.Options{Logger: slog.New(slog.NewTextHandler(t.Output(), nil))})
	if err != nil {
		t.Fatal(err)
	}
	c := &client{t: t, code: revision, methods: make(map[string]runtime.Method)}
	for _, m := range revision.Methods {
		c.methods[m.Name] = m
	}
	near, far := inproc.Pair()
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(context.Background(), far) }()
	session, err := runtime.NewClient(runtime.ClientOptions{
		Name: "test", Version: "1", Capabilities: wire.Raw(`{"roots":{},"sampling":{},"elicitation":{}}`),
	}, runtime.Binding{Revision: revision.ID, Direction: runtime.ToClient, Methods: revision.Methods, Handle: c.handle}).Connect(t.Context(), near)
	if err != nil {
		t.Fatal(err)
	}
	c.Session = session
	t.Cleanup(func() {
		session.Close()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return c
}

// handle answers the server.
func (c *client) handle(_ context.Context, message *runtime.Message) (wire.Appender, error) {
	method, params := message.Method, wire.Raw(message.Object())
	m, ok := c.methods[method]
	if !ok {
		c.t.Errorf("the server sent %s, which the revision does not define", method)
		return nil, runtime.MethodNotFound(method)
	}
	if params != "" {
		c.check(method, params, m.Params)
	}
	if m.Kind == jsonrpc.Notification {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.notified = append(c.notified, method)
		return nil, nil
	}
	return answers[method], nil
}

// check reports a text that is not a valid value of a definition.
func (c *client) check(what string, text wire.Raw, definition string) {
	c.t.Helper()
	v, ok := c.code.New(definition)
	if !ok {
		c.t.Fatalf("%s: there is no definition %q", what, definition)
	}
	err := wire.UnmarshalString(string(text), v)
	if err == nil {
		err = wire.Validate(v)
	}
	if err != nil {
		c.t.Errorf("%s: %v\n%s", what, err, text)
	}
}

// ask sends a request and returns the text of its result.
func (c *client) ask(method string, params wire.Raw) string {
	c.t.Helper()
	var result wire.Raw
	if err := c.Call(c.t.Context(), method, params, &result); err != nil {
		c.t.Errorf("%s %s: %v", method, params, err)
		return ""
	}
	c.check(method, result, c.methods[method].Result)
	return string(result)
}

// TestFixtures calls the fixtures of the conformance suite in every revision.
func TestFixtures(t *testing.T) {
	for _, revision := range generated.Revisions() {
		t.Run(revision.ID, func(t *testing.T) {
			c := connect(t, revision)
			if c.Revision() != revision.ID {
				t.Fatalf("negotiated %s", c.Revision())
			}
			called := map[string]bool{}
			for _, row := range []struct {
				name, arguments string
				want            string // a part of the result
				since, before   string // the revisions of the row, or "" for all
			}{
				{name: "test_simple_text", want: `This is a simple text response for testing.`},
				{name: "test_image_content", want: `"type":"image"`},
				{name: "test_audio_content", want: `"mimeType":"audio/wav"`, since: "2025-03-26"},
				{name: "test_audio_content", want: `"blob":"UklGR`, before: "2025-03-26"},
				{name: "test_embedded_resource", want: `"uri":"test://embedded-resource"`},
				{name: "test_multiple_content_types", want: `"type":"image"`},
				{name: "test_error_handling", want: `"isError":true`},
				{name: "test_tool_with_logging", want: `successfully`},
				{name: "test_tool_with_progress", want: `successfully`},
				{name: "test_reconnection", want: `successfully`},
				{name: "test_sampling", arguments: `{"prompt":"say"}`, want: `said the model`},
				{name: "test_sampling", arguments: `{}`, want: `"isError":true`, since: "2025-11-25"},
				{name: "test_elicitation", arguments: `{"message":"who?"}`, want: `Ada`, since: "2025-06-18"},
				{name: "test_elicitation", arguments: `{"message":"who?"}`, want: `"isError":true`, before: "2025-06-18"},
				{name: "test_elicitation_sep1034_defaults", want: `accept`, since: "2025-06-18"},
				{name: "test_elicitation_sep1330_enums", want: `accept`, since: "2025-11-25"},
				{name: "test_elicitation_sep1330_enums", want: `"isError":true`, before: "2025-11-25"},
				{name: "roots", want: `file:///a\nfile:///b`},
				{name: "json_schema_2020_12_tool", arguments: `{"name":"n","email":"e"}`, want: `\"email\":\"e\"`},
				{name: "test_structured_output", arguments: `{"a":1.5,"b":2}`, want: `"structuredContent":{"sum":3.5}`, since: "2025-06-18"},
				{name: "test_structured_output", arguments: `{"a":1.5,"b":2}`, want: `{\"sum\":3.5}`},
				{name: "test_structured_output", arguments: `{"a":"1","b":2}`, want: `"isError":true`, since: "2025-11-25"},
				{name: "test_missing_capability", want: `done`},
				{name: "test_streaming_elicitation", want: `done`, since: "2025-06-18"},
				{name: "test_streaming_elicitation", want: `"isError":true`, before: "2025-06-18"},
				{name: "test_input_required_result_elicitation", want: `done`, since: "2025-06-18"},
				{name: "test_input_required_result_sampling", want: `done`},
				{name: "test_input_required_result_list_roots", want: `done`},
				{name: "test_input_required_result_request_state", want: `done`, since: "2025-06-18"},
				{name: "test_input_required_result_tampered_state", want: `done`, since: "2025-06-18"},
				{name: "test_input_required_result_multiple_inputs", want: `done`, since: "2025-06-18"},
				{name: "test_input_required_result_multi_round", want: `done`, since: "2025-06-18"},
				{name: "test_input_required_result_capabilities", want: `done`, since: "2025-06-18"},
				{name: "test_x_mcp_header", want: `done`},
			} {
				called[row.name] = true
				if revision.ID < row.since || row.before != "" && revision.ID >= row.before {
					continue
				}
				params := fmt.Sprintf(`{"name":%q}`, row.name)
				if row.name == "test_tool_with_progress" {
					params = fmt.Sprintf(`{"name":%q,"_meta":{"progressToken":"p"}}`, row.name)
				}
				if row.arguments != "" {
					params = fmt.Sprintf(`{"name":%q,"arguments":%s}`, row.name, row.arguments)
				}
				if got := c.ask("tools/call", wire.Raw(params)); !strings.Contains(got, row.want) {
					t.Errorf("%s %s: got %s, want %s", row.name, row.arguments, got, row.want)
				}
			}
			list := c.ask("tools/list", `{}`)
			listed, _ := wire.Object(list).Get("tools")
			described := map[string]bool{}
			for _, tool := range listed.Elements() {
				described[wire.Object(tool).GetString("name")] = wire.Object(tool).GetString("description") != ""
			}
			for name := range called {
				if !described[name] {
					t.Errorf("%s is not listed with a description", name)
				}
			}
			// Those that change lists or only log are left to the conformance suite.
			const left = 3
			if n := strings.Count(list, `"name":"test_`); n != len(called)-2+left {
				t.Errorf("%d of %d fixtures called", len(called)-2, n)
			}
			testOthers(c)

			c.mu.Lock()
			defer c.mu.Unlock()
			want := []string{"notifications/progress", "notifications/progress", "notifications/progress"}
			if _, ok := c.methods["logging/setLevel"]; ok { // otherwise each request asks for logs
				want = append([]string{"notifications/message", "notifications/message", "notifications/message"}, want...)
			}
			if diff := cmp.Diff(want, c.notified); diff != "" {
				t.Errorf("notifications (-want +got):\n%s", diff)
			}
		})
	}
}

// testOthers calls the methods that are not about tools.
func testOthers(c *client) {
	for _, row := range []struct {
		method string
		params wire.Raw
		want   string
	}{
		{"ping", `{}`, `{}`},
		{"logging/setLevel", `{"level":"info"}`, `{}`},
		{"prompts/list", `{}`, `"name":"test_prompt_with_arguments"`},
		{"prompts/get", `{"name":"test_simple_prompt"}`, `"type":"text"`},
		{"prompts/get", `{"name":"test_prompt_with_arguments","arguments":{"arg1":"x\"","arg2":"y"}}`, `arg1='x\"', arg2='y'`},
		{"prompts/get", `{"name":"test_prompt_with_embedded_resource","arguments":{"resourceUri":"test://x"}}`, `"uri":"test://x"`},
		{"prompts/get", `{"name":"test_prompt_with_image"}`, `"type":"image"`},
		{"completion/complete", `{"ref":{"type":"ref/prompt","name":"test_prompt_with_arguments"},"argument":{"name":"arg2","value":"par"}}`, `["paris","park","party"]`},
		{"completion/complete", `{"ref":{"type":"ref/resource","uri":"test://template/{id}/data"},"argument":{"name":"id","value":"12"}}`, `["12","123"]`},
		{"resources/list", `{}`, `"uri":"test://static-binary"`},
		{"resources/templates/list", `{}`, `"uriTemplate":"test://template/{id}/data"`},
		{"resources/read", `{"uri":"test://static-text"}`, `static text resource`},
		{"resources/read", `{"uri":"test://static-binary"}`, `"blob":"iVBOR`},
		{"resources/read", `{"uri":"test://watched-resource"}`, `"mimeType":"text/plain"`},
		{"resources/read", `{"uri":"test://template/12%223/data"}`, `{\"id\":\"12\\\"3\",`},
		{"resources/subscribe", `{"uri":"test://watched-resource"}`, `{}`},
		{"resources/unsubscribe", `{"uri":"test://watched-resource"}`, `{}`},
	} {
		if _, ok := c.methods[row.method]; !ok {
			continue
		}
		if got := c.ask(row.method, row.params); !strings.Contains(got, row.want) {
			c.t.Errorf("%s %s: got %s, want %s", row.method, row.params, got, row.want)
		}
	}
}
