package agreement

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/spec"
	"github.com/mcpgen/mcpgen/tests/agreement/random"
)

// ledger holds the deviations of spec/errata.yaml and counts the cases that each explains.
type ledger struct {
	rows []spec.Deviation

	mu   sync.Mutex
	used map[entry]int
}

type entry struct {
	name   string
	effect spec.Effect
}

func newLedger(t *testing.T, rows []spec.Deviation) *ledger {
	t.Helper()
	for _, row := range rows {
		if row.Reason == "" {
			t.Errorf("errata.yaml: deviation %q has no reason", row.Name)
		}
	}
	return &ledger{rows: rows, used: map[entry]int{}}
}

// honours reports whether a deviation explains the verdict on a case. It only considers cases
// that were generated for the deviation, which have its name as a stray.
func (l *ledger) honours(c random.Case, effect spec.Effect) bool {
	for _, row := range l.rows {
		if slices.Contains(c.Strays, row.Name) && slices.Contains(row.Effects, effect) {
			l.count(row.Name, effect, 1)
			return true
		}
	}
	return false
}

func (l *ledger) count(name string, effect spec.Effect, n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.used[entry{name, effect}] += n
}

// forgottenMember is the deviation about members that the upstream's schema lacks. They are
// added to that schema before it judges values.
const forgottenMember = "forgotten-member"

// addForgotten adds the members that the ir calls injected to the upstream's tree, wherever
// only the document's tree has them and a deviation says so.
func (l *ledger) addForgotten(upstream, document any, rev *ir.Revision) {
	if !slices.ContainsFunc(l.rows, func(row spec.Deviation) bool { return row.Name == forgottenMember }) {
		return
	}
	injected := map[string]bool{}
	for _, d := range rev.Decls {
		if object, ok := d.Type.(*ir.Object); ok {
			for _, f := range object.Fields {
				if f.Injected {
					injected[f.Wire] = true
				}
			}
		}
	}
	l.count(forgottenMember, spec.Narrower, graft(upstream, document, injected))
}

// graft copies properties with the given names that only the document has, at any depth. It
// returns the number of copies.
func graft(upstream, document any, names map[string]bool) int {
	count := 0
	switch theirs := upstream.(type) {
	case map[string]any:
		ours, ok := document.(map[string]any)
		if !ok {
			return 0
		}
		for name := range names {
			schema, ok := member(ours, "properties", name)
			if _, there := member(theirs, "properties", name); !ok || there {
				continue
			}
			if theirs["properties"] == nil {
				theirs["properties"] = map[string]any{}
			}
			theirs["properties"].(map[string]any)[name] = schema
			count++
		}
		for name, value := range theirs {
			count += graft(value, ours[name], names)
		}
	case []any:
		if ours, ok := document.([]any); ok && len(ours) == len(theirs) {
			for i, value := range theirs {
				count += graft(value, ours[i], names)
			}
		}
	}
	return count
}

// The deviations about members whose value the overlay fixes, and about those among them that
// a message may omit.
const (
	fixedValue   = "fixed-value"
	impliedValue = "implied-value"
)

// fixValues gives members in a tree the values that the overlay fixes, and makes those
// optional that a message may omit.
func (l *ledger) fixValues(tree any, rev *ir.Revision) {
	for _, d := range rev.Decls {
		object, ok := d.Type.(*ir.Object)
		if !ok {
			continue
		}
		for _, f := range object.Fields {
			_, name, ok := strings.Cut(f.Pointer, "/$defs/")
			path := append([]string{"$defs"}, strings.Split(name, "/")...)
			if property, there := member(tree, path...); ok && there && f.Const != nil && !f.Soft {
				if schema := property.(map[string]any); schema["const"] == nil && schema["enum"] == nil {
					schema["const"] = f.Const
					l.count(fixedValue, spec.Narrower, 1)
				}
			}
			if f.Default == "" || !ok {
				continue
			}
			parent, _ := member(tree, path[:len(path)-2]...)
			schema := parent.(map[string]any)
			schema["required"] = slices.DeleteFunc(schema["required"].([]any), func(name any) bool { return name == f.Wire })
			l.count(impliedValue, spec.Wider, 1)
		}
	}
}

// implied returns the values of the members that messages may omit, by name.
func implied(rev *ir.Revision) map[string]any {
	values := map[string]any{}
	for _, d := range rev.Decls {
		if object, ok := d.Type.(*ir.Object); ok {
			for _, f := range object.Fields {
				if value, err := strconv.Unquote(f.Default); err == nil {
					values[f.Wire] = value
				}
			}
		}
	}
	return values
}

// without returns a value without the members that have one of the given values.
func without(v any, values map[string]any) any {
	switch v := v.(type) {
	case map[string]any:
		kept := map[string]any{}
		for name, member := range v {
			if value, ok := values[name]; !ok || member != value {
				kept[name] = without(member, values)
			}
		}
		return kept
	case []any:
		kept := make([]any, len(v))
		for i, element := range v {
			kept[i] = without(element, values)
		}
		return kept
	}
	return v
}

func member(object any, names ...string) (any, bool) {
	value := object
	for _, name := range names {
		object, ok := value.(map[string]any)
		if !ok {
			return nil, false
		}
		if value, ok = object[name]; !ok {
			return nil, false
		}
	}
	return value, true
}

// check fails for deviations that explain nothing, and logs the counts of the others.
func (l *ledger) check(t *testing.T) {
	t.Helper()
	for _, row := range l.rows {
		for _, effect := range row.Effects {
			n := l.used[entry{row.Name, effect}]
			if n == 0 {
				t.Errorf("errata.yaml: stale deviation %q: it makes no value %s", row.Name, effect)
			}
			t.Logf("%s, %s: %d times", row.Name, effect, n)
		}
	}
}
