package typing_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/gen/tools/samples"
	"github.com/mcpgen/mcpgen/gen/tools/typing"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestTypesRun builds a program with the types of lists with every construct. It decodes and
// encodes values, which must stay the same except for defaults.
func TestTypesRun(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	for _, name := range []string{"testdata/types.json", "../../../tests/toollists/testdata/constructs.json", "../../../tests/toollists/testdata/names.json", "../../../tests/toollists/testdata/shared.json"} {
		t.Run(filepath.Base(name), func(t *testing.T) {
			// A client's arguments have no defaults, so every value stays the same.
			client := bothWays(t, name, typing.Options{BigIntegers: true})
			var cases []valueCase
			for _, tool := range client.Tools {
				for _, v := range samples.Of(tool.Tool.Input) {
					cases = append(cases, same(tool.Input.Name, v))
				}
				if tool.Output != nil {
					for _, v := range samples.Of(tool.Tool.Output) {
						cases = append(cases, same(tool.Output.Name, v))
					}
				}
			}
			var served []valueCase
			if filepath.Base(name) == "types.json" {
				cases, served = append(cases, clientCases...), valueCases
			}
			newProgram(t, client).check(t, cases)
			newProgram(t, bothWays(t, name, typing.Options{BigIntegers: true, Server: true})).check(t, served)
		})
	}
}

// bothWays returns the types of a list with the code for both directions.
func bothWays(t *testing.T, name string, opts typing.Options) *typing.Package {
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	list, err := tools.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := typing.Types(list, opts)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range pkg.Decls {
		d.Direction = ir.BothWays
	}
	return pkg
}

// TestTimesRun decodes and encodes times.
func TestTimesRun(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	const name = "../../../tests/toollists/testdata/times.json"
	newProgram(t, bothWays(t, name, typing.Options{Server: true, Time: true})).check(t, []valueCase{
		same("ConditionalInput", `{"kind":"a","at":"2026-01-31T12:00:00Z"}`),
		{"PlanInput", `{"at":"2026-01-31T12:00:00+00:00"}`, `{"at":"2026-01-31T12:00:00Z","byDefault":"2026-01-31T12:00:00Z","listDefault":["2026-01-31T12:00:00+01:00"]}`},
	})
	pkg := bothWays(t, name, typing.Options{Time: true})
	newProgram(t, pkg).check(t, []valueCase{
		same("PlanInput", `{"at":"2026-01-31T12:00:00.123456789+05:30"}`),
		same("PlanInput", `{"at":"0000-01-01T00:00:00Z","until":"9999-12-31T23:59:59Z","maybe":null,"either":"2026-01-31T12:00:00-11:00"}`),
		same("PlanInput", `{"at":"2026-01-31T12:00:00Z","list":[],"gaps":[null,"2026-01-31T12:00:00.5Z"],"lists":[["2026-01-31T12:00:00Z"],[]],"map":{"a":"2026-01-31T12:00:00Z"},"maps":{"a":null,"b":"2026-01-31T12:00:00Z"}}`),
		same("PlanInput", `{"at":"2026-01-31T12:00:00Z","precise":"2026-01-31T12:00:00.000Z","only":"2026-01-31T12:00:00Z","one":"2027-01-31T12:00:00Z","formats":"2026-01-31","day":"2026-01-31"}`),
		same("PlanInput", `{"at":"2026-01-31T12:00:00Z","other":"2026-01-31t12:00:00z","union":"2026-01-31t12:00:00z"}`),
		same("PlanInput", `{"at":"2026-01-31T12:00:00Z","union":["2026-01-31T12:00:00Z"],"inner":{"from":"2026-01-31T12:00:00Z","to":"2026-01-31T13:00:00Z","x":"2026-01-31T14:00:00Z"}}`),
		same("PlanOutput", `{"at":"2026-01-31T12:00:00Z","next":null,"seen":["2026-01-31T12:00:00Z"]}`),
		same("ConditionalInput", `{"kind":"a","at":"2026-01-31T12:00:00Z"}`),
		same("ConditionalInput", `{"kind":"b","at":"no time, which only a must have"}`),
		{"PlanInput", `{"at":"2026-01-31t12:00:00.10000000000z"}`, `{"at":"2026-01-31T12:00:00.1Z"}`},
		{"PlanInput", `{"at":"2026-01-31T12:00:00.1234567891Z"}`, `"wire: at /at, byte 6: \"2026-01-31T12:00:00.1234567891Z\" has more digits than a time.Time, which has nanoseconds"`},
		{"PlanInput", `{"at":"2026-01-31T12:00:00Z","list":["2016-12-31T23:59:60Z"]}`, `"wire: at /list/0, byte 37: \"2016-12-31T23:59:60Z\" is a leap second, which a time.Time cannot be"`},
		{"PlanInput", `{"at":null}`, `"wire: at /at, byte 6: expected a string, found null"`},
	})
}

// valueCase is a value that is decoded into a type and encoded again.
type valueCase struct {
	root     string // the name of the type
	in, want wire.Raw
}

var valueCases = []valueCase{
	// Valid values of unusual kinds.
	same("LooseInput", `{"a":{"x":"1","y":2},"list":[{"y":1},"no object",7,null,[{}]],"items_only":"text","len":3}`),
	same("LooseInput", `{"a":"no object"}`),
	same("LooseInput", `{"a":null}`),
	same("RootAnyInput", `{"b":1,"c":[1.0,{"d":null}]}`),
	same("RootOneofInput", `{"mode":"x","size":3,"name":["no string, as nothing is said of it here"]}`),
	same("RootOneofInput", `{"mode":"y","size":["a"],"name":"text"}`),
	same("UnionsDeepInput", `{"reqnullunion":null,"soft":{"a":7,"b":"any"},"softopen":{"a":5,"l":["x"],"n":{},"o":[]}}`),
	same("UnionsDeepInput", `{"reqnullunion":"s","nullunion":null,"softopen":{"a":"t","l":[1],"n":null,"o":{"q":"r","s":1}}}`),
	same("UnionsDeepInput", `{"reqnullunion":["s"],"lenient":{"k":"a","v":"text"},"nullunion":"s"}`),
	same("UnionsDeepInput", `{"reqnullunion":["s"],"lenient":{"k":"a","v":["not of a"]},"nullunion":[]}`),
	same("UnionsDeepInput", `{"reqnullunion":["s"],"lenient":{"k":["no tag"]},"nested":[null,"a"],"presence":{"url":"u","path":5}}`),
	same("UnionsDeepInput", `{"reqnullunion":["s"],"lenient":{},"nested":true,"presence":{"path":"p","mode":1,"url":{}}}`),
	same("UnionsDeepInput", `{"reqnullunion":["s"],"inttag":{"v":2,"b":"x"},"booltag":{"v":false,"a":3},"maporlist":{"a":"b"},"arrs":["x",1]}`),
	same("UnionsDeepInput", `{"reqnullunion":["s"],"inttag":{"v":1.0},"booltag":{"v":true,"a":"3"},"maporlist":[{"z":"y"}],"almost":{"a":[1]},"nested":"s"}`),
	same("NullablesInput", `{"rs":null,"ra":null,"ro":null,"rm":null,"roo":null,"re":null}`),
	same("NullablesInput", `{"rs":"","ra":[],"ro":{},"rm":{},"roo":{},"re":"a","os":null,"oa":null,"oo":null,"om":null,"ooo":null,"oe":null,"onul":null,"osc":null,"arrn":[null,{},{"x":1}]}`),
	same("NullablesInput", `{"rs":"x","ra":["a"],"ro":{"x":1},"rm":{"a":null,"b":2},"roo":{"a":[]},"re":"b","os":"","oa":[null,[],[null,1.5]],"oo":{"x":2},"om":{"a":null,"b":{},"c":{"k":"v"}},"ooo":{},"oe":"b","osc":"s","arrn":[]}`),
	same("RecursionInput", `{"tree":{"l":{"r":null,"k":[{}]},"r":{"l":{}}},"arr":[[],[[]]],"map":{"a":{"b":{}}},"json":{"a":[1,"x",null,true,{"b":null}]},"req":{"me":{"me":null,"x":"y"}}}`),
	same("RecursionInput", `{"json":null}`),
	same("ConditionalInput", `{"k":"a","x":1,"y":"not a list, as k is not b"}`),
	same("ConditionalInput", `{"k":"b","x":["z"],"y":["a"]}`),
	same("MembersInput", `{"extra":"1","Extra":"2","additional":"3","":"4","-":"5","a,b":"6","x":{"additional":"a","n":1,"m":2},"y":5,"StartTime<":"<","unknown":{"b":1,"a":[2.0]}}`),
	same("EnumsInput", `{"sort":"unknown values are kept","type":"order","wild":[1],"mixed":null,"objs":{"a":1}}`),
	same("PatternsInput", `{"closed":{"x-a":1},"two":{"x-a":1,"y-b":"s"},"open":{"x-a":1,"b":[]},"all":{"q":1},"mix":{"p":"s","x-l":[1,2]}}`),
	same("BoolsInput", `{"t":[{}],"items":[],"emptyobj":{},"ref":{"v":"x"},"nest":{"deep":{"v":"y"}}}`),
	same("AllofsInput", `{"m":{"a":"x","b":1},"n":5,"u":{"id":"i","t":"y","p":3}}`),
	same("RequiredUndeclaredInput", `{"a":"x","b":null}`),
	// A default replaces an absent member only.
	{"DefaultsInput", `{"r":"here"}`, `{"r":"here","s":"x\"y","i":5,"i1":1,"n":1000,"b":false,"e":"q","a":["u","v"],"o":{"x":3},"any":{"k":[1]},"u":{"t":"a","d":1},"sc":7,"ns":"nn","ref":20,"c":"k"}`},
	{"DefaultsInput", `{"r":"","s":"","i":0,"i1":0,"n":0,"b":true,"e":"p","a":[],"o":{"x":0,"y":{}},"m":{"k":{},"l":{"d":""}},"any":null,"u":{"t":"b"},"ul":[{"t":"a"},{"t":"b"},{"t":"a","d":9}],"sc":"","ns":null,"no":{},"tup":[[{}],[]],"ref":0,"c":"k","oa":[{}]}`,
		`{"r":"","s":"","i":0,"i1":0,"n":0,"b":true,"e":"p","a":[],"o":{"x":0,"y":{"z":"zz"}},"m":{"k":{"d":"dd"},"l":{"d":""}},"any":null,"u":{"t":"b"},"ul":[{"t":"a","d":1},{"t":"b"},{"t":"a","d":9}],"sc":"","ns":null,"no":{"d":2},"tup":[[{"d":2}],[]],"ref":0,"c":"k","oa":[{"d":2}]}`},
	{"DefaultsInput", `{"r":"","no":null,"oa":null}`, `{"r":"","no":null,"oa":null,"s":"x\"y","i":5,"i1":1,"n":1000,"b":false,"e":"q","a":["u","v"],"o":{"x":3},"any":{"k":[1]},"u":{"t":"a","d":1},"sc":7,"ns":"nn","ref":20,"c":"k"}`},
	{"GetForecastInput", `{"place":"Ulm"}`, `{"place":"Ulm","days":3}`},
	// Integers have any size.
	{"WholesInput", `{"r":1.0e3}`, `{"r":1000,"d":7,"h":1000000000000000000000000000000}`},
	{"WholesInput", `{"r":1.5}`, `"wire: at /r, byte 5: expected an integer, found 1.5"`},
	// Errors report the location.
	{"GetForecastInput", `{"place":"Ulm","days":"3"}`, `"wire: at /days, byte 22: expected an integer, found a string"`},
}

var clientCases = []valueCase{
	same("WholesInput", `{"r":9223372036854775808,"o":-9223372036854775809,"n":1e30,"l":[1,123456789012345678901234567890],"m":{"a":null,"b":1e40},"u":1e30,"e":18446744073709551616,"d":1e19,"h":1e20,"far":1e20,"unsigned":18446744073709551615,"small":-9223372036854775808,"byte":255,"listed":2}`),
	same("WholesInput", `{"r":0,"n":null,"l":[],"m":{},"u":{"k":1e30}}`),
}

func same(root string, v wire.Raw) valueCase { return valueCase{root, v, v} }

// program is a program with the types of a list. It decodes and encodes the lines that it reads.
type program struct{ path string }

func newProgram(t *testing.T, pkg *typing.Package) program {
	dir := t.TempDir()
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module example.test/types\n\ngo 1.26\n\nrequire github.com/mcpgen/mcpgen v0.0.0\n\nreplace github.com/mcpgen/mcpgen => "+root+"\n")
	for _, f := range emitted(t, pkg) {
		write(f.Path, strings.Replace(string(f.Content), "\npackage p\n", "\npackage main\n", 1))
	}
	var roots strings.Builder
	for _, tool := range pkg.Tools {
		for _, d := range []string{tool.Go + "Input", tool.Go + "Output"} {
			if pkg.Lookup(d) != nil {
				fmt.Fprintf(&roots, "\t%q: func() wire.Value { return new(%s) },\n", d, d)
			}
		}
	}
	write("main.go", strings.Replace(mainText, "ROOTS", roots.String(), 1))
	p := program{filepath.Join(dir, "types")}
	build := exec.Command("go", "build", "-mod=mod", "-o", p.path, ".")
	build.Dir = dir
	build.Env = append(os.Environ(), "GOPROXY=off", "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return p
}

const mainText = `package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

var roots = map[string]func() wire.Value{
ROOTS}

func main() {
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		part := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 2)
		fmt.Println(answer(roots[part[0]](), part[1]))
	}
}

func answer(x wire.Value, text string) string {
	err := wire.UnmarshalString(text, x)
	var out []byte
	if err == nil {
		out, err = wire.Marshal(x)
	}
	if err != nil {
		out, _ = wire.AppendString(nil, err.Error())
	}
	return string(out)
}
`

// check decodes and encodes the values with the program.
func (p program) check(t *testing.T, cases []valueCase) {
	var in bytes.Buffer
	for _, c := range cases {
		fmt.Fprintf(&in, "%s\t%s\n", c.root, strings.ReplaceAll(string(c.in), "\n", " "))
	}
	run := exec.Command(p.path)
	run.Stdin, run.Stderr = &in, os.Stderr
	out, err := run.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, len(out)+1)
	for _, c := range cases {
		if !lines.Scan() {
			t.Fatal("the program ended early")
		}
		if got := wire.Raw(lines.Text()); !wire.Equal(got, c.want) {
			t.Errorf("%s: %s\n gives %s\n want  %s", c.root, c.in, got, c.want)
		}
	}
	t.Logf("%d values", len(cases))
}
