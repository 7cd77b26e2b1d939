package compat

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/generated"
	ladder "github.com/mcpgen/mcpgen/generated/compat"
	"github.com/mcpgen/mcpgen/runtime/convert"
	"github.com/mcpgen/mcpgen/runtime/wire"
	"github.com/mcpgen/mcpgen/spec"
	"github.com/mcpgen/mcpgen/tests/agreement/random"
	"github.com/mcpgen/mcpgen/tests/internal/golden"
)

// usual is the default number of values of each definition in each direction.
// MCPGEN_COMPAT_COUNT overrides it.
const usual = 150

// side is one of the two revisions of a step.
type side struct {
	judge *judge
	code  generated.Revision
	name  string // the name of the definition
	step  *convert.Step
	row   convert.Definition
	up    bool // the other revision is the newer one
}

// TestValues converts random valid values of every definition between adjacent revisions, in
// both directions. The result must be valid to the independent validator. Converted back, it
// must equal the original except for the reported losses. A value of the older revision must
// not lose anything on the way back from the newer one. A golden file has the reasons of losses
// and refusals.
func TestValues(t *testing.T) {
	count := usual
	if text := os.Getenv("MCPGEN_COMPAT_COUNT"); text != "" {
		var err error
		if count, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	all := judges(t)
	steps := ladder.Table().Steps
	if len(steps) != len(all)-1 {
		t.Fatalf("%d steps between %d revisions", len(steps), len(all))
	}
	var reasons []string
	for i, step := range steps {
		older, newer := all[i], all[i+1]
		found := map[string]bool{}
		for _, row := range step.Definitions {
			a := side{older, code(t, older.ir.ID), row.Older, step, row, true}
			b := side{newer, code(t, newer.ir.ID), row.Newer, step, row, false}
			l := law{count: count, found: found}
			t.Run(newer.ir.ID+"/"+row.Older+"/"+row.Newer+"/down", func(t *testing.T) { l.hold(t, b, a, "down") })
			t.Run(newer.ir.ID+"/"+row.Older+"/"+row.Newer+"/up", func(t *testing.T) { l.hold(t, a, b, "up") })
		}
		for _, f := range slices.Sorted(maps.Keys(found)) {
			reasons = append(reasons, newer.ir.ID+" "+f)
		}
	}
	if t.Failed() || count != usual {
		t.Logf("reasons met:\n%s", strings.Join(reasons, "\n"))
		return
	}
	golden.Check(t, filepath.Join("testdata", "reasons.txt"), strings.Join(reasons, "\n")+"\n")
}

// TestEveryDefinition checks that there is a converter for each definition that two revisions
// share by name.
func TestEveryDefinition(t *testing.T) {
	all := judges(t)
	for i, step := range ladder.Table().Steps {
		for _, d := range all[i].ir.Decls {
			if all[i+1].ir.Lookup(d.Name) == nil {
				continue
			}
			at := slices.IndexFunc(step.Definitions, func(row convert.Definition) bool { return row.Newer == name(d) })
			// The name may have another meaning in the newer revision.
			if at < 0 || step.Definitions[at].Older != name(d) && !d.Definition {
				t.Logf("%s: %s has another meaning", all[i+1].ir.ID, d.Name)
				continue
			}
		}
	}
}

// TestChain converts random values between the newest and the oldest revision, in both
// directions, for every definition that all revisions share by name.
func TestChain(t *testing.T) {
	all := judges(t)
	table := ladder.Table()
	last := len(all) - 1
	converted := 0
	for _, way := range [][2]*judge{{all[last], all[0]}, {all[0], all[last]}} {
		from, to := way[0], way[1]
		source := random.New(from.ir, 2)
		for _, d := range from.ir.Decls {
			target := to.ir.Lookup(d.Name)
			if target == nil || !d.Definition || !source.Possible(d.Type) || slices.ContainsFunc(all[1:last], func(j *judge) bool { return j.ir.Lookup(d.Name) == nil }) {
				continue
			}
			for range 40 {
				text := source.Text(source.Valid(d))
				var c convert.Conversion
				out, err := table.Convert(&c, from.ir.ID, to.ir.ID, d.Name, wire.Raw(text))
				if err != nil {
					if _, refused := err.(*convert.Error); !refused && d.Name != "JSONRPCResponse" {
						t.Errorf("%s: %v", d.Name, err)
					}
					continue
				}
				converted++
				got, err := wire.Marshal(out)
				if err == nil {
					err = to.refusal(t, target, got)
				}
				if err != nil {
					t.Fatalf("%s\nbecomes an invalid value of %s:\n%s\n%v", text, to.ir.ID, got, err)
				}
			}
		}
	}
	if converted < 1000 {
		t.Errorf("only %d values were converted", converted)
	}
}

func code(t *testing.T, revision string) generated.Revision {
	t.Helper()
	r, ok := generated.Lookup(revision)
	if !ok {
		t.Fatalf("there is no generated code for %s", revision)
	}
	return r
}

// fresh returns a new value of a definition.
func fresh(t *testing.T, code generated.Revision, definition string) wire.Value {
	t.Helper()
	v, ok := code.New(definition)
	if !ok {
		t.Fatalf("%s has no definition %q", code.ID, definition)
	}
	return v
}

// assumed has the pointers of members that are added for the newer revision because the older
// one does not declare them.
var assumed = map[string]bool{"/completions": true, "/capabilities/completions": true}

// handled has the names of the members that the runtime acts on, and stated the reasons of rows.
var handled, stated = func() (names, reasons map[string]bool) {
	s, err := spec.Load(spec.Embedded())
	if err != nil {
		panic(err)
	}
	names, reasons = map[string]bool{}, map[string]bool{}
	for _, r := range s.Convert.Members {
		if r.Handled {
			names[r.Member] = true
		}
		reasons[r.Reason] = true
	}
	for _, r := range s.Convert.Definitions {
		reasons[r.Reason] = true
	}
	return names, reasons
}()

type law struct {
	count int
	found map[string]bool // reasons with their direction
}

// hold converts from a to b and back.
func (l *law) hold(t *testing.T, a, b side, direction string) {
	from, to := lookup(t, a.judge.ir, a.name), lookup(t, b.judge.ir, b.name)
	source := random.New(a.judge.ir, 1)
	if !source.Possible(from.Type) {
		t.Skip("the definition has no values")
	}
	done := false // or a row refuses the value
	for i := range l.count {
		tree := source.Valid(from)
		if i%2 == 0 && anonymous(from) {
			identify(tree)
		}
		text := source.Text(tree)
		session := facts(wire.Raw(text))
		there, losses, err := a.convert(t, session, []byte(text))
		if err != nil {
			reason := err.(*convert.Error).Reason
			l.found[direction+" refuses: "+reason], done = true, done || stated[reason]
			continue
		}
		done = true
		for _, loss := range losses {
			l.found[direction+" loses: "+generic(loss)] = true
		}
		if err := b.judge.refusal(t, to, there); err != nil {
			t.Fatalf("%s\nbecomes an invalid value of %s:\n%s\n%v", text, b.code.ID, there, err)
		}
		back, more, err := b.convert(t, session, there)
		if err != nil {
			t.Fatalf("%s\nbecomes\n%s\nand cannot be converted back: %v", text, there, err)
		}
		more = slices.DeleteFunc(more, func(l convert.Loss) bool { return assumed[l.Pointer] })
		if direction == "up" && len(more) > 0 {
			t.Fatalf("%s\nuses nothing new but has a loss on the way down from\n%s\n%v", text, there, more)
		}
		if problem := lost(wire.Raw(text), wire.Raw(back), "", append(losses, more...)); problem != "" {
			t.Fatalf("%s\nbecomes\n%s\nand then\n%s\n%s, which is not a reported loss: %v", text, there, back, problem, losses)
		}
	}
	if !done {
		t.Errorf("all %d values are refused", l.count)
	}
}

// generic returns the reason of a loss without the parts that depend on the value.
func generic(l convert.Loss) string {
	reason, _, _ := strings.Cut(l.Reason, ": expected")
	reason, _, _ = strings.Cut(reason, ", found ")
	return reason
}

// facts returns the facts about a session that a value of a revision without sessions states.
func facts(v wire.Raw) map[string]wire.Raw {
	found := map[string]wire.Raw{"protocolVersion": `"2025-11-25"`, "clientCapabilities": "{}"}
	params, _ := wire.Object(v).Get("params")
	result, _ := wire.Object(v).Get("result")
	for _, o := range []wire.Raw{v, params, result} {
		meta, _ := wire.Object(o).Get("_meta")
		for _, m := range []wire.Raw{o, meta} {
			for name, value := range wire.Object(m).All() {
				if fact, ok := strings.CutPrefix(name, "io.modelcontextprotocol/"); ok {
					found[fact] = value
				}
			}
		}
	}
	return found
}

// convert converts a text of a session.
func (s side) convert(t *testing.T, session map[string]wire.Raw, text []byte) ([]byte, []convert.Loss, error) {
	t.Helper()
	c := convert.Conversion{Facts: func(fact, _ string) wire.Raw { return session[fact] }}
	converted, err := s.step.Convert(&c, s.row, s.up, wire.Raw(text))
	if err != nil {
		return nil, nil, err
	}
	return []byte(converted), c.Losses(), nil
}

// anonymous reports whether a definition is an object that may have an id of which its schema does not say
// anything.
func anonymous(d *ir.Decl) bool {
	o, ok := ir.Resolve(d.Type).(*ir.Object)
	return ok && !o.Closed && o.Additional == nil && !slices.ContainsFunc(o.Fields, func(f *ir.Field) bool { return f.Wire == "id" })
}

// identify adds an id to an object. Messages need one, but older schemas do not define it.
func identify(tree *random.Value) {
	if tree.Kind != ir.KindObject || slices.ContainsFunc(tree.Members, func(m random.Member) bool { return m.Name == "id" }) {
		return
	}
	tree.Members = append(tree.Members, random.Member{Name: "id", Value: &random.Value{Kind: ir.KindNumber, Text: "7"}})
}

// lost describes what x, the value at the pointer, has and y lacks, or returns "". It ignores
// reported losses and the members added next to them.
func lost(x, y wire.Raw, pointer string, losses []convert.Loss) string {
	if named(losses, pointer) {
		return ""
	}
	if x.Kind() != y.Kind() {
		return fmt.Sprintf("%s is %s", pointer, y)
	}
	switch x.Kind() {
	case wire.KindObject:
		return lostMembers(wire.Object(x), wire.Object(y), pointer, losses)
	case wire.KindArray:
		return lostElements(x.Elements(), y.Elements(), pointer, losses)
	}
	if !wire.Equal(x, y) {
		return fmt.Sprintf("%s is %s", pointer, y)
	}
	return ""
}

func lostMembers(x, y wire.Object, pointer string, losses []convert.Loss) string {
	for name, value := range x.All() {
		at := pointer + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
		other, ok := y.Get(name)
		if !ok && !named(losses, at) && !handled[name] {
			return at + " is gone"
		}
		if ok {
			if problem := lost(value, other, at, losses); problem != "" {
				return problem
			}
		}
	}
	for name, value := range y.All() {
		if _, ok := x.Get(name); !ok && !added(losses, pointer, name, value) {
			return fmt.Sprintf("%s has got %s", pointer, name)
		}
	}
	return ""
}

// added reports whether a member may have been added: next to a lost member, in the annotations
// that a lost title moved to, as the JSON-RPC version of a message whose schema does not define
// it, as an assumed member, or as a member that an older request may omit.
func added(losses []convert.Loss, pointer, name string, value wire.Raw) bool {
	object, isAnnotations := strings.CutSuffix(pointer, "/annotations")
	return changed(losses, pointer) ||
		isAnnotations && name == "title" && named(losses, object+"/title") ||
		name == "jsonrpc" && value == `"2.0"` ||
		assumed[pointer+"/"+name] && value == "{}" ||
		name == "_meta" && value == "{}" || name == "params" && value == `{"_meta":{}}` ||
		pointer == "" && name == "type" && value == `"object"` // of an output schema; a tool drops one without it
}

func lostElements(x, y []wire.Raw, pointer string, losses []convert.Loss) string {
	var kept []wire.Raw
	var places []int
	for i := range x {
		if len(y) < len(x) && named(losses, fmt.Sprintf("%s/%d", pointer, i)) {
			continue // dropped by the conversion
		}
		kept, places = append(kept, x[i]), append(places, i)
	}
	parent := pointer[:max(strings.LastIndexByte(pointer, '/'), 0)]
	if len(y) < len(kept) || len(y) > len(kept) && !changed(losses, parent) {
		return fmt.Sprintf("%s has %d elements", pointer, len(y))
	}
	for i := range kept {
		if problem := lost(kept[i], y[i], fmt.Sprintf("%s/%d", pointer, places[i]), losses); problem != "" {
			return problem
		}
	}
	return ""
}

// named reports whether a loss is about the pointer.
func named(losses []convert.Loss, pointer string) bool {
	return slices.ContainsFunc(losses, func(l convert.Loss) bool { return l.Pointer == pointer })
}

// changed reports whether a loss is about a member of the object.
func changed(losses []convert.Loss, pointer string) bool {
	return slices.ContainsFunc(losses, func(l convert.Loss) bool {
		return l.Pointer[:max(strings.LastIndexByte(l.Pointer, '/'), 0)] == pointer
	})
}
