package diff

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/gen"
	"github.com/mcpgen/mcpgen/gen/diff"
	"github.com/mcpgen/mcpgen/gen/diff/judge"
	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/spec"
	"github.com/mcpgen/mcpgen/tests/agreement/random"
	"github.com/mcpgen/mcpgen/tests/internal/pinned"
)

// setting is a number from the environment.
func setting(t *testing.T, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// schemaSide is a side made of a schema.json, judged by the validator.
type schemaSide struct {
	*gen.Lowered
	judge diff.Judge
	tree  map[string]any
}

func newSchemaSide(s *spec.Spec, revision string, tree map[string]any) (*schemaSide, error) {
	src, err := json.Marshal(tree)
	if err != nil {
		return nil, err
	}
	l, err := gen.Lower(s, gen.Source{Revision: revision, Schema: src})
	if err != nil {
		return nil, err
	}
	j, err := judge.Revision(l.Document, l.Revision)
	return &schemaSide{l, j, tree}, err
}

func (s *schemaSide) side() diff.Revision {
	return diff.Revision{IR: s.Revision, Document: s.Document, Judge: s.judge}
}

// TestMutations changes schemas at random and holds every verdict against what
// an independent validator says of random values: what it refuses has been
// called breaking, and what has been called breaking it refuses.
func TestMutations(t *testing.T) {
	count := setting(t, "MCPGEN_DIFF_MUTATIONS", 300)
	seed := uint64(setting(t, "MCPGEN_DIFF_SEED", 1))
	s := pinned.Spec(t)
	revisions := s.Revisions()
	var known []string
	for _, row := range s.Overlay.Values {
		definition, _, _ := strings.Cut(row.At, ".")
		known = append(known, definition)
	}
	tally := newTally()
	for i, revision := range revisions {
		t.Run(revision, func(t *testing.T) {
			tree := decoded(t, revision)
			rng := rand.New(rand.NewPCG(seed, uint64(i)))
			var base *schemaSide
			for done := 0; done < count/len(revisions); {
				if done%10 == 0 {
					var err error
					if base, err = newSchemaSide(s, revision, prune(rng, tree, 1+rng.IntN(4))); err != nil {
						t.Fatal(err)
					}
				}
				m := newMutator(rng, base.tree)
				m.known = known
				change := m.mutate()
				mutant, err := newSchemaSide(s, revision, m.root)
				if err != nil {
					tally.refused++ // the generator has no meaning for it
					continue
				}
				done++
				trial := trial{t: t, old: base, new: mutant, change: change, rng: rng, tally: tally}
				trial.run()
			}
		})
	}
	t.Log(tally)
	for name := range mutations() {
		if tally.mutations[name] == 0 && count >= 2000 {
			t.Errorf("no mutation %q was compared", name)
		}
	}
}

// tally counts what mutations came to.
type tally struct {
	mutations                        map[string]int
	refused, values, narrows, widens int
	harmless, refactorings, breaking int
}

func newTally() *tally { return &tally{mutations: map[string]int{}} }

func (t *tally) String() string {
	n := 0
	for _, c := range t.mutations {
		n += c
	}
	return fmt.Sprintf("%d mutations compared (%d more refused by the generator): %d refactorings without a finding, %d with findings that break, %d without; "+
		"of %d random values %d were refused by the changed side and %d by the old one, all of them told of",
		n, t.refused, t.refactorings, t.breaking, t.harmless, t.values, t.narrows, t.widens)
}

// trial is one mutation.
type trial struct {
	t        *testing.T
	old, new *schemaSide
	change   mutation
	rng      *rand.Rand
	tally    *tally
}

func (x *trial) fail(format string, args ...any) {
	x.t.Helper()
	x.t.Errorf("%s at %s: %s", x.change.name, x.change.pointer, fmt.Sprintf(format, args...))
}

func (x *trial) run() {
	x.tally.mutations[x.change.name]++
	report, err := diff.Revisions(x.old.side(), x.new.side()) // confirms every witness
	if errors.Is(err, diff.ErrNothing) && !x.common() {
		return // the only method that both had has another name
	}
	if err != nil {
		x.fail("%v", err)
		return
	}
	if x.change.refactoring {
		x.tally.refactorings++
		for _, f := range report.Findings {
			x.fail("a refactoring is told of: %s at %s: %s", f.Rule, f.Subject, f.Message)
		}
	}
	back, err := diff.Revisions(x.new.side(), x.old.side())
	if err != nil {
		x.fail("the other way round: %v", err)
		return
	}
	compareMirror(x.t, mirrors(), report, back)
	if slices.ContainsFunc(report.Findings, func(f *diff.Finding) bool { return f.Level.AtLeast(diff.LevelUndecided) }) {
		x.tally.breaking++
	} else {
		x.tally.harmless++
	}
	for _, r := range x.roots() {
		narrows := told(report, r.use, diff.Effect.Narrows, func(v diff.Verdicts) diff.Level { return v.ReceiverFirst })
		widens := told(report, r.use, diff.Effect.Widens, func(v diff.Verdicts) diff.Level { return v.SenderFirst })
		x.values(r, x.old, x.new, r.old, r.new, narrows, &x.tally.narrows, "new")
		x.values(r, x.new, x.old, r.new, r.old, widens, &x.tally.widens, "old")
	}
}

// common reports whether both sides have a method of a name.
func (x *trial) common() bool {
	return slices.ContainsFunc(x.old.Revision.Methods, func(m *ir.Method) bool {
		return slices.ContainsFunc(x.new.Revision.Methods, func(n *ir.Method) bool { return n.Wire == m.Wire })
	})
}

func mirrors() map[string]string {
	mirror := map[string]string{}
	for _, r := range diff.Rules() {
		mirror[r.ID] = r.Mirror
	}
	return mirror
}

// told reports whether a finding about a message warns of an order of upgrades.
func told(r *diff.Report, use string, effect func(diff.Effect) bool, level func(diff.Verdicts) diff.Level) bool {
	return slices.ContainsFunc(r.Findings, func(f *diff.Finding) bool {
		return slices.Contains(f.Uses, use) && effect(f.Effect) && level(f.Verdicts).AtLeast(diff.LevelWarn)
	})
}

// values sends random values of one side to the other.
func (x *trial) values(r mutantRoot, from, to *schemaSide, sent, received *ir.Decl, told bool, refused *int, name string) {
	source := random.New(from.Revision, x.rng.Uint64())
	if !source.Possible(sent.Type) {
		return
	}
	for range 8 {
		value := source.Valid(sent)
		if !declared(value) {
			continue // a sender sends what its side declares
		}
		if r.envelope != "" {
			enclose(value, r.envelope)
		}
		text := source.Text(value)
		if ok, err := r.accepts(from, sent, text); err != nil || !ok {
			continue // the envelope demands more, or the format of a string
		}
		x.tally.values++
		ok, err := r.accepts(to, received, text)
		if err != nil {
			x.fail("%v", err)
			return
		}
		if ok {
			continue
		}
		*refused++
		if !told {
			x.fail("the %s side refuses this %s, and nothing tells of it: %s", name, r.use, text)
			return
		}
	}
}

// declared reports whether all members of all objects are declared.
func declared(v *random.Value) bool {
	all := true
	v.Walk(func(v *random.Value) {
		switch t := v.Type.(type) {
		case *ir.Object:
			for _, m := range v.Members {
				if !slices.ContainsFunc(t.Fields, func(f *ir.Field) bool { return f.Wire == m.Name }) {
					all = false
				}
			}
		case *ir.Open, *ir.Any:
			all = all && len(v.Members) == 0 // names nobody has declared
		}
	})
	return all
}

// mutantRoot is a message that the mutation may have changed.
type mutantRoot struct {
	use      string
	old, new *ir.Decl
	// envelope is what a request or notification must be beside; "" for results.
	envelope string
}

// accepts asks whether a side takes the text for a message.
func (r mutantRoot) accepts(s *schemaSide, d *ir.Decl, text string) (bool, error) {
	ok, err := s.judge.Accepts(d.Key(), []byte(text))
	if !ok || err != nil || r.envelope == "" {
		return ok, err
	}
	return s.judge.Accepts(r.envelope, []byte(text))
}

// enclose gives a message what older revisions leave to the envelope.
func enclose(v *random.Value, envelope string) {
	add := func(name string, value *random.Value) {
		if !slices.ContainsFunc(v.Members, func(m random.Member) bool { return m.Name == name }) {
			v.Members = append(v.Members, random.Member{Name: name, Value: value})
		}
	}
	add("jsonrpc", &random.Value{Kind: ir.KindString, Text: "2.0"})
	if envelope == "JSONRPCRequest" {
		add("id", &random.Value{Kind: ir.KindString, Text: "a"})
	}
}

// roots are some of the messages and results that the mutated definition is a
// part of.
func (x *trial) roots() []mutantRoot {
	var list []mutantRoot
	for _, m := range x.old.Revision.Methods {
		i := slices.IndexFunc(x.new.Revision.Methods, func(n *ir.Method) bool { return n.Wire == m.Wire })
		if i < 0 {
			continue
		}
		n := x.new.Revision.Methods[i]
		if m.Notification != n.Notification {
			continue
		}
		old, new := x.old.Revision.Lookup(m.Definition), x.new.Revision.Lookup(n.Definition)
		if x.reaches(old) || x.reaches(new) {
			envelope := "JSONRPCRequest"
			if m.Notification {
				envelope = "JSONRPCNotification"
			}
			list = append(list, mutantRoot{m.Wire, old, new, envelope})
		}
		if m.Result != nil && (x.reaches(m.Result) || x.reaches(n.Result)) {
			list = append(list, mutantRoot{m.Wire + " result", m.Result, n.Result, ""})
		}
	}
	x.rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list[:min(len(list), 3)]
}

// reaches reports whether a declaration leads to the mutated definition.
func (x *trial) reaches(d *ir.Decl) bool {
	seen := map[*ir.Decl]bool{}
	var visit func(t ir.Type) bool
	decl := func(d *ir.Decl) bool {
		if seen[d] {
			return false
		}
		seen[d] = true
		at, _, _ := strings.Cut(d.Path, ".")
		return at == x.change.definition || strings.HasPrefix(d.Path, x.change.definition+"[") || visit(d.Type)
	}
	visit = func(t ir.Type) bool {
		switch t := t.(type) {
		case *ir.Ref:
			return decl(t.Decl)
		case *ir.Array:
			return visit(t.Elem)
		case *ir.Map:
			return visit(t.Elem)
		case *ir.Object:
			return slices.ContainsFunc(t.Fields, func(f *ir.Field) bool { return visit(f.Type) })
		case *ir.Union:
			return slices.ContainsFunc(t.Variants, func(v *ir.Variant) bool { return decl(v.Decl) })
		}
		return false
	}
	return decl(d)
}
