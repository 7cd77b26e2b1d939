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
	sources := []emit.Source{g.source("contract.gen_test.go", []func(*jen.File){g.fake, g.testSession, g.testList})}
	for _, t := range g.pkg.Tools {
		// Samples take long to find, so each file looks for those of its tool.
		parts := []func(*jen.File){
			func(f *jen.File) { testTool(f, t) },
			func(f *jen.File) { fakeMethod(f, t) },
			func(f *jen.File) { f.Add(g.sample(t)) },
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
	f.Comment("fake is an implementation of " + implements + " that returns samples.")
	// The state is a named field, because a tool's method may be called Fake.
	f.Type().Id("fake").Struct(jen.Id("state").Qual(contractPath, "Fake"))
}

// fakeMethod renders the method of a tool that returns a sample.
func fakeMethod(f *jen.File, t typing.ToolTypes) {
	call := []jen.Code{jen.Op("&").Id("f").Dot("state"), jen.Lit(t.Tool.Name), jen.Id("in")}
	var answer *jen.Statement
	if t.Tool.Output != nil {
		answer = unboxed(t, jen.Qual(contractPath, "Output").Types(jen.Id(decoded(t))).Call(call...))
	} else {
		block := jen.Op("&").Qual(mcpPath, "TextContent").Values(jen.Dict{jen.Id("Text"): jen.Qual(contractPath, "Text")})
		answer = jen.Qual(contractPath, "Blocks").Types(jen.Qual(mcpPath, "ContentBlock")).Call(append(call, block)...)
	}
	fakeOf(f, toolHandler(t, t.Input), answer)
}

// fakeOf renders a method of the fake implementation.
func fakeOf(f *jen.File, h handler, answer jen.Code) {
	params := []jen.Code{jen.Id("_").Add(contextType.code())}
	for _, p := range h.params {
		params = append(params, jen.Id(p.name).Add(p.code()))
	}
	f.Func().Params(jen.Id("f").Op("*").Id("fake")).Id(h.name).Params(params...).Params(h.result.code(), jen.Error()).Block(jen.Return(answer))
}

// testSession renders the function that connects the client with the server. The server has no tasks,
// because the methods of the client call tools without them.
func (g *generator) testSession(f *jen.File) {
	options := jen.Qual(runtimePath, "ServerOptions").Values(jen.Dict{
		jen.Id("Name"): jen.Lit("contract"), jen.Id("Version"): jen.Lit("1"),
		jen.Id("Logger"): jen.Qual("log/slog", "New").Call(jen.Qual("log/slog", "DiscardHandler")), // one of the tests makes a tool panic
	})
	server := jen.Id("NewServer").Call(jen.Id("f"), options)
	if g.offersTasks() {
		server = jen.Qual(mcpPath, "NewServer").Call(options, g.allItems("f").Op("..."))
	}
	f.Add(emit.Comment("contractSession returns a client of a server that runs the fake implementation."))
	f.Func().Id("contractSession").Params(jen.Id("t").Op("*").Qual("testing", "T")).Params(jen.Op("*").Id("Client"), jen.Op("*").Id("fake")).Block(
		jen.Id("t").Dot("Helper").Call(),
		jen.Id("f").Op(":=").New(jen.Id("fake")),
		jen.List(jen.Id("server"), jen.Err()).Op(":=").Add(server),
		fatal(),
		jen.List(jen.Id("client"), jen.Err()).Op(":=").Id("Connect").Call(
			jen.Id("t").Dot("Context").Call(), jen.Qual(contractPath, "Connect").Call(jen.Id("t"), jen.Id("server")),
			jen.Qual(runtimePath, "ClientOptions").Values(jen.Dict{jen.Id("Name"): jen.Lit("contract"), jen.Id("Version"): jen.Lit("1")}),
		),
		fatal(),
		jen.Id("t").Dot("Cleanup").Call(jen.Func().Params().Block(jen.Id("client").Dot("Close").Call())),
		jen.Return(jen.Id("client"), jen.Id("f")),
	)
}

// testList renders the test of the list.
func (g *generator) testList(f *jen.File) {
	f.Add(emit.Comment("TestContract checks that the server has the list that this package was generated from."))
	f.Func().Id("TestContract").Params(jen.Id("t").Op("*").Qual("testing", "T")).Block(
		jen.List(jen.Id("client"), jen.Id("_")).Op(":=").Id("contractSession").Call(jen.Id("t")),
		jen.If(jen.Err().Op(":=").Id("client").Dot("Check").Call(jen.Id("t").Dot("Context").Call()), jen.Err().Op("!=").Nil()).Block(
			jen.Id("t").Dot("Error").Call(jen.Err()),
		),
		jen.Do(func(s *jen.Statement) {
			if len(g.pkg.Tools) > 0 || !hasItems(g.pkg) {
				s.Qual(contractPath, "List").Call(jen.Id("t"), jen.Id("client").Dot("caller"), jen.Id("definitions"), jen.Id("definitionsSHA256"))
			}
		}),
		jen.Do(func(s *jen.Statement) {
			if hasItems(g.pkg) {
				s.Qual(contractPath, "Items").Call(jen.Id("t"), jen.Id("client").Dot("caller"), jen.Id("otherItems"))
			}
		}),
	)
}

// testTool renders the test of a tool.
func testTool(f *jen.File, t typing.ToolTypes) {
	maker, call := "Structured", jen.Id("client").Dot(t.Go)
	switch {
	case t.Tool.Output == nil:
		maker = "Content"
	case t.Value != nil:
		call = jen.Func().Params(jen.Id("ctx").Add(contextType.code()), jen.Id("in").Add(pointerTo(t.Arguments).code())).Params(jen.Op("*").Id(boxName(t)), jen.Error()).Block(
			jen.List(jen.Id("v"), jen.Err()).Op(":=").Id("client").Dot(t.Go).Call(jen.Id("ctx"), jen.Id("in")),
			jen.Return(jen.Op("&").Id(boxName(t)).Values(jen.Id("v")), jen.Err()),
		)
	}
	f.Add(emit.Comment(fmt.Sprintf("TestContract%s runs the tests of package contract for the tool %q, which every correct implementation of Tools passes.", t.Go, t.Tool.Name)))
	f.Func().Id("TestContract"+t.Go).Params(jen.Id("t").Op("*").Qual("testing", "T")).Block(
		jen.List(jen.Id("client"), jen.Id("f")).Op(":=").Id("contractSession").Call(jen.Id("t")),
		jen.Qual(contractPath, "Run").Call(jen.Id("t"), jen.Id("client").Dot("caller"), jen.Op("&").Id("f").Dot("state"),
			jen.Qual(contractPath, maker).Call(jen.Id(toolName(t)), call, jen.Id(samplesName(t)).Call())),
	)
}

func fatal() jen.Code {
	return jen.If(jen.Err().Op("!=").Nil()).Block(jen.Id("t").Dot("Fatal").Call(jen.Err()))
}

func samplesName(t typing.ToolTypes) string { return "samples" + t.Go }

// sample renders the function that returns the samples of a tool.
func (g *generator) sample(t typing.ToolTypes) jen.Code {
	fields := inputSamples(t.Tool.Input, g.valuesOf(t.Tool.Input))
	if t.Tool.Output != nil {
		if outputs := g.valuesOf(t.Tool.Output); len(outputs) > 0 {
			fields[jen.Id("Output")] = text(string(fullest(outputs)))
			addRefused(fields, "BadOutputs", t.Tool.Output, outputs)
		}
	}
	return jen.Func().Id(samplesName(t)).Params().Qual(contractPath, "Samples").Block(
		jen.Return(jen.Qual(contractPath, "Samples").Values(fields)),
	)
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
		for _, m := range mutations {
			if m.Member != "" {
				all.Line().Qual(contractPath, "Without").Call(jen.Lit(m.Pointer), jen.Lit(m.Member))
			} else {
				all.Line().Qual(contractPath, "With").Call(jen.Lit(m.Pointer), text(string(m.Wrong)))
			}
		}
		all.Line()
	})
}
