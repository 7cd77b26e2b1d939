// Package typescript compiles the TypeScript that mcpgen generates from tool lists, and has it call a server.
package typescript

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/gen/skeleton"
	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/gen/tools/toolstest"
	"github.com/mcpgen/mcpgen/gen/typescript"
	"github.com/mcpgen/mcpgen/tests/internal/npm"
)

// compile compiles a folder, whose packages are those of this folder, and writes JavaScript to the folder
// "out" in it.
func compile(t *testing.T, dir string) {
	t.Helper()
	npm.Need(t, ".")
	packages, err := filepath.Abs("node_modules")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(packages, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "package.json", `{"type": "module"}`)
	write(t, dir, "tsconfig.json", `{
		"compilerOptions": {
			"strict": true, "noUnusedLocals": true, "noUnusedParameters": true, "noImplicitReturns": true, "exactOptionalPropertyTypes": true,
			"verbatimModuleSyntax": true, "erasableSyntaxOnly": true, "isolatedModules": true, "skipLibCheck": true,
			"module": "nodenext", "target": "es2022", "types": [], "outDir": "out", "rootDir": "."
		},
		"include": ["**/*.ts"], "exclude": ["out", "node_modules"]
	}`)
	run(t, dir, "node", "node_modules/typescript/lib/tsc.js", "--project", dir)
}

// run runs a command and returns its standard output.
func run(t *testing.T, dir string, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	file := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// generate writes the client of a list to a folder.
func generate(t *testing.T, dir string, list *tools.List) {
	t.Helper()
	for _, f := range typescript.Files(list, "tools.json") {
		write(t, dir, f.Path, string(f.Content))
	}
}

// own returns a list of the project.
func own(t *testing.T, file string) *tools.List {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	list, err := skeleton.Read(file, text)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestLists compiles clients of the lists of the project, with a use of the types of each kind.
func TestLists(t *testing.T) {
	dir := t.TempDir()
	generate(t, filepath.Join(dir, "weather"), own(t, "../examples/weather/tools.json"))
	generate(t, filepath.Join(dir, "everything"), own(t, "../internal/everything/tools.json"))
	generate(t, filepath.Join(dir, "kinds"), own(t, "testdata/kinds.json"))
	uses, err := os.ReadFile("testdata/uses.ts")
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "uses.ts", string(uses))
	compile(t, dir)
	run(t, dir, "node", "out/uses.js")
}

// TestUpstreamLists compiles clients of the lists of real servers.
func TestUpstreamLists(t *testing.T) {
	lists := toolstest.Upstream(t)
	dir := t.TempDir()
	for name, list := range lists {
		generate(t, filepath.Join(dir, strings.TrimSuffix(name, ".json")), list)
	}
	compile(t, dir)
}

// TestServer imports the tools of the official example server and calls some of them.
func TestServer(t *testing.T) {
	npm.Need(t, ".")
	dir := t.TempDir()
	list := filepath.Join(dir, "tools.json")
	server := filepath.Join("node_modules", "@modelcontextprotocol", "server-everything", "dist", "index.js")
	run(t, ".", "go", "run", "../../cmd/mcpgen", "tools", "import", "--quiet", "--cmd", "node "+server, "--out", list)
	run(t, ".", "go", "run", "../../cmd/mcpgen", "typescript", "--quiet", "--tools", list, "--out", filepath.Join(dir, "client"))
	calls, err := os.ReadFile("testdata/calls.ts")
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "calls.ts", string(calls))
	compile(t, dir)
	var got []string
	if err := json.Unmarshal([]byte(run(t, dir, "node", "out/calls.js", server)), &got); err != nil {
		t.Fatal(err)
	}
	want := []string{"Echo: hello", "The sum of 1 and 2 is 3.", "number", "refused"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
