package interop

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	mcp "github.com/mcpgen/mcpgen/generated/mcp20251125"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// user is a client whose user, model and files answer all requests of the server.
type user struct {
	mcp.UnimplementedClient
	rooted  chan struct{}
	updated chan string
	logged  chan string
}

func (u *user) ListRoots(context.Context, *mcp.RequestParams) (*mcp.ListRootsResult, error) {
	select {
	case u.rooted <- struct{}{}:
	default:
	}
	return &mcp.ListRootsResult{Roots: []mcp.Root{{URI: "file:///a", Name: new("A")}, {URI: "file:///b"}}}, nil
}

func (u *user) CreateMessage(_ context.Context, params *mcp.CreateMessageRequestParams) (mcp.CreateMessageResponse, error) {
	asked, ok := params.Messages[0].Content.(*mcp.TextContent)
	if !ok {
		return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "not a text: %T", params.Messages[0].Content)
	}
	return &mcp.CreateMessageResult{
		Role:       mcp.RoleAssistant,
		Model:      "parrot",
		Content:    &mcp.TextContent{Text: fmt.Sprintf("%s (%d)", asked.Text, params.MaxTokens)},
		StopReason: new("endTurn"),
	}, nil
}

func (u *user) Elicit(_ context.Context, params mcp.ElicitRequestParams) (mcp.ElicitResponse, error) {
	switch params := params.(type) {
	case *mcp.ElicitRequestFormParams:
		answers := map[string]mcp.ElicitResultContent{
			"name":                       mcp.ElicitResultContentScalar{Scalar: wire.ScalarOf("Zoë")},
			"check":                      mcp.ElicitResultContentScalar{Scalar: wire.ScalarOf(true)},
			"integer":                    mcp.ElicitResultContentScalar{Scalar: wire.ScalarOf(7)},
			"untitledMultipleSelectEnum": mcp.ElicitResultContentList{"Violin"},
		}
		content := wire.Map[mcp.ElicitResultContent]{}
		for name := range params.RequestedSchema.Properties.All() {
			if answer, ok := answers[name]; ok {
				content.Set(name, answer)
			}
		}
		return &mcp.ElicitResult{Action: mcp.ElicitActionAccept, Content: content}, nil
	case *mcp.ElicitRequestURLParams:
		if params.URL != "https://example.com/" {
			return &mcp.ElicitResult{Action: mcp.ElicitActionDecline}, nil
		}
		return &mcp.ElicitResult{Action: mcp.ElicitActionAccept}, nil
	}
	return &mcp.ElicitResult{Action: mcp.ElicitActionCancel}, nil
}

func (u *user) ResourceUpdated(_ context.Context, params *mcp.ResourceUpdatedNotificationParams) error {
	u.updated <- params.URI
	return nil
}

func (u *user) LoggingMessage(_ context.Context, params *mcp.LoggingMessageNotificationParams) error {
	u.logged <- string(params.Data)
	return nil
}

// await returns the first value from a channel that matches a function.
func await[T any](ctx context.Context, t *testing.T, what string, c <-chan T, accept func(T) bool) {
	t.Helper()
	for {
		select {
		case v := <-c:
			if accept(v) {
				return
			}
		case <-ctx.Done():
			t.Fatalf("%s: %v", what, ctx.Err())
		}
	}
}

// visit is a session with server-everything.
type visit struct {
	*testing.T
	ctx    context.Context
	user   *user
	server mcp.ServerCaller
}

func useEverything(ctx context.Context, t *testing.T, transport runtime.Transport) {
	said := new(transcript)
	u := &user{rooted: make(chan struct{}, 1), updated: make(chan string, 100), logged: make(chan string, 100)}
	session, err := runtime.NewClient(runtime.ClientOptions{
		Name:    "interop",
		Title:   "Interoperability",
		Version: "1",
		Capabilities: &mcp.ClientCapabilities{
			Roots:       &mcp.ClientCapabilitiesRoots{ListChanged: new(true)},
			Sampling:    &mcp.ClientCapabilitiesSampling{},
			Elicitation: &mcp.ClientCapabilitiesElicitation{Form: "{}", URL: "{}"},
			Tasks: &mcp.ClientCapabilitiesTasks{List: "{}", Cancel: "{}", Requests: &mcp.ClientCapabilitiesTasksRequests{
				Sampling:    &mcp.ClientCapabilitiesTasksRequestsSampling{CreateMessage: "{}"},
				Elicitation: &mcp.ClientCapabilitiesTasksRequestsElicitation{Create: "{}"},
			}},
		},
	}, tasks.New(tasks.Options{}).Over(mcp.BindClient(u))).Connect(ctx, recorder{transport, said})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if session.Revision() != mcp.Revision || !strings.Contains(string(session.ServerInfo()), "mcp-servers/everything") || session.Instructions() == "" {
		t.Errorf("connected to %s with %s, instructions %q", session.ServerInfo(), session.Revision(), session.Instructions())
	}
	if err := session.Ping(ctx); err != nil {
		t.Errorf("ping: %v", err)
	}

	v := &visit{t, ctx, u, mcp.NewServerCaller(session)}
	v.testTools()
	v.testPrompts()
	v.testResources()
	v.testCompletion()
	// The server requests the roots by itself and then starts to send notifications.
	await(ctx, t, "roots", u.rooted, func(struct{}) bool { return true })
	v.testSubscription()
	v.testQuestions()
	v.testCancellation()
	v.testTask()
	v.testOwnTasks()
	if err := session.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	check(t, said, mcp.Revision)
}

// call calls a tool and compares the texts of the result.
func (v *visit) call(name, arguments string, want ...string) *mcp.CallToolResult {
	v.Helper()
	called, err := v.server.CallTool(v.ctx, &mcp.CallToolRequestParams{Name: name, Arguments: wire.Object(arguments)})
	if err != nil {
		v.Fatalf("%s: %v", name, err)
	}
	var texts []string
	for _, block := range called.Content {
		if text, ok := block.(*mcp.TextContent); ok {
			texts = append(texts, text.Text)
		}
	}
	all := strings.Join(texts, "\n")
	for _, text := range want {
		if !strings.Contains(all, text) {
			v.Errorf("%s: got %q, want %q", name, all, text)
		}
	}
	return called
}

func (v *visit) testTools() {
	list, err := v.server.ListTools(v.ctx, nil)
	if err != nil {
		v.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	for _, name := range []string{"echo", "get-structured-content", "get-roots-list", "trigger-sampling-request", "trigger-url-elicitation"} {
		if !slices.Contains(names, name) {
			v.Errorf("tools: %q lacks %s", names, name)
		}
	}

	if err := isJSON(v.call("echo", echoArguments), `{"content":[{"type":"text","text":"Echo: héllo"}]}`); err != nil {
		v.Error(err)
	}
	v.call("get-sum", `{"a":2,"b":40.5}`, "42.5")
	weather := v.call("get-structured-content", `{"location":"Chicago"}`, "Light rain")
	if want := wire.Object(`{"temperature":36,"conditions":"Light rain / drizzle","humidity":82}`); !wire.Equal(wire.Raw(weather.StructuredContent), wire.Raw(want)) {
		v.Errorf("structured content: got %s", weather.StructuredContent)
	}
	annotated := v.call("get-annotated-message", `{"messageType":"error","includeImage":true}`, "Operation failed")
	if image, ok := annotated.Content[1].(*mcp.ImageContent); !ok || image.MIMEType != "image/png" || len(image.Data) == 0 {
		v.Errorf("image: got %+v", annotated.Content[1])
	}
	if text := annotated.Content[0].(*mcp.TextContent); text.Annotations == nil || len(text.Annotations.Audience) != 2 {
		v.Errorf("annotations: got %+v", text.Annotations)
	}
	links := v.call("get-resource-links", `{"count":2}`)
	if link, ok := links.Content[2].(*mcp.ResourceLink); !ok || link.URI != "demo://resource/dynamic/text/2" || link.Name != "Text Resource 2" {
		v.Errorf("link: got %+v", links.Content[2])
	}
	embedded := v.call("get-resource-reference", `{"resourceType":"Text","resourceId":3}`)
	if block, ok := embedded.Content[1].(*mcp.EmbeddedResource); !ok {
		v.Errorf("embedded resource: got %+v", embedded.Content[1])
	} else if text, ok := block.Resource.(*mcp.TextResourceContents); !ok || !strings.HasPrefix(text.Text, "Resource 3") {
		v.Errorf("embedded resource: got %+v", block.Resource)
	}

	if result := v.call("get-sum", `{"a":"two"}`, "-32602"); result.IsError == nil || !*result.IsError {
		v.Errorf("bad arguments: got %+v", result)
	}

	var progress []float64
	ctx := runtime.WithProgress(v.ctx, func(p runtime.Progress) { progress = append(progress, p.Progress) })
	if _, err := v.server.CallTool(ctx, &mcp.CallToolRequestParams{Name: "trigger-long-running-operation", Arguments: `{"duration":0.2,"steps":4}`}); err != nil {
		v.Errorf("long running operation: %v", err)
	}
	if diff := cmp.Diff([]float64{1, 2, 3, 4}, progress); diff != "" {
		v.Errorf("progress (-want +got):\n%s", diff)
	}
}

func (v *visit) testPrompts() {
	list, err := v.server.ListPrompts(v.ctx, nil)
	if err != nil || len(list.Prompts) != 4 {
		v.Errorf("prompts: got %+v, %v", list, err)
	}
	prompt, err := v.server.GetPrompt(v.ctx, &mcp.GetPromptRequestParams{Name: "args-prompt", Arguments: wire.Map[string]{{Name: "city", Value: "Zürich"}}})
	if err != nil {
		v.Fatal(err)
	}
	if text, ok := prompt.Messages[0].Content.(*mcp.TextContent); !ok || prompt.Messages[0].Role != mcp.RoleUser || !strings.Contains(text.Text, "Zürich") {
		v.Errorf("prompt: got %+v", prompt)
	}
	prompt, err = v.server.GetPrompt(v.ctx, &mcp.GetPromptRequestParams{Name: "resource-prompt", Arguments: wire.Map[string]{{Name: "resourceType", Value: "Blob"}, {Name: "resourceId", Value: "1"}}})
	if err != nil {
		v.Fatal(err)
	}
	if block, ok := prompt.Messages[1].Content.(*mcp.EmbeddedResource); !ok {
		v.Errorf("prompt: got %+v", prompt.Messages[1].Content)
	} else if _, ok := block.Resource.(*mcp.BlobResourceContents); !ok {
		v.Errorf("prompt: got %+v", block.Resource)
	}
	var refused *jsonrpc.Error
	if _, err := v.server.GetPrompt(v.ctx, &mcp.GetPromptRequestParams{Name: "none"}); !errors.As(err, &refused) || refused.Code != jsonrpc.CodeInvalidParams {
		v.Errorf("unknown prompt: got %v", err)
	}
}

func (v *visit) testResources() {
	list, err := v.server.ListResources(v.ctx, nil)
	if err != nil || len(list.Resources) == 0 {
		v.Fatalf("resources: got %+v, %v", list, err)
	}
	document, err := v.server.ReadResource(v.ctx, &mcp.ReadResourceRequestParams{URI: list.Resources[0].URI})
	if err != nil {
		v.Fatal(err)
	}
	if text, ok := document.Contents[0].(*mcp.TextResourceContents); !ok || text.MIMEType == nil || *text.MIMEType != "text/markdown" {
		v.Errorf("document: got %+v", document.Contents[0])
	}
	templates, err := v.server.ListResourceTemplates(v.ctx, nil)
	if err != nil || len(templates.ResourceTemplates) != 2 {
		v.Errorf("templates: got %+v, %v", templates, err)
	}
	blob, err := v.server.ReadResource(v.ctx, &mcp.ReadResourceRequestParams{URI: "demo://resource/dynamic/blob/7"})
	if err != nil {
		v.Fatal(err)
	}
	if _, ok := blob.Contents[0].(*mcp.BlobResourceContents); !ok {
		v.Errorf("blob: got %+v", blob.Contents[0])
	}
	var refused *jsonrpc.Error
	if _, err := v.server.ReadResource(v.ctx, &mcp.ReadResourceRequestParams{URI: "demo://nowhere"}); !errors.As(err, &refused) {
		v.Errorf("unknown resource: got %v", err)
	}
}

func (v *visit) testCompletion() {
	for _, row := range []struct {
		params mcp.CompleteRequestParams
		want   []string
	}{
		{mcp.CompleteRequestParams{
			Ref:      &mcp.PromptReference{Name: "completable-prompt"},
			Argument: mcp.CompleteRequestParamsArgument{Name: "department", Value: "S"},
		}, []string{"Sales", "Support"}},
		{mcp.CompleteRequestParams{
			Ref:      &mcp.PromptReference{Name: "completable-prompt"},
			Argument: mcp.CompleteRequestParamsArgument{Name: "name", Value: ""},
			Context:  &mcp.CompleteRequestParamsContext{Arguments: wire.Map[string]{{Name: "department", Value: "Sales"}}},
		}, []string{"David", "Eve", "Frank"}},
		{mcp.CompleteRequestParams{
			Ref:      &mcp.ResourceTemplateReference{URI: "demo://resource/dynamic/text/{resourceId}"},
			Argument: mcp.CompleteRequestParamsArgument{Name: "resourceId", Value: "12"},
		}, []string{"12"}},
	} {
		result, err := v.server.Complete(v.ctx, &row.params)
		if err != nil {
			v.Errorf("completion: %v", err)
		} else if diff := cmp.Diff(row.want, result.Completion.Values); diff != "" {
			v.Errorf("completion (-want +got):\n%s", diff)
		}
	}
}

// testSubscription makes the server send log messages and updates.
func (v *visit) testSubscription() {
	const uri = "demo://resource/dynamic/text/5"
	setLevel := func(level mcp.LoggingLevel) {
		if _, err := v.server.SetLevel(v.ctx, &mcp.SetLevelRequestParams{Level: level}); err != nil {
			v.Errorf("logging/setLevel: %v", err)
		}
	}
	setLevel(mcp.LoggingLevelInfo)
	if _, err := v.server.Subscribe(v.ctx, &mcp.SubscribeRequestParams{URI: uri}); err != nil {
		v.Fatal(err)
	}
	await(v.ctx, v.T, "log message", v.user.logged, func(data string) bool {
		return strings.Contains(data, "Received Subscribe Resource request for URI: "+uri)
	})
	v.call("toggle-subscriber-updates", "{}", "Started")
	await(v.ctx, v.T, "update", v.user.updated, func(updated string) bool { return updated == uri })
	v.call("toggle-subscriber-updates", "{}", "Stopped")

	setLevel(mcp.LoggingLevelError)
	if _, err := v.server.Unsubscribe(v.ctx, &mcp.UnsubscribeRequestParams{URI: uri}); err != nil {
		v.Fatal(err)
	}
	v.call("get-sum", `{"a":1,"b":1}`, "2")
	for len(v.user.logged) > 0 {
		if data := <-v.user.logged; strings.Contains(data, "Unsubscribe") {
			v.Errorf("logged below the level: %s", data)
		}
	}
}

// testQuestions makes the server ask the client while a tool runs.
func (v *visit) testQuestions() {
	v.call("get-roots-list", "{}", "2 total", "1. A", "URI: file:///b")
	v.call("trigger-sampling-request", `{"prompt":"say hi","maxTokens":12}`, "say hi (12)", `"parrot"`)
	v.call("trigger-elicitation-request", "{}", "Name: Zoë", "Favorite Integer: 7", `"Violin"`)
	v.call("trigger-url-elicitation", `{"url":"https://example.com/"}`, "completed", "https://example.com/")
	v.call("trigger-url-elicitation", `{"url":"https://example.org/"}`, "declined")

	var refused *jsonrpc.Error
	_, err := v.server.CallTool(v.ctx, &mcp.CallToolRequestParams{Name: "trigger-url-elicitation", Arguments: `{"url":"https://example.net/","errorPath":true}`})
	if !errors.As(err, &refused) || refused.Code != -32042 || !strings.Contains(string(refused.Data), "modelcontextprotocol.io") {
		v.Errorf("elicitation required: got %v", err)
	}
}

func (v *visit) testCancellation() {
	ctx, cancel := context.WithCancel(v.ctx)
	defer cancel()
	ctx = runtime.WithProgress(ctx, func(runtime.Progress) { cancel() })
	_, err := v.server.CallTool(ctx, &mcp.CallToolRequestParams{Name: "trigger-long-running-operation", Arguments: `{"duration":10,"steps":200}`})
	if !errors.Is(err, context.Canceled) {
		v.Errorf("cancelled call: got %v", err)
	}
	v.call("get-sum", `{"a":1,"b":2}`, "3")
}

// testOwnTasks makes the server create tasks for its requests to the client and wait for them.
func (v *visit) testOwnTasks() {
	v.call("trigger-sampling-request-async", `{"prompt":"say hi","maxTokens":12}`, "[COMPLETED]", "say hi (12)", "io.modelcontextprotocol/related-task")
	v.call("trigger-elicitation-request-async", "{}", "[COMPLETED]", "Name: Zoë")
}

// testTask runs a tool as a task. While the client waits for the result, the server asks it a
// question for the task.
func (v *visit) testTask() {
	response, err := v.server.CallToolResponse(v.ctx, &mcp.CallToolRequestParams{
		Name: "simulate-research-query", Arguments: `{"topic":"parrots","ambiguous":true}`, Task: &mcp.TaskMetadata{TTL: new(int64(60000))},
	})
	if err != nil {
		v.Fatal(err)
	}
	created, ok := response.(*mcp.CreateTaskResult)
	if !ok {
		v.Fatalf("task: got %T", response)
	}
	task, err := v.server.GetTask(v.ctx, &mcp.GetTaskRequestParams{TaskID: created.Task.TaskID})
	if err != nil || task.Status != mcp.TaskStatusWorking {
		v.Errorf("task: got %+v, %v", task, err)
	}
	if list, err := v.server.ListTasks(v.ctx, nil); err != nil || len(list.Tasks) != 1 || list.Tasks[0].TaskID != created.Task.TaskID {
		v.Errorf("tasks: got %+v, %v", list, err)
	}
	payload, err := v.server.GetTaskPayload(v.ctx, &mcp.GetTaskPayloadRequestParams{TaskID: created.Task.TaskID})
	if err != nil {
		v.Fatal(err)
	}
	text, err := payload.AppendJSON(nil)
	if err != nil || !strings.Contains(string(text), "Research Report: parrots") {
		v.Errorf("the outcome of the task: %s, %v", text, err)
	}
}
