package lower

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"

	"github.com/mcpgen/mcpgen/gen/names"
	"github.com/mcpgen/mcpgen/spec"
)

// overlay holds the rows for one revision and records which of them were used.
type overlay struct {
	revision    string
	rows        []*mark
	initialisms []string
}

// mark is a row of any table.
type mark struct {
	it spec.Row
	// where is the place of the row, and text its content.
	where, text string
	// within means that the row is for the revision.
	within, users, used bool
}

func (m *mark) use() { m.used = true }

// row is a row of one table.
type row[T spec.Row] struct {
	it T
	*mark
}

// rowsOf returns the rows of a table that are for the revision. The user's rows are first, so that they take
// precedence.
func rowsOf[T spec.Row](o *overlay) []row[T] {
	var rows []row[T]
	for _, m := range o.rows {
		if it, ok := m.it.(T); ok && m.within {
			rows = append(rows, row[T]{it, m})
		}
	}
	return rows
}

func newOverlay(in Input) *overlay {
	o := &overlay{revision: in.Document.Revision}
	for _, from := range []*spec.Overlay{in.Extra, in.Overlay} {
		if from == nil {
			continue
		}
		for where, it := range from.Rows() {
			text := reflect.ValueOf(it).Field(1).String() // the column that says what the row is for
			if named, ok := it.(spec.NameRow); ok {
				text += " -> " + named.Name
			}
			o.rows = append(o.rows, &mark{it, where, text, it.Contains(o.revision), from == in.Extra, false})
		}
		o.initialisms = append(o.initialisms, from.Initialisms...)
	}
	return o
}

// check fails if a name is not an exported identifier.
func (o *overlay) check(fail func(pointer, format string, args ...any)) {
	exported := func(name, where string) {
		if !names.IsExported(name) {
			fail(where, "%q cannot be the name of an exported type", name)
		}
	}
	for _, r := range rowsOf[spec.NameRow](o) {
		exported(r.it.Name, r.where)
	}
	for _, r := range rowsOf[spec.ResultRow](o) {
		exported(r.it.Name, r.where)
	}
}

// unused returns the rows that changed nothing. Such a row is an error if strict is set, and
// always if it is the user's.
func (o *overlay) unused(strict bool, fail func(pointer, format string, args ...any)) []string {
	var unused []string
	for _, m := range o.rows {
		if m.used || !m.within && !m.users { // all rows of the user are for this revision
			continue
		}
		unused = append(unused, m.where+": "+m.text)
		if strict || m.users {
			fail(m.where, "stale overlay row: %s matches nothing in this revision", m.text)
		}
	}
	return unused
}

// nameRow describes the row that names the type at a path, or a definition.
func (l *lowerer) nameRow(path string) string {
	return fmt.Sprintf("a row of names in overlay.yaml can name it: {at: %q, name: NAME, since: %q}", path, l.doc.Revision)
}

// name returns the name that a row has for the anonymous type at a path, or "". A row for
// the exact path takes precedence over a row with a star.
func (o *overlay) name(path string) (name string, star bool) {
	_, member, _ := strings.Cut(path, ".")
	for _, at := range []string{path, "*." + member} {
		if r := first(o, func(r spec.NameRow) bool { return r.At == at }); r != nil {
			r.use()
			return r.it.Name, at != path
		}
	}
	return "", false
}

// first returns the first row of a table for which a condition holds, or nil.
func first[T spec.Row](o *overlay, is func(T) bool) *row[T] {
	for _, r := range rowsOf[T](o) {
		if is(r.it) {
			return &r
		}
	}
	return nil
}

// value returns the row that fixes the value of a definition's member, or nil. A row for the
// exact place takes precedence over a row with a star.
func (o *overlay) value(definition, member string) *row[spec.ValueRow] {
	at := func(object string) *row[spec.ValueRow] {
		return first(o, func(r spec.ValueRow) bool { return r.At == object+"."+member })
	}
	return cmp.Or(at(definition), at("*"))
}

// when returns the path that a variant must have and the row that says so, or nil.
func (o *overlay) when(variant string) (path []string, r *row[spec.UnionRow]) {
	r = first(o, func(r spec.UnionRow) bool { return r.Variant == variant })
	if r != nil && r.it.When != "" {
		path = strings.Split(r.it.When, ".")
	}
	return path, r
}

func (o *overlay) capability(method string) string {
	r := first(o, func(r spec.CapabilityRow) bool { return r.Method == method })
	if r == nil {
		return ""
	}
	r.use()
	return r.it.Capability
}
