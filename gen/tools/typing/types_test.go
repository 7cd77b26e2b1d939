package typing_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dave/jennifer/jen"
	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/gen/code"
	"github.com/mcpgen/mcpgen/gen/emit"
	"github.com/mcpgen/mcpgen/gen/files"
	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/gen/tools/toolstest"
	"github.com/mcpgen/mcpgen/gen/tools/typing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// typesOf returns the types of a server for a file with a tool list.
func typesOf(t testing.TB, name string) *typing.Package {
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	list, err := tools.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := typing.Types(list, typing.Options{Server: true})
	if err != nil {
		t.Fatal(err)
	}
	return pkg
}

func emitted(t testing.TB, pkg *typing.Package) []files.File {
	source := func(name string, add func(*jen.File, ...*ir.Decl)) code.Source {
		return code.Source{Name: name, Package: "p", From: "tools.json", Items: len(pkg.Decls),
			Fill: func(f *jen.File, first, end int) { add(f, pkg.Decls[first:end]...) }}
	}
	out, err := code.Render(source("types.gen.go", emit.Types), source("codec.gen.go", emit.Codecs))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestTypesGolden compares the types of a list with every construct, as ir and as Go, with the
// golden files.
func TestTypesGolden(t *testing.T) {
	pkg := typesOf(t, "testdata/types.json")
	var text bytes.Buffer
	for _, tool := range pkg.Tools {
		fmt.Fprintf(&text, "tool %q %s\n", tool.Tool.Name, tool.Go)
	}
	for _, e := range pkg.Untyped {
		fmt.Fprintf(&text, "untyped: %s\n", e)
	}
	for _, e := range pkg.Notes {
		fmt.Fprintf(&text, "note: %s\n", e)
	}
	if err := ir.PrintDecls(&text, pkg.Decls); err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/types.ir.txt", text.Bytes())
	for _, f := range emitted(t, pkg) {
		if strings.HasPrefix(f.Path, "codec") {
			continue // TestTypesRun runs the codecs
		}
		golden(t, filepath.Join("testdata", strings.TrimSuffix(f.Path, ".go")+".txt"), f.Content)
	}
}

func golden(t *testing.T, name string, got []byte) {
	if *update {
		if err := os.WriteFile(name, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")); diff != "" {
		t.Errorf("%s differs; -update accepts it:\n%s", name, diff)
	}
}

// TestTypesAreStable makes the types twice.
func TestTypesAreStable(t *testing.T) {
	a := typesOf(t, "testdata/types.json")
	b := typesOf(t, "testdata/types.json")
	if diff := cmp.Diff(emitted(t, a), emitted(t, b)); diff != "" {
		t.Error(diff)
	}
}

func TestTypesErrors(t *testing.T) {
	for _, test := range []struct {
		list, want string
		opts       typing.Options
	}{
		{
			list: `[{"name":"Xa","inputSchema":{"type":"object"}},{"name":"a","inputSchema":{"type":"object"}},{"name":"A","inputSchema":{"type":"object"}}]`,
			want: `tool "A": /2/name: the tool would have the Go name A, as the tool "a" (/1) has; x-go-name gives it another`,
		},
		{
			list: `[{"name":"t","inputSchema":{"type":"object","properties":{"Xa":{},"a":{},"A":{}}}}]`,
			want: `tool "t": /0/inputSchema: members "Xa" and "a" would have one Go name, Xa; x-go-name gives one of them another`,
		},
		{
			list: `[{"name":"t","inputSchema":{"type":"object"}}]`,
			opts: typing.Options{Identifiers: []string{"TInput"}},
			want: `tool "t": /0: the tool needs the Go name TInput, which other generated files has`,
		},
		{
			list: `[{"name":"list_input","inputSchema":{"type":"object","properties":{"value":{"type":"object","properties":{"a":{}}}}}},
				{"name":"list","inputSchema":{"type":"object","properties":{"input_value":{"type":"object","properties":{"a":{}}}}}}]`,
			want: `tool "list": /1/inputSchema/properties/input_value: its type needs the Go name ListInputInputValue, which /0 has; x-go-name gives one of the two another`,
		},
	} {
		list, err := tools.Read([]byte(test.list))
		if err != nil {
			t.Fatal(err)
		}
		if _, err = typing.Types(list, test.opts); err == nil || err.Error() != test.want {
			t.Errorf("%s:\n%v\nwant %s", test.list, err, test.want)
		}
	}
}

// TestTypesNames names methods and types around names that are taken.
func TestTypesNames(t *testing.T) {
	list, err := tools.Read([]byte(`[{"name":"check","inputSchema":{"type":"object","properties":{"a":{"type":"object","properties":{"b":{}}}}}},
		{"name":"get-it","inputSchema":{"type":"object"}}]`))
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := typing.Types(list, typing.Options{Methods: []string{"Check"}, Identifiers: []string{"CheckToolInputA"}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, tool := range pkg.Tools {
		got = append(got, tool.Go, tool.Input.Name)
	}
	for _, d := range pkg.Decls {
		got = append(got, d.Name)
	}
	want := []string{
		"CheckTool", "CheckToolInput", "GetIt", "GetItInput",
		"CheckToolInput", "CheckToolInputA2", "GetItInput",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestTypesClash has tools whose names differ in no letter.
func TestTypesClash(t *testing.T) {
	list, err := tools.Read([]byte(`[{"name":"get-it","inputSchema":{"type":"object"}},{"name":"get_it","inputSchema":{"type":"object"}}]`))
	if err != nil {
		t.Fatal(err)
	}
	_, err = typing.Types(list, typing.Options{})
	if want := `tool "get_it": /1/name: the tool would have the Go name GetIt, as the tool "get-it" (/0) has; x-go-name gives it another`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestTypesGoNames gives tools and members Go names of their own.
func TestTypesGoNames(t *testing.T) {
	for _, test := range []struct{ list, want string }{
		{`[{"name":"get-it","inputSchema":{"type":"object"}},{"name":"get_it","x-go-name":"Fetch","inputSchema":{"type":"object","properties":{"Xa":{},"a":{"x-go-name":"Second"},"x-go-name":{}}}}]`,
			"GetIt Fetch: Xa Second XGoName"},
		{`[{"name":"a","x-go-name":"lower","inputSchema":{"type":"object"}}]`, `tool "a": /0/x-go-name: "lower" cannot be the Go name of a tool`},
		{`[{"name":"a","inputSchema":{"type":"object","properties":{"b":{"x-go-name":"Extra"}}}}]`, `tool "a": /0/inputSchema/properties/b/x-go-name: "Extra" cannot be the Go name of the member "b"`},
	} {
		list, err := tools.Read([]byte(test.list))
		if err != nil {
			t.Fatal(err)
		}
		pkg, err := typing.Types(list, typing.Options{})
		got := fmt.Sprint(err)
		if err == nil {
			got = pkg.Tools[0].Go + " " + pkg.Tools[1].Go + ":"
			for _, f := range pkg.Tools[1].Input.Type.(*ir.Object).Fields {
				got += " " + f.Go
			}
		}
		if !strings.HasPrefix(got, test.want) {
			t.Errorf("%s: %s, want %s", test.list, got, test.want)
		}
		if definition := list.Tools[len(list.Tools)-1].Definition; strings.Contains(string(definition), `"x-go-name":"`) {
			t.Errorf("clients would get Go names: %s", definition)
		}
	}
}

// count says how many fields there are, and how many of them are a wire.Raw.
func countFields(pkg *typing.Package) (fields, raw int) {
	var isRaw func(ir.Type) bool
	isRaw = func(typ ir.Type) bool {
		switch typ := typ.(type) {
		case *ir.Any:
			return true
		case *ir.Array:
			return isRaw(typ.Elem)
		case *ir.Map:
			return isRaw(typ.Elem)
		case *ir.Nullable:
			return isRaw(typ.Elem)
		}
		return false
	}
	for _, d := range pkg.Decls {
		if o, ok := d.Type.(*ir.Object); ok {
			for _, f := range o.Fields {
				if fields++; isRaw(f.Type) {
					raw++
				}
			}
		}
	}
	return fields, raw
}

// TestTypesOfUpstreamLists types nearly all members of real tools.
func TestTypesOfUpstreamLists(t *testing.T) {
	fields, raw, degraded := 0, 0, 0
	for name, list := range toolstest.Upstream(t) {
		pkg, err := typing.Types(list, typing.Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		n, anything := countFields(pkg)
		fields, raw = fields+n, raw+anything
		degraded += len(pkg.Untyped)
	}
	t.Logf("%d fields: %d wire.Raw, of which %d because no type could be made", fields, raw, degraded)
	if degraded*50 > fields {
		t.Errorf("of %d fields, %d got no type", fields, degraded)
	}
}

// TestVariantNames checks what variants are named by.
func TestVariantNames(t *testing.T) {
	const variant = `"type":"object","properties":{"%s":{"type":"string"}},"required":["%[1]s"]`
	v := func(member, more string) string { return "{" + fmt.Sprintf(variant, member) + more + "}" }
	for _, test := range []struct{ name, branches, defs, want string }{
		{"titles", v("city", `,"title":"By city"`) + "," + v("zip", `,"title":"By ZIP code"`), "", "GoInputByCity GoInputByZIPCode"},
		{"one title", v("city", `,"title":"By city"`) + "," + v("zip", ""), "", "GoInputByCity GoInputPZip"},
		{"definitions", `{"$ref":"#/$defs/city_place"},{"$ref":"#/$defs/zip_place"}`,
			`"city_place":` + v("city", "") + `,"zip_place":` + v("zip", ""), "GoInputCityPlace GoInputZipPlace"},
		{"definitions beside a reference's own keywords", `{"$ref":"#/$defs/city_place","title":"City"},{"$ref":"#/$defs/zip_place","title":"ZIP"}`,
			`"city_place":` + v("city", "") + `,"zip_place":` + v("zip", ""), "GoInputCityPlace GoInputZipPlace"},
		{"members", v("city", "") + "," + v("zip", ""), "", "GoInputPCity GoInputPZip"},
	} {
		list, err := tools.Read([]byte(`[{"name":"go","inputSchema":{"type":"object","properties":{"p":{"oneOf":[` + test.branches + `]}},"$defs":{` + test.defs + `}}}]`))
		if err != nil {
			t.Fatal(err)
		}
		pkg, err := typing.Types(list, typing.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, v := range pkg.Lookup("GoInputP").Type.(*ir.Union).Variants {
			got = append(got, v.Decl.Name)
		}
		if text := strings.Join(got, " "); text != test.want {
			t.Errorf("%s: %s, want %s", test.name, text, test.want)
		}
	}
}

// TestBigIntegers gives integers without limits the type that the options ask for. Those whose schemas name numbers
// beyond an int64, or have the mark, are always exact.
func TestBigIntegers(t *testing.T) {
	list, err := tools.Read([]byte(`{"tools":[{"name":"t","inputSchema":{"type":"object","properties":{
		"open": {"type":"integer"},
		"atLeast": {"type":"integer","minimum":1},
		"bounded": {"type":"integer","minimum":1,"maximum":9},
		"unsigned": {"type":"integer","minimum":0,"maximum":18446744073709551615},
		"beyond": {"type":"integer","exclusiveMinimum":1e30},
		"above": {"type":"integer","exclusiveMinimum":9223372036854775807},
		"below": {"type":"integer","exclusiveMaximum":-9223372036854775808},
		"listed": {"type":"integer","enum":[1,18446744073709551615]},
		"multiple": {"type":"integer","multipleOf":10000000000000000000},
		"shown": {"type":"integer","examples":[1,1e20]},
		"marked": {"type":"integer","minimum":1,"x-go-big-integer":true},
		"unmarked": {"type":"integer","x-go-big-integer":false}
	}}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		opts  typing.Options
		exact []string
	}{
		{typing.Options{}, []string{"above", "below", "beyond", "listed", "marked", "multiple", "shown", "unsigned"}},
		{typing.Options{BigIntegers: true}, []string{"above", "atLeast", "below", "beyond", "listed", "marked", "multiple", "open", "shown", "unmarked", "unsigned"}},
	} {
		pkg, err := typing.Types(list, row.opts)
		if err != nil {
			t.Fatal(err)
		}
		var exact []string
		for _, f := range pkg.Lookup("TInput").Type.(*ir.Object).Fields {
			if f.Type.(*ir.Integer).Exact {
				exact = append(exact, f.Wire)
			}
		}
		slices.Sort(exact)
		if !slices.Equal(exact, row.exact) {
			t.Errorf("%+v: exact are %q, want %q", row.opts, exact, row.exact)
		}
	}
}

// TestTime gives strings in the format date-time the type that the options ask for.
func TestTime(t *testing.T) {
	text, err := os.ReadFile("../../../tests/toollists/testdata/times.json")
	if err != nil {
		t.Fatal(err)
	}
	list, err := tools.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		opts typing.Options
		want map[string]string
	}{
		{typing.Options{Time: true}, map[string]string{
			"at": "time", "until": "time", "maybe": "nullable time", "either": "nullable time", "list": "[]time", "gaps": "[]nullable time",
			"lists": "[][]time", "map": "{}time", "maps": "{}nullable time", "zod": "time", "short": "time", "example": "time",
			"precise": "string:date-time", "long": "string:date-time", "only": "string", "one": "PlanInputOne", "other": "string|number",
			"union": "PlanInputUnion", "formats": "string", "untyped": "any", "day": "string:date",
		}},
		{typing.Options{}, map[string]string{"at": "string:date-time", "maybe": "nullable string:date-time", "list": "[]string:date-time", "map": "{}string:date-time"}},
	} {
		pkg, err := typing.Types(list, row.opts)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for _, f := range pkg.Lookup("PlanInput").Type.(*ir.Object).Fields {
			if row.want[f.Wire] != "" {
				got[f.Wire] = ir.TypeString(f.Type)
			}
		}
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", row.opts, diff)
		}
	}
}
