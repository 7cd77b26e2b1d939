package compat

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"

	ladder "github.com/mcpgen/mcpgen/generated/compat"
	mcp "github.com/mcpgen/mcpgen/generated/mcp20251125"
	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// newest is a client's handler, written for the newest revision.
type newest struct{ mcp.UnimplementedClient }

func (newest) CreateMessage(context.Context, *mcp.CreateMessageRequestParams) (mcp.CreateMessageResponse, error) {
	return &mcp.CreateMessageResult{Model: "m", Role: mcp.RoleAssistant, Content: mcp.SamplingMessageContentList{
		&mcp.TextContent{Text: "one", Meta: `{"a":1}`}, &mcp.TextContent{Text: "two"},
	}}, nil
}

func (newest) Elicit(_ context.Context, params mcp.ElicitRequestParams) (mcp.ElicitResponse, error) {
	if _, ok := params.(*mcp.ElicitRequestFormParams); !ok {
		return nil, errors.New("not a form")
	}
	return &mcp.ElicitResult{Action: mcp.ElicitActionAccept, Content: wire.Map[mcp.ElicitResultContent]{
		{Name: "name", Value: mcp.ElicitResultContentScalar{Scalar: wire.ScalarOf("Ada")}},
	}}, nil
}

func (newest) ListRoots(context.Context, *mcp.RequestParams) (*mcp.ListRootsResult, error) {
	return &mcp.ListRootsResult{Roots: []mcp.Root{{URI: "file:///a", Meta: `{"a":1}`}}}, nil
}

// TestClient uses servers of each revision with a client of the newest revision. Its messages
// must be valid in the revision of the server.
func TestClient(t *testing.T) {
	for _, j := range judges(t) {
		t.Run(j.ir.ID, func(t *testing.T) {
			var log journal
			near, far := inproc.Pair()
			ctx := testkit.Context(t)
			served := make(chan error, 1)
			go func() { served <- newServer(t, j.ir.ID).Serve(ctx, far) }()
			client := runtime.NewClient(runtime.ClientOptions{
				Name: "client", Version: "1",
				Capabilities: &mcp.ClientCapabilities{
					Roots:       &mcp.ClientCapabilitiesRoots{ListChanged: new(true)},
					Sampling:    &mcp.ClientCapabilitiesSampling{Tools: "{}"},
					Elicitation: &mcp.ClientCapabilitiesElicitation{Form: "{}", URL: "{}"},
				},
			}, ladder.Client(mcp.BindClient(newest{}), ladder.Options{Lost: log.lost})...)
			session, err := client.Connect(ctx, &recorder{near, &log})
			if err != nil {
				t.Fatal(err)
			}
			log.forget() // initialize was sent before the revision was known
			use(t, ctx, mcp.NewServerCaller(session), &log)
			session.Close()
			if err := <-served; err != nil {
				t.Errorf("serve: %v", err)
			}
			log.judge(t, j)
			log.golden(t, filepath.Join("testdata", "client", j.ir.ID+".txt"))
		})
	}
}

// use calls a server with features of the newest revision.
func use(t *testing.T, ctx context.Context, server mcp.ServerCaller, log *journal) {
	t.Helper()
	said := func(v wire.Appender, err error) {
		if err != nil {
			log.note("error %v", err)
			return
		}
		text, err := wire.Marshal(v)
		if err != nil {
			t.Error(err)
		}
		log.note("got %s", text)
	}
	log.mark("tools/list")
	list, err := server.ListTools(ctx, nil)
	said(list, err)
	for _, name := range []string{"plain", "sample", "elicit", "roots"} {
		log.mark("tools/call " + name)
		result, err := server.CallTool(ctx, &mcp.CallToolRequestParams{Name: name, Arguments: `{"a":1}`})
		said(result, err)
	}
	log.mark("completion/complete")
	completion, err := server.Complete(ctx, &mcp.CompleteRequestParams{
		Ref:      &mcp.ResourceTemplateReference{URI: "file:///{x}"},
		Argument: mcp.CompleteRequestParamsArgument{Name: "x", Value: "a"},
		Context:  &mcp.CompleteRequestParamsContext{Arguments: wire.Map[string]{{Name: "y", Value: "b"}}},
	})
	said(completion, err)
	log.mark("tasks/list")
	tasks, err := server.ListTasks(ctx, nil)
	said(tasks, err)
	log.mark("notifications")
	for _, err := range []error{
		server.RootsListChanged(ctx, nil),
		server.Progress(ctx, &mcp.ProgressNotificationParams{ProgressToken: wire.IDOf(1), Progress: 1, Message: new("half")}),
		server.Cancelled(ctx, &mcp.CancelledNotificationParams{Reason: new("a task")}),
	} {
		if err != nil {
			log.note("error %v", err)
		}
	}
}

// newServer returns a server that supports only one revision.
func newServer(t *testing.T, revision string) *runtime.Server {
	t.Helper()
	code := code(t, revision)
	row := func(method string) *runtime.Method {
		i := slices.IndexFunc(code.Methods, func(m runtime.Method) bool { return m.Name == method })
		if i < 0 {
			return nil
		}
		return &code.Methods[i]
	}
	asks := map[string]struct {
		method string
		params wire.Raw
	}{
		"sample": {"sampling/createMessage", `{"maxTokens":1,"messages":[{"role":"user","content":{"type":"text","text":"Say."}}]}`},
		"elicit": {"elicitation/create", `{"message":"Who?","requestedSchema":{"type":"object","properties":{"c":{"type":"string","enum":["r"],"enumNames":["Red"]}}}}`},
		"roots":  {"roots/list", `{}`},
	}
	answers := map[string]wire.Raw{
		"tools/list":          `{"tools":[{"name":"plain","inputSchema":{"type":"object","$schema":"https://json-schema.org/draft/2020-12/schema","x":1},"com.example":2}]}`,
		"completion/complete": `{"completion":{"values":["a"]}}`,
		"tasks/list":          `{"tasks":[]}`,
	}
	answer := func(ctx context.Context, method string, params wire.Raw) (wire.Raw, error) {
		if method != "tools/call" {
			return answers[method], nil
		}
		name, _ := wire.Object(params).Get("name")
		ask, ok := asks[string(name[1:len(name)-1])]
		if !ok {
			return `{"content":[{"type":"text","text":"plain"},{"type":"image","data":"aQ==","mimeType":"image/png"}]}`, nil
		}
		m := row(ask.method)
		if m == nil {
			return `{"content":[],"isError":true}`, nil
		}
		result := fresh(t, code, m.Result)
		if err := runtime.CallOf(ctx).Call(ctx, ask.method, ask.params, result); err != nil {
			return "", err
		}
		if err := wire.Validate(result); err != nil {
			t.Errorf("%s: %v", ask.method, err)
		}
		return `{"content":[]}`, nil
	}
	return runtime.NewServer(runtime.ServerOptions{
		Name: "server", Version: "1",
		Capabilities: wire.Object(`{"tools":{},"completions":{},"tasks":{"list":{}},"logging":{}}`),
	}, runtime.Binding{
		Revision: revision, Direction: runtime.ToServer, Methods: code.Methods,
		Handle: func(ctx context.Context, message *runtime.Message) (wire.Appender, error) {
			method, params := message.Method, wire.Raw(message.Object())
			m := row(method)
			if m == nil || m.Kind == jsonrpc.Request && answers[method] == "" && method != "tools/call" {
				return nil, runtime.MethodNotFound(method)
			}
			if m.Kind == jsonrpc.Notification {
				return nil, nil
			}
			return runtime.Answer(ctx, message, fresh(t, code, m.Params), func(ctx context.Context, _ wire.Value) (wire.Appender, error) {
				return answer(ctx, method, params)
			})
		},
	})
}

// TestRevisionError checks that a request which the session's revision cannot express is an
// error, and that such a notification is reported as lost.
func TestRevisionError(t *testing.T) {
	near, far := inproc.Pair()
	ctx := testkit.Context(t)
	go newServer(t, "2024-11-05").Serve(ctx, far)
	var lost []string
	o := ladder.Options{Lost: func(_ context.Context, r ladder.Report) { lost = append(lost, r.Method+r.Pointer) }}
	session, err := runtime.NewClient(runtime.ClientOptions{Name: "c", Version: "1"}, ladder.Client(mcp.BindClient(newest{}), o)...).Connect(ctx, near)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	_, err = mcp.NewServerCaller(session).ListTasks(ctx, nil)
	e, ok := errors.AsType[*ladder.RevisionError](err)
	if !ok || e.Revision != "2024-11-05" || e.Method != "tasks/list" {
		t.Errorf("got %v", err)
	}
	lost = nil
	err = mcp.NewServerCaller(session).Cancelled(ctx, &mcp.CancelledNotificationParams{})
	if want := []string{"notifications/cancelled/requestId"}; err != nil || !slices.Equal(lost, want) {
		t.Errorf("a notification: got %v, lost %q, want %q", err, lost, want)
	}
}
