package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// tree writes the project of testdata/tree.txtar to a folder.
func tree(t *testing.T) string {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", "tree.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	if err := txtar.Write(archive, root); err != nil {
		t.Fatal(err)
	}
	return root
}

// printed checks the text of a table.
func printed(t *testing.T, got table, want string) {
	t.Helper()
	var text strings.Builder
	got.print(&text)
	if diff := cmp.Diff(strings.TrimPrefix(want, "\n")+"\n", text.String()); diff != "" {
		t.Errorf("the table differs (-want +got):\n%s", diff)
	}
}

// TestCode checks the counts of a made-up project: what is core, what is public, lines with code, exported names.
func TestCode(t *testing.T) {
	root := tree(t)
	core, err := linkedFolders(root, "./cmd/server")
	if err != nil {
		t.Fatal(err)
	}
	packages, err := readPackages(root, core)
	if err != nil {
		t.Fatal(err)
	}
	printed(t, codeTable(packages), `
below runtime/              code  files  median lines  packages  public  exported names
core                          40      5             3         3       2               7
  wire, schema and convert     2      1             3         1       1               1
satellites                     4      2             3         2       2               2
all                           44      7             3         5       4               9
`)
	printed(t, packageTable(packages), `
package                code  files  median lines  exported names
runtime                  36      3            17               6       core
runtime/extra             2      1             3               1  satellite
runtime/internal/deep     2      1             3               0       core
runtime/nested            2      1             3               1  satellite
runtime/wire              2      1             3               1       core
`)
}

// TestShape checks the counts of declarations of a made-up project.
func TestShape(t *testing.T) {
	root := tree(t)
	got, err := shapeTable(root, []Shape{
		{"interfaces of a file", "runtime/serve.go", interfaces},
		{"interfaces", "runtime", interfaces},
		{"methods of Conn", "runtime", methodsOf("Conn")},
		{"methods of list", "runtime", methodsOf("list")},
		{"fields of Conn", "runtime", fieldsOf("Conn")},
	})
	if err != nil {
		t.Fatal(err)
	}
	printed(t, got, `
shape                 count  files
interfaces of a file      1      1
interfaces                1      1
methods of Conn           3      2
methods of list           1      1
fields of Conn            3      1
`)
	for _, stale := range []Shape{
		{"methods of a type that was renamed", "runtime", methodsOf("gone")},
		{"interfaces of a file that was renamed", "runtime/server.go", interfaces},
		{"interfaces of a folder that was renamed", "rt", interfaces},
	} {
		if _, err := shapeTable(root, []Shape{stale}); err == nil || !strings.Contains(err.Error(), stale.Name) {
			t.Errorf("%s: the error is %v", stale.Name, err)
		}
	}
}

// TestShapesExist checks that the rows of shapes name what the project has.
func TestShapesExist(t *testing.T) {
	if _, err := shapeTable(filepath.Join("..", ".."), shapes); err != nil {
		t.Error(err)
	}
}

// TestWay checks which functions, files and statements are on the way of a call, from counters of a made-up project.
func TestWay(t *testing.T) {
	const module = "example.com/made"
	few := readProfile(`mode: atomic
example.com/made/runtime/serve.go:31.21,33.18 2 3
example.com/made/runtime/serve.go:33.18,35.3 1 1
example.com/made/runtime/serve.go:36.2,36.14 1 3
example.com/made/runtime/conn.go:9.27,9.33 1 3
example.com/made/runtime/conn.go:9.34,9.42 1 3
example.com/made/runtime/conn.go:11.24,11.25 4 3
example.com/made/runtime/wire/wire.go:3.14,3.16 5 6
example.com/made/generated/tool.go:5.15,5.16 6 3
example.com/made/tests/bench/servers/mcpgen/main.go:9.15,9.16 7 3
`)
	many := readProfile(`mode: atomic
example.com/made/runtime/serve.go:31.21,33.18 2 6
example.com/made/runtime/serve.go:33.18,35.3 1 2
example.com/made/runtime/serve.go:36.2,36.14 1 6
example.com/made/runtime/conn.go:9.27,9.33 1 6
example.com/made/runtime/conn.go:9.34,9.42 1 5
example.com/made/runtime/conn.go:11.24,11.25 4 3
example.com/made/runtime/conn.go:17.24,17.34 1 12
example.com/made/runtime/wire/wire.go:3.14,3.16 5 12
example.com/made/generated/tool.go:5.15,5.16 6 6
example.com/made/tests/bench/servers/mcpgen/main.go:9.15,9.16 7 6
`)
	root := tree(t)
	functions, err := functionsOf(root, module, few, many, 3)
	if err != nil {
		t.Fatal(err)
	}
	way := &Way{"made up", functions}
	printed(t, wayTable([]*Way{way}), `
way of one more call  files  functions  statements  without codec: files  functions  statements
made up                   4          5          17                     2          3           6
`)
	printed(t, functionTable(way), `
made up                      statements
generated/tool.go Decode              6  codec
runtime/conn.go Conn.Accept           2
runtime/conn.go Late                  1
runtime/serve.go Serve                3
runtime/wire/wire.go Write            5  codec
`)
	other := map[block]int{{module + "/runtime/conn.go", 100, 1, 1}: 3}
	if _, err := functionsOf(root, module, nil, other, 3); err == nil || !strings.Contains(err.Error(), "another version") {
		t.Errorf("a block outside of the file: the error is %v", err)
	}
}
