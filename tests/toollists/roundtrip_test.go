package toollists

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/code"
	"github.com/mcpgen/mcpgen/gen/emit"
	"github.com/mcpgen/mcpgen/gen/files"
	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/gen/tools/samples"
	"github.com/mcpgen/mcpgen/gen/tools/typing"
)

// trips is a test that samples of the schemas of lists stay the same. It is one program for all lists.
type trips struct{ imports, cases strings.Builder }

// types returns a package with the types of a list, which decode and encode, and adds samples to the test. The
// packages of servers and clients have the code for one direction each.
func (r *trips) types(t *testing.T, path string, list *tools.List, pkg string) []files.File {
	t.Helper()
	types, err := typing.Types(list, typing.Options{})
	if err != nil {
		t.Errorf("%s: types: %v", path, err)
		return nil
	}
	for _, d := range types.Decls {
		d.Direction = ir.BothWays
	}
	source := func(name string, add func(*jen.File, ...*ir.Decl)) code.Source {
		return code.Source{Name: name, Package: pkg, From: "list.json", Items: len(types.Decls), Fill: func(f *jen.File, first, end int) {
			add(f, types.Decls[first:end]...)
		}}
	}
	out, err := code.Render(source("types.go", emit.Types), source("codec.go", emit.Codecs))
	if err != nil {
		t.Errorf("%s: types: %v", path, err)
		return nil
	}
	fmt.Fprintf(&r.imports, "\t%q\n", lists+"/"+pkg)
	add := func(d *ir.Decl, all []string) {
		for _, sample := range all {
			fmt.Fprintf(&r.cases, "\t{new(%s.%s), %s},\n", pkg, d.Name, strconv.Quote(sample))
		}
	}
	for _, tool := range types.Tools {
		add(tool.Input, texts(samples.Of(tool.Tool.Input)))
		if tool.Output != nil {
			add(tool.Output, texts(samples.Of(tool.Tool.Output)))
		}
	}
	return out
}

// test returns the test.
func (r *trips) test() []files.File {
	text := strings.NewReplacer("IMPORTS", r.imports.String(), "CASES", r.cases.String()).Replace(roundTripTest)
	return []files.File{{Path: "roundtrip_test.go", Content: []byte(text)}}
}

func texts[T ~string](all []T) []string {
	list := make([]string, len(all))
	for i, v := range all {
		list[i] = string(v)
	}
	return list
}

const roundTripTest = `package roundtrip

import (
	"testing"

	"github.com/mcpgen/mcpgen/runtime/wire"

IMPORTS)

var samples = []struct {
	value wire.Value
	text  wire.Raw
}{
CASES}

func TestRoundTrip(t *testing.T) {
	for _, s := range samples {
		if err := wire.UnmarshalString(string(s.text), s.value); err != nil {
			t.Errorf("%T: %s: %v", s.value, s.text, err)
			continue
		}
		again, err := wire.Marshal(s.value)
		if err != nil || !wire.Equal(s.text, wire.Raw(again)) {
			t.Errorf("%T: %s becomes %s (%v)", s.value, s.text, again, err)
		}
	}
}
`
