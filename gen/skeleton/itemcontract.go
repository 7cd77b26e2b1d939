package skeleton

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/code"
	"github.com/mcpgen/mcpgen/gen/tools/typing"
)

// itemTests returns the files with the tests of prompts, resources and templates, and with
// their methods of the fake implementation.
func (g *generator) itemTests() []code.Source {
	var sources []code.Source
	for _, i := range g.pkg.Items {
		h := itemHandler(i)
		sources = append(sources, g.source(g.itemFile(i)+".gen_test.go", []func(*jen.File){func(file *jen.File) {
			testItem(file, i, h)
			if i.Text == nil {
				fakeItem(file, h)
			}
			fakeCompletions(file, i)
		}}))
	}
	return sources
}

// testItem renders the test of an item.
func testItem(f *jen.File, i typing.ItemTypes, h handler) {
	of := forms[i.Kind]
	fake, test := "f", "contract."+of.of+"(t, session, &f.state, $1, $2$3)$4"
	samples, completions := "", ""
	switch {
	case i.Text != nil:
		fake, test = "_", "contract.StaticText(t, session, $1, "+textName(i)+")"
	case i.Type != nil:
		samples = fmt.Sprintf(", %s[%q]", readSamples, of.noun+" "+i.Key)
	}
	for _, a := range i.Arguments {
		switch k := indexOf(i.Completions, a); {
		case k >= 0:
			completions += fmt.Sprintf("\ncontract.Completion(t, session, &f.state, %s.Ref(), %q, %q)", itemName(i), a.Name, i.Completions[k].Method)
		case len(a.Enum) > 0:
			completions += fmt.Sprintf("\ncontract.Values(t, session, %s.Ref(), %q, %s)", itemName(i), a.Name, code.Strings(a.Enum))
		}
	}
	name := "Test" + of.of + i.Go
	code.Declare(f, fmt.Sprintf("%s runs the tests of package contract for %s.", name, h.of),
		"func $5(t *testing.T) {\nsession, $6 := contractSession(t)\n"+test+"\n}\n", itemName(i), strconv.Quote(h.name), samples, completions, name, fake)
}

// fakeItem renders the method of the fake implementation that gets a prompt or reads a resource.
func fakeItem(f *jen.File, h handler) {
	uri := `""`
	h.params = slices.Clone(h.params)
	for i, p := range h.params {
		if p.name == "uri" {
			uri = "uri"
		} else {
			h.params[i].name = "_"
		}
	}
	result := "ReadResourceResult{Contents: []mcp.ResourceContentsUnion{&mcp.TextResourceContents{URI: uri, Text: contract.Text}}}"
	if h.result == promptType {
		result = "GetPromptResult{Messages: []mcp.PromptMessage{{Role: mcp.RoleUser, Content: &mcp.TextContent{Text: contract.Text}}}}"
	}
	fakeOf(f, h, fmt.Sprintf("contract.Answer(&f.state, %q, %s, &mcp.%s)", h.name, uri, result))
	f.Line()
}

// fakeCompletions renders the methods of the fake implementation that propose values.
func fakeCompletions(f *jen.File, i typing.ItemTypes) {
	for _, c := range i.Completions {
		fakeOf(f, completionHandler(c, i), fmt.Sprintf("contract.Proposed(&f.state, %q, value, settled)", c.Method))
		f.Line()
	}
}
