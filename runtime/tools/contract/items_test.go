package contract_test

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/tools"
	"github.com/mcpgen/mcpgen/runtime/tools/contract"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// itemMistakes maps the mistakes that generated code or the runtime may make with prompts and
// resources to the message with which the contract tests detect them.
var itemMistakes = map[string]string{
	"item order":      "prompts/list: the server has",
	"item definition": "resources/list: the server has",
	"item sample":     "is valid but was rejected",
	"item accepts":    "was accepted, want a problem at",
	"item method":     `the call reached the method "Other"`,
	"item result":     "the result is",
	"item uri":        `x://note/a: the method received x://note/other`,
	"item text":       `want the text "A text."`,
	"item values":     `the values of "text" are ["a"], want ["a" "b"]`,
	"item completion": `the call reached the method "Other" with "an"`,
}

// TestItems tests the prompts and resources of a generated package, with a mistake if the
// environment names one.
func TestItems(t *testing.T) {
	broken := os.Getenv(brokenVariable)
	is := func(mistake string) bool { return mistake == broken }
	ask := &tools.Prompt{Name: "ask", Definition: `{"name":"ask","arguments":[{"name":"text","required":true}]}`, Arguments: checkText}
	second := &tools.Prompt{Name: "second", Definition: `{"name":"second","arguments":[{"name":"text"}]}`, Arguments: checkText}
	about := &tools.Resource{URI: "x://about", Definition: `{"uri":"x://about","name":"about"}`}
	live := &tools.Resource{URI: "x://live", Definition: `{"uri":"x://live","name":"live"}`}
	note := &tools.Template{URITemplate: "x://note/{text}", Definition: `{"uriTemplate":"x://note/{text}","name":"note"}`, Variables: checkText}
	want := &tools.Items{Prompts: []*tools.Prompt{ask, second}, Resources: []*tools.Resource{about, live}, Templates: []*tools.Template{note}}
	samples := contract.Samples{Inputs: []wire.Raw{`{"text":"a"}`}, Refused: []contract.Refused{{Pointer: "", Member: "text"}}}
	name := func(method, mistake string) string {
		if is(mistake) {
			return "Other"
		}
		return method
	}
	answer := wire.Object(`{"messages":[{"role":"user","content":{"type":"text","text":"` + contract.Text + `"}}]}`)
	static, values := "A text.", []string{"a", "b"}
	switch {
	case is("item sample"):
		ask.Arguments = checkNothing
	case is("item accepts"):
		ask.Arguments = checkAnything
	case is("item result"):
		answer = `{"messages":[]}`
	case is("item text"):
		static = "Other"
	case is("item values"):
		values = values[:1]
	}
	f := &contract.Fake{}
	fresh := func() *message { return new(message) }
	first := tools.ServePrompt(ask, fresh, func(context.Context, *message) (wire.Object, error) {
		return contract.Answer(f, name("Ask", "item method"), "", answer)
	}).Complete("text", func(_ context.Context, value string, settled map[string]string) (catalog.Completion, error) {
		return contract.Proposed(f, name("CompleteAskText", "item completion"), value, settled)
	})
	contents := func(uri string) wire.Object {
		return wire.Object(`{"contents":[{"uri":"` + uri + `","text":"` + contract.Text + `"}]}`)
	}
	offered := []catalog.Item{
		first,
		tools.ServePrompt(second, fresh, func(context.Context, *message) (wire.Object, error) { return answer, nil }).Complete("text", catalog.OneOf(values...)),
		tools.ServeText(about, static),
		tools.ServeResource(live, func(_ context.Context, uri string) (wire.Object, error) {
			return contract.Answer(f, "ReadLive", uri, contents(uri))
		}),
		tools.ServeTemplate(note, fresh, func(_ context.Context, uri string, _ *message) (wire.Object, error) {
			if is("item uri") {
				uri = "x://note/other"
			}
			return contract.Answer(f, "ReadNote", uri, contents(uri))
		}),
	}
	if is("item order") {
		offered[0], offered[1] = offered[1], offered[0]
	}
	server, err := mcp.NewServer(mcp.ServerOptions{Name: "items", Version: "1"}, offered...)
	if err != nil {
		t.Fatal(err)
	}
	client := runtime.NewClient(runtime.ClientOptions{Name: "test", Version: "1"}, mcp.BindClient(mcp.UnimplementedClient{}))
	session, err := client.Connect(t.Context(), contract.Connect(t, server))
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if is("item definition") {
		about.Definition = `{"uri":"x://about","name":"other"}`
	}

	contract.Items(t, session, want)
	contract.Prompt(t, session, f, ask, "Ask", samples)
	contract.Completion(t, session, f, ask.Ref(), "text", "CompleteAskText")
	contract.Values(t, session, second.Ref(), "text", []string{"a", "b"})
	contract.StaticText(t, session, about, "A text.")
	contract.Resource(t, session, f, live, "ReadLive")
	contract.Template(t, session, f, note, "ReadNote", samples)
}

// TestItemMistakes checks that each mistake is detected.
func TestItemMistakes(t *testing.T) {
	for mistake, want := range itemMistakes {
		cmd := exec.Command(os.Args[0], "-test.run=^TestItems$")
		cmd.Env = append(os.Environ(), brokenVariable+"="+mistake)
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v, want %q:\n%s", mistake, err, want, out)
		}
	}
}
