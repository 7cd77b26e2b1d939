package agreement

import (
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/runtime/wire"
	"github.com/mcpgen/mcpgen/spec"
	"github.com/mcpgen/mcpgen/tests/agreement/random"
	"github.com/mcpgen/mcpgen/tests/internal/pinned"
)

// TestVerdicts compares, value by value, whether generated code accepts it
// with whether a JSON Schema validator does, over two schemas: the checked
// document, which the code must match, and the upstream's file, from which
// only the errata and deviations may make it differ. What generated code
// accepts must come out as it went in.
func TestVerdicts(t *testing.T) {
	deviations := newLedger(t, pinned.Spec(t).Deviations)
	count := setting(t, "MCPGEN_AGREEMENT_COUNT", usual)
	t.Run("revision", func(t *testing.T) {
		eachSubject(t, func(t *testing.T, s *subject) {
			c := &comparison{
				subject:    s,
				targets:    s.targets(),
				deviations: deviations,
				covered:    coverage{},
			}
			c.document = newJudge(t, "document", s.documentTree(t), c.targets)
			c.upstream = newJudge(t, "upstream", s.upstreamTree(t, deviations), c.targets)
			c.run(t, count)
		})
	})
	if !t.Failed() && count >= usual {
		deviations.check(t)
	}
}

// usual is how many values a revision gets. With fewer of them nothing is said
// about how well they cover it.
const usual = 120_000

// comparison is the state of a run over one revision.
type comparison struct {
	*subject
	targets            []*ir.Decl
	document, upstream *judge
	deviations         *ledger
	covered            coverage
	valid              int
	complaints         int
}

func (c *comparison) run(t *testing.T, count int) {
	seed := setting(t, "MCPGEN_AGREEMENT_SEED", 1)
	source := random.New(c.ir, uint64(seed))
	each := count/len(c.targets) + 1
	if !c.pinned {
		each /= 3 // it has fewer declarations, and larger ones
	}
	for _, d := range c.targets {
		before := c.valid
		for range each {
			c.compare(t, d, source.Case(d))
			if c.complaints >= 10 {
				t.Fatalf("too many disagreements, stopped at %s (seed %d)", key(d), seed)
			}
		}
		_, any := ir.Resolve(d.Type).(*ir.Any)
		valid, few := c.valid-before, each/50
		if count >= usual && (valid < few && source.Possible(d.Type) || each-valid < few && !any) {
			t.Errorf("%s: %d of %d values are valid; both classes must be there", key(d), valid, each)
		}
	}
	total := each * len(c.targets)
	share := 100 * c.valid / total
	t.Logf("%d values for %d declarations, %d%% valid (seed %d)", total, len(c.targets), share, seed)
	if share < 30 || share > 70 {
		t.Errorf("%d%% of the values are valid; both classes must be well represented", share)
	}
	if count >= usual {
		c.covered.check(t, source, c.targets)
	}
}

// compare judges one value in every way.
func (c *comparison) compare(t *testing.T, d *ir.Decl, it random.Case) {
	decoded := c.fresh(t, d)
	ours := wire.UnmarshalString(it.Text, decoded)
	if ours == nil {
		ours = wire.Validate(decoded)
	}
	tree, err := jsonschema.UnmarshalJSON(strings.NewReader(it.Text))
	if err != nil {
		t.Fatalf("the generator made no JSON: %v\n%s", err, it.Text)
	}
	for _, judge := range []*judge{c.document, c.upstream} {
		theirs := judge.refusal(d, tree)
		if judge == c.document {
			if theirs == nil {
				c.valid++
			}
			if len(it.Mutations) == 0 {
				c.covered.record(it.Tree)
				if theirs != nil {
					c.complain(t, d, it, "a value made to be valid is not", theirs)
				}
			}
		}
		switch {
		case (ours == nil) == (theirs == nil):
		case ours != nil && len(it.Mutations) > 0 && !d.Definition:
			// What may answer a request is no union of the schema: its variants are
			// told apart by their members, and who has those of two is one of them.
		case ours != nil && c.deviations.honours(it, spec.Narrower):
		case ours == nil && c.deviations.honours(it, spec.Wider):
		default:
			c.complain(t, d, it, "generated code "+verdict(ours)+"\nthe "+judge.name+" "+verdict(theirs), nil)
		}
	}
	if ours == nil {
		c.roundTrip(t, d, it, decoded)
	}
}

// roundTrip encodes an accepted value, demands the value that was read, and
// the same text again from what was written.
func (c *comparison) roundTrip(t *testing.T, d *ir.Decl, it random.Case, decoded wire.Value) {
	first, err := decoded.AppendJSON(nil)
	if err != nil {
		c.complain(t, d, it, "cannot be encoded", err)
		return
	}
	if !wire.Equal(wire.Raw(first), wire.Raw(it.Text)) && !c.deviations.honours(it, spec.Lossy) {
		c.complain(t, d, it, "comes back as "+string(first), nil)
	}
	again := c.fresh(t, d)
	if err := wire.Unmarshal(first, again); err != nil {
		c.complain(t, d, it, "its own encoding cannot be decoded: "+string(first), err)
		return
	}
	second, err := again.AppendJSON(nil)
	if err != nil || string(second) != string(first) {
		c.complain(t, d, it, "is encoded as\n"+string(first)+"\nand then as\n"+string(second), err)
	}
}

func (c *comparison) complain(t *testing.T, d *ir.Decl, it random.Case, what string, err error) {
	t.Helper()
	c.complaints++
	if err != nil {
		what += ": " + err.Error()
	}
	made := "valid"
	if len(it.Mutations) > 0 {
		made = strings.Join(it.Mutations, ", ")
	}
	t.Errorf("%s, %s (%s): %s\n%s", c.id, key(d), made, it.Text, what)
}
