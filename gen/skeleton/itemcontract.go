package skeleton

import (
	"fmt"
	"slices"

	"github.com/mcpgen/mcpgen/gen/code"
	"github.com/mcpgen/mcpgen/gen/emit"
	"github.com/mcpgen/mcpgen/gen/tools/typing"
)

// itemTests returns the files with the tests of prompts, resources and templates, and with
// their methods of the fake implementation.
func (g *generator) itemTests() []emit.Source {
	var sources []emit.Source
	for _, i := range g.pkg.Items {
		sources = append(sources, g.source(g.itemFile(i)+".gen_test.go", []part{func(w *code.Writer) { itemTest(w, i) }}))
	}
	return sources
}

// itemTest renders the test of an item, and the methods of the fake implementation for it.
func itemTest(w *code.Writer, i typing.ItemTypes) {
	f, h := forms[i.Kind], itemHandler(i)
	fake := "f"
	if i.Text != nil {
		fake = "_"
	}
	w.Doc("Test%s%s runs the tests of package contract for %s.", f.of, i.Go, h.of)
	w.P("func Test%s%s(t *testing.T) {\nsession, %s := contractSession(t)", f.of, i.Go, fake)
	if i.Text != nil {
		w.P("contract.StaticText(t, session, %s, %s)\n}\n", itemName(i), textName(i))
		return
	}
	samples := ""
	if i.Type != nil {
		samples = fmt.Sprintf(", %s[%q]", readSamples, f.noun+" "+i.Key)
	}
	w.P("contract.%s(t, session, &f.state, %s, %q%s)", f.of, itemName(i), h.name, samples)
	for _, a := range i.Arguments {
		switch k := indexOf(i.Completions, a); {
		case k >= 0:
			w.P("contract.Completion(t, session, &f.state, %s.Ref(), %q, %q)", itemName(i), a.Name, i.Completions[k].Method)
		case len(a.Enum) > 0:
			w.P("contract.Values(t, session, %s.Ref(), %q, %s)", itemName(i), a.Name, code.Strings(a.Enum))
		}
	}
	w.P("}\n")
	fakeItem(w, h)
	for _, c := range i.Completions {
		fakeOf(w, completionHandler(c, i), fmt.Sprintf("contract.Proposed(&f.state, %q, value, settled)", c.Method))
		w.P("")
	}
}

// fakeItem renders the method of the fake implementation that gets a prompt or reads a resource.
func fakeItem(w *code.Writer, h handler) {
	uri := `""`
	h.params = slices.Clone(h.params)
	for i, p := range h.params {
		if p.name == "uri" {
			uri = "uri"
		} else {
			h.params[i].name = "_"
		}
	}
	result := "Contents: []mcp.ResourceContentsUnion{&mcp.TextResourceContents{URI: uri, Text: contract.Text}}"
	if h.result == promptType {
		result = "Messages: []mcp.PromptMessage{{Role: mcp.RoleUser, Content: &mcp.TextContent{Text: contract.Text}}}"
	}
	fakeOf(w, h, fmt.Sprintf("contract.Answer(&f.state, %q, %s, &mcp.%s{%s})", h.name, uri, h.result.name, result))
	w.P("")
}
