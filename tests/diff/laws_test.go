package diff

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/gen/diff"
	"github.com/mcpgen/mcpgen/gen/diff/judge"
	"github.com/mcpgen/mcpgen/gen/diff/render"
	"github.com/mcpgen/mcpgen/tests/internal/golden"
	"github.com/mcpgen/mcpgen/tests/internal/pinned"
)

// eachPair runs a test for every two pinned revisions, in both orders.
func eachPair(t *testing.T, test func(t *testing.T, old, new string)) {
	revisions := pinned.Spec(t).Revisions()
	for _, old := range revisions {
		for _, new := range revisions {
			if old != new {
				t.Run(old+" "+new, func(t *testing.T) { test(t, old, new) })
			}
		}
	}
}

func revisions(t *testing.T, old, new string) *diff.Report {
	t.Helper()
	report, err := diff.Revisions(side(t, old), side(t, new))
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// TestIdentity checks that nothing differs from itself.
func TestIdentity(t *testing.T) {
	for _, revision := range pinned.Spec(t).Revisions() {
		report := revisions(t, revision, revision)
		if len(report.Findings) > 0 {
			t.Errorf("%s differs from itself: %+v", revision, report.Findings[0])
		}
		if c := report.Compared; c.Subjects == 0 || c.Unchanged != c.Subjects {
			t.Errorf("%s: %+v", revision, c)
		}
	}
}

// TestAlike checks that no two findings of a report have the same fingerprint, or say the same of the
// same subject.
func TestAlike(t *testing.T) {
	eachPair(t, func(t *testing.T, old, new string) {
		prints, said := map[string]bool{}, map[string]bool{}
		for _, f := range revisions(t, old, new).Findings {
			text := f.Rule + " " + f.Subject + " " + f.Message
			if prints[f.Fingerprint] || said[text] {
				t.Errorf("%s: another finding has the fingerprint %s or says the same", text, f.Fingerprint)
			}
			prints[f.Fingerprint], said[text] = true, true
		}
	})
}

// seen is what a finding says, for a comparison with its mirror.
type seen struct {
	Rule, Guard, Old, New string
	Effect                diff.Effect
	Direction             diff.Direction
	Receiver, Sender      diff.Level
	Uses                  []string
	Witnesses             []string
}

func look(f *diff.Finding) seen {
	s := seen{f.Rule, f.Guard, f.Old.Path, f.New.Path, f.Effect, f.Direction, f.Verdicts.ReceiverFirst, f.Verdicts.SenderFirst, f.Uses, nil}
	for _, w := range f.Witnesses {
		s.Witnesses = append(s.Witnesses, w.Breaks+" "+w.AcceptedBy+" "+w.RefusedBy)
	}
	return s
}

// mirrored is what the finding's mirror should say.
func mirrored(s seen, mirror map[string]string) seen {
	s.Rule, s.Old, s.New, s.Effect, s.Receiver, s.Sender = mirror[s.Rule], s.New, s.Old, s.Effect.Mirror(), s.Sender, s.Receiver
	for i, w := range s.Witnesses {
		from, to := diff.ReceiverFirst, diff.SenderFirst
		if bytes.HasPrefix([]byte(w), []byte(to)) {
			from, to = to, from
		}
		s.Witnesses[i] = to + w[len(from):]
	}
	slices.Sort(s.Witnesses)
	return s
}

// TestMirror checks that comparing the other way round tells of the same changes
// with the verdicts exchanged.
func TestMirror(t *testing.T) {
	mirror := map[string]string{}
	for _, r := range diff.Rules() {
		mirror[r.ID] = r.Mirror
	}
	eachPair(t, func(t *testing.T, old, new string) {
		if old > new {
			return
		}
		there, back := revisions(t, old, new), revisions(t, new, old)
		compareMirror(t, mirror, there, back)
	})
}

func compareMirror(t *testing.T, mirror map[string]string, there, back *diff.Report) {
	t.Helper()
	var want, got []seen
	for _, f := range there.Findings {
		want = append(want, mirrored(look(f), mirror))
	}
	for _, f := range back.Findings {
		s := look(f)
		slices.Sort(s.Witnesses)
		got = append(got, s)
	}
	// Twins have the same rule and paths. They are ordered by all that is seen of them.
	order := func(a, b seen) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) }
	slices.SortFunc(want, order)
	slices.SortFunc(got, order)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-mirror of %s -> %s, +%s -> %s)\n%s", there.Old, there.New, back.Old, back.New, diff)
	}
}

// TestRulesMirror checks the table of rules together.
func TestRulesMirror(t *testing.T) {
	rules := map[string]diff.Rule{}
	for _, r := range diff.Rules() {
		if _, twice := rules[r.ID]; twice {
			t.Errorf("rule %s occurs twice", r.ID)
		}
		if r.Doc == "" || r.Message == "" {
			t.Errorf("rule %s says nothing", r.ID)
		}
		rules[r.ID] = r
	}
	for _, r := range rules {
		m, ok := rules[r.Mirror]
		hint := r.Category == diff.CategoryTools // to lose a promise is worse than to gain one
		if !ok || m.Mirror != r.ID || m.Effect != r.Effect.Mirror() && !hint || m.Category != r.Category {
			t.Errorf("rule %+v, mirrored by %+v", r, m)
		}
	}
}

// TestWitnesses checks that what breaks has a proof which an independent
// validator confirms, and that what is harmless has none.
func TestWitnesses(t *testing.T) {
	eachPair(t, func(t *testing.T, old, new string) {
		judges := map[string]diff.Judge{}
		for _, revision := range []string{old, new} {
			l := pinned.Lower(t, revision)
			j, err := judge.Revision(l.Document, l.Revision)
			if err != nil {
				t.Fatal(err)
			}
			judges[revision] = j
		}
		// The report is made, and its witnesses confirmed, by the generated code;
		// then once more by the validator.
		report := revisions(t, old, new)
		was, is := side(t, old), side(t, new)
		was.Judge, is.Judge = judges[old], judges[new]
		again, err := diff.Revisions(was, is)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(report, again); diff != "" {
			t.Errorf("the judges differ (-generated +validator):\n%s", diff)
		}
		for _, f := range report.Findings {
			breaks := map[string]bool{}
			for _, w := range f.Witnesses {
				breaks[w.Breaks] = true
			}
			if f.Verdicts.ReceiverFirst == diff.LevelErr && !breaks[diff.ReceiverFirst] ||
				f.Verdicts.SenderFirst == diff.LevelErr && !breaks[diff.SenderFirst] {
				t.Errorf("%s at %s is %s without a witness", f.Rule, f.Subject, f.Level)
			}
			if !f.Level.AtLeast(diff.LevelWarn) && len(f.Witnesses) > 0 {
				t.Errorf("%s at %s is %s and has a witness: %s", f.Rule, f.Subject, f.Level, f.Witnesses[0].Value)
			}
			for _, w := range f.Witnesses {
				confirm(t, judges[w.AcceptedBy], w, true)
			}
		}
	})
}

func confirm(t *testing.T, j diff.Judge, w diff.Witness, want bool) {
	t.Helper()
	got, err := j.Accepts(w.Of, w.Value)
	if err != nil || got != want {
		t.Errorf("%s: accepted: %t, %v, want %t: %s", w.Of, got, err, want, w.Value)
	}
}

// TestGolden compares what is told of each two adjacent revisions with a file
// that has been read and compared with the changes that people found.
func TestGolden(t *testing.T) {
	list := pinned.Spec(t).Revisions()
	for i := range list[1:] {
		old, new := list[i], list[i+1]
		report := revisions(t, old, new)
		var b bytes.Buffer
		if err := render.Write(&b, render.Text, render.Output{Reports: []*diff.Report{report}}, render.Options{}); err != nil {
			t.Fatal(err)
		}
		name := filepath.Join("testdata", old+"_"+new+".txt")
		golden.Check(t, name, b.String())
	}
}

// TestUnchanged checks that a method is counted as unchanged if no finding is about it:
// the refactoring of 2025-11-25, which moved params behind references and repeated the
// envelope, is no change.
func TestUnchanged(t *testing.T) {
	eachPair(t, func(t *testing.T, old, new string) {
		r := revisions(t, old, new)
		c := r.Compared
		if c.Unchanged+len(c.Changed) != c.Subjects {
			t.Errorf("%+v", c)
		}
		for _, f := range r.Findings {
			for _, use := range f.Uses {
				method := strings.TrimSuffix(use, " result")
				if strings.Contains(method, " ") || method == "errors" || slices.Contains(c.Added, method) || slices.Contains(c.Removed, method) {
					continue
				}
				if !slices.Contains(c.Changed, method) {
					t.Errorf("%s is about %s, which counts as unchanged", f.Rule, method)
				}
			}
		}
	})
	c := revisions(t, "2025-06-18", "2025-11-25").Compared
	if slices.Contains(c.Changed, "resources/read") || slices.Contains(c.Changed, "ping") || c.Unchanged < 10 {
		t.Errorf("%+v", c)
	}
}
