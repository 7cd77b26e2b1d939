// Package requirements holds tests only. It checks that each requirement of the newest revision
// is met by a test, or that the table says why there is none.
package requirements

import (
	"cmp"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

const root = "../.."

// requirement is a row of the table.
type requirement struct {
	ID   string `yaml:"id"`
	Side string `yaml:"side"`
	Over string `yaml:"over"`
	Text string `yaml:"text"`
	// Suite lists scenarios of the official conformance suite.
	Suite []string `yaml:"suite"`
	// Not says why no test is possible, or why there is none yet.
	Not string `yaml:"not"`
}

// named matches the ids at the beginning of a comment, of a string or of a parenthesis, such as
// "V13, V14 initialize and _meta". Ids have two digits at most, unlike "S256" of PKCE, and the first is not 0.
var named = regexp.MustCompile("(?:// ?|[\"`(])((?:[AVBTSHPFXK][1-9][0-9]?\\b(?:[, /]| and )*)+)")

var id = regexp.MustCompile(`[AVBTSHPFX][1-9][0-9]?`)

// tests returns the ids that the tests name, each with the files.
func tests(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() == "requirements" || entry.Name() == ".git"):
			return filepath.SkipDir
		case !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(root, path)
		for _, m := range named.FindAllStringSubmatch(string(text), -1) {
			for _, id := range id.FindAllString(m[1], -1) {
				if !slices.Contains(found[id], name) {
					found[id] = append(found[id], name)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestRequirements prints where each requirement is tested (go test -v).
func TestRequirements(t *testing.T) {
	src, err := os.ReadFile("2026-07-28.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var table struct {
		Requirements []requirement `yaml:"requirements"`
	}
	if err := yaml.Load(src, &table, yaml.WithKnownFields()); err != nil {
		t.Fatal(err)
	}
	found := tests(t)
	counts := map[string]int{}
	known := map[string]bool{}
	for _, r := range table.Requirements {
		if known[r.ID] {
			t.Errorf("%s: two rows have this id", r.ID)
		}
		known[r.ID] = true
		tested := len(found[r.ID]) > 0 || len(r.Suite) > 0
		switch {
		case !tested && r.Not == "":
			t.Errorf("%s: no test names it, and the row does not say why: %s", r.ID, r.Text)
		case tested && r.Not != "":
			t.Errorf("%s: tested by %s, but the row says why it is not: %s", r.ID, cmp.Or(strings.Join(found[r.ID], ", "), strings.Join(r.Suite, ", ")), r.Not)
		}
		kind := "not tested"
		if len(found[r.ID]) > 0 {
			kind = "tested here"
		} else if len(r.Suite) > 0 {
			kind = "tested by the conformance suite"
		}
		counts[kind]++
		t.Logf("%-3s %s: %s", r.ID, kind, strings.Join(slices.Concat(found[r.ID], r.Suite), ", ")+r.Not)
	}
	for _, id := range slices.Sorted(maps.Keys(found)) {
		if !known[id] {
			t.Errorf("%s names %s, which is no requirement", strings.Join(found[id], ", "), id)
		}
	}
	for kind, n := range counts {
		t.Logf("%s: %d of %d", kind, n, len(table.Requirements))
	}
}
