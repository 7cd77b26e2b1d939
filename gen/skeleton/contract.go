package skeleton

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/emit"
	"github.com/mcpgen/mcpgen/gen/files"
	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/gen/tools/samples"
	"github.com/mcpgen/mcpgen/gen/tools/typing"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// tests renders the tests that every correct implementation passes: a file for the list, and
// one for each tool with its test, its samples and its method of the fake implementation.
func (g *generator) tests() ([]files.File, error) {
	parts := []func(*jen.File){g.fake, g.testSession, g.testList}
	if hasItems(g.pkg) {
		parts = append(parts, g.itemList)
	}
	sources := []emit.Source{g.source("contract.gen_test.go", parts)}
	for _, t := range g.pkg.Tools {
		// Samples take long to find, so each file looks for those of its tool.
		parts := []func(*jen.File){
			func(f *jen.File) { g.testTool(f, t) },
			func(f *jen.File) { fakeMethod(f, t) },
		}
		sources = append(sources, g.source(g.names["tool "+t.Go]+"_tool.gen_test.go", parts))
	}
	return g.render(append(sources, g.itemTests()...)...)
}

// fake renders the type of the implementation that returns samples.
func (g *generator) fake(f *jen.File) {
	implements := "Tools"
	if hasItems(g.pkg) {
		implements = "Service"
	}
	f.Comment("fake is an implementation of " + implements + " for tests, whose methods record that they were called.")
	// The state is a named field, because a tool's method may be called Fake.
	f.Type().Id("fake").Struct(jen.Id("state").Qual(contractPath, "Fake"))
}

// fakeMethod renders the method of a tool that records its call.
func fakeMethod(f *jen.File, t typing.ToolTypes) {
	h := toolHandler(t)
	zero := jen.Nil()
	if t.Value != nil {
		zero = jen.Add(emit.Zero(t.Value))
	}
	h.params[0].name = "_"
	fakeOf(f, h, jen.List(zero, jen.Id("f").Dot("state").Dot("Call").Call(jen.Lit(t.Tool.Name))))
}

// fakeOf renders a method of the fake implementation.
func fakeOf(f *jen.File, h handler, answer jen.Code) {
	params := []jen.Code{jen.Id("_").Add(contextType.code())}
	for _, p := range h.params {
		params = append(params, jen.Id(p.name).Add(p.code()))
	}
	f.Func().Params(jen.Id("f").Op("*").Id("fake")).Id(h.name).Params(params...).Params(h.result.code(), jen.Error()).Block(jen.Return(answer))
}

// testSession renders the function that connects a client with the server. The server has no tasks,
// because the tests call tools without them.
func (g *generator) testSession(f *jen.File) {
	options := jen.Qual(runtimePath, "ServerOptions").Values(jen.Dict{
		jen.Id("Name"): jen.Lit("contract"), jen.Id("Version"): jen.Lit("1"),
		jen.Id("Logger"): jen.Qual("log/slog", "New").Call(jen.Qual("log/slog", "DiscardHandler")), // one of the tests makes a tool panic
	})
	server := jen.Id("NewServer").Call(jen.Id("f"), options)
	if g.offersTasks() {
		server = jen.Qual(mcpPath, "NewServer").Call(options, g.allItems("f").Op("..."))
	}
	f.Add(emit.Comment("contractSession returns a session with a server that runs the fake implementation."))
	f.Func().Id("contractSession").Params(jen.Id("t").Op("*").Qual("testing", "T")).Params(jen.Op("*").Qual(runtimePath, "Session"), jen.Op("*").Id("fake")).Block(
		jen.Id("t").Dot("Helper").Call(),
		jen.Id("f").Op(":=").New(jen.Id("fake")),
		jen.List(jen.Id("server"), jen.Err()).Op(":=").Add(server),
		fatal(),
		jen.Return(jen.Qual(contractPath, "Session").Call(jen.Id("t"), jen.Id("server"), jen.Qual(generatedPath, "ClientBindings").Call().Op("...")), jen.Id("f")),
	)
}

// testList renders the test of the list.
func (g *generator) testList(f *jen.File) {
	f.Add(emit.Comment("TestContract checks that the server has the list that this package was generated from."))
	f.Func().Id("TestContract").Params(jen.Id("t").Op("*").Qual("testing", "T")).BlockFunc(func(body *jen.Group) {
		lists := len(g.pkg.Tools) > 0 || !hasItems(g.pkg)
		fake := "_"
		if lists {
			fake = "f"
		}
		body.List(jen.Id("session"), jen.Id(fake)).Op(":=").Id("contractSession").Call(jen.Id("t"))
		if lists {
			items := jen.Id("ServerTools").Call(jen.Id("f"), jen.Qual(toolsPath, "Options").Values())
			body.Qual(contractPath, "List").Call(jen.Id("t"), jen.Id("session"), items, jen.Lit(g.checksum()))
		}
		if hasItems(g.pkg) {
			body.Qual(contractPath, "Items").Call(jen.Id("t"), jen.Id("session"), jen.Id("otherItems"))
		}
	})
}

// testTool renders the test of a tool.
func (g *generator) testTool(f *jen.File, t typing.ToolTypes) {
	f.Add(emit.Comment(fmt.Sprintf("TestContract%s runs the tests of package contract for the tool %q.", t.Go, t.Tool.Name)))
	f.Func().Id("TestContract"+t.Go).Params(jen.Id("t").Op("*").Qual("testing", "T")).Block(
		jen.List(jen.Id("session"), jen.Id("f")).Op(":=").Id("contractSession").Call(jen.Id("t")),
		jen.Qual(contractPath, "Tool").Call(jen.Id("t"), jen.Id("session"), fakeState(), jen.Id(toolName(t)), g.sample(t)),
	)
}

func fatal() jen.Code {
	return jen.If(jen.Err().Op("!=").Nil()).Block(jen.Id("t").Dot("Fatal").Call(jen.Err()))
}

// sample renders the samples of a tool.
func (g *generator) sample(t typing.ToolTypes) jen.Code {
	fields := inputSamples(t.Tool.Input, g.valuesOf(t.Tool.Input))
	if t.Tool.Output != nil {
		if outputs := g.valuesOf(t.Tool.Output); len(outputs) > 0 {
			fields[jen.Id("Output")] = text(string(fullest(outputs)))
			addRefused(fields, "BadOutputs", t.Tool.Output, outputs)
		}
	}
	return jen.Qual(contractPath, "Samples").Values(fields)
}

// inputSamples returns the samples of arguments.
func inputSamples(s *jsonschema.Schema, inputs []wire.Raw) jen.Dict {
	fields := jen.Dict{}
	if len(inputs) > 0 {
		fields[jen.Id("Inputs")] = jen.Index().Qual(wirePath, "Raw").ValuesFunc(func(all *jen.Group) {
			for _, sample := range inputs {
				all.Line().Add(text(string(sample)))
			}
			all.Line()
		})
		addRefused(fields, "Refused", s, inputs)
	}
	return fields
}

// valuesOf returns values that are valid under a schema and that its type can hold.
func (g *generator) valuesOf(s *jsonschema.Schema) []wire.Raw {
	all := samples.Of(s)
	if !g.Time {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), refusedTime)
}

// refusedTime reports whether a value contains a time that a time.Time cannot be.
func refusedTime(v wire.Raw) bool {
	switch v.Kind() {
	case wire.KindString:
		text, _ := v.Str()
		_, err := wire.ParseTime(text)
		return err != nil && wire.InFormat("date-time", text)
	case wire.KindArray:
		return slices.ContainsFunc(v.Elements(), refusedTime)
	case wire.KindObject:
		for _, member := range wire.Object(v).All() {
			if refusedTime(member) {
				return true
			}
		}
	}
	return false
}

// fullest returns the sample with the most members: the second one, if there is one. Package contract
// changes the same one.
func fullest(valid []wire.Raw) wire.Raw { return valid[min(1, len(valid)-1)] }

// addRefused adds a field with the changes that make a sample invalid.
func addRefused(fields jen.Dict, name string, s *jsonschema.Schema, valid []wire.Raw) {
	mutations := samples.Mutations(s, fullest(valid))
	if len(mutations) == 0 {
		return
	}
	fields[jen.Id(name)] = jen.Index().Qual(contractPath, "Refused").ValuesFunc(func(all *jen.Group) {
		for _, group := range grouped(mutations) {
			all.Line().Add(group)
		}
		all.Line()
	})
}

// grouped renders mutations: a call for each object that lacks members, and for each value of a wrong type.
func grouped(mutations []samples.Mutation) []jen.Code {
	type kind struct {
		without bool
		of      string // the pointer of the object, or the wrong value
	}
	var kinds []kind
	texts := map[kind][]string{}
	for _, m := range mutations {
		k, text := kind{true, m.Pointer}, m.Member
		if m.Member == "" {
			k, text = kind{false, string(m.Wrong)}, m.Pointer
		}
		if texts[k] == nil {
			kinds = append(kinds, k)
		}
		texts[k] = append(texts[k], text)
	}
	all := make([]jen.Code, len(kinds))
	for i, k := range kinds {
		call, of := "With", text(k.of)
		if k.without {
			call, of = "Without", jen.Lit(k.of)
		}
		all[i] = jen.Qual(contractPath, call).CallFunc(func(args *jen.Group) {
			args.Add(of)
			width := len(k.of)
			for _, text := range texts[k] {
				literal := jen.Lit(text)
				if width += len(text) + 4; width > longestLine {
					literal, width = jen.Line().Lit(text), len(text)
				}
				args.Add(literal)
			}
		})
	}
	return all
}

// longestLine is the length at which a list of texts continues on the next line.
const longestLine = 90
