package lower

import (
	"fmt"
	"strings"

	"github.com/mcpgen/mcpgen/spec"
)

// overlay holds the rows for one revision and records which of them were used.
type overlay struct {
	revision     string
	names        []*row[spec.NameRow]
	unions       []*row[spec.UnionRow]
	values       []*row[spec.ValueRow]
	context      []*row[spec.ContextRow]
	results      []*row[spec.ResultRow]
	capabilities []*row[spec.CapabilityRow]
	headers      []*row[spec.HeaderRow]
	http         []*row[spec.HTTPRow]
	enums        []*row[spec.EnumRow]
	senders      []*row[spec.SenderRow]
	settings     []*row[spec.SettingsRow]
	replies      []*row[spec.ReplyRow]
	filters      []*row[spec.FilterRow]
	initialisms  []string
	all          []mark
}

type row[T any] struct {
	it    T
	where string
	mark  *bool
}

func (r *row[T]) use() { *r.mark = true }

// mark records whether a row was used.
type mark struct {
	used *bool
	// where is the place of the row, and text its content.
	where, text string
	users       bool
}

func newOverlay(in Input) *overlay {
	o := &overlay{revision: in.Document.Revision}
	o.add(in.Extra, true)
	o.add(in.Overlay, false)
	return o
}

// add adds the rows whose range includes the revision. The user's rows are added first, so that
// they take precedence.
func (o *overlay) add(from *spec.Overlay, users bool) {
	if from == nil {
		return
	}
	o.names = collect(o, o.names, from.At, "names", from.Names, users, func(r spec.NameRow) string { return r.At + " -> " + r.Name })
	o.unions = collect(o, o.unions, from.At, "unions", from.Unions, users, func(r spec.UnionRow) string { return r.Variant })
	o.values = collect(o, o.values, from.At, "values", from.Values, users, func(r spec.ValueRow) string { return r.At })
	o.context = collect(o, o.context, from.At, "context", from.Context, users, func(r spec.ContextRow) string { return r.Union })
	o.results = collect(o, o.results, from.At, "results", from.Results, users, func(r spec.ResultRow) string { return r.Method })
	o.capabilities = collect(o, o.capabilities, from.At, "capabilities", from.Capabilities, users, func(r spec.CapabilityRow) string { return r.Method })
	o.headers = collect(o, o.headers, from.At, "headers", from.Headers, users, func(r spec.HeaderRow) string { return r.Method })
	o.http = collect(o, o.http, from.At, "http", from.HTTP, users, func(r spec.HTTPRow) string { return r.Header })
	o.enums = collect(o, o.enums, from.At, "enums", from.Enums, users, func(r spec.EnumRow) string { return r.Enum })
	o.senders = collect(o, o.senders, from.At, "senders", from.Senders, users, func(r spec.SenderRow) string { return r.Method })
	o.settings = collect(o, o.settings, from.At, "settings", from.Settings, users, func(r spec.SettingsRow) string { return r.Definition })
	o.replies = collect(o, o.replies, from.At, "replies", from.Replies, users, func(r spec.ReplyRow) string { return r.Method })
	o.filters = collect(o, o.filters, from.At, "filters", from.Filters, users, func(r spec.FilterRow) string { return r.Member })
	o.initialisms = append(o.initialisms, from.Initialisms...)
}

// ranged is a row that embeds spec.Range.
type ranged interface{ Contains(revision string) bool }

func collect[T ranged](o *overlay, into []*row[T], at func(string) string, table string, rows []T, users bool, describe func(T) string) []*row[T] {
	for i, r := range rows {
		m := mark{used: new(bool), where: at(fmt.Sprintf("%s/%d", table, i)), text: describe(r), users: users}
		within := r.Contains(o.revision)
		if within || users {
			o.all = append(o.all, m) // all rows of the user are for this revision
		}
		if !within {
			continue
		}
		into = append(into, &row[T]{r, m.where, m.used})
	}
	return into
}

// check fails if a name is not an exported identifier.
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

// unused returns the rows that changed nothing. Such a row is an error if strict is set, and
// always if it is the user's.
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

// nameRow describes the row that names the type at a path, or a definition.
func (l *lowerer) nameRow(path string) string {
	return fmt.Sprintf("a row of names in overlay.yaml can name it: {at: %q, name: NAME, since: %q}", path, l.doc.Revision)
}

// name returns the name that a row has for the anonymous type at a path, or "". A row for
// the exact path takes precedence over a row with a star.
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

// value returns the row that fixes the value of a definition's member, or nil. A row for the
// exact place takes precedence over a row with a star.
func (o *overlay) value(definition, member string) *row[spec.ValueRow] {
	for _, at := range []string{definition, "*"} {
		for _, r := range o.values {
			if r.it.At == at+"."+member {
				return r
			}
		}
	}
	return nil
}

// when returns the path that a variant must have, and its row, or nil.
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

// contextOf returns the row of a union whose variant depends on the request, or nil.
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
