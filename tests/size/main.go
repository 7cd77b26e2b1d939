// Command size prints the size of the runtime and the length of the way of a call, so that everybody sees them grow
// ("make size"):
//
//	go run ./tests/size       # the tables
//	go run ./tests/size -v    # also each package, and each function on the way
//
// # Code
//
// The core is what a generated server or client of tools, prompts and resources links over standard input and output,
// HTTP and in process: the packages that go list -deps prints for the programs in linked. Everything else below
// runtime/ is a satellite: the packages that are linked on demand, such as authorization and tasks, those of test
// kits, and the modules of their own. Packages count as a whole: files that only replicas use count as core if they are
// in a package of the core, although most programs run none of them.
//
// A line of code has more than comments and white space. Exported names are constants, variables, functions and types
// of public packages, without methods and fields.
//
// # The way of a call
//
// The way of a call is the code that one more tools/call executes at a server when everything is open: a server
// with coverage counters gets 3 calls, and another process of it 6; the blocks that most of the calls between have
// run are on the way. The handler is not counted, nor are dependencies of the project. The codec is generated code
// and the packages in codec.
//
// # The shape
//
// The rows of shapes count the declarations of what everything else goes through. A row that counts nothing is an
// error, so that renaming a type does not remove it from the table.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

// linked are the programs whose packages are the core, and the transport that none of them uses.
var linked = []string{"./tests/examples/weather", "./tests/examples/weather/ask", "./tests/examples/notes", "./runtime/inproc"}

// codec are the packages that read and write messages. Those below them are codec, too.
var codec = []string{"runtime/wire", "runtime/schema", "runtime/jsonrpc"}

// shapes are the rows of the table of the shape.
var shapes = []Shape{
	{"interfaces of the transport layer", "runtime/transport.go", interfaces},
	{"interfaces of package runtime", "runtime", interfaces},
	{"methods of a call: runtime.Call", "runtime", methodsOf("Call")},
	{"methods of a connection: runtime.conn", "runtime", methodsOf("conn")},
	{"methods of a connection: streamable.Session", "runtime/streamable", methodsOf("Session")},
	{"fields of runtime.Binding", "runtime", fieldsOf("Binding")},
}

func main() {
	verbose := flag.Bool("v", false, "print each package, and each function on the way of a call")
	flag.Parse()
	if err := report(os.Stdout, *verbose); err != nil {
		fmt.Fprintln(os.Stderr, "size:", err)
		os.Exit(1)
	}
}

// report prints the tables of the project of the working directory.
func report(w io.Writer, verbose bool) error {
	root, err := goCommand(".", "list", "-m", "-f", "{{.Dir}}")
	if err != nil {
		return err
	}
	core, err := linkedFolders(root, linked...)
	if err != nil {
		return err
	}
	packages, err := readPackages(root, core)
	if err != nil {
		return err
	}
	codeTable(packages).print(w)
	if verbose {
		packageTable(packages).print(w)
	}
	table, err := shapeTable(root, shapes)
	if err != nil {
		return err
	}
	table.print(w)
	ways, err := measureWays(root)
	if err != nil {
		return err
	}
	wayTable(ways).print(w)
	if verbose {
		for _, way := range ways {
			functionTable(way).print(w)
		}
	}
	return nil
}

// codeTable has the size of the core, of the satellites and of both.
func codeTable(packages []*Package) table {
	t := table{{"below runtime/", "code", "files", "median lines", "packages", "public", "exported names"}}
	row := func(name string, counts func(*Package) bool) {
		var lines []int
		var code, all, public, exported int
		for _, p := range packages {
			if !counts(p) {
				continue
			}
			lines = append(lines, p.Lines...)
			code += p.Code
			all++
			exported += p.Exported
			if p.Public() {
				public++
			}
		}
		t.add(name, code, len(lines), median(lines), all, public, exported)
	}
	row("core", func(p *Package) bool { return p.Core })
	row("  wire, schema and convert", func(p *Package) bool {
		return p.Core && isBelow(p.Path, "runtime/wire", "runtime/schema", "runtime/convert")
	})
	row("satellites", func(p *Package) bool { return !p.Core })
	row("all", func(*Package) bool { return true })
	return t
}

// packageTable has the packages, the largest first.
func packageTable(packages []*Package) table {
	t := table{{"package", "code", "files", "median lines", "exported names", ""}}
	for _, p := range slices.SortedStableFunc(slices.Values(packages), func(a, b *Package) int { return b.Code - a.Code }) {
		part := "satellite"
		if p.Core {
			part = "core"
		}
		t.add(p.Path, p.Code, len(p.Lines), median(p.Lines), p.Exported, part)
	}
	return t
}

// shapeTable has a row for each shape.
func shapeTable(root string, shapes []Shape) (table, error) {
	t := table{{"shape", "count", "files"}}
	for _, s := range shapes {
		n, files, err := s.count(root)
		if err != nil {
			return nil, err
		}
		t.add(s.Name, n, files)
	}
	return t, nil
}

// wayTable has the length of each way.
func wayTable(ways []*Way) table {
	t := table{{"way of one more call", "files", "functions", "statements", "without codec: files", "functions", "statements"}}
	for _, w := range ways {
		files, functions, statements := w.length(func(*Function) bool { return true })
		f, fn, st := w.length(func(f *Function) bool { return !f.Codec })
		t.add(w.Name, files, functions, statements, f, fn, st)
	}
	return t
}

// functionTable has the functions of a way, in the order of packages and files.
func functionTable(w *Way) table {
	t := table{{w.Name, "statements", ""}}
	for _, f := range w.Functions {
		part := ""
		if f.Codec {
			part = "codec"
		}
		t.add(f.File+" "+f.Name, f.Statements, part)
	}
	return t
}

// isBelow reports whether a folder is one of some folders or below one.
func isBelow(folder string, tops ...string) bool {
	return slices.ContainsFunc(tops, func(top string) bool { return folder == top || strings.HasPrefix(folder, top+"/") })
}

// table is rows of cells; the first is the heading.
type table [][]string

// add adds a row of texts and numbers.
func (t *table) add(cells ...any) {
	row := make([]string, len(cells))
	for i, cell := range cells {
		row[i] = fmt.Sprint(cell)
		if n, ok := cell.(int); ok {
			row[i] = thousands(n)
		}
	}
	*t = append(*t, row)
}

// print prints the table and an empty line. All columns but the first are aligned to the right.
func (t table) print(w io.Writer) {
	widths := make([]int, len(t[0]))
	for _, row := range t {
		for i, cell := range row {
			widths[i] = max(widths[i], len(cell))
		}
	}
	for _, row := range t {
		line := fmt.Sprintf("%-*s", widths[0], row[0])
		for i, cell := range row[1:] {
			line += fmt.Sprintf("  %*s", widths[i+1], cell)
		}
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
	fmt.Fprintln(w)
}

// thousands writes a number with commas.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// goCommand runs the go command in a folder and returns its output.
func goCommand(dir string, args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", args[0], err, &stderr)
	}
	return strings.TrimSpace(string(out)), nil
}
