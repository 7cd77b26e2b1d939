package authorization

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestClientTable checks that each row of client.yaml names tests that exist, or says why there is none.
func TestClientTable(t *testing.T) {
	tests := testsIn(t, "../../runtime/auth/client")
	known := map[string]bool{}
	for _, row := range readTable(t, "client.yaml") {
		if known[row.ID] || (len(row.Tests)+len(row.Suite) == 0) == (row.Not == "") {
			t.Errorf("%s: two rows have this id, or it has both or neither of tests and a reason: %s", row.ID, row.Text)
		}
		known[row.ID] = true
		for _, name := range row.Tests {
			function, sub, _ := strings.Cut(name, "/")
			texts, ok := tests[function]
			if !ok || sub != "" && !texts[sub] {
				t.Errorf("%s: there is no test %s", row.ID, name)
			}
		}
	}
	if len(known) == 0 {
		t.Error("there are no rows")
	}
}

// testsIn returns the test functions of a package, each with the texts in it, of which some name subtests.
func testsIn(t *testing.T, folder string) map[string]map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]map[string]bool{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || !strings.HasPrefix(f.Name.Name, "Test") {
				continue
			}
			texts := map[string]bool{}
			ast.Inspect(f.Body, func(n ast.Node) bool {
				if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
					if text, err := strconv.Unquote(l.Value); err == nil {
						texts[text] = true
					}
				}
				return true
			})
			found[f.Name.Name] = texts
		}
	}
	return found
}
