package diff

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Bump says whether the version of a server has changed enough for the findings of a report.
type Bump struct {
	Old string `json:"old"`
	New string `json:"new"`
	// Part is the part of the version that has changed, and Needed the one that should change. In
	// versions 0.x, a change of the minor version counts as one of the major version, and a patch as
	// one of the minor version.
	Part   Version `json:"part" jsonschema:"enum=major,enum=minor,enum=patch,enum=none"`
	Needed Version `json:"needed" jsonschema:"enum=major,enum=minor,enum=patch,enum=none"`
	Enough bool    `json:"enough"`
}

// String describes the change of the version.
func (b *Bump) String() string {
	text := fmt.Sprintf("version %s -> %s: ", b.Old, b.New)
	if b.Enough {
		return text + "enough for the findings"
	}
	return text + fmt.Sprintf("a change of %s, but the findings demand %s", b.Part, b.Needed)
}

// CheckVersion sets [Report.Bump] for the semantic versions of the sides. It must run after
// [Policy.Apply].
func (r *Report) CheckVersion(old, new string) error {
	was, err := parseVersion(old)
	if err != nil {
		return err
	}
	is, err := parseVersion(new)
	if err != nil {
		return err
	}
	b := &Bump{Old: old, New: new, Part: was.change(is), Needed: r.Suggested}
	b.Enough = slices.Index(versions, b.Part) <= slices.Index(versions, b.Needed)
	r.Bump = b
	return nil
}

// semantic is a semantic version.
type semantic struct {
	core [3]uint64
	// before is the text after the hyphen of a version that is not released.
	before string
}

var semanticForm = regexp.MustCompile(`^v?(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$`)

func parseVersion(text string) (s semantic, err error) {
	parts := semanticForm.FindStringSubmatch(strings.TrimSpace(text))
	if parts == nil {
		return s, fmt.Errorf("the version %q is not a semantic version such as 1.2.3", text)
	}
	for i := range s.core {
		if s.core[i], err = strconv.ParseUint(parts[i+1], 10, 64); err != nil {
			return s, fmt.Errorf("the version %q: %w", text, err)
		}
	}
	s.before = parts[4]
	return s, nil
}

// change returns the part that the change to another version counts as. A version that is not
// released promises nothing, so what follows it counts as a major change.
func (s semantic) change(to semantic) Version {
	order := slices.Compare(s.core[:], to.core[:])
	switch {
	case order > 0 || order == 0 && (s.before == "" || s.before == to.before):
		return VersionNone
	case order == 0 || s.core[0] != to.core[0]:
		return Major
	}
	// 0.2.0 may break what 0.1.0 promises.
	minor, zero := s.core[1] != to.core[1], s.core[0] == 0
	switch {
	case minor && zero:
		return Major
	case minor || zero:
		return Minor
	}
	return Patch
}
