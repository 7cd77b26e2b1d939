package skeleton

import (
	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/emit"
	"github.com/mcpgen/mcpgen/gen/files"
	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/gen/tools/samples"
	"github.com/mcpgen/mcpgen/gen/tools/typing"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// fake renders an implementation of Tools that returns samples.
func (g *generator) fake(f *jen.File) {
	f.Comment("fake is an implementation of Tools that returns samples.")
	// The state is a named field, because a tool's method may be called Fake.
	f.Type().Id("fake").Struct(jen.Id("state").Qual(contractPath, "Fake"))
	for _, t := range g.pkg.Tools {
		call := []jen.Code{jen.Op("&").Id("f").Dot("state"), jen.Lit(t.Tool.Name), jen.Id("in")}
		var answer *jen.Statement
		if t.Output != nil {
			answer = jen.Qual(contractPath, "Output").Types(jen.Id(t.Output.Name)).Call(call...)
		} else {
			block := jen.Op("&").Qual(mcpPath, "TextContent").Values(jen.Dict{jen.Id("Text"): jen.Qual(contractPath, "Text")})
			answer = jen.Qual(contractPath, "Blocks").Types(jen.Qual(mcpPath, "ContentBlock")).Call(append(call, block)...)
		}
		f.Line()
		f.Func().Params(jen.Id("f").Op("*").Id("fake")).Id(t.Go).
			Params(jen.Id("_").Qual("context", "Context"), jen.Id("in").Op("*").Id(t.Input.Name)).
			Params(result(t), jen.Error()).Block(jen.Return(answer))
	}
}

// test renders the tests that every correct implementation passes.
func (g *generator) test() ([]files.File, error) {
	return emit.Render(emit.Source{Name: "contract.gen_test.go", New: g.file, Fill: func(f *jen.File, _, _ int) { g.contract(f) }})
}

func (g *generator) contract(f *jen.File) {
	g.fake(f)
	f.Line()
	f.Add(emit.Comment("TestContract runs the tests of package contract, which every correct implementation of Tools passes."))
	f.Func().Id("TestContract").Params(jen.Id("t").Op("*").Qual("testing", "T")).Block(
		jen.Id("f").Op(":=").New(jen.Id("fake")),
		jen.List(jen.Id("server"), jen.Err()).Op(":=").Id("NewServer").Call(jen.Id("f"), jen.Qual(runtimePath, "ServerOptions").Values(jen.Dict{jen.Id("Name"): jen.Lit("contract"), jen.Id("Version"): jen.Lit("1")})),
		fatal(),
		jen.List(jen.Id("client"), jen.Err()).Op(":=").Id("Connect").Call(
			jen.Id("t").Dot("Context").Call(), jen.Qual(contractPath, "Connect").Call(jen.Id("t"), jen.Id("server")),
			jen.Qual(runtimePath, "ClientOptions").Values(jen.Dict{jen.Id("Name"): jen.Lit("contract"), jen.Id("Version"): jen.Lit("1")}),
		),
		fatal(),
		jen.Defer().Id("client").Dot("Close").Call(),
		jen.If(jen.Err().Op(":=").Id("client").Dot("Check").Call(jen.Id("t").Dot("Context").Call()), jen.Err().Op("!=").Nil()).Block(
			jen.Id("t").Dot("Error").Call(jen.Err()),
		),
		jen.Qual(contractPath, "Run").Call(jen.Id("t"), jen.Qual(contractPath, "Suite").Values(jen.Dict{
			jen.Id("SHA256"):      jen.Lit(g.checksum()),
			jen.Id("Definitions"): jen.Id("definitions"),
			jen.Id("Caller"):      jen.Id("client").Dot("caller"),
			jen.Id("Fake"):        jen.Op("&").Id("f").Dot("state"),
			jen.Id("Tools"): jen.Index().Qual(contractPath, "Tool").ValuesFunc(func(all *jen.Group) {
				for _, t := range g.pkg.Tools {
					maker := "Structured"
					if t.Output == nil {
						maker = "Content"
					}
					all.Line().Qual(contractPath, maker).Call(jen.Id(toolName(t)), jen.Id("client").Dot(t.Go), jen.Id(samplesName(t)).Call())
				}
				all.Line()
			}),
		})),
	)
}

func fatal() jen.Code {
	return jen.If(jen.Err().Op("!=").Nil()).Block(jen.Id("t").Dot("Fatal").Call(jen.Err()))
}

func samplesName(t typing.ToolTypes) string { return "samples" + t.Go }

// samples renders the functions that return the samples of tools.
func (g *generator) samples() ([]files.File, error) {
	all := make([]sampled, len(g.pkg.Tools))
	emit.Parallel(len(all), func(i int) { all[i] = sample(g.pkg.Tools[i]) })
	return emit.Render(emit.Source{
		Name: "samples.gen_test.go", New: g.file, Items: len(all),
		Lines: func(i int) int { return all[i].lines },
		Fill: func(f *jen.File, first, end int) {
			for _, s := range all[first:end] {
				f.Add(s.decl).Line()
			}
		},
	})
}

// sampled is a function that returns samples, and its approximate number of lines.
type sampled struct {
	decl  jen.Code
	lines int
}

// sample renders the function of one tool.
func sample(t typing.ToolTypes) sampled {
	fields, lines := jen.Dict{}, 12
	refused := func(name string, s *jsonschema.Schema, valid []wire.Raw) {
		mutations := samples.Mutations(s, fullest(valid))
		if len(mutations) > 0 {
			fields[jen.Id(name)] = jen.Index().Qual(contractPath, "Refused").ValuesFunc(func(all *jen.Group) { addRefused(all, mutations) })
			lines += len(mutations)
		}
	}
	if inputs := samples.Of(t.Tool.Input); len(inputs) > 0 {
		fields[jen.Id("Inputs")] = jen.Index().Qual(wirePath, "Raw").ValuesFunc(func(all *jen.Group) {
			for _, sample := range inputs {
				all.Line().Add(text(string(sample)))
			}
			all.Line()
		})
		lines += len(inputs)
		refused("Refused", t.Tool.Input, inputs)
	}
	if t.Output != nil {
		if outputs := samples.Of(t.Tool.Output); len(outputs) > 0 {
			fields[jen.Id("Output")] = text(string(fullest(outputs)))
			refused("BadOutputs", t.Tool.Output, outputs)
		}
	}
	return sampled{jen.Func().Id(samplesName(t)).Params().Qual(contractPath, "Samples").Block(
		jen.Return(jen.Qual(contractPath, "Samples").Values(fields)),
	), lines}
}

// fullest returns the sample with the most members: the second one, if there is one.
func fullest(valid []wire.Raw) wire.Raw { return valid[min(1, len(valid)-1)] }

// addRefused adds the invalid variants of a sample.
func addRefused(all *jen.Group, mutations []samples.Mutation) {
	for _, m := range mutations {
		if m.Member != "" {
			all.Line().Qual(contractPath, "Lacking").Call(text(string(m.Value)), jen.Lit(m.Pointer), jen.Lit(m.Member))
		} else {
			all.Line().Qual(contractPath, "WrongType").Call(text(string(m.Value)), jen.Lit(m.Pointer))
		}
	}
	all.Line()
}
