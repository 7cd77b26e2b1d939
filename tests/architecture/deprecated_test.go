package architecture

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestDeprecated checks that functions for what the protocol has deprecated are marked, so that tools warn programs
// that call them.
//
// H62
func TestDeprecated(t *testing.T) {
	for path, name := range map[string]string{"runtime/streamable/sse.go": "NewSSEHandler"} {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root(t), filepath.FromSlash(path)), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(file.Decls, func(d ast.Decl) bool {
			f, ok := d.(*ast.FuncDecl)
			return ok && f.Name.Name == name && strings.Contains(f.Doc.Text(), "\n\nDeprecated: ")
		}) {
			t.Errorf("%s: the comment of %s has no paragraph that begins with Deprecated", path, name)
		}
	}
}
