package architecture

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// mapFile is the table of all packages, by its path from the top of the module.
const mapFile = "tests/architecture/map.md"

// row is a row of the map in map.md. Its patterns are packages of the module; one
// that ends in "/..." matches a package and those below it.
type row struct {
	line    string
	folders []string
	// imports are the packages that those in folders may import, unless anything is set.
	imports  []string
	anything bool
}

// TestMap checks that map.md has a row for every package, also of nested modules, that packages
// import only what their row allows, and that no row and no entry of a row is stale.
func TestMap(t *testing.T) {
	rows := readMap(t)
	packages := allPackages(t)
	imports := map[string][]string{}
	members := make([][]string, len(rows))
	for _, p := range packages {
		var ours []string
		for _, path := range p.Imports {
			if target, ok := strings.CutPrefix(path, module+"/"); ok {
				ours = append(ours, target)
			}
		}
		imports[p.name()] = ours
		i := rowOf(rows, p.name())
		if i < 0 {
			t.Errorf("%s: package without a row in tests/architecture/map.md; its imports are %s", p.name(), quoted(ours))
			continue
		}
		members[i] = append(members[i], p.name())
	}
	for i, r := range rows {
		for _, folder := range r.folders {
			if !slices.ContainsFunc(members[i], func(name string) bool { return matches(folder, name) }) {
				t.Errorf("tests/architecture/map.md: stale row: there is no package %s without a row of its own", folder)
			}
		}
		if r.anything {
			continue
		}
		used := map[string]bool{}
		var all []string
		for _, name := range members[i] {
			for _, target := range imports[name] {
				all = append(all, target)
				entry := slices.IndexFunc(r.imports, func(to string) bool { return matches(to, target) })
				if entry < 0 {
					t.Errorf("%s imports %s, which its row in tests/architecture/map.md does not allow", name, target)
					continue
				}
				used[r.imports[entry]] = true
			}
		}
		for _, to := range r.imports {
			if !used[to] {
				t.Errorf("tests/architecture/map.md: stale entry: %s does not import %s; its imports are %s", r.folders[0], to, quoted(all))
			}
		}
	}
}

// readMap reads the table in map.md.
func readMap(t *testing.T) []row {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root(t), mapFile))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "\n| Folder |")
	table, _, _ = strings.Cut(strings.TrimSuffix(table, "\n"), "\n\n")
	var rows []row
	for _, line := range strings.Split(table, "\n")[2:] {
		cells := strings.Split(strings.Trim(line, "|"), " | ")
		if len(cells) != 3 {
			t.Fatalf("tests/architecture/map.md: expected 3 cells in a row of the map, found %d: %s", len(cells), line)
		}
		r := row{line: line, folders: codeOf(cells[0]), imports: codeOf(cells[2]), anything: strings.HasPrefix(strings.TrimSpace(cells[2]), "anything")}
		if len(r.folders) == 0 || len(r.imports) == 0 && !r.anything && strings.TrimSpace(cells[2]) != "nothing" {
			t.Fatalf("tests/architecture/map.md: a row of the map needs a folder, and packages, \"nothing\" or \"anything\" as imports: %s", line)
		}
		rows = append(rows, r)
	}
	if len(rows) == 0 {
		t.Fatal("tests/architecture/map.md: the map has no rows")
	}
	return rows
}

// codeOf returns the texts between backquotes in a cell, without the slash at their end.
func codeOf(cell string) []string {
	var all []string
	for _, match := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cell, -1) {
		all = append(all, strings.TrimSuffix(match[1], "/"))
	}
	return all
}

// rowOf returns the index of the row with the longest pattern that matches a package, or -1.
func rowOf(rows []row, name string) int {
	found, length := -1, -1
	for i, r := range rows {
		for _, folder := range r.folders {
			if exact := folder == name; matches(folder, name) && (exact || len(folder) > length) {
				found, length = i, len(folder)
				if exact {
					return i
				}
			}
		}
	}
	return found
}

// matches reports whether a pattern matches a package of the module. The root is ".".
func matches(pattern, name string) bool {
	if name == "" {
		name = "."
	}
	stem, all := strings.CutSuffix(pattern, "/...")
	return name == stem || all && strings.HasPrefix(name, stem+"/")
}

// quoted renders packages as the cell of a row.
func quoted(packages []string) string {
	if len(packages) == 0 {
		return "nothing"
	}
	slices.Sort(packages)
	return "`" + strings.Join(slices.Compact(packages), "`, `") + "`"
}
