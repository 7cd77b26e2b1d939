package architecture

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestNoReflection checks that generated code and the runtime read and write JSON without
// reflection.
func TestNoReflection(t *testing.T) {
	allowed := []struct{ file, reason string }{
		{"runtime/typed/", "it derives schemas from Go types and decodes into them"},
		{"runtime/auth/", "it reads small documents of authorization servers, and never a message"},
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

// modulesOf lists the modules that a server links if it imports a package of the runtime. A
// package without a row links only the standard library.
var modulesOf = map[string][]string{
	"runtime/internal/pace":        {"golang.org/x/time"},
	"runtime/internal/uritemplate": {"github.com/yosida95/uritemplate/v3"},
	"runtime/streamable":           {"golang.org/x/time"},
	"runtime/share":                {"golang.org/x/time"},
	"runtime/storetest":            {"golang.org/x/time"},
	"runtime/tools":                {"github.com/yosida95/uritemplate/v3", "golang.org/x/time"}, // by runtime/catalog
	"runtime/tools/contract":       {"github.com/yosida95/uritemplate/v3", "golang.org/x/time"},
	"runtime/catalog":              {"github.com/yosida95/uritemplate/v3", "golang.org/x/time"},
	"generated/compat":             {"github.com/yosida95/uritemplate/v3", "golang.org/x/time"}, // by runtime/catalog
	"generated/mcp":                {"github.com/yosida95/uritemplate/v3", "golang.org/x/time"},
	"runtime/schema/ecma":          {"github.com/dlclark/regexp2/v2"},
	"runtime/schema/fallback":      {"github.com/dlclark/regexp2/v2", "github.com/santhosh-tekuri/jsonschema/v6", "golang.org/x/text"},
	"runtime/typed":                {"github.com/yosida95/uritemplate/v3", "golang.org/x/time"},
	"runtime/auth/client":          {"github.com/go-jose/go-jose/v4", "github.com/gofrs/flock", "golang.org/x/oauth2", "golang.org/x/sys"},
	"runtime/auth/client/keyring":  {"github.com/go-jose/go-jose/v4", "github.com/gofrs/flock", "golang.org/x/oauth2", "golang.org/x/sys", "github.com/godbus/dbus/v5", "github.com/zalando/go-keyring"},
	"runtime/auth":                 {"github.com/go-jose/go-jose/v4"},
	"runtime/otelmcp":              {"go.opentelemetry.io", "github.com/go-logr", "github.com/cespare/xxhash/v2"},
}

// TestServersLinkLittle checks that a server made of generated code and the runtime links no
// other modules than those in modulesOf.
func TestServersLinkLittle(t *testing.T) {
	for _, p := range list(t, "./runtime/...", "./generated/...") {
		allowed := modulesOf[p.name()]
		used := make([]bool, len(allowed))
		for _, dep := range list(t, "-deps", "./"+p.name()) {
			ours := strings.HasPrefix(dep.ImportPath, module+"/runtime") || strings.HasPrefix(dep.ImportPath, module+"/generated")
			if dep.Standard || ours {
				continue
			}
			i := slices.IndexFunc(allowed, func(m string) bool { return strings.HasPrefix(dep.ImportPath, m) })
			if i < 0 {
				t.Errorf("%s: a server would link %s", p.name(), dep.ImportPath)
				continue
			}
			used[i] = true
		}
		for i, m := range allowed {
			if !used[i] {
				t.Errorf("stale row: %s does not link %s", p.name(), m)
			}
		}
	}
}

// TestAuthorizationIsOptional checks that a server or client links authorization only if it imports a package
// of it. The modules that these packages need are those of [modulesOf].
func TestAuthorizationIsOptional(t *testing.T) {
	isAuthorization := func(name string) bool { return name == "runtime/auth" || strings.HasPrefix(name, "runtime/auth/") }
	seen := false
	for _, p := range list(t, "./runtime/...", "./generated/...") {
		seen = seen || isAuthorization(p.name())
		if isAuthorization(p.name()) {
			continue
		}
		for _, dep := range p.Deps {
			if name := strings.TrimPrefix(dep, module+"/"); isAuthorization(name) {
				t.Errorf("%s links %s", p.name(), name)
			}
		}
	}
	if !seen {
		t.Error("runtime/auth is not among the packages")
	}
}

// TestTestOnlyModules checks that modules and packages for tests are imported only by tests, and by the
// packages listed here.
func TestTestOnlyModules(t *testing.T) {
	banned := map[string][]string{
		"testing":                            {"gen/tools/toolstest", "runtime/storetest", "runtime/tools/contract"}, // which tests call
		module + "/gen/tools/toolstest":      nil,
		module + "/runtime/storetest":        nil,
		module + "/runtime/tools/contract":   nil,
		"github.com/google/go-cmp":           nil,
		"github.com/go-json-experiment/json": nil,
		"go.opentelemetry.io/otel/sdk":       nil,
		// The schema of the output of diff. Package typed derives the schemas of tools by itself; its tests compare
		// them with those of invopop/jsonschema, which would bring five modules into every server.
		"github.com/invopop/jsonschema": {"cmd/mcpgen"},
		// Validates the examples of findings and samples; schemas without generated checks.
		"github.com/santhosh-tekuri/jsonschema": {"gen/diff/judge", "gen/tools/samples", "runtime/schema/fallback"},
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
					t.Errorf("%s imports %s outside of tests", p.name(), path)
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

// TestOneImporter checks that a library has one importer in the program.
func TestOneImporter(t *testing.T) {
	rows := []struct{ library, importer, why string }{
		{"go.yaml.in/yaml/v4", module + "/gen/yaml", "it refuses texts whose aliases make them much longer"},
		{"go.yaml.in/yaml/v4", module + "/spec", "it decodes the rows of the project"},
		{"go.yaml.in/yaml/v4", "github.com/pb33f/ordered-map/v2", "invopop/jsonschema has its maps"},
	}
	used := make([]bool, len(rows))
	for _, p := range list(t, "-deps", "./cmd/mcpgen") {
		for _, path := range p.Imports {
			for _, row := range rows {
				library := row.library
				if path != library && !strings.HasPrefix(path, library+"/") || strings.HasPrefix(p.ImportPath, library) {
					continue
				}
				i := slices.IndexFunc(rows, func(r struct{ library, importer, why string }) bool {
					return r.library == library && strings.HasPrefix(p.ImportPath, r.importer)
				})
				if i < 0 {
					t.Errorf("%s imports %s", p.ImportPath, path)
					continue
				}
				used[i] = true
			}
		}
	}
	for i, row := range rows {
		if !used[i] {
			t.Errorf("stale row: %s does not import %s", row.importer, row.library)
		}
	}
}
