package jsonschema

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/check"
	"github.com/mcpgen/mcpgen/gen/code"
	"github.com/mcpgen/mcpgen/gen/emit"
	"github.com/mcpgen/mcpgen/gen/files"
	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/gen/tools/typing"
)

// tool is a tool definition with a name and an input schema.
func tool(name string, input json.RawMessage) string {
	return fmt.Sprintf(`{"name":%q,"inputSchema":%s}`, name, input)
}

// readTools reads a list of definitions.
func readTools(definitions ...string) (*tools.List, error) {
	return tools.Read([]byte("[" + strings.Join(definitions, ",") + "]"))
}

// question asks whether the arguments of a tool are valid.
type question struct {
	Tool  int             `json:"tool"`
	Value json.RawMessage `json:"value"`
}

// program is a running program with the check functions and types of tools.
type program struct {
	cmd *exec.Cmd
	in  *bufio.Writer
	out *bufio.Scanner
}

// newProgram generates, vets, builds and starts a program for the input schemas of tools.
func newProgram(t *testing.T, list *tools.List) *program {
	t.Helper()
	dir := t.TempDir()
	var roots []check.Root
	for i, tool := range list.Tools {
		roots = append(roots, check.Root{Func: fmt.Sprintf("checkT%d", i), Schema: tool.Input})
	}
	all, err := check.Declarations(roots)
	if err != nil {
		t.Fatal(err)
	}
	f := jen.NewFile("main")
	for _, d := range all {
		f.Line().Add(d)
	}
	write := func(name string, text []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	var checks bytes.Buffer
	if err := f.Render(&checks); err != nil {
		t.Fatal(err)
	}
	pkg, err := typing.Types(list, typing.Options{Server: true, BigIntegers: true})
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	table.WriteString("package main\n\nimport \"github.com/mcpgen/mcpgen/runtime/wire\"\n\nfunc init() {\n\ttools = []tool{\n")
	for i, root := range roots {
		fmt.Fprintf(&table, "\t\t{%s, func() wire.Decoder { return new(%s) }},\n", root.Func, pkg.Tools[i].Input.Name)
	}
	table.WriteString("\t}\n}\n")
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	// The checks and types are files of the package in another folder.
	replace := map[string]string{
		filepath.Join(here, "program", "checks.go"): write("checks.go", checks.Bytes()),
		filepath.Join(here, "program", "table.go"):  write("table.go", []byte(table.String())),
	}
	for _, f := range typesOf(t, pkg) {
		replace[filepath.Join(here, "program", f.Path)] = write(f.Path, f.Content)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	path := write("overlay.json", overlay)
	for _, args := range [][]string{
		{"vet", "-overlay", path, "./program"},
		{"build", "-overlay", path, "-o", filepath.Join(dir, "program"), "./program"},
	} {
		if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
			t.Fatalf("go %s: %v\n%.3000s", args[0], err, out)
		}
	}
	t.Logf("%d tools, %d lines of checks", len(roots), bytes.Count(checks.Bytes(), []byte{'\n'}))
	p := &program{cmd: exec.Command(filepath.Join(dir, "program"))}
	in, err := p.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.cmd.Stderr = os.Stderr
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := p.cmd.Wait(); err != nil {
			t.Errorf("the generated program: %v", err)
		}
	})
	p.in, p.out = bufio.NewWriter(in), bufio.NewScanner(out)
	p.out.Buffer(nil, 1<<24)
	return p
}

// typesOf returns the files with the types and codecs of a list.
func typesOf(t *testing.T, pkg *typing.Package) []files.File {
	t.Helper()
	source := func(name string, add func(*jen.File, ...*ir.Decl)) code.Source {
		return code.Source{Name: name, Package: "main", From: "tools.json", Items: len(pkg.Decls),
			Fill: func(f *jen.File, first, end int) { add(f, pkg.Decls[first:end]...) }}
	}
	all, err := code.Render(source("types.gen.go", emit.Types), source("codec.gen.go", emit.Codecs))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// ask returns the problem that a tool's check finds in a value, or "" if the value is valid and can
// be decoded into the tool's type.
func (p *program) ask(t *testing.T, tool int, value json.RawMessage) string {
	t.Helper()
	line, err := json.Marshal(question{tool, value})
	if err != nil {
		t.Fatal(err)
	}
	p.in.Write(append(line, '\n'))
	if err := p.in.Flush(); err != nil {
		t.Fatal(err)
	}
	if !p.out.Scan() {
		t.Fatalf("the generated program has ended: %v", p.out.Err())
	}
	var answer string
	if err := json.Unmarshal(p.out.Bytes(), &answer); err != nil {
		t.Fatal(err)
	}
	return answer
}
