package architecture

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestPaths checks that the files and folders of the project that ARCHITECTURE.md and the map of packages name
// exist, if they are named from the top of the module.
func TestPaths(t *testing.T) {
	top := regexp.MustCompile(`^(?:cmd|gen|generated|runtime|spec|templates|tests)/`)
	for _, page := range []string{"ARCHITECTURE.md", mapFile} {
		text, err := os.ReadFile(filepath.Join(root(t), page))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile("`([a-zA-Z0-9_./-]+)`").FindAllSubmatch(text, -1) {
			path := string(m[1])
			if !top.MatchString(path) {
				continue
			}
			if _, err := os.Stat(filepath.Join(root(t), strings.TrimSuffix(path, "/..."))); err != nil {
				t.Errorf("%s names %s, which does not exist", page, path)
			}
		}
	}
}

// TestFiles checks that the Go files that a row of the map names are in one of the row's folders, or at the top.
func TestFiles(t *testing.T) {
	for _, r := range readMap(t) {
		for _, name := range codeOf(r.line) {
			if !strings.HasSuffix(name, ".go") {
				continue
			}
			if !slices.ContainsFunc(append(r.folders, "."), func(folder string) bool {
				_, err := os.Stat(filepath.Join(root(t), strings.TrimSuffix(folder, "/..."), name))
				return err == nil
			}) {
				t.Errorf("%s: the row of %s names %s, which is not there", mapFile, r.folders[0], name)
			}
		}
	}
}
