package lower

import (
	"fmt"
	"strings"

	"github.com/mcpgen/mcpgen/spec"
)

// overlay is the rows about one revision, each marked when it changes something.
type overlay struct {
	revision     string
	names        []*row[spec.NameRow]
	unions       []*row[spec.UnionRow]
	context      []*row[spec.ContextRow]
	results      []*row[spec.ResultRow]
	capabilities []*row[spec.CapabilityRow]
	enums        []*row[spec.EnumRow]
	initialisms  []string
	all          []mark
}

type row[T any] struct {
	it    T
	where string
	mark  *bool
}

func (r *row[T]) use() { *r.mark = true }

// mark remembers for the end which row was used.
type mark struct {
	used *bool
	// where the row stands: table and position.
	where, text string
	users       bool
}

func newOverlay(in Input) *overlay {
	o := &overlay{revision: in.Document.Revision}
	o.add(in.Extra, true)
	o.add(in.Overlay, false)
	return o
}

// add takes the rows of the revision's range. The user's come first, so that
// they win.
func (o *overlay) add(from *spec.Overlay, users bool) {
	if from == nil {
		return
	}
	o.names = collect(o, o.names, "names", from.Names, users, func(r spec.NameRow) (spec.Range, string) { return r.Range, r.At + " -> " + r.Name })
	o.unions = collect(o, o.unions, "unions", from.Unions, users, func(r spec.UnionRow) (spec.Range, string) { return r.Range, r.Variant })
	o.context = collect(o, o.context, "context", from.Context, users, func(r spec.ContextRow) (spec.Range, string) { return r.Range, r.Union })
	o.results = collect(o, o.results, "results", from.Results, users, func(r spec.ResultRow) (spec.Range, string) { return r.Range, r.Method })
	o.capabilities = collect(o, o.capabilities, "capabilities", from.Capabilities, users, func(r spec.CapabilityRow) (spec.Range, string) { return r.Range, r.Method })
	o.enums = collect(o, o.enums, "enums", from.Enums, users, func(r spec.EnumRow) (spec.Range, string) { return r.Range, r.Enum })
	o.initialisms = append(o.initialisms, from.Initialisms...)
}

func collect[T any](o *overlay, into []*row[T], table string, rows []T, users bool, describe func(T) (spec.Range, string)) []*row[T] {
	for i, r := range rows {
		within, text := describe(r)
		m := mark{used: new(bool), where: fmt.Sprintf("overlay %s/%d", table, i), text: text, users: users}
		if within.Contains(o.revision) || users {
			o.all = append(o.all, m) // the user's are for this revision
		}
		if !within.Contains(o.revision) {
			continue
		}
		into = append(into, &row[T]{r, m.where, m.used})
	}
	return into
}

// check fails on names that cannot be those of exported types.
func (o *overlay) check(fail func(pointer, format string, args ...any)) {
	for _, r := range o.names {
		if !isExported(r.it.Name) {
			fail(r.where, "%q cannot be the name of an exported type", r.it.Name)
		}
	}
	for _, r := range o.results {
		if !isExported(r.it.Name) {
			fail(r.where, "%q cannot be the name of an exported type", r.it.Name)
		}
	}
}

// unused reports the rows that changed nothing; they fail the run where they
// are held strictly.
func (o *overlay) unused(strict bool, fail func(pointer, format string, args ...any)) []string {
	var unused []string
	for _, m := range o.all {
		if *m.used {
			continue
		}
		unused = append(unused, m.where+": "+m.text)
		if strict || m.users {
			fail(m.where, "stale overlay row: %s matches nothing in this revision", m.text)
		}
	}
	return unused
}

// name returns the name a row gives the anonymous type at the path. A row for
// the very place wins over one with a star.
func (o *overlay) name(path string) (name string, star bool) {
	_, member, _ := strings.Cut(path, ".")
	for _, exact := range []bool{true, false} {
		for _, r := range o.names {
			if exact && r.it.At == path || !exact && r.it.At == "*."+member {
				r.use()
				return r.it.Name, !exact
			}
		}
	}
	return "", false
}

// when returns what the row for a variant asks for, if there is one.
func (o *overlay) when(variant string) (path []string, r *row[spec.UnionRow]) {
	for _, r := range o.unions {
		if r.it.Variant != variant {
			continue
		}
		if r.it.When != "" {
			path = strings.Split(r.it.When, ".")
		}
		return path, r
	}
	return nil, nil
}

// contextOf returns the row of a union that is known from its context.
func (o *overlay) contextOf(union string) *row[spec.ContextRow] {
	for _, r := range o.context {
		if r.it.Union == union {
			return r
		}
	}
	return nil
}

func (o *overlay) capability(method string) string {
	for _, r := range o.capabilities {
		if r.it.Method == method {
			r.use()
			return r.it.Capability
		}
	}
	return ""
}
