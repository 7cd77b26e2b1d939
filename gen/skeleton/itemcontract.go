package skeleton

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/emit"
	"github.com/mcpgen/mcpgen/gen/tools/typing"
)

// itemTests returns the files with the tests of prompts, resources and templates, and with
// their methods of the fake implementation.
func (g *generator) itemTests() []emit.Source {
	var sources []emit.Source
	for _, i := range g.pkg.Items {
		f, h := forms[i.Kind], itemHandler(i)
		sources = append(sources, g.source(g.itemFile(i)+".gen_test.go", []func(*jen.File){func(file *jen.File) {
			testItem(file, "Test"+f.of+i.Go, h.of, i.Text == nil, func(body *jen.Group) {
				if i.Text != nil {
					callContract(body, "StaticText", false, itemName(i), jen.Id(textName(i)))
					return
				}
				args := []jen.Code{jen.Lit(h.name)}
				if i.Type != nil {
					args = append(args, jen.Add(readSamples()).Index(jen.Lit(f.noun+" "+i.Key)))
				}
				callContract(body, f.of, true, itemName(i), args...)
				testCompletions(body, i)
			})
			if i.Text == nil {
				fakeItem(file, h)
			}
			fakeCompletions(file, i)
		}}))
	}
	return sources
}

// fakeState renders the state of the fake implementation.
func fakeState() jen.Code { return jen.Op("&").Id("f").Dot("state") }

// testItem renders the test of an item. Calls means that the fake implementation has a method
// for it.
func testItem(f *jen.File, name, of string, calls bool, add func(*jen.Group)) {
	f.Add(emit.Comment(fmt.Sprintf("%s runs the tests of package contract for %s.", name, of)))
	f.Func().Id(name).Params(jen.Id("t").Op("*").Qual("testing", "T")).BlockFunc(func(body *jen.Group) {
		fake := "_"
		if calls {
			fake = "f"
		}
		body.List(jen.Id("session"), jen.Id(fake)).Op(":=").Id("contractSession").Call(jen.Id("t"))
		add(body)
	})
	f.Line()
}

// callContract renders the call of a test of package contract.
func callContract(body *jen.Group, test string, fake bool, item string, more ...jen.Code) {
	all := []jen.Code{jen.Id("t"), jen.Id("session")}
	if fake {
		all = append(all, fakeState())
	}
	body.Qual(contractPath, test).Call(append(append(all, jen.Id(item)), more...)...)
}

// testCompletions renders the tests of the completion of arguments.
func testCompletions(body *jen.Group, item typing.ItemTypes) {
	for _, a := range item.Arguments {
		args := []jen.Code{jen.Id("t"), jen.Id("session")}
		ref, name := jen.Id(itemName(item)).Dot("Ref").Call(), jen.Lit(a.Name)
		switch i := indexOf(item.Completions, a); {
		case i >= 0:
			body.Qual(contractPath, "Completion").Call(append(args, fakeState(), ref, name, jen.Lit(item.Completions[i].Method))...)
		case len(a.Enum) > 0:
			body.Qual(contractPath, "Values").Call(append(args, ref, name, emit.Strings(a.Enum))...)
		}
	}
}

// fakeItem renders the method of the fake implementation that gets a prompt or reads a resource.
func fakeItem(f *jen.File, h handler) {
	uri := jen.Lit("")
	h.params = slices.Clone(h.params)
	for i, p := range h.params {
		if p.name == "uri" {
			uri = jen.Id("uri")
		} else {
			h.params[i].name = "_"
		}
	}
	result := "ReadResourceResult{Contents: []mcp.ResourceContentsUnion{&mcp.TextResourceContents{URI: uri, Text: contract.Text}}}"
	if h.result == promptType {
		result = "GetPromptResult{Messages: []mcp.PromptMessage{{Role: mcp.RoleUser, Content: &mcp.TextContent{Text: contract.Text}}}}"
	}
	fakeOf(f, h, emit.Go("contract.Answer(&f.state, $1, $2, &mcp."+result+")", jen.Lit(h.name), uri))
	f.Line()
}

// fakeCompletions renders the methods of the fake implementation that propose values.
func fakeCompletions(f *jen.File, i typing.ItemTypes) {
	for _, c := range i.Completions {
		fakeOf(f, completionHandler(c, i), emit.Go("contract.Proposed(&f.state, $1, value, settled)", jen.Lit(c.Method)))
		f.Line()
	}
}
