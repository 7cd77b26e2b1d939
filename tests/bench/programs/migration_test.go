package programs

import (
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The import paths behind the names of packages in runtime/migration.md, by the column of a table.
const own = "github.com/mcpgen/mcpgen/"

var columns = map[string]map[string]string{
	"Go SDK": {
		"mcp": "github.com/modelcontextprotocol/go-sdk/mcp", "auth": "github.com/modelcontextprotocol/go-sdk/auth",
	},
	"mcp-go": {
		"mcp": "github.com/mark3labs/mcp-go/mcp", "server": "github.com/mark3labs/mcp-go/server", "client": "github.com/mark3labs/mcp-go/client",
	},
	"mcpgen": {
		"mcp": own + "generated/mcp", "compat": own + "generated/compat", "runtime": own + "runtime", "catalog": own + "runtime/catalog",
		"typed": own + "runtime/typed", "tools": own + "runtime/tools", "wire": own + "runtime/wire", "mcplog": own + "runtime/mcplog",
		"stdio": own + "runtime/stdio", "streamable": own + "runtime/streamable", "inproc": own + "runtime/inproc",
		"auth": own + "runtime/auth",
	},
}

// TestMigration checks that each name in the tables of runtime/migration.md exists.
func TestMigration(t *testing.T) {
	text, err := os.ReadFile("../../../runtime/migration.md")
	if err != nil {
		t.Fatal(err)
	}
	find := imports(t)
	name := regexp.MustCompile("`([a-z]+)((?:\\.[A-Z][A-Za-z]*)+)`")
	var heading []string
	checked := 0
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.Trim(line, "| \n"), " | ")
		switch {
		case !strings.HasPrefix(line, "|"):
			heading = nil
		case heading == nil:
			heading = cells
		default:
			for i, cell := range cells {
				for _, m := range name.FindAllStringSubmatch(cell, -1) {
					path, known := columns[heading[i]][m[1]]
					if !known {
						t.Errorf("%s: unknown package in the column %s", m[0], heading[i])
					} else if checked++; !declared(find(path), strings.Split(m[2][1:], ".")) {
						t.Errorf("%s does not exist in %s", m[0], path)
					}
				}
			}
		}
	}
	if checked < 80 {
		t.Errorf("%d names checked", checked)
	}
}

// declared reports whether a package has an object, or its type has a field or method.
func declared(p *types.Package, names []string) bool {
	object := p.Scope().Lookup(names[0])
	if object == nil || len(names) == 1 {
		return object != nil
	}
	member, _, _ := types.LookupFieldOrMethod(object.Type(), true, p, names[1])
	return member != nil
}

// imports returns a function that loads packages from what the compiler has written about them.
func imports(t *testing.T) func(path string) *types.Package {
	t.Helper()
	var paths []string
	for _, packages := range columns {
		for _, path := range packages {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	list := exec.Command("go", append([]string{"list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}"}, paths...)...)
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		files[path] = file
	}
	from := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(files[path]) })
	return func(path string) *types.Package {
		p, err := from.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
}
