package architecture

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// module is the import path of the main module.
const module = "github.com/mcpgen/mcpgen"

// pkg is the output of go list for a package.
type pkg struct {
	ImportPath string
	Imports    []string
	Deps       []string
	GoFiles    []string
	Standard   bool
	DepOnly    bool
}

// name returns the import path within the module, such as "gen/ir".
func (p pkg) name() string { return strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/") }

// nested are the modules within the main module that programs of users may import.
var nested = []string{"runtime/natsmcp/embedded", "runtime/natsmcp", "runtime/tasks/filestore"}

// allPackages returns the packages of the main module and those in nested.
func allPackages(t *testing.T) []pkg {
	t.Helper()
	pkgs := list(t, "./...")
	for _, dir := range nested {
		pkgs = append(pkgs, listIn(t, filepath.Join(root(t), dir), "./...")...)
	}
	return pkgs
}

// list runs go list for packages of the main module. Imports of test files are not included.
func list(t *testing.T, args ...string) []pkg {
	t.Helper()
	return listIn(t, root(t), args...)
}

// listIn runs go list in the folder of a module.
func listIn(t *testing.T, dir string, args ...string) []pkg {
	t.Helper()
	watch(t)
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Imports,Deps,GoFiles,Standard,DepOnly"}, args...)...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	var pkgs []pkg
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		err := dec.Decode(&p)
		if errors.Is(err, io.EOF) {
			return pkgs
		}
		if err != nil {
			t.Fatal(err)
		}
		pkgs = append(pkgs, p)
	}
}

// watch calls os.Stat for every source file. go test then runs the test again when one of
// them has changed, instead of using its cached result.
func watch(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir(root(t), func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != root(t) && (entry.Name() == "node_modules" || strings.HasPrefix(entry.Name(), ".")):
			return fs.SkipDir
		case filepath.Ext(path) == ".go":
			_, err = os.Stat(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// root returns the folder of the main module.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// generatedFiles returns the text of the files below generated/, by their path from there, but for the files
// that people write there: the README and the examples of packages.
func generatedFiles(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	tree := os.DirFS(filepath.Join(root(t), "generated"))
	err := fs.WalkDir(tree, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path == "README.md" || entry.Name() == "example_test.go" {
			return err
		}
		src, err := fs.ReadFile(tree, path)
		found[path] = string(src)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// small are modules that the main module may require, too, for another purpose.
var small = []string{"github.com/gofrs/flock", "golang.org/x/"}

// TestNested checks that every other module outside of tests is in nested, and that the main module does
// not require what they require, but for the modules in small.
func TestNested(t *testing.T) {
	own, err := os.ReadFile(filepath.Join(root(t), "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	err = filepath.WalkDir(root(t), func(path string, entry fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(root(t), path)
		rel = filepath.ToSlash(rel)
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (rel == "tests" || entry.Name() == "node_modules" || strings.HasPrefix(entry.Name(), ".") && rel != "."):
			return fs.SkipDir
		case entry.Name() == "go.mod" && rel != "go.mod":
			found = append(found, strings.TrimSuffix(rel, "/go.mod"))
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			direct, _, _ := strings.Cut(string(text), "// indirect")
			for _, m := range regexp.MustCompile(`(?m)^\t(\S+) v`).FindAllStringSubmatch(direct, -1) {
				isShared := slices.ContainsFunc(small, func(prefix string) bool { return strings.HasPrefix(m[1], prefix) })
				if m[1] != module && strings.Contains(string(own), "\t"+m[1]+" ") && !isShared {
					t.Errorf("%s is a module of its own, but the main module requires %s, too", rel, m[1])
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(found, nested) {
		t.Errorf("the modules are %q, want %q", found, nested)
	}
}
