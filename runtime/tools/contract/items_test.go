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
	"item order":      `the server's list of the kind "prompt" is`,
	"item definition": `changed "x://about" at /name: "about", was "other"`,
	"item sample":     "is valid but was rejected",
	"item accepts":    "was accepted, want a problem at",
	"item method":     `the call reached the method "Other"`,
	"item result":     "the result is",
	"item uri":        `x://note/a: the method received x://note/other`,
	"item text":       `want the text "A text."`,
	"item values":     `the values of "text" are ["a"], want ["a" "b"]`,
	"item completion": `the call reached the method "Other" with "an map[other:value]"`,
}

// TestItems tests the prompts and resources of a generated package, with a mistake if the
// environment names one.
func TestItems(t *testing.T) {
	broken := os.Getenv(brokenVariable)
	is := func(mistake string) bool { return mistake == broken }
	ask := tools.Item{Kind: "prompt", Key: "ask", Definition: `{"name":"ask","arguments":[{"name":"text","required":true}]}`, Input: checkText}
	second := &tools.Item{Kind: "prompt", Key: "second", Definition: `{"name":"second","arguments":[{"name":"text"}]}`, Input: checkText}
	about := tools.Item{Kind: "resource", Key: "x://about", Definition: `{"uri":"x://about","name":"about"}`}
	live := &tools.Item{Kind: "resource", Key: "x://live", Definition: `{"uri":"x://live","name":"live"}`}
	note := &tools.Item{Kind: "template", Key: "x://note/{text}", Definition: `{"uriTemplate":"x://note/{text}","name":"note"}`, Input: checkText}
	name := func(method, mistake string) string {
		if is(mistake) {
			return "Other"
		}
		return method
	}
	answer := wire.Object(`{"messages":[{"role":"user","content":{"type":"text","text":"` + contract.Text + `"}}]}`)
	static, values := "A text.", []string{"a", "b"}
	listedAsk, listedAbout := ask, about
	switch {
	case is("item sample"):
		listedAsk.Input = checkNothing
	case is("item accepts"):
		listedAsk.Input = checkAnything
	case is("item definition"):
		listedAbout.Definition = `{"uri":"x://about","name":"other"}`
	}
	switch {
	case is("item result"):
		answer = `{"messages":[]}`
	case is("item text"):
		static = "Other"
	case is("item values"):
		values = values[:1]
	}
	contents := func(uri string) wire.Object {
		return wire.Object(`{"contents":[{"uri":"` + uri + `","text":"` + contract.Text + `"}]}`)
	}
	const arguments = `"inputs":[{"text":"a"}],"refused":[{"at":"","without":["text"]}]`
	file := write(t, `{"checksum":"`+empty+`"}`,
		`{"item":"prompt ask","method":"Ask","completes":{"text":"CompleteAskText"},`+arguments+`}`,
		`{"item":"prompt second","method":"Second","completes":{"text":["a","b"]}}`,
		`{"item":"resource x://about","text":"A text."}`,
		`{"item":"resource x://live","method":"ReadLive"}`,
		`{"item":"template x://note/{text}","method":"ReadNote",`+arguments+`}`)
	contract.Run(t, file, []*tools.Item{&listedAsk, second, &listedAbout, live, note}, func(f *contract.Fake) (*runtime.Server, error) {
		fresh := func() *message { return new(message) }
		first := tools.ServePrompt(&ask, fresh, func(context.Context, *message) (wire.Object, error) {
			return answer, f.Call(name("Ask", "item method"))
		}).Complete("text", func(_ context.Context, value string, settled map[string]string) (catalog.Completion, error) {
			return catalog.Completion{Values: []string{contract.Text}}, f.Call(name("CompleteAskText", "item completion"), value, settled)
		})
		offered := []catalog.Item{
			first,
			tools.ServePrompt(second, fresh, func(context.Context, *message) (wire.Object, error) { return answer, nil }).Complete("text", catalog.OneOf(values...)),
			tools.ServeText(&about, static),
			tools.ServeResource(live, func(_ context.Context, uri string) (wire.Object, error) {
				return contents(uri), f.Call("ReadLive", uri)
			}),
			tools.ServeTemplate(note, fresh, func(_ context.Context, uri string, _ *message) (wire.Object, error) {
				if is("item uri") {
					uri = "x://note/other"
				}
				return contents(uri), f.Call("ReadNote", uri)
			}),
		}
		if is("item order") {
			offered[0], offered[1] = offered[1], offered[0]
		}
		return mcp.NewServer(mcp.ServerOptions{Name: "items", Version: "1"}, offered...)
	}, mcp.BindClient(mcp.UnimplementedClient{}))
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
