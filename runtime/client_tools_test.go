package runtime_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/generated/mcp20251125"
	"github.com/mcpgen/mcpgen/generated/mcp20260728"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/schema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// weather lists two tools with an output schema and one without.
const weather = `{"resultType":"complete","tools":[
	{"name":"weather","inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"degrees":{"type":"number"}},"required":["degrees"]}},
	{"name":"broken","inputSchema":{"type":"object"},"outputSchema":{"type":"object","$ref":"https://other.example/schema"}},
	{"name":"other","inputSchema":{"type":"object"}}
]}`

// outputChecker stands for the validator of a program: it knows the schema of the tool "weather" only. It counts
// the schemas that it compiles.
func outputChecker(compiled *int) func(wire.Raw) (func(wire.Raw) error, error) {
	return func(text wire.Raw) (func(wire.Raw) error, error) {
		*compiled++
		if !strings.Contains(string(text), "degrees") {
			return nil, errors.New("unknown keyword")
		}
		return func(content wire.Raw) error {
			return schema.Check(content, func(c *schema.Checker) {
				for c.Object(wire.KindObject); c.Member(); {
					c.Value(wire.KindNumber)
				}
			})
		}, nil
	}
}

// TestCheckOutput checks which results of tools/call a client refuses because of the output schema that the
// server has listed, in both eras.
func TestCheckOutput(t *testing.T) {
	const says = "runtime: result of tools/call: the structured content of tool \"weather\" does not match its output schema"
	steps := []struct {
		name   string
		before string // a request or a notification before the call, or ""
		tool   string
		result string
		says   string
	}{
		{"before it is listed", "", "weather", `{"content":[],"structuredContent":{"degrees":"x"}}`, ""},
		{"valid", "tools/list", "weather", `{"content":[],"structuredContent":{"degrees":1.5}}`, ""},
		{"invalid", "", "weather", `{"content":[],"structuredContent":{"degrees":"x"}}`, says + ": at /degrees: must be a number, found the string \"x\""},
		{"absent", "", "weather", `{"content":[]}`, says + ": it has none"},
		{"a failure", "", "weather", `{"content":[],"isError":true,"structuredContent":{}}`, ""},
		{"without a schema", "", "other", `{"content":[],"structuredContent":{"degrees":"x"}}`, ""},
		{"a schema that cannot be used", "", "broken", `{"content":[],"structuredContent":{"x":7}}`, ""},
		{"an unknown tool", "", "unknown", `{"content":[],"structuredContent":{"degrees":"x"}}`, ""},
		{"when the list has changed", toolsChanged, "weather", `{"content":[],"structuredContent":{"degrees":"x"}}`, ""},
		{"listed again", "tools/list", "weather", `{"content":[],"structuredContent":{"degrees":"x"}}`, says},
	}
	for _, revision := range []string{r25, r26} {
		t.Run(revision, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				result, compiled := "", 0
				answer := func(m jsonrpc.Message) []string {
					switch m.Method {
					case "initialize":
						return resultOf(m, strings.Replace(greeted, `"tools":{}`, `"tools":{"listChanged":true}`, 1))
					case "server/discover":
						return resultOf(m, discovered)
					case "tools/list":
						return resultOf(m, weather)
					case "tools/call":
						return resultOf(m, result)
					}
					return nil
				}
				s := &actor{answer: answer}
				session := openScript(t, eraClient(t, runtime.ClientOptions{CheckOutput: outputChecker(&compiled)}, nil, revision), s)
				for _, step := range steps {
					switch {
					case strings.HasPrefix(step.before, "notifications/"):
						s.send(`{"jsonrpc":"2.0","method":"` + step.before + `"}`)
						synctest.Wait()
					case step.before != "":
						if err := session.Call(t.Context(), step.before, nil, nil); err != nil {
							t.Fatal(err)
						}
					}
					result = step.result
					var err error
					if revision == r26 {
						_, err = mcp20260728.NewServerCaller(session).CallTool(t.Context(), &mcp20260728.CallToolRequestParams{Name: step.tool})
					} else {
						_, err = mcp20251125.NewServerCaller(session).CallTool(t.Context(), &mcp20251125.CallToolRequestParams{Name: step.tool})
					}
					if got := fmt.Sprint(err); (err != nil) != (step.says != "") || !strings.HasPrefix(got, step.says) && err != nil {
						t.Errorf("%s: %v", step.name, err)
					}
					if _, ok := errors.AsType[*wire.ValidationError](err); ok != strings.Contains(fmt.Sprint(err), "degrees") {
						t.Errorf("%s: the type of the error: %v", step.name, err)
					}
				}
				if compiled != 3 {
					t.Errorf("%d schemas compiled", compiled)
				}
			})
		})
	}
}

// TestCheckOutputOfTask checks that the answer to a call that runs as a task is not taken for its result.
func TestCheckOutputOfTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &actor{answer: func(m jsonrpc.Message) []string {
			switch m.Method {
			case "initialize":
				return resultOf(m, greeted)
			case "tools/list":
				return resultOf(m, weather)
			}
			return resultOf(m, `{"task":{"taskId":"1"}}`)
		}}
		session := openScript(t, eraClient(t, runtime.ClientOptions{CheckOutput: outputChecker(new(int))}, nil, r25), s)
		if err := session.Call(t.Context(), "tools/list", nil, nil); err != nil {
			t.Fatal(err)
		}
		if err := session.Call(t.Context(), "tools/call", &toolParams{Name: "weather"}, nil); err != nil {
			t.Error(err)
		}
	})
}
