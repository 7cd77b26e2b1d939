package skeleton

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/code"
	"github.com/mcpgen/mcpgen/gen/files"
	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/gen/tools/samples"
	"github.com/mcpgen/mcpgen/gen/tools/typing"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// tests renders the tests that every correct implementation passes, with a fake implementation, and the file with
// their samples.
func (g *generator) tests() ([]files.File, error) {
	parts := []func(*jen.File){g.fake, g.test}
	for _, t := range g.pkg.Tools {
		h := toolHandler(t)
		parts = append(parts, func(f *jen.File) { fakeMethod(f, h, h.zero) })
	}
	for _, i := range g.pkg.Items {
		parts = append(parts, func(f *jen.File) { fakeItem(f, i) })
	}
	made, err := g.render(g.whole("contract.gen_test.go", parts...))
	return append(made, g.samples()), err
}

// fake renders the type of the fake implementation.
func (g *generator) fake(f *jen.File) {
	implements := "Tools"
	if len(g.pkg.Items) > 0 {
		implements = "Service"
	}
	f.Comment("fake is an implementation of " + implements + " for tests, whose methods record that they were called.")
	// The state is a named field, because a tool's method may be called Fake.
	f.Type().Id("fake").Struct(code.Go("state *contract.Fake"))
}

// fakeMethod renders a method of the fake implementation that records its call. Result is its result, and got are
// arguments that it records.
func fakeMethod(f *jen.File, h handler, result string, got ...string) {
	h.params = slices.Clone(h.params)
	for i, p := range h.params {
		if !slices.Contains(got, p.name) {
			h.params[i].name = "_"
		}
	}
	call := strings.Join(append([]string{strconv.Quote(h.name)}, got...), ", ")
	f.Add(code.Go("func (f *fake) $1$2 {\nreturn $3, f.state.Call($4)\n}", h.name, h.signature("_"), result, call))
}

// fakeItem renders the methods of the fake implementation for a prompt, a resource or a template.
func fakeItem(f *jen.File, i typing.ItemTypes) {
	h := itemHandler(i)
	switch {
	case i.Text != nil:
	case i.Kind == tools.Prompts:
		fakeMethod(f, h, "&mcp.GetPromptResult{Messages: []mcp.PromptMessage{{Role: mcp.RoleUser, Content: &mcp.TextContent{Text: contract.Text}}}}")
	default:
		fakeMethod(f, h, "&mcp.ReadResourceResult{Contents: []mcp.ResourceContentsUnion{&mcp.TextResourceContents{URI: uri, Text: contract.Text}}}", "uri")
	}
	for _, c := range i.Completions {
		f.Line()
		fakeMethod(f, completionHandler(c, i), "catalog.Completion{Values: []string{contract.Text}}", "value", "settled")
	}
}

// test renders the test of all items. The server has no tasks, because the test calls tools without them.
func (g *generator) test(f *jen.File) {
	const options = `runtime.ServerOptions{
		Logger: slog.New(slog.DiscardHandler),
		Name: "contract",
		Version: "1",
	}` // one of the tests makes a tool panic
	server := "NewServer(&fake{state}, " + options + ")"
	if g.offersTasks() {
		server = "mcp.NewServer(" + options + ", " + g.allItems("&fake{state}", "") + "...)"
	}
	code.Declare(f, "TestContract runs the tests of package contract with the fake implementation.",
		`func TestContract(t *testing.T) {
			contract.Run(t, "`+samplesFile+`", $1, func(state *contract.Fake) (*runtime.Server, error) {
				return $2
			}, generated.ClientBindings()...)
		}`, g.itemList(), server)
}

// samplesFile is the name of the file with the samples.
const samplesFile = "contract.gen.txt"

// samples returns the file with the samples of all items, as contract.Run reads it. Samples take long to find.
func (g *generator) samples() files.File {
	var rows []func() []byte
	for _, t := range g.pkg.Tools {
		rows = append(rows, func() []byte {
			return g.row("tool "+t.Tool.Name, func(w *wire.Writer) { w.String("method", t.Go) }, t.Tool.Input, t.Tool.Output)
		})
	}
	for _, i := range g.pkg.Items {
		rows = append(rows, func() []byte {
			return g.row(forms[i.Kind].noun+" "+i.Key, func(w *wire.Writer) { writeAnswers(w, i) }, i.Input, nil)
		})
	}
	texts := make([][]byte, len(rows))
	code.Parallel(len(rows), func(i int) {
		texts[i] = rows[i]()
		if g.Progress != nil {
			g.Progress()
		}
	})
	sum := fmt.Appendf(nil, `{"checksum":%q}`, g.checksum())
	return g.lines(samplesFile, append([][]byte{sum}, texts...))
}

// writeAnswers writes how a prompt, a resource or a template is answered, and the arguments whose values are proposed.
func writeAnswers(w *wire.Writer, i typing.ItemTypes) {
	if i.Text != nil {
		w.String("text", *i.Text)
	} else {
		w.String("method", i.Method)
	}
	completes := wire.Map[wire.Appender]{}
	for _, a := range i.Arguments {
		switch k := indexOf(i.Completions, a); {
		case k >= 0:
			completes.Set(a.Name, wire.ScalarOf(i.Completions[k].Method))
		case len(a.Enum) > 0:
			values, _ := wire.RawOf(a.Enum) // the list that they come from is UTF-8
			completes.Set(a.Name, values)
		}
	}
	if len(completes) > 0 {
		w.Value("completes", completes)
	}
}

// row returns the line of an item. More writes what its kind has besides samples.
func (g *generator) row(item string, more func(*wire.Writer), in, out *jsonschema.Schema) []byte {
	w := wire.NewWriter(nil)
	w.BeginObject()
	w.String("item", item)
	more(&w)
	if in != nil {
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
