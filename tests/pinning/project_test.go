package pinning

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// changed lists the folders of the project that a pin changes, and the folder of its programs.
var changed = []string{"spec", "generated", "cmd"}

// copyProject copies the folders spec and generated.
func copyProject(t *testing.T) *project {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	p := &project{root: root, dir: t.TempDir(), overlay: filepath.Join(t.TempDir(), "overlay.json")}
	for _, name := range []string{"spec", "generated"} {
		if err := os.CopyFS(filepath.Join(p.dir, name), os.DirFS(filepath.Join(root, name))); err != nil {
			t.Fatal(err)
		}
	}
	// go test caches a result by the files and folders that the test reads.
	for _, name := range []string{"cmd", "gen", "runtime", "templates", "module.go", "go.mod", "go.sum"} {
		if _, err := os.Stat(filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
		p.each(t, filepath.Join(root, name), func(string) {})
	}
	return p
}

// overlaid writes the overlay: the files that this project does not have, or has with another text, and those
// that only this project has.
func (p *project) overlaid(t *testing.T) {
	t.Helper()
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for _, folder := range changed {
		p.each(t, filepath.Join(p.dir, folder), func(name string) {
			text, err := os.ReadFile(filepath.Join(p.dir, folder, name))
			if err != nil {
				t.Fatal(err)
			}
			here := filepath.Join(p.root, folder, name)
			if have, err := os.ReadFile(here); err != nil || !bytes.Equal(have, text) {
				overlay.Replace[here] = filepath.Join(p.dir, folder, name)
			}
		})
		if folder == "cmd" {
			continue // it adds programs to those of this project
		}
		p.each(t, filepath.Join(p.root, folder), func(name string) {
			if _, err := os.Lstat(filepath.Join(p.dir, folder, name)); err != nil {
				overlay.Replace[filepath.Join(p.root, folder, name)] = ""
			}
		})
	}
	text, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p.overlay, text, 0o666); err != nil {
		t.Fatal(err)
	}
}

// each calls a function with the path of each file below a folder, which need not exist.
func (p *project) each(t *testing.T, folder string, call func(name string)) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(folder, path)
		call(name)
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
}
