package toollists

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/gen/files"
	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/gen/skeleton"
	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/gen/tools/samples"
	"github.com/mcpgen/mcpgen/runtime/convert"
	"github.com/mcpgen/mcpgen/runtime/wire"

	// The generated code imports these packages, so go test must not cache results across their
	// changes.
	_ "github.com/mcpgen/mcpgen/generated"
	_ "github.com/mcpgen/mcpgen/runtime/inproc"
	_ "github.com/mcpgen/mcpgen/runtime/schema/ecma"
	_ "github.com/mcpgen/mcpgen/runtime/schema/fallback"
	_ "github.com/mcpgen/mcpgen/runtime/tools/contract"
)

const root = "../.."

// lists is the path of the generated module.
const lists = "example.com/lists"

// keep is the folder for the generated module, so that it can be inspected.
var keep = flag.String("keep", "", "keep the generated code in this `folder`, which must be empty")

// TestLists tests the code generated from the lists in testdata.
func TestLists(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.json")
	if err != nil || len(paths) == 0 {
		t.Fatal("no lists", err)
	}
	testLists(t, paths)
}

// TestUpstreamLists tests the code generated from the lists of real servers. Nearly all of
// their fields must have a type.
func TestUpstreamLists(t *testing.T) {
	shared := cmp.Or(os.Getenv("MCPGEN_SHARED"), "../shared")
	if !filepath.IsAbs(shared) {
		shared = filepath.Join(root, shared)
	}
	paths, err := filepath.Glob(filepath.Join(shared, "toollists", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) == 0 {
		t.Skip("the tool lists of real servers are not available")
	}
	fields, raw := testLists(t, paths)
	typed := 100 * float64(fields-raw) / float64(fields)
	t.Logf("%d lists, %d fields, %.2f%% of them typed", len(paths), fields, typed)
	if typed < 98 {
		t.Errorf("%.2f%% of %d fields are typed, want at least 98%%", typed, fields)
	}
}

// testLists generates a server and a client for each list in one module, and runs go vet and go
// test there. It returns the number of fields, and of those that are a wire.Raw although their
// schema is more specific.
func testLists(t *testing.T, paths []string) (fields, raw int) {
	t.Helper()
	dir := cmp.Or(*keep, t.TempDir())
	module(t, dir)
	var trips trips
	for i, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		list, err := skeleton.Read(filepath.Base(path), text)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		sampled(t, path, list)
		ordered(t, path, list)
		server := fmt.Sprintf("server%d", i)
		made := testedServer(t, dir, path, text, skeleton.Options{List: list, Source: filepath.Base(path), Package: server})
		if made == nil {
			continue
		}
		if strings.Contains(string(text), "date-time") {
			testedServer(t, dir, path, text, skeleton.Options{List: list, Source: filepath.Base(path), Package: "times" + server, Time: true})
		}
		client := fmt.Sprintf("client%d", i)
		theirs, err := skeleton.Client(skeleton.Options{List: list, Source: filepath.Base(path), Package: client})
		if err != nil {
			t.Errorf("%s: client: %v", path, err)
			continue
		}
		write(t, filepath.Join(dir, client), theirs.Files)
		write(t, filepath.Join(dir, fmt.Sprintf("types%d", i)), trips.types(t, path, list, fmt.Sprintf("types%d", i)))

		n, untyped := count(made)
		fields, raw = fields+n, raw+untyped
		t.Logf("%s is in %s: %d tools, %d fields, %d untyped", filepath.Base(path), server, len(list.Tools), n, untyped)
	}
	write(t, filepath.Join(dir, "roundtrip"), trips.test())
	for _, args := range [][]string{{"vet", "./..."}, {"test", "-vet=off", "./..."}} {
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			passed := regexp.MustCompile(`(?m)^(ok|\?) .*\n`)
			t.Errorf("go %s: %v\n%.20000s", strings.Join(args, " "), err, passed.ReplaceAll(out, nil))
		}
	}
	return fields, raw
}

// revisionOf returns the package of the newest revision in whose sessions a list is what it was generated
// from: the newest one has no execution, the ones before it have only results that are objects.
func revisionOf(list *tools.List) string {
	if slices.ContainsFunc(list.Tools, func(t *tools.Tool) bool { return t.Values }) {
		return "mcp20260728"
	}
	return "mcp20251125"
}

// listed returns a list as a session of the revision has it: one before 2026-07-28 has no properties whose
// schemas are booleans.
func listed(list *tools.List, text []byte) []byte {
	if revisionOf(list) == "mcp20260728" {
		return text
	}
	all, _ := wire.Object(text).Get("tools")
	plain := []byte(`{"tools":[`)
	for _, tool := range all.Elements() {
		plain = append(wire.AppendComma(plain), convert.PlainSchemas(new(convert.Conversion), tool)...)
	}
	return append(plain, "]}"...)
}

// testedServer writes a server, with the test that it has the same list. It returns nil if there is none.
func testedServer(t *testing.T, dir, path string, text []byte, o skeleton.Options) *skeleton.Result {
	t.Helper()
	made, err := skeleton.Server(o)
	if err != nil {
		t.Errorf("%s: server: %v", path, err)
		return nil
	}
	write(t, filepath.Join(dir, o.Package), made.Files)
	write(t, filepath.Join(dir, o.Package), []files.File{
		{Path: "list_test.go", Content: []byte(strings.NewReplacer("PACKAGE", o.Package, "REVISION", revisionOf(o.List)).Replace(listTest))},
		{Path: "testdata/list.json", Content: listed(o.List, text)},
	})
	return made
}

// sampled checks that every schema has a sample. Without one, the contract tests cannot test a
// tool.
func sampled(t *testing.T, path string, list *tools.List) {
	for _, tool := range list.Tools {
		for _, s := range []*jsonschema.Schema{tool.Input, tool.Output} {
			if s != nil && len(samples.Of(s)) == 0 {
				t.Errorf("%s: %s: no sample of %s", path, tool.Name, s.Pointer)
			}
		}
	}
}

// count returns the number of fields of all types, and the number of untyped fields.
func count(made *skeleton.Result) (fields, raw int) {
	seen := map[*ir.Decl]bool{}
	var visit func(any)
	decl := func(d *ir.Decl) {
		if d != nil && !seen[d] {
			seen[d] = true
			visit(d.Type)
		}
	}
	visit = func(v any) {
		switch v := v.(type) {
		case *ir.Object:
			fields += len(v.Fields)
			for _, f := range v.Fields {
				visit(f.Type)
			}
		case *ir.Union:
			for _, variant := range v.Variants {
				decl(variant.Decl)
			}
		case *ir.Array:
			visit(v.Elem)
		case *ir.Map:
			visit(v.Elem)
		case *ir.Nullable:
			visit(v.Elem)
		case *ir.Ref:
			decl(v.Decl)
		}
	}
	for _, tool := range made.Tools {
		decl(tool.Input)
		decl(tool.Output)
		visit(tool.Value)
	}
	return fields, len(made.Untyped)
}

// module creates a module that replaces this one by its folder.
func module(t *testing.T, dir string) {
	t.Helper()
	here, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	const self = "github.com/mcpgen/mcpgen"
	text := strings.Replace(string(mod), "module "+self+"\n", "module "+lists+"\n", 1)
	text += fmt.Sprintf("\nrequire %s v0.0.0\n\nreplace %[1]s => %q\n", self, here)
	write(t, dir, []files.File{{Path: "go.mod", Content: []byte(text)}, {Path: "go.sum", Content: sum}})
}

func write(t *testing.T, dir string, list []files.File) {
	t.Helper()
	for _, f := range list {
		path := filepath.Join(dir, filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// listTest is a test for each generated server: its answer to tools/list equals the list it was
// generated from.
const listTest = `package PACKAGE

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	mcp "github.com/mcpgen/mcpgen/generated/REVISION"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/tools"
	"github.com/mcpgen/mcpgen/runtime/tools/contract"
)

func TestList(t *testing.T) {
	server, err := NewServer(new(fake), runtime.ServerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	client := runtime.NewClient(runtime.ClientOptions{Name: "test", Version: "1"}, mcp.BindClient(mcp.UnimplementedClient{}))
	session, err := client.Connect(t.Context(), contract.Connect(t, server))
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	list, err := tools.List(t.Context(), session, "tool")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("testdata/list.json")
	if err != nil {
		t.Fatal(err)
	}
	var want struct{ Tools []any }
	read(t, string(text), &want)
	got := make([]any, len(list))
	for i, definition := range list {
		read(t, string(definition), &got[i])
	}
	if diff := cmp.Diff(want.Tools, got); diff != "" {
		t.Errorf("tools/list (-want +got):\n%s", diff)
	}
}

// read keeps the text of numbers.
func read(t *testing.T, text string, v any) {
	t.Helper()
	in := json.NewDecoder(strings.NewReader(text))
	in.UseNumber()
	if err := in.Decode(v); err != nil {
		t.Fatal(err)
	}
}
`
