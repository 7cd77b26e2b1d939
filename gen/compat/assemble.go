package compat

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Judge is an independent validator of one side, which confirms witnesses.
type Judge interface {
	// Accepts reports whether a JSON text is valid. Of is a declaration of the
	// side's ir by its key, or of a tool list what [Witness] calls it.
	Accepts(of string, text []byte) (bool, error)
}

// root is a message, or a part of one, whose values are judged as a whole.
type root struct {
	// use is how the root is called among a finding's uses.
	use       string
	direction Direction
	old, new  *Shape
	// judgedOld and judgedNew name what the values are judged by; all must accept.
	judgedOld, judgedNew []string
	// wrap turns a value of the shapes into what the judges judge, if that is
	// not the same.
	wrap func(v any) any
}

// assembler makes findings of changes.
type assembler struct {
	kind     string
	old, new Names
	judges   [2]Judge
	rules    ruleTable
	ledger   *ledger
	inexact  bool

	findings map[string]*Finding
	order    []string
	errs     []error
}

// Names are how a side is called.
type Names struct {
	// Label is for people: what the user wrote.
	Label string
	// Revision is the protocol revision, where there is one.
	Revision string
}

// add tells of a change at a root. The same change at another root is the same
// finding with one use more.
func (a *assembler) add(ch *change, at *root) {
	key := strings.Join(append([]string{ch.rule, ch.old.Pointer, ch.new.Pointer}, ch.args...), separator)
	rule := a.rules.rule(ch.rule)
	f := &Finding{
		Rule: ch.rule, Category: rule.Category, Effect: rule.Effect, Guard: ch.guard, Direction: at.direction,
		Subject: ch.subject, Args: ch.args, Message: message(rule, ch.args), Old: ch.old, New: ch.new, Uses: []string{at.use},
	}
	f.Fingerprint = fingerprint(a.kind, f.Rule, f.Subject, f.Args)
	if row := a.ledger.exception(f); row != nil {
		if row.Guard == noChange {
			return
		}
		f.Guard, f.Reason = row.Guard, row.Reason
	}
	a.judge(f, ch, at)
	have, ok := a.findings[key]
	if !ok {
		a.findings[key] = f
		a.order = append(a.order, key)
		return
	}
	if simpler(f, have) {
		have.Subject, have.Fingerprint, have.Old, have.New = f.Subject, f.Fingerprint, f.Old, f.New
	}
	have.Direction = have.Direction.join(f.Direction)
	if !slices.Contains(have.Uses, at.use) {
		have.Uses = append(have.Uses, at.use)
		slices.Sort(have.Uses)
	}
	// The worst of the uses speaks; of equals the one with the shorter witness.
	if f.Level != have.Level && f.Level.AtLeast(have.Level) || f.Level == have.Level && size(f) < size(have) {
		have.Level, have.Verdicts, have.Guard, have.Reason, have.Effect, have.Witnesses = f.Level, f.Verdicts, f.Guard, f.Reason, f.Effect, f.Witnesses
	}
}

// simpler reports whether a finding has the shorter paths. It does not matter
// which of its sides is the old one.
func simpler(a, b *Finding) bool {
	paths := func(f *Finding) string {
		return min(f.Old.Path, f.New.Path) + separator + max(f.Old.Path, f.New.Path)
	}
	x, y := paths(a), paths(b)
	return len(x) < len(y) || len(x) == len(y) && x < y
}

func size(f *Finding) (n int) {
	for _, w := range f.Witnesses {
		n += len(w.Value)
	}
	return cmp.Or(n, 1<<30)
}

// judge gives a finding its verdicts and witnesses.
func (a *assembler) judge(f *Finding, ch *change, at *root) {
	var narrow, widen *Witness
	if f.Effect.Narrows() {
		narrow = a.witness(ReceiverFirst, ch.narrow, at, ch.unproven)
		if narrow == nil && ch.lostNarrow && f.Guard == "" {
			f.Guard = guardReadAsAnother
		}
	}
	if f.Effect.Widens() {
		widen = a.witness(SenderFirst, ch.widen, at, ch.unproven)
		if widen == nil && ch.lostWiden && f.Guard == "" {
			f.Guard = guardReadAsAnother
		}
	}
	f.Verdicts = f.Effect.Verdicts()
	if f.Guard != "" {
		f.Verdicts = guard(f.Guard).apply(f.Verdicts)
	}
	missing := f.Verdicts.ReceiverFirst == LevelErr && narrow == nil || f.Verdicts.SenderFirst == LevelErr && widen == nil
	switch {
	case missing && (narrow != nil || widen != nil):
		// The sets are comparable after all.
		f.Effect = EffectNarrows
		if narrow == nil {
			f.Effect = EffectWidens
		}
		f.Verdicts = f.Effect.Verdicts()
	case missing && (a.inexact || ch.unproven):
		f.Effect, f.Verdicts = EffectUnknown, EffectUnknown.Verdicts()
	case missing:
		a.errs = append(a.errs, &WitnessError{Finding: f, Use: at.use, Problem: "no value shows it"})
	}
	f.Level = worse(LevelInfo, worse(f.Verdicts.ReceiverFirst, f.Verdicts.SenderFirst))
	for _, w := range []*Witness{narrow, widen} {
		if w != nil && f.Level.AtLeast(LevelWarn) {
			f.Witnesses = append(f.Witnesses, *w)
		}
	}
}

// witness finds the shortest value that one side accepts and the other refuses,
// by its shapes and by its judge. That the judge knows better is an error unless
// the values were a guess.
func (a *assembler) witness(breaks string, values []any, at *root, guess bool) *Witness {
	accepting, refusing := at.old, at.new
	judges := a.judges
	judged := [2][]string{at.judgedOld, at.judgedNew}
	names := [2]string{a.old.Label, a.new.Label}
	if breaks == SenderFirst {
		accepting, refusing = at.new, at.old
		judges[0], judges[1] = judges[1], judges[0]
		judged[0], judged[1] = judged[1], judged[0]
		names[0], names[1] = names[1], names[0]
	}
	var refused error
	for _, v := range few(slices.Clone(values)) {
		if !accepting.accepts(v) || refusing.accepts(v) {
			continue
		}
		if at.wrap != nil {
			v = at.wrap(v)
		}
		text := []byte(render(v))
		if refused = a.confirm(judges, judged, text); refused == nil {
			return &Witness{Breaks: breaks, Of: judged[0][0], Value: text, AcceptedBy: names[0], RefusedBy: names[1]}
		}
	}
	if refused != nil && !a.inexact && !guess {
		a.errs = append(a.errs, fmt.Errorf("%s: %w", at.use, refused))
	}
	return nil
}

// confirm asks the judges whether the first accepts and the second refuses.
func (a *assembler) confirm(judges [2]Judge, judged [2][]string, text []byte) error {
	for i, j := range judges {
		if j == nil {
			continue
		}
		all := len(judged[i]) > 0 // a side without such messages refuses them
		for _, of := range judged[i] {
			ok, err := j.Accepts(of, text)
			if err != nil {
				return err
			}
			all = all && ok
		}
		if accepts := i == 0; all != accepts {
			verb := map[bool]string{true: "accepts", false: "refuses"}
			return fmt.Errorf("the validator %s a witness that should show the opposite, by %s: %s", verb[all], strings.Join(judged[i], " and "), text)
		}
	}
	return nil
}

// WitnessError says that a finding of level err has no witness: a rule is wrong.
type WitnessError struct {
	Finding *Finding
	Use     string
	Problem string
}

func (e *WitnessError) Error() string {
	f := e.Finding
	return fmt.Sprintf("%s at %s (%s, %s): %s; this is a bug in the rule", f.Rule, f.Subject, e.Use, f.New.Pointer, e.Problem)
}

// list returns the findings in the order they were met.
func (a *assembler) list() []*Finding {
	list := []*Finding{}
	for _, key := range a.order {
		list = append(list, a.findings[key])
	}
	return list
}
