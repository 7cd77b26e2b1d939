package skeleton

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/code"
	"github.com/mcpgen/mcpgen/gen/files"
	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/gen/tools/samples"
	"github.com/mcpgen/mcpgen/gen/tools/typing"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// tests renders the tests that every correct implementation passes, with a fake implementation, and the file with
// their samples.
func (g *generator) tests() ([]files.File, error) {
	parts := []func(*jen.File){g.fake, g.testSession, g.testList}
	if len(g.pkg.Tools) > 0 {
		parts = append(parts, g.testTools)
	}
	if len(g.pkg.Items) > 0 {
		parts = append(parts, func(f *jen.File) { g.itemList(f, "otherItems", "prompts, resources and templates", nil) })
	}
	for _, t := range g.pkg.Tools {
		parts = append(parts, func(f *jen.File) { fakeMethod(f, t) })
	}
	made, err := g.render(append([]code.Source{g.whole("contract.gen_test.go", parts...)}, g.itemTests()...)...)
	return append(made, g.samples()), err
}

// fake renders the type of the implementation that returns samples.
func (g *generator) fake(f *jen.File) {
	implements := "Tools"
	if len(g.pkg.Items) > 0 {
		implements = "Service"
	}
	f.Comment("fake is an implementation of " + implements + " for tests, whose methods record that they were called.")
	// The state is a named field, because a tool's method may be called Fake.
	f.Type().Id("fake").Struct(code.Go("state contract.Fake"))
}

// fakeMethod renders the method of a tool that records its call.
func fakeMethod(f *jen.File, t typing.ToolTypes) {
	h := toolHandler(t)
	h.params[0].name = "_"
	fakeOf(f, h, fmt.Sprintf("%s, f.state.Call(%q)", h.zero, t.Tool.Name))
}

// fakeOf renders a method of the fake implementation.
func fakeOf(f *jen.File, h handler, answer string) {
	f.Add(code.Go("func (f *fake) $1$2 {\nreturn $3\n}", h.name, h.signature("_"), answer))
}

// testSession renders the function that connects a client with the server. The server has no tasks,
// because the tests call tools without them.
func (g *generator) testSession(f *jen.File) {
	const options = `runtime.ServerOptions{
		Logger: slog.New(slog.DiscardHandler),
		Name: "contract",
		Version: "1",
	}` // one of the tests makes a tool panic
	server := "NewServer(f, " + options + ")"
	if g.offersTasks() {
		server = "mcp.NewServer(" + options + ", " + g.allItems("f", "") + "...)"
	}
	code.Declare(f, "contractSession returns a session with a server that runs the fake implementation.",
		`func contractSession(t *testing.T) (*runtime.Session, *fake) {
			t.Helper()
			f := new(fake)
			server, err := $1
			if err != nil {
				t.Fatal(err)
			}
			return contract.Session(t, server, generated.ClientBindings()...), f
		}`, server)
}

// testList renders the test of the list.
func (g *generator) testList(f *jen.File) {
	fake, checks := "_", ""
	if len(g.pkg.Tools) > 0 || len(g.pkg.Items) == 0 {
		fake, checks = "f", "\ncontract.List(t, session, ServerTools(f, tools.Options{}), $2)"
	}
	if len(g.pkg.Items) > 0 {
		checks += "\ncontract.Items(t, session, otherItems)"
	}
	code.Declare(f, "TestContract checks that the server has the list that this package was generated from.",
		"func TestContract(t *testing.T) {\nsession, $1 := contractSession(t)"+checks+"\n}", fake, jen.Lit(g.checksum()))
}

// testTools renders the test of the tools.
func (g *generator) testTools(f *jen.File) {
	code.Declare(f, "TestContractTools runs the tests of package contract for each tool.",
		`func TestContractTools(t *testing.T) {
			samples := $1
			for _, tool := range $2 {
				t.Run(tool.Name, func(t *testing.T) {
					session, f := contractSession(t)
					contract.Tool(t, session, &f.state, tool, samples["tool "+tool.Name])
				})
			}
		}`, readSamples, toolList(g.pkg.Tools))
}

// samplesFile is the name of the file with the samples.
const samplesFile = "contract.gen.txt"

// readSamples reads that file.
const readSamples = `contract.ReadSamples(t, "` + samplesFile + `")`

// samples returns the file with the samples of all items. Samples take long to find.
func (g *generator) samples() files.File {
	var rows []func() []byte
	for _, t := range g.pkg.Tools {
		rows = append(rows, func() []byte { return g.row("tool "+t.Tool.Name, t.Tool.Input, t.Tool.Output) })
	}
	for _, i := range g.pkg.Items {
		if i.Input != nil {
			rows = append(rows, func() []byte { return g.row(forms[i.Kind].noun+" "+i.Key, i.Input, nil) })
		}
	}
	texts := make([][]byte, len(rows))
	code.Parallel(len(rows), func(i int) {
		texts[i] = rows[i]()
		if g.Progress != nil {
			g.Progress()
		}
	})
	return g.lines(samplesFile, texts)
}

// row returns the samples of an item, as contract.ReadSamples reads them.
func (g *generator) row(item string, in, out *jsonschema.Schema) []byte {
	w := wire.NewWriter(nil)
	w.BeginObject()
	w.String("item", item)
	if inputs := g.valuesOf(in); len(inputs) > 0 {
		w.Name("inputs")
		w.BeginArray()
		for i := range inputs {
			w.Element()
			w.Put(&inputs[i])
		}
		w.EndArray()
		writeRefused(&w, "refused", in, inputs)
	}
	if out != nil {
		if outputs := g.valuesOf(out); len(outputs) > 0 {
			output := fullest(outputs)
			w.Value("output", &output)
			writeRefused(&w, "badOutputs", out, outputs)
		}
	}
	w.EndObject()
	text, err := w.End()
	if err != nil {
		panic(err) // the list that the values come from is UTF-8
	}
	return text
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

// writeRefused writes the changes that make a sample invalid: a row for each object that lacks members, and for each
// value of a wrong type.
func writeRefused(w *wire.Writer, name string, s *jsonschema.Schema, valid []wire.Raw) {
	type kind struct {
		without bool
		of      string // the pointer of the object, or the wrong value
	}
	var kinds []kind
	texts := map[kind][]string{}
	for _, m := range samples.Mutations(s, fullest(valid)) {
		k, text := kind{true, m.Pointer}, m.Member
		if m.Wrong != "" {
			k, text = kind{false, string(m.Wrong)}, m.Pointer
		}
		if texts[k] == nil {
			kinds = append(kinds, k)
		}
		texts[k] = append(texts[k], text)
	}
	if len(kinds) == 0 {
		return
	}
	w.Name(name)
	w.BeginArray()
	for _, k := range kinds {
		w.Element()
		w.BeginObject()
		if k.without {
			w.String("at", k.of)
			w.Name("without")
		} else {
			wrong := wire.Raw(k.of)
			w.Value("value", &wrong)
			w.Name("at")
		}
		w.BeginArray()
		for _, text := range texts[k] {
			w.Element()
			w.PutString(text)
		}
		w.EndArray()
		w.EndObject()
	}
	w.EndArray()
}
