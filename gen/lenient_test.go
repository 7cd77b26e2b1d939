package gen_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/gen"
	"github.com/mcpgen/mcpgen/gen/schema"
)

// TestLowerLenient reads constructs that the ir does not express, which are sources, and
// constructs that generation refuses, which are noted.
func TestLowerLenient(t *testing.T) {
	for _, test := range []struct{ definitions, sources, note string }{
		{`"A":{"type":"string","minLength":1}`, "", ""},
		{`"A":{"type":"string","not":{"const":"x"}}`, "/$defs/A", ""},
		{`"A":{"type":"object","required":[]}`, "", ""},
		{`"A":{"type":"object","title":"x","examples":[1],"x-mine":1}`, "", ""},
		{`"A":{"enum":["a","b"]}`, "", ""},
		{`"A":{"enum":[1,"b"]}`, "/$defs/A", ""},
		{`"A":{"type":"object","properties":{"k":{"const":"x"}}}`, "", ""},
		{`"A":{"type":"object","properties":{"k":{"const":true}}}`, "/$defs/A/properties/k", ""},
		{`"A":{"type":"object","properties":{"k":{"type":"array","items":{"type":"integer"},"uniqueItems":true}}}`, "/$defs/A/properties/k", ""},
		{`"A":{"type":"object","additionalProperties":false}`, "", ""},
		{`"A":{"type":"object"},"B":{"allOf":[{"$ref":"#/$defs/A"},{"type":"object","minProperties":1}]},"C":{"allOf":[{"$ref":"#/$defs/B"},{"$ref":"#/$defs/A"}]}`, "/$defs/B /$defs/C", ""},
		{`"A":{"oneOf":[{"type":"string"},{"type":"number"}]}`, "", ""},
		{`"A":{"oneOf":[{"type":"integer"},{"type":"number"}]}`, "/$defs/A", ""},
		{`"A":{"anyOf":[{"type":"object","properties":{"a":{}}},{"$ref":"#/$defs/A"}]}`, "/$defs/A", ""},
		{`"A":false,"B":true`, "/$defs/A", ""},
		{`"A":{"type":"string"},"a":{"type":"string"}`, "", ""},
		{`"A":{"type":"object","unheard":1}`, "", `/$defs/A/unheard: unknown keyword "unheard"`},
		{`"A":{"type":"string","minLength":"1"}`, "", "/$defs/A/minLength: must be a number, found a string"},
		{`"A":{"$ref":"#/$defs/B"}`, "", `/$defs/A/$ref: "#/$defs/B" leads to nothing`},
		{`"LoggingLevel":{"type":"string","enum":["loud"]}`, "", "/$defs/LoggingLevel: overlay.yaml:"},
		{`"XRequest":{"type":"object","properties":{"method":{"const":"x","type":"string"}},"required":["method"]},"ClientRequest":{"$ref":"#/$defs/XRequest"}`, "", `no result for "x"`},
	} {
		src := `{"$schema":"https://json-schema.org/draft/2020-12/schema","$defs":{` + test.definitions + `}}`
		read, err := gen.LowerLenient(load(t), gen.Source{Revision: "2099-01-01", Schema: []byte(src)})
		if err != nil {
			t.Errorf("%s: %v", test.definitions, err)
			continue
		}
		if got := strings.Join(sources(read.Document), " "); got != test.sources {
			t.Errorf("%s: sources are %q, want %q", test.definitions, got, test.sources)
		}
		var notes []string
		for _, note := range read.Notes {
			notes = append(notes, note.Error())
		}
		if got := strings.Join(notes, "\n"); (got == "") != (test.note == "") || got != "" && strings.Count(got, test.note) != 1 {
			t.Errorf("%s: notes are %q, want %q", test.definitions, got, test.note)
		}
		if _, err := gen.Lower(load(t), gen.Source{Revision: "2099-01-01", Schema: []byte(src)}); err == nil && test.note != "" {
			t.Errorf("%s: generation takes it", test.definitions)
		}
	}
	for _, src := range []string{``, `[]`, `{}`, `{"$defs":{}}`, `{"$defs":{"A":{}}}{}`} {
		if _, err := gen.LowerLenient(load(t), gen.Source{Revision: "2099-01-01", Schema: []byte(src)}); err == nil {
			t.Errorf("%q is read", src)
		}
	}
}

// TestErrataCarryOver checks that errata are applied where their old value stands,
// also in a schema of another revision, and that one that does not fit is noted in
// the revision it is of.
func TestErrataCarryOver(t *testing.T) {
	schema := func(types string) []byte {
		return []byte(`{"$defs":{"ElicitResult":{"type":"object","properties":{"content":{"type":"object","additionalProperties":{"anyOf":[{"type":"array"},{"type":[` + types + `]}]}}}}}}`)
	}
	for _, test := range []struct {
		revision, types string
		applied, noted  bool
	}{
		{"2025-11-25", `"string","integer","boolean"`, true, false},
		{"2099-01-01", `"string","integer","boolean"`, true, false},
		{"2025-11-25", `"string","boolean"`, false, true},
		{"2099-01-01", `"string","boolean"`, false, false},
	} {
		read, err := gen.LowerLenient(load(t), gen.Source{Revision: test.revision, Schema: schema(test.types)})
		if err != nil {
			t.Fatal(err)
		}
		if got := len(read.Errata) == 1; got != test.applied {
			t.Errorf("%s, %s: applied %v", test.revision, test.types, read.Errata)
		}
		if got := len(read.Notes) == 1; got != test.noted {
			t.Errorf("%s, %s: noted %v", test.revision, test.types, read.Notes)
		}
		text, err := read.Document.JSON()
		if err != nil || strings.Contains(string(text), `"number"`) != test.applied {
			t.Errorf("%s, %s: %v, %s", test.revision, test.types, err, text)
		}
	}
}

func TestClosest(t *testing.T) {
	s := load(t)
	for _, revision := range s.Revisions() {
		facts, err := s.Schema(revision)
		if err != nil {
			t.Fatal(err)
		}
		changed := strings.Replace(string(facts), `"minimum": 0`, `"minimum": 1`, 1)
		if diff := cmp.Diff(revision, gen.Closest(s, []byte(changed))); diff != "" {
			t.Error(diff)
		}
	}
	if got, newest := gen.Closest(s, []byte(`{"$defs":{"A":{}}}`)), s.Revisions()[len(s.Revisions())-1]; got != newest {
		t.Errorf("an unknown schema is closest to %s, want %s", got, newest)
	}
}

// sources returns the pointers of the schemas that the ir does not represent completely, sorted.
func sources(d *schema.Document) (list []string) {
	d.Walk(func(s *schema.Schema) {
		if s.Source != "" || s.Default != "" {
			list = append(list, s.Pointer)
		}
	})
	slices.Sort(list)
	return list
}
