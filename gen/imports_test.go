package gen_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/gen"
	"github.com/mcpgen/mcpgen/spec"
)

// TestImport imports an edited copy of a revision under a later date. It checks that
// the report lists what has no doc comment, and the rows of each file by their lines.
func TestImport(t *testing.T) {
	s := load(t)
	const base = "2026-07-28"
	src, err := s.Schema(base)
	if err != nil {
		t.Fatal(err)
	}
	var root map[string]any
	if err := json.Unmarshal(src, &root); err != nil {
		t.Fatal(err)
	}
	defs := root["$defs"].(map[string]any)
	defs["JSONValue"] = map[string]any{}
	defs["LoggingLevel"] = map[string]any{"type": "string"}
	defs["Gadget"] = map[string]any{"type": "object", "properties": map[string]any{
		"_meta": map[string]any{}, "mode": map[string]any{"type": "string", "enum": []string{"a"}},
	}}
	edited, err := json.Marshal(root)
	if err != nil {
		t.Fatal(err)
	}
	imported, err := gen.Import(s, "2099-01-01", "", edited)
	if err != nil {
		t.Fatal(err)
	}
	if len(imported.Needed) > 0 {
		t.Fatal(imported.Needed)
	}
	if diff := cmp.Diff([]string{"types: Gadget", "fields: Gadget.mode", "types: GadgetMode", "values: GadgetMode.a"}, imported.Undocumented); diff != "" {
		t.Error(diff)
	}
	applied := s.Errata[1]
	if diff := cmp.Diff([]string{applied.Where + ": " + applied.Pointer}, imported.Errata); diff != "" {
		t.Error(diff)
	}
	stale := s.Errata[2]
	order := slices.IndexFunc(imported.Stale, func(row string) bool { return strings.HasPrefix(row, "overlay.yaml:") })
	if len(imported.Stale) != 2 || order < 0 ||
		!slices.ContainsFunc(imported.Stale, func(row string) bool { return strings.HasPrefix(row, stale.Where+": "+stale.Pointer+": want ") }) ||
		!strings.HasSuffix(imported.Stale[order], ": enums/0: LoggingLevel") {
		t.Errorf("stale: %q", imported.Stale)
	}
	if len(imported.Ended) > 0 {
		t.Errorf("ended: %q", imported.Ended)
	}

	s.Errata[1].Until, s.Errata[2].Until = base, base
	imported, err = gen.Import(s, "2099-01-01", "", edited)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{applied.Where + ": " + applied.Pointer}, imported.Ended); diff != "" || len(imported.Errata) > 0 {
		t.Error(diff, imported.Errata)
	}
}

// TestImportAgain checks that importing a changed file of a pinned revision reports the doc
// comments that no revision uses any more.
func TestImportAgain(t *testing.T) {
	s := load(t)
	const revision, name = "2025-11-25", "URLElicitationRequiredError"
	src, err := s.Schema(revision)
	if err != nil {
		t.Fatal(err)
	}
	imported, err := gen.Import(s, revision, "", []byte(strings.ReplaceAll(string(src), `"`+name+`"`, `"Renamed"`)))
	if err != nil {
		t.Fatal(err)
	}
	want := s.Docs.At("types/"+name) + `: stale row for "` + name + `": no pinned revision of its range has it`
	if !slices.Contains(imported.Stale, want) || !strings.HasPrefix(want, "docs.yaml:") {
		t.Errorf("got %q, want %q among them", imported.Stale, want)
	}
}

// TestImportUntyped imports a revision in which a result has lost its overlay row.
func TestImportUntyped(t *testing.T) {
	s := load(t)
	src, err := s.Schema("2026-07-28")
	if err != nil {
		t.Fatal(err)
	}
	imported, err := gen.Import(s, "2099-01-01", "", src)
	if err != nil || imported.Untyped != nil {
		t.Fatal(imported.Untyped, err)
	}
	s.Overlay.Values = slices.DeleteFunc(s.Overlay.Values, func(row spec.ValueRow) bool { return row.At == "GetPromptResult.resultType" })
	if imported, err = gen.Import(s, "2099-01-01", "", src); err != nil || len(imported.Needed) > 0 {
		t.Fatal(imported.Needed, err)
	}
	want := []string{`{at: GetPromptResult.resultType, value: complete, absent: complete, since: "2099-01-01"}`}
	if diff := cmp.Diff(want, imported.Untyped); diff != "" {
		t.Error(diff)
	}
}

// TestImportAgainst checks which revision the changes are compared with.
func TestImportAgainst(t *testing.T) {
	s := load(t)
	all := s.Revisions()
	for _, tt := range []struct {
		name, revision, facts, edit string
		against                     string
		changes                     bool
	}{
		{"a copy of the newest", "2099-01-01", all[len(all)-1], "", all[len(all)-1], false},
		{"a new revision", "2099-01-01", all[len(all)-1], "Tool", all[len(all)-1], true},
		{"a revision between two", "2025-12-01", "2025-11-25", "", "2025-11-25", false},
		{"a revision before all", "2024-01-01", all[0], "", "", false},
		{"the same file again", "2025-11-25", "2025-11-25", "", "2025-06-18", true},
		{"another file of the same revision", "2025-11-25", "2025-11-25", "Tool", "2025-11-25", true},
		{"the oldest again", all[0], all[0], "", all[0], false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			src, err := s.Schema(tt.facts)
			if err != nil {
				t.Fatal(err)
			}
			if tt.edit != "" {
				src = []byte(strings.NewReplacer(`"`+tt.edit+`":`, `"Edited":`, "/"+tt.edit+`"`, `/Edited"`).Replace(string(src)))
			}
			imported, err := gen.Import(s, tt.revision, "", src)
			if err != nil {
				t.Fatal(err)
			}
			if imported.Against != tt.against || len(imported.Changes) > 0 != tt.changes {
				t.Errorf("compared with %q: %q", imported.Against, imported.Changes)
			}
		})
	}
}
