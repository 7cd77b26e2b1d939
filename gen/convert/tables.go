package convert

import (
	"errors"
	"fmt"
	"slices"
)

// tables holds the rows of the table and records which of them are used.
type tables struct {
	renames  []rename
	variants []variantRow
	members  []memberRow
	used     map[string]bool
}

func newTables() *tables {
	return &tables{renames(), variantRows(), memberRows(), map[string]bool{}}
}

// rename returns the other name of a declaration in a step.
func (t *tables) rename(since, name string, up bool) (string, bool) {
	for i, r := range t.renames {
		from, to := r.older, r.newer
		if !up {
			from, to = to, from
		}
		if r.since == since && from == name {
			t.use("rename", i)
			return to, true
		}
	}
	return "", false
}

// claimed reports whether a name belongs to a different declaration in the revision that
// values are converted to.
func (t *tables) claimed(since, name string, up bool) bool {
	_, ok := t.rename(since, name, !up)
	return ok
}

// variant returns the row for a variant.
func (t *tables) variant(since, union, variant string) (variantRow, bool) {
	for i, r := range t.variants {
		if (r.since == since || r.since == "") && r.union == union && (r.variant == variant || r.variant == "*") {
			t.use("variant", i)
			return r, true
		}
	}
	return variantRow{}, false
}

// member returns the row for a member with one of the treatments.
func (t *tables) member(since, decl, member string, do treatment) (memberRow, bool) {
	for i, r := range t.members {
		if r.since == since && (r.decl == decl || r.decl == "*") && r.member == member && r.do == do {
			t.use("member", i)
			return r, true
		}
	}
	return memberRow{}, false
}

func (t *tables) use(kind string, i int) { t.used[fmt.Sprint(kind, i)] = true }

// unused returns an error for each row that no step uses. The steps are named by their
// newer revision; rows of other steps are ignored.
func (t *tables) unused(steps []string) error {
	var errs []error
	stale := func(kind string, i int, since, what string) {
		if (since == "" || slices.Contains(steps, since)) && !t.used[fmt.Sprint(kind, i)] {
			errs = append(errs, fmt.Errorf("gen/convert: stale row of the table, since %q: %s", since, what))
		}
	}
	for i, r := range t.renames {
		stale("rename", i, r.since, r.newer)
	}
	for i, r := range t.variants {
		if r.since != "" || t.complete(steps) {
			stale("variant", i, r.since, r.union+" "+r.variant)
		}
	}
	for i, r := range t.members {
		stale("member", i, r.since, r.decl+"."+r.member)
	}
	return errors.Join(errs...)
}

// complete reports whether the steps are all that the table mentions.
func (t *tables) complete(steps []string) bool {
	for _, r := range t.variants {
		if r.since != "" && !slices.Contains(steps, r.since) {
			return false
		}
	}
	return true
}
