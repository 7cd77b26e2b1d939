package spec_test

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/mcpgen/mcpgen/spec"
)

// with returns the spec folder with another text of one file.
func with(t *testing.T, name, text string) fs.FS {
	t.Helper()
	files := fstest.MapFS{}
	err := fs.WalkDir(spec.Embedded(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		src, err := fs.ReadFile(spec.Embedded(), path)
		files[path] = &fstest.MapFile{Data: src}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	files[name] = &fstest.MapFile{Data: []byte(text)}
	return files
}

// TestPlaces checks that rows know the lines of their files, however they are written.
func TestPlaces(t *testing.T) {
	o, err := spec.ParseOverlay("rows.yaml", []byte(`names: # of types
  - {at: A.b, name: B}

  # a comment
  - at: A.c
    name: C
unions: [{variant: V, when: w}, {variant: W, when: w}]
`))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"names/0": "rows.yaml:2: names/0", "names/1": "rows.yaml:5: names/1", "unions/1": "rows.yaml:7: unions/1", "names/2": "rows.yaml: names/2",
	} {
		if got := o.At(path); got != want {
			t.Errorf("At(%q) = %q, want %q", path, got, want)
		}
	}
	if got := (&spec.Overlay{}).At("names/0"); got != "names/0" {
		t.Errorf("without a file: %q", got)
	}

	s, err := spec.Load(with(t, "docs.yaml", `types:
  Tool: >-
    Tool is
    a tool.
  Task:
    - until: "2025-06-18"
      text: Task is old.
    - {since: "2025-11-25", text: Task is new.}
deprecated:
  - text: Use another one.
    types: [Tool]
    methods:
      - ping
`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for row := range s.Docs.Comments() {
		got = append(got, s.Docs.At(row.Path)+" = "+row.Text.Text)
	}
	for row := range s.Docs.Marks() {
		got = append(got, s.Docs.At(row.Path)+" = "+row.Key)
	}
	want := `docs.yaml:6: types/Task/0 = Task is old.
docs.yaml:8: types/Task/1 = Task is new.
docs.yaml:2: types/Tool = Tool is a tool.
docs.yaml:13: deprecated/0/methods/0 = ping
docs.yaml:11: deprecated/0/types/0 = Tool`
	if text := strings.Join(got, "\n"); text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
}

// TestErrors checks that mistakes in the files are reported with their lines.
func TestErrors(t *testing.T) {
	for _, tt := range []struct{ name, file, text, want string }{
		{"rows that overlap", "docs.yaml", "types:\n  A:\n    - {text: a, until: \"2025-06-18\"}\n    - {text: b, since: \"2025-06-18\"}\n", "docs.yaml:4: types/A/1: the row begins before the previous one ends"},
		{"a row after an open end", "docs.yaml", "types:\n  A:\n    - {text: a}\n    - {text: b, since: \"2025-06-18\"}\n", "docs.yaml:4: types/A/1: the row begins"},
		{"no text", "docs.yaml", "types:\n  A:\n    - {since: \"2025-06-18\"}\n", "docs.yaml:3: types/A/0: the row has no text"},
		{"an empty text", "docs.yaml", "values:\n  A.b: ''\n", "docs.yaml:2: values/A.b: the row has no text"},
		{"a deprecation without a text", "docs.yaml", "deprecated:\n  - types: [A]\n", "docs.yaml:2: deprecated/0/types/0: the row has no text"},
		{"an unknown column of a text", "docs.yaml", "types:\n  A:\n    - {text: a, untill: \"2025-06-18\"}\n", `untill`},
		{"an unknown column of an erratum", "errata.yaml", "errata:\n  - {revision: \"2025-06-18\", pointer: /a, old: 1, new: 2, reason: r}\n", `errata.yaml:2:6: unknown field "revision"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := spec.Load(with(t, tt.file, tt.text))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}
