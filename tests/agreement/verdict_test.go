package agreement

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/runtime/wire"
	"github.com/mcpgen/mcpgen/spec"
	"github.com/mcpgen/mcpgen/tests/agreement/random"
	"github.com/mcpgen/mcpgen/tests/internal/pinned"
)

// TestVerdicts compares the verdicts of generated code on random values with those of a JSON
// Schema validator, for two schemas. The code must agree with the checked document. It may
// differ from the upstream file only by errata and deviations. A value that generated code
// accepts must stay the same when it is encoded again.
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
			document := s.documentTree(t)
			deviations.fixValues(document, s.ir)
			c.document = newJudge(t, "document", document, c.targets)
			c.upstream = newJudge(t, "upstream", s.upstreamTree(t, deviations), c.targets)
			c.run(t, count)
		})
	})
	if !t.Failed() && count >= usual {
		deviations.check(t)
	}
}

// enough is a number of values whose share of valid ones is no accident.
const enough = 1000

// usual is the default number of values for each revision. With fewer values, coverage is not
// checked.
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
		each = max(each/3, 1) // it has fewer but larger declarations
	}
	for _, d := range c.targets {
		before := c.valid
		for range each {
			c.compare(t, d, source.Case(d))
			if c.complaints >= 10 {
				t.Fatalf("stopping after too many disagreements at %s (seed %d)", key(d), seed)
			}
		}
		_, any := ir.Resolve(d.Type).(*ir.Any)
		valid, few := c.valid-before, each/50
		if count >= usual && (valid < few && source.Possible(&ir.Ref{Decl: d}) || each-valid < few && !any) {
			t.Errorf("%s: %d of %d values are valid; there must be valid and invalid ones", key(d), valid, each)
		}
	}
	total := each * len(c.targets)
	share := 100 * c.valid / total
	t.Logf("%d values for %d declarations, %d%% valid (seed %d)", total, len(c.targets), share, seed)
	if total >= enough && (share < 30 || share > 70) {
		t.Errorf("%d%% of the values are valid; there must be many valid and many invalid ones", share)
	}
	if count >= usual {
		c.covered.check(t, source, c.targets)
	}
}

// compare checks all verdicts on one value.
func (c *comparison) compare(t *testing.T, d *ir.Decl, it random.Case) {
	decoded := c.fresh(t, d)
	ours := wire.UnmarshalString(it.Text, decoded)
	if ours == nil {
		ours = wire.Validate(decoded)
	}
	tree, err := jsonschema.UnmarshalJSON(strings.NewReader(it.Text))
	if err != nil {
		t.Fatalf("invalid JSON was generated: %v\n%s", err, it.Text)
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
					c.complain(t, d, it, "a value was generated as valid but is not", theirs)
				}
			}
		}
		switch {
		case (ours == nil) == (theirs == nil):
		case ours != nil && len(it.Mutations) > 0 && !d.Definition:
			// The schema does not define the union of results. The code tells variants apart by
			// their members, and accepts a value with the members of two as one of them.
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

// roundTrip encodes an accepted value. The result must equal the input, and encode to the same
// text again.
func (c *comparison) roundTrip(t *testing.T, d *ir.Decl, it random.Case, decoded wire.Value) {
	first, err := decoded.AppendJSON(nil)
	if err != nil {
		c.complain(t, d, it, "cannot be encoded", err)
		return
	}
	if !wire.Equal(wire.Raw(first), wire.Raw(it.Text)) && !c.impliedOnly(t, string(first), it.Text) && !c.deviations.honours(it, spec.Lossy) {
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

// impliedOnly reports whether two texts differ only in members that messages may omit.
func (c *comparison) impliedOnly(t *testing.T, a, b string) bool {
	values := implied(c.ir)
	if len(values) == 0 {
		return false
	}
	texts := [2]wire.Raw{}
	for i, text := range []string{a, b} {
		tree, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		plain, err := json.Marshal(without(tree, values))
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = wire.Raw(plain)
	}
	if !wire.Equal(texts[0], texts[1]) {
		return false
	}
	c.deviations.count(impliedValue, spec.Lossy, 1)
	return true
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
