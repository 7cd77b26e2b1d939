package convert

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/runtime/convert"
	"github.com/mcpgen/mcpgen/runtime/wire"
	"github.com/mcpgen/mcpgen/spec"
)

// tables holds the rows, records which of them are used, and collects errors.
type tables struct {
	rows   *spec.Conversions
	used   map[*spec.StepRow]bool
	misfit map[*spec.StepRow]error // why a value was not used where it was needed
	errs   []error
}

func newTables(rows *spec.Conversions) *tables {
	t := &tables{rows: rows, used: map[*spec.StepRow]bool{}, misfit: map[*spec.StepRow]error{}}
	for i := range rows.Variants {
		r := &rows.Variants[i]
		t.checkFunction(&r.StepRow, r.Rewrite)
		if r.Rewrite != "" && r.As == "" {
			t.fail(&r.StepRow, "rewrite needs as, the definition that %s returns", r.Rewrite)
		}
	}
	for i := range rows.Members {
		r := &rows.Members[i]
		t.checkFunction(&r.StepRow, r.Rewrite)
		if _, ok := convert.KnownFacts()[r.Session]; r.Session != "" && !ok {
			facts := slices.Sorted(maps.Keys(convert.KnownFacts()))
			t.fail(&r.StepRow, "unknown fact %q; the facts are %s", r.Session, strings.Join(facts, ", "))
		}
		if r.Older != "" && r.Object == "*" {
			t.fail(&r.StepRow, "older needs the object of the member")
		}
		set := 0
		for _, is := range []bool{r.Older != "", r.Value != nil, r.Session != "", r.Rewrite != "", r.Carry, r.Handled, r.Drop, r.LeaveOut} {
			if is {
				set++
			}
		}
		if r.Up && r.Rewrite == "" && !r.LeaveOut {
			t.fail(&r.StepRow, "up is for rewrite and leaveOut")
		}
		if set > 1 {
			t.fail(&r.StepRow, "the row of %s.%s has several of older, value, session, rewrite, carry, handled, drop and leaveOut", r.Object, r.Member)
		}
	}
	return t
}

func (t *tables) checkFunction(r *spec.StepRow, name string) {
	if all := convert.Policies(); name != "" && !slices.Contains(all, name) {
		t.fail(r, "unknown function %q; the functions are %s", name, strings.Join(all, ", "))
	}
}

func (t *tables) fail(r *spec.StepRow, format string, args ...any) {
	t.errs = append(t.errs, fmt.Errorf("%s: %s", r.Where, fmt.Sprintf(format, args...)))
}

func (t *tables) use(r *spec.StepRow) { t.used[r] = true }

// find returns the first row of a table that is for a step and satisfies a condition, or nil.
func find[T interface{ AppliesTo(step string) bool }](rows []T, step string, is func(*T) bool) *T {
	for i := range rows {
		if rows[i].AppliesTo(step) && is(&rows[i]) {
			return &rows[i]
		}
	}
	return nil
}

// rename returns the other name of a declaration in a step and the row that has it, or nil. The caller marks the row
// as used.
func (t *tables) rename(step, name string, up bool) (string, *spec.RenameRow) {
	r := find(t.rows.Renames, step, func(r *spec.RenameRow) bool { return up && r.Older == name || !up && r.Newer == name })
	switch {
	case r == nil:
		return "", nil
	case up:
		return r.Newer, r
	}
	return r.Older, r
}

// claimed reports whether a name belongs to a different declaration in the revision that
// values are converted to.
func (t *tables) claimed(step, name string, up bool) bool {
	_, r := t.rename(step, name, !up)
	return r != nil
}

// variant returns the row for a variant of a union that becomes a value of the definition into, or nil if
// there is none. into is "" for rows that name no definition.
func (t *tables) variant(step, union, variant, into string) *spec.VariantRow {
	r := find(t.rows.Variants, step, func(r *spec.VariantRow) bool { return r.Union == union && r.Variant == variant && r.Into == into })
	if r != nil {
		t.use(&r.StepRow)
	}
	return r
}

// member returns the row for a member that satisfies a condition, or nil. A row for the object
// takes precedence over one for all objects. The caller marks it as used.
func (t *tables) member(step, object, member string, is func(*spec.MemberRow) bool) *spec.MemberRow {
	for _, object := range []string{object, "*"} {
		if r := find(t.rows.Members, step, func(r *spec.MemberRow) bool { return r.Object == object && r.Member == member && is(r) }); r != nil {
			return r
		}
	}
	return nil
}

// renamed returns the row of a member that has another name in the older revision, or nil. The name
// is the older one if up is set.
func (t *tables) renamed(step, object, name string, up bool) *spec.MemberRow {
	return find(t.rows.Members, step, func(r *spec.MemberRow) bool {
		return r.Older != "" && r.Object == object && (up && r.Older == name || !up && r.Member == name)
	})
}

// definition returns the row for the values of a definition, or nil. The caller marks it as used.
func (t *tables) definition(step, name string) *spec.DefinitionRow {
	return find(t.rows.Definitions, step, func(r *spec.DefinitionRow) bool { return r.Definition == name })
}

// value returns the row for a value of an enum, or nil.
func (t *tables) value(step, enum, value string) *spec.ValueMapping {
	r := find(t.rows.Values, step, func(r *spec.ValueMapping) bool { return r.Enum == enum && r.Value == value })
	if r != nil {
		t.use(&r.StepRow)
	}
	return r
}

// errors returns the rows for the codes of errors of a step.
func (t *tables) errors(step string, methods []*ir.Method) []ErrorCode {
	var all []ErrorCode
	for i := range t.rows.Errors {
		r := &t.rows.Errors[i]
		known := r.Method == "*" || slices.ContainsFunc(methods, func(m *ir.Method) bool { return m.Wire == r.Method })
		if r.AppliesTo(step) && known {
			t.use(&r.StepRow)
			all = append(all, ErrorCode{r.Older, r.Newer, strings.TrimPrefix(r.Method, "*"), r.Data})
		}
	}
	return all
}

// The kinds of rows of members.
func hasValue(r *spec.MemberRow) bool   { return r.Value != nil }
func hasSession(r *spec.MemberRow) bool { return r.Session != "" }
func carries(r *spec.MemberRow) bool    { return r.Carry }
func handled(r *spec.MemberRow) bool    { return r.Handled }
func drops(r *spec.MemberRow) bool      { return r.Drop }
func refuses(r *spec.MemberRow) bool {
	return r.Older == "" && r.Value == nil && r.Session == "" && r.Rewrite == "" && !r.Carry && !r.Handled && !r.Drop && !r.LeaveOut
}

func rewrites(up bool) func(*spec.MemberRow) bool {
	return func(r *spec.MemberRow) bool { return r.Rewrite != "" && r.Up == up }
}

func leavesOut(up bool) func(*spec.MemberRow) bool {
	return func(r *spec.MemberRow) bool { return r.LeaveOut && r.Up == up }
}

// stale records an error for each row that no step uses.
func (t *tables) stale(steps []string) {
	unused(t, steps, t.rows.Renames, func(r *spec.RenameRow) (*spec.StepRow, string) { return &r.StepRow, r.Older + " -> " + r.Newer })
	unused(t, steps, t.rows.Variants, func(r *spec.VariantRow) (*spec.StepRow, string) {
		name := r.Variant + " of " + r.Union
		if r.Into != "" {
			name += " into " + r.Into
		}
		return &r.StepRow, name
	})
	unused(t, steps, t.rows.Members, func(r *spec.MemberRow) (*spec.StepRow, string) { return &r.StepRow, r.Object + "." + r.Member })
	unused(t, steps, t.rows.Definitions, func(r *spec.DefinitionRow) (*spec.StepRow, string) { return &r.StepRow, r.Definition })
	unused(t, steps, t.rows.Errors, func(r *spec.ErrorRow) (*spec.StepRow, string) {
		return &r.StepRow, fmt.Sprintf("error %d of %q", r.Older, r.Method)
	})
	unused(t, steps, t.rows.Values, func(r *spec.ValueMapping) (*spec.StepRow, string) {
		return &r.StepRow, fmt.Sprintf("%q of %s", r.Value, r.Enum)
	})
}

// unused is stale for the rows of one table, each of which the function describes.
func unused[T any](t *tables, steps []string, rows []T, of func(*T) (*spec.StepRow, string)) {
	for i := range rows {
		switch r, row := of(&rows[i]); {
		case t.used[r]:
		case t.misfit[r] != nil:
			t.errs = append(t.errs, t.misfit[r])
		case !slices.ContainsFunc(steps, r.AppliesTo):
			t.fail(r, "stale row: %s: no pinned revision is in its range", row)
		default:
			t.fail(r, "stale row: %s matches no difference between the revisions of its range", row)
		}
	}
}

// fits reports whether the value of a row is valid for a type, and records why not.
func (t *tables) fits(r *spec.MemberRow, f *ir.Field) bool {
	problem := ir.Misfit(f.Type, wire.Raw(*r.Value), true)
	if problem == "" && f.Const != nil && string(*r.Value) != jsonOf(f.Const) {
		problem = "it must be " + jsonOf(f.Const)
	}
	if problem != "" {
		t.misfit[&r.StepRow] = fmt.Errorf("%s: %s.%s cannot be %s: %s", r.Where, r.Object, r.Member, *r.Value, problem)
	}
	return problem == ""
}
