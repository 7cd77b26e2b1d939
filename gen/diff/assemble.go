package diff

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
)

// Judge is an independent validator for a revision. It confirms witnesses.
type Judge interface {
	// Accepts reports whether a JSON text is valid. of is the key of a declaration.
	Accepts(of string, text []byte) (bool, error)
}

// root is a message or a part of one. Its values are judged as a whole.
type root struct {
	// use is the name of the root in [Finding.Uses].
	use       string
	direction Direction
	old, new  *Shape
	// judged names the validators of each side. All of them must accept a
	// value. A side without any refuses every value.
	judged [2][]string
	// wrap, unless it is nil, converts a value of the shapes to the value that is judged.
	wrap func(v any) any
}

// assembler converts changes to findings.
type assembler struct {
	kind string
	// old and new are the names that the user gave to the sides.
	old, new string
	// judges are those of the sides, or nil where the finder's validator is enough.
	judges [2]Judge
	// exceptions are those of the protocol. Comparisons of tool lists have none.
	exceptions []Exception
	// tool is the name of the tool that the findings are about, or "".
	tool string

	findings map[string]*Finding
	order    []string
	problems []string
}

// problem records a violation of the package's own assumptions.
func (a *assembler) problem(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if len(a.problems) < 100 && !slices.Contains(a.problems, text) {
		a.problems = append(a.problems, text)
	}
}

// keysOf returns the keys of two maps, sorted.
func keysOf[K cmp.Ordered, V any](old, new map[K]V) []K {
	all := map[K]bool{}
	for _, side := range []map[K]V{old, new} {
		for key := range side {
			all[key] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// eachKey calls lone for each entry that only one side has, and both for the others. The way of a change is narrows if
// that side is the old one.
func eachKey[K cmp.Ordered, V any](old, new map[K]V, lone func(way int, key K, one V), both func(key K, was, is V)) {
	for _, key := range keysOf(old, new) {
		was, had := old[key]
		is, has := new[key]
		switch {
		case !has:
			lone(narrows, key, was)
		case !had:
			lone(widens, key, is)
		default:
			both(key, was, is)
		}
	}
}

// byKey returns the entries of a list by their keys. The last one with a key counts.
func byKey[T any](list []T, key func(one T) string) map[string]T {
	all := map[string]T{}
	for _, one := range list {
		all[key(one)] = one
	}
	return all
}

// lone returns a change of a subject at a place of one side, which the other side lacks. The rule is that of
// the old side, or its mirror.
func (a *assembler) lone(rule string, way int, subject string, at Place, args ...string) *change {
	ch := &change{rule: toward(rule, way), subject: subject, args: args}
	*[2]*Place{&ch.old, &ch.new}[way] = at
	return ch
}

// lacked adds a change of something that one side lacks as a whole. Every value of some schemas shows it, so the
// finding needs no example; why is the reason that the report gives for its absence.
func (a *assembler) lacked(ch *change, way int, f *finder, from []*jsonschema.Schema, why string, at *root) {
	ch.ways[way] = answer{is: unknown, sure: true, why: why}
	if example := f.find(from, nil, nil); example.is == found {
		ch.ways[way] = example
	}
	a.add(ch, at)
}

// compare adds the changes between the shapes of a root.
func (a *assembler) compare(c *comparer, path string, at *root) {
	list, problem := c.messages(at.old, at.new, path)
	if problem != "" {
		a.problem("%s", problem)
	}
	for _, one := range list {
		a.add(one, at)
	}
}

// direct adds a change that was not found by comparing shapes. narrow and widen are examples
// for its two directions. Without examples, the finding says that there are none.
func (a *assembler) direct(ch *change, narrow, widen []any, at *root) {
	for way, values := range [2][]any{narrow, widen} {
		ch.ways[way] = answer{is: unknown, sure: true, why: noExample}
		if len(values) > 0 {
			ch.ways[way] = answer{}
			for _, value := range values {
				ch.ways[way].join(answer{is: found, value: value})
			}
		}
	}
	a.add(ch, at)
}

// add adds a change at a root. The same change at another root adds a use to the existing
// finding.
func (a *assembler) add(ch *change, at *root) {
	rule := ruleOf(ch.rule)
	path := cmp.Or(ch.new.Path, ch.old.Path)
	if ch.lackedByNew {
		path = ch.old.Path
	}
	f := &Finding{
		Rule: ch.rule, Category: rule.Category, Effect: rule.Effect, Guard: ch.guard, Direction: at.direction, Tool: a.tool,
		Subject: cmp.Or(ch.subject, path), Args: ch.args, Old: ch.old, New: ch.new, Uses: []string{at.use},
	}
	if len(f.Args) > 0 && f.Args[0] == "" {
		f.Args = append([]string{lastName(f.Subject)}, f.Args[1:]...)
	}
	f.Message = message(rule, f.Args)
	f.Fingerprint = fingerprint(a.kind, f.Rule, f.Subject, f.Args)
	if row := a.exception(f); row != nil {
		if row.Guard == noChange {
			return
		}
		f.Guard, f.Reason = row.Guard, row.Reason
	}
	if a.judge(f, ch, at) {
		a.put(ch.key(), f)
	}
}

// put adds a finding, or joins it with the one that has the same key.
func (a *assembler) put(key string, f *Finding) {
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
	for _, use := range f.Uses {
		if !slices.Contains(have.Uses, use) {
			have.Uses = append(have.Uses, use)
			slices.Sort(have.Uses)
		}
	}
	// The finding describes the worst of its uses. Among equals, it has the shortest witness.
	other := *f
	if f.Level != have.Level && f.Level.AtLeast(have.Level) || f.Level == have.Level && size(f) < size(have) {
		other = *have
		have.Level, have.Verdicts, have.Guard, have.Reason, have.Effect = f.Level, f.Verdicts, f.Guard, f.Reason, f.Effect
		have.Witnesses, have.Unproven = f.Witnesses, f.Unproven
	}
	have.worsen(&other)
}

// worsen adds the order of upgrades in which another use breaks, and f does not.
func (f *Finding) worsen(other *Finding) {
	for _, way := range []struct {
		breaks    string
		has, adds *Level
	}{
		{ReceiverFirst, &f.Verdicts.ReceiverFirst, &other.Verdicts.ReceiverFirst},
		{SenderFirst, &f.Verdicts.SenderFirst, &other.Verdicts.SenderFirst},
	} {
		if !way.adds.AtLeast(LevelUndecided) || way.has.AtLeast(*way.adds) {
			continue
		}
		*way.has = *way.adds
		f.Unproven = cmp.Or(f.Unproven, other.Unproven)
		f.Witnesses = slices.DeleteFunc(slices.Clone(f.Witnesses), func(w Witness) bool { return w.Breaks == way.breaks })
		for _, w := range other.Witnesses {
			if w.Breaks == way.breaks {
				f.Witnesses = append(f.Witnesses, w)
			}
		}
		if f.Effect != other.Effect {
			f.Effect = EffectIncomparable
		}
	}
	slices.SortStableFunc(f.Witnesses, func(x, y Witness) int { return strings.Compare(x.Breaks, y.Breaks) })
	if len(f.Witnesses) == 2 {
		f.Unproven = "" // both orders have an example
	}
}

// join adds what another assembler has.
func (a *assembler) join(other *assembler) {
	for _, key := range other.order {
		a.put(key, other.findings[key])
	}
	for _, text := range other.problems {
		a.problem("%s", text)
	}
}

// simpler reports whether a has shorter paths than b. The result does not depend on which side
// is the old one.
func simpler(a, b *Finding) bool {
	x, y := inEither(a.Old.Path, a.New.Path), inEither(b.Old.Path, b.New.Path)
	return len(x) < len(y) || len(x) == len(y) && x < y
}

func size(f *Finding) (n int) {
	for _, w := range f.Witnesses {
		n += len(w.Value)
	}
	return cmp.Or(n, 1<<30)
}

// judge sets the verdicts and witnesses of a finding. It returns false if the change affects no
// value. The level follows from the rule and from proofs. A missing witness lowers it to
// LevelUndecided.
func (a *assembler) judge(f *Finding, ch *change, at *root) bool {
	witnesses := [2]*Witness{}
	effects := [2]bool{f.Effect.Narrows(), f.Effect.Widens()}
	var why [2]string
	for way, there := range effects {
		if !there {
			continue
		}
		switch o := ch.ways[way]; o.is {
		case none:
			effects[way] = false
		case lost:
			if f.Guard == "" {
				f.Guard = guardReadAsAnother
			}
		case unknown:
			why[way] = o.why
		case found:
			witnesses[way], why[way] = a.witness(way, o.values(), at)
		}
	}
	if f.Effect.Narrows() || f.Effect.Widens() {
		switch {
		case !effects[narrows] && !effects[widens]:
			return false
		case !effects[widens]:
			f.Effect = EffectNarrows
		case !effects[narrows]:
			f.Effect = EffectWidens
		}
	}
	f.Verdicts = f.Effect.Verdicts()
	if f.Guard != "" {
		f.Verdicts = guard(f.Guard).apply(f.Verdicts)
	}
	var reasons []string
	for way, level := range [2]*Level{&f.Verdicts.ReceiverFirst, &f.Verdicts.SenderFirst} {
		if *level != LevelErr || why[way] == "" {
			continue
		}
		if reasons = append(reasons, why[way]); !ch.ways[way].sure {
			*level = LevelUndecided
		}
	}
	f.Level = worse(LevelInfo, worse(f.Verdicts.ReceiverFirst, f.Verdicts.SenderFirst))
	for _, w := range witnesses {
		if w != nil && f.Level.AtLeast(LevelWarn) {
			f.Witnesses = append(f.Witnesses, *w)
		}
	}
	if len(reasons) > 0 {
		f.Unproven = "no example found: " + strings.Join(slices.Compact(reasons), "; ")
	}
	return true
}

// witness returns the first value that the judges confirm: one side accepts it and the other
// side refuses it.
func (a *assembler) witness(way int, values []any, at *root) (w *Witness, why string) {
	if len(at.judged[way]) == 0 {
		return nil, "no validator covers the message"
	}
	names := [2]string{a.old, a.new}
	var wrong bool
	for _, v := range values {
		if at.wrap != nil {
			v = at.wrap(v)
		}
		text := []byte(render(v))
		if why, wrong = a.confirm(way, text, at); why == "" {
			return &Witness{Breaks: [2]string{ReceiverFirst, SenderFirst}[way], Of: at.judged[way][0], Value: text, AcceptedBy: names[way], RefusedBy: names[1-way]}, ""
		}
	}
	if wrong {
		a.problem("%s: %s", at.use, why)
	}
	return nil, why
}

// confirm checks that the judge of the sender accepts a text and that of the receiver refuses it. It returns why
// this is not certain, or "", and whether a judge is wrong.
func (a *assembler) confirm(way int, text []byte, at *root) (why string, wrong bool) {
	for _, side := range []int{way, 1 - way} {
		name, judge, all := [2]string{a.old, a.new}[side], a.judges[side], len(at.judged[side]) > 0
		if judge == nil {
			continue
		}
		for _, of := range at.judged[side] {
			ok, err := judge.Accepts(of, text)
			if err != nil {
				return fmt.Sprintf("the validator of %s fails: %v", name, err), true
			}
			all = all && ok
		}
		if all != (side == way) {
			verb := map[bool]string{true: "accepts", false: "refuses"}
			return fmt.Sprintf("the validator of %s %s an example that should show the opposite: %s", name, verb[all], text), true
		}
	}
	return "", false
}

// list returns the findings in the order in which they were added. Each has a unique
// fingerprint.
func (a *assembler) list() []*Finding {
	list := []*Finding{}
	same := map[string][]*Finding{}
	for _, key := range a.order {
		f := a.findings[key]
		list = append(list, f)
		same[f.Fingerprint] = append(same[f.Fingerprint], f)
	}
	for print, twins := range same {
		if len(twins) < 2 {
			continue
		}
		slices.SortStableFunc(twins, func(x, y *Finding) int {
			return cmp.Or(strings.Compare(x.Old.Path+x.New.Path, y.Old.Path+y.New.Path), slices.Compare(x.Uses, y.Uses),
				strings.Compare(x.Old.Pointer, y.Old.Pointer), strings.Compare(x.New.Pointer, y.New.Pointer))
		})
		// The uses distinguish most twins, regardless of the other findings.
		seen := map[string]int{}
		for _, f := range twins[1:] {
			uses := slices.Concat(f.Args, []string{print}, f.Uses)
			key := strings.Join(uses, separator)
			if seen[key]++; seen[key] > 1 {
				uses = append(uses, strconv.Itoa(seen[key]))
			}
			f.Fingerprint = fingerprint(a.kind, f.Rule, f.Subject, uses)
		}
	}
	return list
}
