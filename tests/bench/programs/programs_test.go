// Package programs compares the programs of tests/examples with the same programs on other
// libraries.
package programs

import (
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden file")

const ours = "../../examples"

// TestTable counts the lines and the imports from the library of each program, without comments.
func TestTable(t *testing.T) {
	var table strings.Builder
	table.WriteString("| Program | mcpgen | go-sdk | mcp-go |\n| --- | --- | --- | --- |\n")
	for _, name := range []string{"typedtool", "items", "call", "list", "answer", "proxy"} {
		fmt.Fprintf(&table, "| %s | %s | %s | %s |\n", name, size(t, ours, name), size(t, "gosdk", name), size(t, "mcpgo", name))
	}
	golden := filepath.Join("testdata", "table.md")
	if *update {
		if err := os.WriteFile(golden, []byte(table.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || string(want) != table.String() {
		t.Errorf("got\n%swant\n%s%v", &table, want, err)
	}
}

// size describes a program, or returns a dash if there is none.
func size(t *testing.T, folder, name string) string {
	t.Helper()
	file := filepath.Join(folder, name, "main.go")
	text, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return "-"
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), file, text, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	lines, imports := 0, 0
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(strings.TrimSpace(line), "//") {
			lines++
		}
	}
	for _, spec := range parsed.Imports {
		if strings.Contains(spec.Path.Value, "github.com/") {
			imports++
		}
	}
	return fmt.Sprintf("%d lines, %d imports", lines, imports)
}

// TestRun runs the programs of each library: the clients use its servers, directly and
// through its proxy.
func TestRun(t *testing.T) {
	for _, library := range []string{"gosdk", "mcpgo"} {
		t.Run(library, func(t *testing.T) {
			bin := t.TempDir()
			build := func(pkg string) string {
				out := filepath.Join(bin, strings.ReplaceAll(pkg, "/", "-"))
				if text, err := exec.Command("go", "build", "-o", out, "./"+pkg).CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, text)
				}
				return out
			}
			run := func(want string, command ...string) {
				t.Helper()
				var errors strings.Builder
				cmd := exec.Command(command[0], command[1:]...)
				cmd.Stderr = &errors
				if out, err := cmd.Output(); err != nil || string(out) != want {
					t.Errorf("got %q, %v, want %q\n%s", out, err, want, &errors)
				}
			}
			items, call, list := build(library+"/items"), build(library+"/call"), build(library+"/list")
			run("21 degrees\n", call, build(library+"/typedtool"))
			run("21 degrees\n", call, items)
			run("tool get_weather\nresource weather://stations\n", list, items)
			run("Hello! decline\n", build(library+"/answer"), build("asker"))

			// The clients take no arguments for the server, so a script starts the proxy.
			script := filepath.Join(bin, "through-proxy")
			text := "#!/bin/sh\nexec " + build(library+"/proxy") + " " + items + "\n"
			if err := os.WriteFile(script, []byte(text), 0o755); err != nil {
				t.Fatal(err)
			}
			run("21 degrees\n", call, script)
			run("tool get_weather\nresource weather://stations\n", list, script)
		})
	}
}
