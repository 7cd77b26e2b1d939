package architecture

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// TestDeprecatedPackages checks that packages for what the protocol has deprecated are marked, so that
// tools warn programs that import them.
//
// H62
func TestDeprecatedPackages(t *testing.T) {
	for _, path := range []string{"runtime/sse/doc.go"} {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root(t), filepath.FromSlash(path)), nil, parser.ParseComments|parser.PackageClauseOnly)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(file.Doc.Text(), "\n\nDeprecated: ") {
			t.Errorf("%s: the package comment has no paragraph that begins with Deprecated", path)
		}
	}
}
