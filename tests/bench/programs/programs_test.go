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

// TestTable counts the lines of code and the imports from the library of each program.
func TestTable(t *testing.T) {
	var table strings.Builder
	table.WriteString("| Program | mcpgen | go-sdk | mcp-go |\n| --- | --- | --- | --- |\n")
	for _, name := range []string{"typedtool", "call", "list", "answer", "proxy"} {
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
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
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

// TestRun runs the programs that call and list with the typed server of the same library.
func TestRun(t *testing.T) {
	bin := t.TempDir()
	for _, library := range []string{"gosdk", "mcpgo"} {
		build := func(name string) string {
			out := filepath.Join(bin, library+"-"+name)
			if text, err := exec.Command("go", "build", "-o", out, "./"+library+"/"+name).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			return out
		}
		server := build("typedtool")
		out, err := exec.Command(build("call"), server).Output()
		if err != nil || string(out) != "21 degrees\n" {
			t.Errorf("%s: got %q, %v", library, out, err)
		}
	}
}
