package runtime_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/mcp20260728"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestExtensionResults checks that a client takes a result with a resultType of an extension only if it has
// declared the extension, which is part of adding it, and only from the methods of the extension.
//
// V10, B7, B8
func TestExtensionResults(t *testing.T) {
	x := runtime.Extension{Name: "com.example/jobs", Revision: rA, Results: []runtime.ExtensionResult{{Method: "tools/call", Type: "job"}}}
	for _, c := range []struct {
		name, capabilities, kind, method string
		taken                            bool
	}{
		{"declared by Over", `{}`, "job", "tools/call", true},
		{"declared by Over beside another", `{"extensions":{"com.example/tasks":{}}}`, "job", "tools/call", true},
		{"declared", `{"extensions":{"com.example/jobs":{}}}`, "job", "tools/call", true},
		{"declared with settings", `{"extensions":{"com.example/jobs":{"a":1}}}`, "job", "tools/call", true},
		{"another method", `{}`, "job", "prompts/get", false},
		{"another type", `{}`, "task", "tools/call", false},
		{"V11 settings that are no object", `{"extensions":{"com.example/jobs":true}}`, "job", "tools/call", false},
		{"not added", "", "job", "tools/call", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := asking(`{"resultType":"` + c.kind + `","job":"7"}`)
			options, binding := runtime.ClientOptions{Name: "test", Version: "1"}, mcp20260728.BindClient(mcp20260728.UnimplementedClient{})
			if c.capabilities != "" {
				options.Capabilities = wire.Raw(c.capabilities)
				binding = x.Over(binding, runtime.Binding{})
			}
			client := runtime.NewClient(options, binding)
			session, err := client.Connect(t.Context(), server.serve())
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			caller := mcp20260728.NewServerCaller(session)
			if c.method == "prompts/get" {
				_, err = caller.GetPrompt(t.Context(), &mcp20260728.GetPromptRequestParams{Name: "a"})
			} else {
				_, err = caller.CallTool(t.Context(), &mcp20260728.CallToolRequestParams{Name: "a"})
			}
			other, taken := errors.AsType[*runtime.OtherResultError](err)
			if taken != c.taken || err == nil || !taken && !strings.Contains(err.Error(), "unknown resultType") {
				t.Fatalf("the error is %v", err)
			}
			if !taken {
				return
			}
			var job wire.Object
			if is, err := runtime.DecodeResult(other.Result, "job", &job); !is || err != nil || job.GetString("job") != "7" {
				t.Errorf("decoded %s, %t, %v", job, is, err)
			}
		})
	}
}
