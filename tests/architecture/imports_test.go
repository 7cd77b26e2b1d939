package architecture

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// arrows say what packages of the module a package may import. The first row
// that fits a package is its; "..." stands for the package and all below.
func arrows() []arrow {
	return []arrow{
		{"", nil}, // the root says what is in go.mod
		{"spec", nil},
		{"gen/ir", nil},
		{"gen/names", nil},
		{"gen/files", nil},
		{"gen/schema", []string{"spec"}},
		{"gen/unions", []string{"gen/ir"}},
		{"gen/lower", []string{"gen/ir", "gen/names", "gen/schema", "gen/unions", "spec"}},
		{"gen/emit", []string{"gen/convert", "gen/ir", "gen/lower", "gen/files", "runtime/wire"}},
		{"gen/tools", []string{"gen/ir", "gen/names", "gen/unions", "runtime/schema", "runtime/schema/ecma", "runtime/wire"}},
		{"gen/check", []string{"gen/names", "gen/tools", "runtime/schema/ecma", "runtime/schema/fallback", "runtime/wire"}},
		{"gen/catalog", []string{"gen/tools", "runtime/wire"}},
		{"gen/skeleton", []string{"gen/catalog", "gen/emit", "gen/files", "gen/tools", "gen/check", "runtime/wire", "templates"}},
		{"gen/convert", []string{"gen/ir"}},
		{"gen/diff/...", []string{"gen/...", "runtime/wire", "spec"}},
		{"gen/...", []string{"gen/...", "spec"}},
		{"runtime/wire", nil},
		{"runtime/jsonrpc", []string{"runtime/wire"}},
		{"runtime", []string{"runtime/jsonrpc", "runtime/wire"}},
		{"runtime/catalog", []string{"runtime", "runtime/internal/...", "runtime/jsonrpc", "runtime/wire"}},
		{"runtime/dial", []string{"runtime", "runtime/streamable", "runtime/sse"}},
		{"runtime/schema", []string{"runtime/wire"}},
		{"runtime/schema/...", []string{"runtime/schema/...", "runtime/wire"}},
		{"runtime/tools", []string{"runtime", "runtime/catalog", "runtime/jsonrpc", "runtime/schema", "runtime/wire"}},
		{"runtime/tools/...", []string{"runtime", "runtime/inproc", "runtime/schema", "runtime/tools", "runtime/wire"}},
		{"runtime/typed", []string{"runtime/catalog", "runtime/schema", "runtime/schema/...", "runtime/tools", "runtime/wire"}},
		{"runtime/...", []string{"runtime", "runtime/internal/...", "runtime/jsonrpc", "runtime/wire"}},
		{"generated", []string{"generated/...", "runtime", "runtime/wire"}},
		{"generated/compat/...", []string{"generated/...", "runtime", "runtime/convert", "runtime/wire"}},
		{"generated/...", []string{"runtime", "runtime/jsonrpc", "runtime/wire"}},
		{"templates", nil},
		{"cmd/...", []string{"cmd/...", "gen/...", "spec", "generated/...", "runtime/..."}},
		{"tests/kitchensink/...", []string{"runtime", "runtime/jsonrpc", "runtime/wire"}},
		{"tests/examples/...", []string{"generated/...", "runtime/...", "tests/examples/weather/client"}},
		{"tests/...", []string{"tests/...", "gen/...", "spec", "generated/...", "runtime/..."}},
	}
}

// arrow is a row of the table.
type arrow struct {
	from string
	to   []string
}

// fits reports whether a pattern is about a package.
func fits(pattern, name string) bool {
	stem, all := strings.CutSuffix(pattern, "/...")
	return name == stem || all && strings.HasPrefix(name, stem+"/")
}

func TestArrows(t *testing.T) {
	rows := arrows()
	used := make([]bool, len(rows))
	for _, p := range list(t, "./...") {
		row := slices.IndexFunc(rows, func(a arrow) bool { return fits(a.from, p.name()) })
		if row < 0 {
			t.Errorf("%s: no row of the table says what it may import", p.name())
			continue
		}
		used[row] = true
		for _, path := range p.Imports {
			target, ours := strings.CutPrefix(path, module+"/")
			if ours && !slices.ContainsFunc(rows[row].to, func(to string) bool { return fits(to, target) }) {
				t.Errorf("%s imports %s; it may import %v", p.name(), target, rows[row].to)
			}
		}
	}
	for i, row := range rows {
		if !used[i] {
			t.Errorf("stale row: no package is %s", row.from)
		}
	}
}

// TestNoReflection checks that generated code and the runtime read and write JSON
// themselves.
func TestNoReflection(t *testing.T) {
	allowed := []struct{ file, reason string }{
		{"runtime/typed/", "it derives schemas from Go types and decodes into them"},
		{"runtime/wire/any.go", "it converts Go values of any type, for programs that ask for it"},
	}
	used := make([]bool, len(allowed))
	for _, p := range list(t, "./runtime/...", "./generated/...") {
		if !slices.Contains(p.Imports, "reflect") && !slices.Contains(p.Imports, "encoding/json") {
			continue
		}
		for _, name := range p.GoFiles {
			file := p.name() + "/" + name
			parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root(t), file), nil, parser.ImportsOnly)
			if err != nil {
				t.Fatal(err)
			}
			for _, imported := range parsed.Imports {
				if imported.Path.Value != `"reflect"` && imported.Path.Value != `"encoding/json"` {
					continue
				}
				row := slices.IndexFunc(allowed, func(row struct{ file, reason string }) bool { return strings.HasPrefix(file, row.file) })
				if row < 0 {
					t.Errorf("%s imports %s", file, imported.Path.Value)
					continue
				}
				used[row] = true
			}
		}
	}
	for i, row := range allowed {
		if !used[i] {
			t.Errorf("stale row: %s, %s", row.file, row.reason)
		}
	}
}

// standsOn says which modules a package of the runtime may bring into a server;
// those without a row bring nothing but the standard library.
var standsOn = map[string][]string{
	"runtime/tools":           {"github.com/yosida95/uritemplate/v3"}, // by runtime/catalog
	"runtime/tools/contract":  {"github.com/yosida95/uritemplate/v3"},
	"runtime/catalog":         {"github.com/yosida95/uritemplate/v3"},
	"runtime/schema/ecma":     {"github.com/dlclark/regexp2/v2"},
	"runtime/schema/fallback": {"github.com/dlclark/regexp2/v2", "github.com/santhosh-tekuri/jsonschema/v6", "golang.org/x/text"},
	"runtime/typed": {
		"github.com/invopop/jsonschema", "github.com/bahlo/generic-list-go", "github.com/buger/jsonparser", "github.com/pb33f/ordered-map/v2", "go.yaml.in/yaml/v4",
		"github.com/go-json-experiment/json",
		"github.com/dlclark/regexp2/v2", "github.com/santhosh-tekuri/jsonschema/v6", "golang.org/x/text",
		"github.com/yosida95/uritemplate/v3",
	},
	"runtime/otelmcp": {"go.opentelemetry.io", "github.com/go-logr", "github.com/cespare/xxhash/v2"},
}

// TestServersStandAlone holds the promise that a server made of generated code
// and the runtime brings nothing along but what it imports for itself.
func TestServersStandAlone(t *testing.T) {
	for _, p := range list(t, "./runtime/...", "./generated/...") {
		allowed := standsOn[p.name()]
		used := make([]bool, len(allowed))
		for _, dep := range list(t, "-deps", "./"+p.name()) {
			ours := strings.HasPrefix(dep.ImportPath, module+"/runtime") || strings.HasPrefix(dep.ImportPath, module+"/generated")
			if dep.Standard || ours {
				continue
			}
			i := slices.IndexFunc(allowed, func(m string) bool { return strings.HasPrefix(dep.ImportPath, m) })
			if i < 0 {
				t.Errorf("%s: a server would bring %s along", p.name(), dep.ImportPath)
				continue
			}
			used[i] = true
		}
		for i, m := range allowed {
			if !used[i] {
				t.Errorf("stale row: %s does not stand on %s", p.name(), m)
			}
		}
	}
}

// TestTestOnlyModules keeps what tests need out of other code, but for the packages
// that say why they need it. What servers may bring along, TestServersStandAlone says.
func TestTestOnlyModules(t *testing.T) {
	banned := map[string][]string{
		"github.com/google/go-cmp":           nil,
		"github.com/go-json-experiment/json": {"runtime/typed"}, // decodes into structs, strictly
		"go.opentelemetry.io/otel/sdk":       nil,
		// The schema of the output of diff; those of tools of Go functions.
		"github.com/invopop/jsonschema": {"cmd/mcpgen", "runtime/typed"},
		// A second opinion on findings and on samples; schemas without generated checks.
		"github.com/santhosh-tekuri/jsonschema": {"gen/diff/judge", "gen/tools", "runtime/schema/fallback"},
	}
	used := map[string]bool{}
	for _, p := range list(t, "./cmd/...", "./gen/...", "./spec", "./runtime/...", "./generated/...") {
		for _, path := range p.Imports {
			for module, allowed := range banned {
				switch {
				case path != module && !strings.HasPrefix(path, module+"/"):
				case slices.Contains(allowed, p.name()):
					used[module+" "+p.name()] = true
				default:
					t.Errorf("%s imports %s in other code than tests", p.name(), path)
				}
			}
		}
	}
	for module, allowed := range banned {
		for _, name := range allowed {
			if !used[module+" "+name] {
				t.Errorf("stale row: %s does not import %s", name, module)
			}
		}
	}
}

// TestOneParser keeps the schema parser, which drops what it does not know,
// behind the package that audits what it is given.
func TestOneParser(t *testing.T) {
	const parser = "github.com/atombender/go-jsonschema"
	found := false
	for _, p := range list(t, "./...") {
		for _, path := range p.Imports {
			if !strings.HasPrefix(path, parser) {
				continue
			}
			found = true
			if p.name() != "gen/schema" {
				t.Errorf("%s imports %s, which is for gen/schema alone", p.name(), path)
			}
		}
	}
	if !found {
		t.Errorf("nothing imports %s: this test has lost its reason", parser)
	}
}
