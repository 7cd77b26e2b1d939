package lint

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/catalog"
	"github.com/mcpgen/mcpgen/gen/report"
	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/gen/tools/samples"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Change is a rewrite that [Fix] made.
type Change struct {
	// Rule is the rule whose findings the rewrite removes.
	Rule string `json:"rule"`
	// Subject names the definition, and Pointer is the place of the schema or text in it.
	Subject string `json:"subject"`
	Pointer string `json:"pointer"`
}

// Fix rewrites the faults that have an equivalent form without the fault, and returns the list as
// indented JSON. A rewritten schema accepts and refuses the same values: Fix makes values that the
// old and the new schema accept, and values that they refuse, and undoes a rewrite on which the
// schemas disagree or that cannot be tested. Text that models do not need is removed from
// descriptions and titles only.
//
// The text must be one JSON or YAML document.
func Fix(name string, text []byte, o Options) (fixed []byte, changes []Change, err error) {
	if o.Hosts == nil {
		o.Hosts = Hosts()
	}
	found, err := Lint(name, text, o)
	if err != nil {
		return nil, nil, err
	}
	c, err := catalog.Read(name, text)
	if err != nil {
		return nil, nil, err
	}
	source, err := catalog.JSON(name, text)
	if err != nil {
		return nil, nil, err
	}
	if !json.Valid(source) {
		return nil, nil, errors.New("only a list that is one JSON or YAML document can be fixed")
	}
	root, fixedAt := wire.Raw(source), map[string]wire.Raw{}
	for _, d := range c.Definitions {
		definition, _ := root.At(d.Pointer)
		if definition.Kind() != wire.KindObject {
			continue
		}
		f := fixer{options: o, findings: found.Findings, at: d.Pointer}
		fixedAt[d.Pointer] = f.definition(definition)
		changes = append(changes, f.changes...)
	}
	if len(changes) == 0 && json.Valid(text) {
		return text, nil, nil
	}
	return report.Indented([]byte(jsonschema.Replaced(root, fixedAt)), source), changes, nil
}

// fixer rewrites one definition.
type fixer struct {
	options     Options
	findings    []*Finding
	at, subject string
	changes     []Change
}

// definition returns a definition after the rewrites for its findings.
func (f *fixer) definition(text wire.Raw) wire.Raw {
	visible := map[string]wire.Raw{}
	for _, finding := range f.findings {
		if !strings.HasPrefix(finding.Pointer, f.at+"/") {
			continue
		}
		f.subject = finding.Subject
		last := finding.Pointer[strings.LastIndexByte(finding.Pointer, '/')+1:]
		if finding.Rule == "hidden-characters" && (last == "description" || last == "title") {
			found, _ := text.At(finding.Pointer[len(f.at):])
			if hidden, ok := found.Str(); ok {
				visible[finding.Pointer[len(f.at):]] = jsonschema.Text(visibleOnly(hidden))
				f.change(finding.Rule, finding.Pointer)
			}
		}
	}
	text = jsonschema.Replaced(text, visible)
	within := ""
	if inner, ok := wire.Object(text).Get("function"); ok && inner.Kind() == wire.KindObject {
		within = "/function"
	}
	schemas := map[string]wire.Raw{}
	for _, keyword := range []string{"inputSchema", "parameters", "input_schema", "outputSchema"} {
		if s, ok := text.At(within + "/" + keyword); ok {
			schemas[within+"/"+keyword] = f.schema(wire.ChildPointer(f.at, keyword), s, keyword != "outputSchema")
		}
	}
	return jsonschema.Replaced(text, schemas)
}

func (f *fixer) change(rule, pointer string) {
	f.changes = append(f.changes, Change{rule, f.subject, pointer})
}

// visibleOnly removes the hidden characters of a text.
func visibleOnly(text string) string {
	runes := []rune(text)
	var b strings.Builder
	for i, r := range runes {
		if !isHidden(r) || shapesEmoji(runes, i) {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// schema returns a schema after the rewrites for its findings: all of them if they preserve its
// values together, which is nearly always the case, and otherwise those that do so individually.
func (f *fixer) schema(at string, s wire.Raw, input bool) wire.Raw {
	type step struct {
		rewrite
		rule string
	}
	var steps []step
	for _, r := range rewrites {
		if rule, found := f.finding(at, r.rules); found {
			steps = append(steps, step{r, rule})
		}
	}
	all, changed := s, []string{}
	for _, r := range steps {
		if next := r.apply(all, input); next != all && f.better(all, next, input) {
			all = next
			changed = append(changed, r.rule)
		}
	}
	if len(changed) > 0 && equivalent(s, all, input) {
		for _, rule := range changed {
			f.change(rule, at)
		}
		return all
	}
	if len(changed) < 2 {
		return s
	}
	for _, r := range steps {
		if next := r.apply(s, input); next != s && f.better(s, next, input) && equivalent(s, next, input) {
			s = next
			f.change(r.rule, at)
		}
	}
	return s
}

// better reports whether a schema has fewer faults than another: fewer of the most serious level
// on which they differ, or if they differ on none, in fewer places.
func (f *fixer) better(before, after wire.Raw, input bool) bool {
	was, is := f.faults(before, input), f.faults(after, input)
	for _, level := range Levels() {
		if a, b := was.report.Count(level), is.report.Count(level); a != b {
			return b < a
		}
	}
	return is.places < was.places
}

func (f *fixer) faults(s wire.Raw, input bool) *linter {
	l := &linter{options: f.options, report: &Report{}}
	if input {
		l.input("", s)
	} else {
		l.schema("", s, false)
	}
	return l
}

// finding returns the first of some rules that has a finding in a schema.
func (f *fixer) finding(at string, rules []string) (string, bool) {
	for _, finding := range f.findings {
		if slices.Contains(rules, finding.Rule) && within(finding.Pointer, at) {
			return finding.Rule, true
		}
	}
	return "", false
}

// equivalent reports whether two schemas agree on every value that was made for either of them,
// which must be at least one. The schema of an input applies to objects only.
func equivalent(before, after wire.Raw, input bool) bool {
	var validators []*samples.Validator
	var schemas []*jsonschema.Schema
	var values []wire.Raw
	for _, text := range []wire.Raw{before, after} {
		s, errs := jsonschema.Read("", text)
		if len(errs) > 0 || len(s.Endless()) > 0 {
			return false
		}
		v := samples.NewValidator(s)
		if !v.Usable() {
			return false
		}
		validators, schemas = append(validators, v), append(schemas, s)
		valid := samples.Of(s)
		values = append(values, valid...)
		for _, value := range valid {
			for _, m := range samples.Mutations(s, value) {
				values = append(values, m.Value())
			}
		}
	}
	values = append(values, "{}")
	if !input {
		values = append(values, "null", "true", "0", "1.5", `""`, "[]")
	}
	agreed := 0
	for _, value := range values {
		if input && value.Kind() != wire.KindObject {
			continue
		}
		dec := json.NewDecoder(strings.NewReader(string(value)))
		dec.UseNumber()
		var decoded any
		if dec.Decode(&decoded) != nil {
			return false
		}
		was, known := validators[0].Accepts(schemas[:1], decoded)
		is, alsoKnown := validators[1].Accepts(schemas[1:], decoded)
		if !known || !alsoKnown || was != is {
			return false
		}
		if was {
			agreed++
		}
	}
	return agreed > 0
}
