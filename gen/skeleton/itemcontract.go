package skeleton

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/emit"
	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/gen/tools/typing"
)

// itemTests returns the files with the tests of prompts, resources and templates, and with
// their methods of the fake implementation.
func (g *generator) itemTests() []emit.Source {
	var sources []emit.Source
	add := func(name string, parts ...func(*jen.File)) { sources = append(sources, g.source(name, parts)) }
	for _, p := range g.pkg.Prompts {
		h := promptHandler(p)
		add(g.names["prompt "+p.Go]+"_prompt.gen_test.go", func(f *jen.File) {
			testItem(f, "TestPrompt"+p.Go, h.of, true, func(body *jen.Group) {
				callContract(body, "Prompt", true, promptName(p), jen.Lit(h.name), samplesOf("prompt "+p.Prompt.Name))
				testCompletions(body, promptName(p), p.Prompt.Arguments, p.Completions)
			})
			fakeItem(f, h)
			fakeCompletions(f, p.Completions)
		})
	}
	for _, r := range g.pkg.Resources {
		h := resourceHandler(r)
		add(g.names["resource "+r.Go]+"_resource.gen_test.go", func(f *jen.File) {
			testItem(f, "TestResource"+r.Go, h.of, r.Resource.Text == nil, func(body *jen.Group) {
				if r.Resource.Text != nil {
					callContract(body, "StaticText", false, resourceName(r), jen.Id(textName(r)))
				} else {
					callContract(body, "Resource", true, resourceName(r), jen.Lit(h.name))
				}
			})
			if r.Resource.Text == nil {
				fakeItem(f, h)
			}
		})
	}
	for _, t := range g.pkg.Templates {
		h := templateHandler(t)
		add(g.names["template "+t.Go]+"_template.gen_test.go", func(f *jen.File) {
			testItem(f, "TestTemplate"+t.Go, h.of, true, func(body *jen.Group) {
				callContract(body, "Template", true, templateName(t), jen.Lit(h.name), samplesOf("template "+t.Template.URITemplate))
				testCompletions(body, templateName(t), t.Template.Variables, t.Completions)
			})
			fakeItem(f, h)
			fakeCompletions(f, t.Completions)
		})
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

func samplesOf(item string) jen.Code { return jen.Add(readSamples()).Index(jen.Lit(item)) }

// testCompletions renders the tests of the completion of arguments.
func testCompletions(body *jen.Group, item string, arguments []*tools.Argument, by []typing.Completion) {
	for _, a := range arguments {
		switch i := indexOf(by, a); {
		case i >= 0:
			body.Qual(contractPath, "Completion").Call(jen.Id("t"), jen.Id("session"), fakeState(), jen.Id(item).Dot("Ref").Call(), jen.Lit(a.Name), jen.Lit(by[i].Method))
		case len(a.Enum) > 0:
			body.Qual(contractPath, "Values").Call(jen.Id("t"), jen.Id("session"), jen.Id(item).Dot("Ref").Call(), jen.Lit(a.Name), stringList(a.Enum))
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
	text := jen.Id("Text").Op(":").Qual(contractPath, "Text")
	var result jen.Code
	if h.result == promptType {
		message := jen.Values(jen.Id("Role").Op(":").Qual(mcpPath, "RoleUser"), jen.Id("Content").Op(":").Op("&").Qual(mcpPath, "TextContent").Values(text))
		result = jen.Id("Messages").Op(":").Index().Qual(mcpPath, "PromptMessage").Values(message)
	} else {
		content := jen.Op("&").Qual(mcpPath, "TextResourceContents").Values(jen.Id("URI").Op(":").Id("uri"), text)
		result = jen.Id("Contents").Op(":").Index().Qual(mcpPath, "ResourceContentsUnion").Values(content)
	}
	fakeOf(f, h, jen.Qual(contractPath, "Answer").Call(
		fakeState(), jen.Lit(h.name), uri, jen.Op("&").Qual(mcpPath, h.result.name).Values(result),
	))
	f.Line()
}

// fakeCompletions renders the methods of the fake implementation that propose values.
func fakeCompletions(f *jen.File, all []typing.Completion) {
	for _, c := range all {
		fakeOf(f, completionHandler(c, "", ""), jen.Qual(contractPath, "Proposed").Call(
			fakeState(), jen.Lit(c.Method), jen.Id("value"), jen.Id("settled"),
		))
		f.Line()
	}
}
