package skeleton

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/emit"
	"github.com/mcpgen/mcpgen/gen/files"
	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// maxLines is the length a file may have before its declarations are spread.
const maxLines = 2000

// contract makes the tests that hold for every right implementation.
func (g *generator) contract() {
	g.render("contract.gen_test.go", func(f *jen.File) {
		g.fake(f)
		g.test(f)
	})
	samples := make([]jen.Code, len(g.tools))
	for i, t := range g.tools {
		samples[i] = g.samples(t)
	}
	g.spread("samples", samples)
}

// spread renders declarations into as many test files as it takes.
func (g *generator) spread(name string, decls []jen.Code) {
	for parts := 1; parts <= len(decls); parts++ {
		var all []files.File
		longest := 0
		for part := range slices.Chunk(decls, (len(decls)+parts-1)/parts) {
			src := g.source(name, func(f *jen.File) {
				for _, decl := range part {
					f.Add(decl).Line()
				}
			})
			path := name + ".gen_test.go"
			if len(all) > 0 {
				path = fmt.Sprintf("%s_%d.gen_test.go", name, len(all)+1)
			}
			all = append(all, files.File{Path: path, Content: src})
			longest = max(longest, bytes.Count(src, []byte{'\n'}))
		}
		if longest <= maxLines || parts == len(decls) {
			g.out = append(g.out, all...)
			return
		}
	}
}

// fake makes an implementation of Tools that answers with samples.
func (g *generator) fake(f *jen.File) {
	f.Comment("fake is an implementation of Tools that answers with samples.")
	f.Type().Id("fake").Struct(jen.Qual(contractPath, "Fake"))
	for _, t := range g.tools {
		call := []jen.Code{jen.Op("&").Id("f").Dot("Fake"), jen.Lit(t.Tool.Name), jen.Id("in")}
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

// test makes the test itself.
func (g *generator) test(f *jen.File) {
	f.Line()
	f.Add(emit.Comment("TestContract tests what holds of every right implementation of Tools; package contract says what that is."))
	f.Func().Id("TestContract").Params(jen.Id("t").Op("*").Qual("testing", "T")).Block(
		jen.Id("f").Op(":=").New(jen.Id("fake")),
		jen.List(jen.Id("server"), jen.Err()).Op(":=").Id("NewServer").Call(jen.Id("f"), jen.Qual(toolsPath, "ServerOptions").Values()),
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
			jen.Id("Fake"):        jen.Op("&").Id("f").Dot("Fake"),
			jen.Id("Tools"): jen.Index().Qual(contractPath, "Tool").ValuesFunc(func(all *jen.Group) {
				for _, t := range g.tools {
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

func samplesName(t tools.ToolTypes) string { return "samples" + t.Go }

// samples makes the function that returns the samples of a tool.
func (g *generator) samples(t tools.ToolTypes) jen.Code {
	inputs := tools.Samples(t.Tool.Input)
	fields := jen.Dict{}
	if len(inputs) > 0 {
		fields[jen.Id("Inputs")] = jen.Index().Qual(wirePath, "Raw").ValuesFunc(func(all *jen.Group) {
			for _, sample := range inputs {
				all.Line().Add(text(string(sample)))
			}
			all.Line()
		})
		addRefused(fields, "Refused", t.Tool.Input, inputs)
	}
	if t.Output != nil {
		if outputs := tools.Samples(t.Tool.Output); len(outputs) > 0 {
			fields[jen.Id("Output")] = text(string(fullest(outputs)))
			addRefused(fields, "BadOutputs", t.Tool.Output, outputs)
		}
	}
	return jen.Func().Id(samplesName(t)).Params().Qual(contractPath, "Samples").Block(
		jen.Return(jen.Qual(contractPath, "Samples").Values(fields)),
	)
}

// fullest is the sample that has most in it: the second, where there is one.
func fullest(samples []wire.Raw) wire.Raw { return samples[min(1, len(samples)-1)] }

// addRefused adds what is made wrong of a sample.
func addRefused(fields jen.Dict, name string, s *tools.Schema, samples []wire.Raw) {
	mutations := tools.Mutations(s, fullest(samples))
	if len(mutations) == 0 {
		return
	}
	fields[jen.Id(name)] = jen.Index().Qual(contractPath, "Refused").ValuesFunc(func(all *jen.Group) {
		for _, m := range mutations {
			if m.Member != "" {
				all.Line().Qual(contractPath, "Lacking").Call(text(string(m.Value)), jen.Lit(m.Pointer), jen.Lit(m.Member))
			} else {
				all.Line().Qual(contractPath, "WrongType").Call(text(string(m.Value)), jen.Lit(m.Pointer))
			}
		}
		all.Line()
	})
}
