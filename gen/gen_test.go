package gen_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/gen"
	"github.com/mcpgen/mcpgen/spec"
)

func load(t *testing.T) *spec.Spec {
	t.Helper()
	s, err := spec.Load(spec.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestAllIsPure checks that planning twice gives the same bytes.
func TestAllIsPure(t *testing.T) {
	one, err := gen.All(load(t))
	if err != nil {
		t.Fatal(err)
	}
	two, err := gen.All(load(t))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(one, two); diff != "" {
		t.Error(diff)
	}
}

// TestOneIsPartOfAll checks that a revision alone gives the same files as among all.
func TestOneIsPartOfAll(t *testing.T) {
	s := load(t)
	all, err := gen.All(s)
	if err != nil {
		t.Fatal(err)
	}
	content := map[string]string{}
	for _, f := range all.Files {
		content[f.Path] = string(f.Content)
	}
	for _, revision := range s.Revisions() {
		src, err := gen.PinnedSource(s, revision)
		if err != nil {
			t.Fatal(err)
		}
		one, err := gen.One(s, src)
		if err != nil {
			t.Fatal(err)
		}
		if len(one.Files) == 0 {
			t.Errorf("%s: no files", revision)
		}
		for _, f := range one.Files {
			if diff := cmp.Diff(content[f.Path], string(f.Content)); diff != "" {
				t.Errorf("%s: %s", f.Path, diff)
			}
		}
	}
}

// TestStale has a row for each table whose rows must be used. If one is not, nothing may be
// planned.
func TestStale(t *testing.T) {
	for _, tt := range []struct {
		name string
		edit func(*spec.Spec)
		want string
	}{
		{"doc of a type", func(s *spec.Spec) { s.Docs.Types["Gone"] = spec.Rows{{Text: "Gone is gone."}} }, `docs.yaml: types/Gone: stale row for "Gone": no pinned revision`},
		{"doc of a field", func(s *spec.Spec) { s.Docs.Fields["Tool.gone"] = spec.Rows{{Text: "Gone."}} }, `docs.yaml: fields/Tool.gone: stale row`},
		{"doc of a value", func(s *spec.Spec) { s.Docs.Values["Role.gone"] = spec.Rows{{Text: "Gone."}} }, `docs.yaml: values/Role.gone: stale row`},
		{"doc of a method", func(s *spec.Spec) { s.Docs.Methods["tools/gone"] = spec.Rows{{Text: "is gone."}} }, `docs.yaml: methods/tools/gone: stale row`},
		{"doc of a package", func(s *spec.Spec) { s.Docs.Packages["2025-06-19"] = spec.Rows{{Text: "Gone."}} }, `docs.yaml: packages/2025-06-19: stale row`},
		{"doc that begins too early", func(s *spec.Spec) {
			s.Docs.Types["Task"] = spec.Rows{{Text: "Task is a task.", Range: spec.Range{Since: "2025-06-18"}}}
		}, `stale row for "Task": since 2025-06-18 is not a pinned revision that has it`},
		{"doc that ends too late", func(s *spec.Spec) {
			s.Docs.Types["Task"] = spec.Rows{{Text: "Task is a task.", Range: spec.Range{Until: "2026-07-28"}}}
		}, `stale row for "Task": until 2026-07-28 is not a pinned revision that has it`},
		{"deprecated type", func(s *spec.Spec) {
			s.Docs.Deprecated[0].Types = append(s.Docs.Deprecated[0].Types, "Gone")
		}, `stale row for "Gone"`},
		{"feature that was deprecated too early", func(s *spec.Spec) {
			s.Docs.Deprecated[0].Since = "2024-11-01"
		}, `docs.yaml:`},
		{"overlay row", func(s *spec.Spec) {
			s.Overlay.Names = append(s.Overlay.Names, spec.NameRow{At: "Tool.gone", Name: "Gone", Range: spec.Range{Since: "2025-11-25"}})
		}, "2025-11-25: overlay.yaml: names/"},
		{"overlay row of no pinned revision", func(s *spec.Spec) {
			s.Overlay.Names[0].Range = spec.Range{Since: "2025-06-19", Until: "2025-06-20"}
		}, ": names/0: stale overlay row: its range contains no pinned revision"},
		{"erratum", func(s *spec.Spec) {
			s.Errata = append(s.Errata, spec.Erratum{Range: spec.Range{Since: "2025-06-18"}, Pointer: "/definitions/Tool/gone", Old: 1, New: 2})
		}, "2025-06-18: /definitions/Tool/gone: stale erratum: there is no value"},
		{"erratum of one revision too many", func(s *spec.Spec) { s.Errata[0].Until = "" }, ": errata/0: /definitions/ElicitResult/properties/content/additionalProperties/type: stale erratum: there is no value"},
		{"erratum of no pinned revision", func(s *spec.Spec) {
			s.Errata[0].Range = spec.Range{Since: "2025-06-19", Until: "2025-06-20"}
		}, ": errata/0: /definitions/ElicitResult/properties/content/additionalProperties/type: stale erratum: its range contains no pinned revision"},
		{"package of two revisions", func(s *spec.Spec) {
			s.Pins = append(s.Pins, spec.Pin{Revision: "20250618"})
		}, "20250618: package mcp20250618 is already that of 2025-06-18"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := load(t)
			tt.edit(s)
			plan, err := gen.All(s)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got error %v, want it to contain %q", err, tt.want)
			}
			if len(plan.Files) > 0 {
				t.Errorf("%d files were planned", len(plan.Files))
			}
		})
	}
}

// TestDescriptions checks that the project's docs take precedence over a schema's
// descriptions, which are used where the docs have none.
func TestDescriptions(t *testing.T) {
	src := `{"$defs": {
		"Own": {"type": "object", "description": "Own is told by its schema.", "properties": {"a": {"type": "string", "description": "A is told by its schema."}}},
		"Role": {"type": "string", "description": "Role is told by its schema.", "enum": ["user"]}
	}}`
	plan, err := gen.One(load(t), gen.Source{Revision: "2099-01-01", Schema: []byte(src)})
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, f := range plan.Files {
		all.Write(f.Content)
	}
	for text, want := range map[string]bool{"Own is told by its schema.": true, "A is told by its schema.": true, "Role is told by its schema.": false} {
		if got := strings.Contains(all.String(), text); got != want {
			t.Errorf("%q is there: %t, want %t", text, got, want)
		}
	}
}

func TestCheckRevision(t *testing.T) {
	for revision, ok := range map[string]bool{
		"2025-06-18": true, "2026-07-28-RC.1": true, "draft": true,
		"": false, "-x": false, "../x": false, "a b": false, "2025-06-18\n": false, strings.Repeat("9", 65): false,
	} {
		if err := gen.CheckRevision(revision); (err == nil) != ok {
			t.Errorf("CheckRevision(%q) = %v", revision, err)
		}
	}
}
