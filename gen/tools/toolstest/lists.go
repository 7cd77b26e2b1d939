// Package toolstest finds the tool lists that the tests of package tools and of the packages
// below it share.
package toolstest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/mcpgen/mcpgen/gen/tools"
)

// Shared returns the folder of the tool lists of real servers, which may not exist: toollists
// in MCPGEN_SHARED, which defaults to shared beside the project.
func Shared(t testing.TB) string {
	shared := os.Getenv("MCPGEN_SHARED")
	if shared == "" {
		shared = filepath.Join(root(t), "..", "shared")
	}
	return filepath.Join(shared, "toollists")
}

// Upstream returns the tool lists of real servers by file name. It skips the test if there are
// none.
func Upstream(t testing.TB) map[string]*tools.List {
	t.Helper()
	names, _ := filepath.Glob(filepath.Join(Shared(t), "*.json"))
	if len(names) == 0 {
		t.Skip("no tool lists of real servers: set MCPGEN_SHARED")
	}
	lists := map[string]*tools.List{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		list, err := tools.Read(text)
		if err != nil {
			t.Errorf("%s: %v", filepath.Base(name), err)
			continue
		}
		lists[filepath.Base(name)] = list
	}
	return lists
}

// root returns the folder of the module that the test is part of.
func root(t testing.TB) string {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatal("the test is not in a module")
		}
		dir = parent
	}
}
