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

// TestDocumented checks that docs.yaml has a comment for every identifier of every revision.
func TestDocumented(t *testing.T) {
	s := load(t)
	for _, revision := range s.Revisions() {
		src, err := gen.PinnedSource(s, revision)
		if err != nil {
			t.Fatal(err)
		}
		lowered, err := gen.Lower(s, src)
		if err != nil {
			t.Fatal(err)
		}
		for _, identifier := range lowered.Undocumented {
			t.Errorf("%s: no comment in docs.yaml: %s", revision, identifier)
		}
	}
}

// TestDocRanges checks that a comment, a mark and the paragraph on a revision appear in the
// revisions of their ranges, and that a required struct has no clause about its absence.
//
// F58
func TestDocRanges(t *testing.T) {
	src := `{"$defs": {
		"Thing": {"type": "object", "properties": {"size": {"type": "integer"}, "needed": {"$ref": "#/$defs/Part"}, "spare": {"$ref": "#/$defs/Part"}}, "required": ["needed"]},
		"Part": {"type": "object", "properties": {"kind": {"$ref": "#/$defs/Kind"}}},
		"Kind": {"type": "string", "enum": ["a", "b"]},
		"Either": {"anyOf": [{"$ref": "#/$defs/Kind"}, {"type": "array", "items": {"type": "string"}}]}
	}}`
	old, since := spec.Range{Until: "2099-01-01"}, spec.Range{Since: "2099-01-02"}
	s := load(t)
	s.Docs = &spec.Docs{
		Types: spec.Texts{
			"Thing": {{Range: old, Text: "Thing is old."}, {Range: since, Text: "Thing is new."}},
		},
		Properties: spec.Texts{"needed": {{Text: "Part is a part; {absent} means none. It is small."}}, "spare": {{Text: "Part is a part; {absent} means none. It is small."}}},
		Packages:   spec.Texts{"2099-01-02": {{Text: "This revision is new."}}},
		Deprecated: []spec.Deprecation{{Range: since, Text: "Use another one.", Types: []string{"Part", "Either"}, Fields: []string{"Thing.size"}, Values: []string{"Kind.b"}}},
	}
	plan := func(revision string) string {
		files, err := gen.One(s, gen.Source{Revision: revision, Schema: []byte(src)})
		if err != nil {
			t.Fatal(err)
		}
		var all strings.Builder
		for _, f := range files.Files {
			all.Write(f.Content)
		}
		return all.String()
	}
	before, after := plan("2099-01-01"), plan("2099-01-02")
	for text, in := range map[string]string{
		"// Thing is old.\ntype Thing":                   before,
		"// Thing is new.\ntype Thing":                   after,
		"//\n// This revision is new.\n//\n// Types are": after,
		"//\n// Deprecated: Use another one.\ntype Part": after,
		// The mark of a union follows its variants.
		"does not define.\n//\n// Deprecated: Use another one.\ntype Either": after,
		"\t// Deprecated: Use another one.\n\tSize":                          after,
		"\t// Deprecated: Use another one.\n\tKindB":                         after,
	} {
		for _, got := range []string{before, after} {
			if strings.Contains(got, text) != (got == in) {
				t.Errorf("%q is in the wrong revision", text)
			}
		}
	}
	for _, text := range []string{"\t// Part is a part. It is small.\n\tNeeded Part", "\t// Part is a part; nil means none. It is small.\n\tSpare *Part"} {
		if !strings.Contains(after, text) {
			t.Errorf("there is no %q", text)
		}
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
