package page

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/diff"
	"github.com/mcpgen/mcpgen/gen/diff/render"
)

// finding is the view of a finding.
type finding struct {
	*diff.Finding
	ID       string
	Sentence phrase
	// Server, Client and Either are the levels in the orders of upgrades.
	Server, Client, Either diff.Level
	Why, Doc, Sent         string
	OldText, NewText       *excerpt
	Proofs                 []proof
	// Accept is an entry for mcpgen.yaml that accepts the finding.
	Accept string
	// Open means that the finding is expanded.
	Open bool
}

// proof is a witness with formatted text.
type proof struct {
	diff.Witness
	Text string
}

// builder makes comparisons. It looks everything up in maps, so the work is linear in the
// number of findings.
type builder struct {
	sources []*source
	byLabel map[string]*source
	// order has the labels of the sides in order.
	order   []string
	reports map[[2]string]*diff.Report
	// came has the fingerprints of the comparison of each two adjacent sides.
	came  map[[2]string]map[string]bool
	rules map[string]diff.Rule
	taken ids
}

func (b *builder) index(reports []*diff.Report) {
	b.came = map[[2]string]map[string]bool{}
	for _, r := range reports {
		key := [2]string{r.Old, r.New}
		b.reports[key] = r
		b.came[key] = map[string]bool{}
		for _, f := range r.Findings {
			b.came[key][f.Fingerprint] = true
		}
	}
}

// since returns the first side, after the old one, whose comparison with its predecessor has
// the finding.
func (b *builder) since(r *diff.Report, f *diff.Finding) string {
	from, to := slices.Index(b.order, r.Old), slices.Index(b.order, r.New)
	for i := from + 1; i <= to && from >= 0; i++ {
		if b.came[[2]string{b.order[i-1], b.order[i]}][f.Fingerprint] {
			return b.order[i]
		}
	}
	return r.New
}

func (b *builder) comparison(r *diff.Report, several bool) (*comparison, error) {
	old, new, err := b.sides(r, several)
	if err != nil {
		return nil, err
	}
	c := &comparison{Report: r, Old: r.Old, New: r.New, Noun: "method", Tools: r.Kind != "revisions"}
	prefix := ""
	if c.Tools {
		c.Noun = "tool"
	}
	c.ID = b.taken.take(slug(r.Old) + ".." + slug(r.New))
	if several {
		prefix = c.ID + "."
	}
	s := &speaker{report: r, rules: b.rules, old: old, new: new, since: func(f *diff.Finding) string { return b.since(r, f) }}
	loud := 0
	var list []*finding
	for _, f := range r.Findings {
		f = asWarning(f)
		one := b.finding(f, s, prefix)
		list = append(list, one)
		c.Counts.add(f, f.Level)
		if one.loud() {
			loud++
		}
	}
	c.orders(list)
	c.Few = !several && loud <= few
	for _, f := range list {
		f.Open = c.Few && f.loud() && f.Accepted == nil
		switch {
		case c.Tools:
		case f.loud():
			c.Loud = append(c.Loud, f)
		default:
			c.Quiet = append(c.Quiet, f)
		}
	}
	if c.Tools {
		c.groups(list, s, b.taken)
		c.kinds(list, b.rules)
	}
	return c, nil
}

// sides returns the sources of a report. A single report uses the order of the sides, because
// both may have the same label.
func (b *builder) sides(r *diff.Report, several bool) (old, new *source, err error) {
	if !several && len(b.sources) == 2 && b.sources[0].Label == r.Old && b.sources[1].Label == r.New {
		return b.sources[0], b.sources[1], nil
	}
	old, new = b.byLabel[r.Old], b.byLabel[r.New]
	if old == nil || new == nil {
		return nil, nil, fmt.Errorf("%s -> %s: a side has no source", r.Old, r.New)
	}
	return old, new, nil
}

// loud reports whether a finding may break something in some order of upgrades.
func (f *finding) loud() bool {
	return f.Level.AtLeast(diff.LevelWarn) || f.Server.AtLeast(diff.LevelWarn) || f.Client.AtLeast(diff.LevelWarn)
}

func (b *builder) finding(f *diff.Finding, s *speaker, prefix string) *finding {
	out := &finding{Finding: f, ID: b.taken.take(prefix + f.Fingerprint), Sentence: s.sentence(f), Why: render.Why(f), Doc: b.rules[f.Rule].Doc, Sent: render.Sent(f.Direction)}
	out.levels()
	out.OldText, out.NewText = s.excerpts(f)
	for _, w := range f.Witnesses {
		out.Proofs = append(out.Proofs, proof{w, laidOut(w.Value)})
	}
	out.Accept = render.Acceptance(f, 4)
	return out
}

// asWarning returns a finding with warnings in place of undecided levels. The finding itself says that
// it is undecided.
func asWarning(f *diff.Finding) *diff.Finding {
	out := *f
	for _, level := range []*diff.Level{&out.Level, &out.ServerFirst.Level, &out.ClientFirst.Level} {
		if *level == diff.LevelUndecided {
			*level = diff.LevelWarn
		}
	}
	return &out
}

// levels sets the levels of the orders of upgrades.
func (f *finding) levels() {
	f.Server, f.Client = f.ServerFirst.Level, f.ClientFirst.Level
	f.Either = f.Server
	if f.Client.AtLeast(f.Server) {
		f.Either = f.Client
	}
}

// laidOut returns a short JSON text on one line and a longer one on several lines.
func laidOut(value json.RawMessage) string {
	if len(value) <= 88 {
		return visible(string(value))
	}
	var shown []string
	for _, l := range lines(layout(value)) {
		if len(shown) == maxRows {
			shown = append(shown, "…")
			break
		}
		shown = append(shown, visible(clipEnd(l, maxClear)))
	}
	return strings.Join(shown, "\n")
}

// orders counts the findings in each order of upgrades.
func (c *comparison) orders(list []*finding) {
	c.Orders = []order{
		{Key: "server", Title: "The server first", Text: fmt.Sprintf("A server of %s meets clients of %s.", visible(c.New), visible(c.Old))},
		{Key: "client", Title: "The clients first", Text: fmt.Sprintf("Clients of %s meet a server of %s.", visible(c.New), visible(c.Old))},
		{Key: "either", Title: "In any order", Text: "The order of upgrades is unknown."},
	}
	if c.Tools {
		c.Orders[0].Text = "The server has the new list. Its callers still use the old list."
		c.Orders[1].Text = "Callers use the new list. The server still has the old list."
	}
	for _, f := range list {
		c.Orders[0].Counts.add(f.Finding, f.Server)
		c.Orders[1].Counts.add(f.Finding, f.Client)
		c.Orders[2].Counts.add(f.Finding, f.Either)
	}
	chosen := max(0, slices.IndexFunc(c.Orders, func(o order) bool { return o.Key == string(cmp.Or(c.Report.Upgrade, diff.UpgradeEither)) }))
	c.Orders[chosen].Chosen = true
}

// groups groups findings by tool, the worst tool first.
func (c *comparison) groups(list []*finding, s *speaker, taken ids) {
	byName := map[string]*group{}
	for _, f := range list {
		name := s.owner(f.Finding)
		g := byName[name]
		if g == nil {
			g = &group{ID: taken.take("tool-" + slug(name)), Name: name, State: "changed"}
			switch {
			case !s.old.subjects[name] && s.new.subjects[name]:
				g.State = "added"
			case s.old.subjects[name] && !s.new.subjects[name]:
				g.State = "removed"
			}
			byName[name] = g
			c.Groups = append(c.Groups, g)
		}
		g.Findings = append(g.Findings, f)
		g.Counts.add(f.Finding, f.Level)
	}
	slices.SortStableFunc(c.Groups, func(a, b *group) int {
		return cmp.Or(cmp.Compare(b.Counts.Err, a.Counts.Err), cmp.Compare(b.Counts.Warn, a.Counts.Warn), strings.Compare(a.Name, b.Name))
	})
	for _, name := range s.new.Subjects {
		if byName[name] == nil {
			c.Unchanged = append(c.Unchanged, name)
		}
	}
	slices.Sort(c.Unchanged)
	c.Unchanged = slices.Compact(c.Unchanged)
}

// kinds counts findings by rule, the worst and most frequent rules first.
func (c *comparison) kinds(list []*finding, rules map[string]diff.Rule) {
	byRule := map[string]int{}
	for _, f := range list {
		i, ok := byRule[f.Rule]
		if !ok {
			i = len(c.Kinds)
			byRule[f.Rule] = i
			c.Kinds = append(c.Kinds, kindOfChange{Rule: f.Rule, Doc: rules[f.Rule].Doc})
		}
		c.Kinds[i].Counts.add(f.Finding, f.Level)
	}
	slices.SortStableFunc(c.Kinds, func(a, b kindOfChange) int {
		return cmp.Or(cmp.Compare(b.Counts.Err, a.Counts.Err), cmp.Compare(b.Counts.Warn, a.Counts.Warn), cmp.Compare(b.Counts.Safe, a.Counts.Safe), strings.Compare(a.Rule, b.Rule))
	})
}

// Name returns the rule's id as words.
func (k kindOfChange) Name() string { return strings.ReplaceAll(k.Rule, "-", " ") }
