package page

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/gen/diff"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// excerpt is the part of a side at the place of a finding.
type excerpt struct {
	Label string
	Place diff.Place
	// Rows is empty if the side has nothing at the place.
	Rows []excerptRow
	// Prose means that the text is for people or models, not JSON.
	Prose  bool
	Errata []diff.Corrected
}

// excerptRow is a line of an excerpt. Kind is "" for a line that both sides have, "del" or
// "ins" for a line that only this side has, "pad" for a gap next to a line of the other side,
// and "fold" for a note about omitted lines.
type excerptRow struct {
	Kind                string
	Before, Mark, After string
}

const (
	contextLines = 3   // unchanged lines shown around a change
	maxRows      = 48  // rows of an excerpt
	maxClear     = 160 // bytes of a line shown on either side of a marked part
	maxMark      = 1200
)

// excerpts returns the parts of both sides at the places of a finding.
func (s *speaker) excerpts(f *diff.Finding) (was, is *excerpt) {
	r, old, new := s.report, s.old, s.new
	was, is = &excerpt{Label: old.Label, Place: f.Old}, &excerpt{Label: new.Label, Place: f.New}
	if s.detail(f) == "" { // the excerpt is the whole value at the place
		was.Errata, is.Errata = errata(r, "old", f.Old), errata(r, "new", f.New)
	}
	a, b := s.focus(f)
	oldText, newText := a.text(), b.text()
	_, aText := a.str()
	_, bText := b.str()
	was.Prose, is.Prose = aText, bText
	switch side := standsAlone(f); {
	case side == come && newText != "":
		was.Rows, is.Rows = plain(oldText, ""), plain(newText, "ins")
	case side == gone && oldText != "":
		was.Rows, is.Rows = plain(oldText, "del"), plain(newText, "")
	case oldText == "" || newText == "":
		was.Rows, is.Rows = plain(oldText, "del"), plain(newText, "ins")
	default:
		was.Rows, is.Rows = columns(lineDiff(oldText, newText))
	}
	return was, is
}

// standsAlone returns come or gone if one place of a finding is a variant that was added or
// removed and the other place is the union. It returns same if the places are two versions of
// one value.
func standsAlone(f *diff.Finding) change {
	switch f.Rule {
	case "variant-added", "variant-split":
		return come
	case "variant-removed", "variant-merged":
		return gone
	}
	return same
}

// focus returns the smallest values that show a finding's change.
func (s *speaker) focus(f *diff.Finding) (was, is *node) {
	old, new := s.old.root, s.new.root
	if f.Old.Pointer != "" {
		was = old.at(f.Old.Pointer)
	}
	if f.New.Pointer != "" {
		is = new.at(f.New.Pointer)
	}
	if name := argument(f, 0); s.rules[f.Rule].Presence && name != "" {
		a, b := old.at(parent(f.Old.Pointer, name)), new.at(parent(f.New.Pointer, name))
		if a != nil && b != nil {
			return a.onlyMember(name), b.onlyMember(name)
		}
	}
	if name := s.detail(f); name != "" {
		if a, b := was.child(name), is.child(name); a != nil || b != nil {
			return a, b
		}
	}
	return was, is
}

// parent returns the pointer of the object that contains a member. The pointer may already be
// that of the object.
func parent(pointer, name string) string {
	return strings.TrimSuffix(pointer, wire.ChildPointer("/properties", name))
}

// detail returns the name of the member at a finding's places that the excerpt shows, or ""
// if the excerpt shows the whole value. A change of a schema needs the whole schema.
func (s *speaker) detail(f *diff.Finding) string {
	r := s.rules[f.Rule]
	if r.Category == diff.CategoryWire || r.Category == diff.CategoryMethods {
		return ""
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(r.Changed(f.Args), "/"), "/")
	return name
}

// argument returns an argument of a finding, or "" if it has fewer arguments.
func argument(f *diff.Finding, i int) string {
	if i >= len(f.Args) {
		return ""
	}
	return f.Args[i]
}

// onlyMember returns the parts of an object's schema that concern one member.
func (n *node) onlyMember(name string) *node {
	var parts []string
	if member := n.child("properties").child(name); member != nil {
		key, _ := json.Marshal(name) // a string always has a JSON form
		parts = append(parts, fmt.Sprintf(`"properties":{%s:%s}`, key, member.raw))
	}
	for _, keyword := range []string{"required", "additionalProperties"} {
		if found := n.child(keyword); found != nil {
			parts = append(parts, fmt.Sprintf(`"%s":%s`, keyword, found.raw))
		}
	}
	return &node{raw: json.RawMessage("{" + strings.Join(parts, ",") + "}")}
}

// plain returns all lines of a text as rows of one kind.
func plain(text, kind string) []excerptRow {
	var rows []excerptRow
	for _, l := range lines(text) {
		rows = append(rows, clip(line{text: l}, kind))
	}
	return limit(rows)
}

// columns arranges lines in two columns. Changed lines stand next to their counterparts, and
// long runs of unchanged lines are folded.
func columns(all []line) (was, is []excerptRow) {
	for start := 0; start < len(all); {
		end := start
		for end < len(all) && (all[end].change == same) == (all[start].change == same) {
			end++
		}
		block := all[start:end]
		if block[0].change == same {
			rows := fold(block, start == 0, end == len(all))
			was, is = append(was, rows...), append(is, rows...)
		} else {
			for _, l := range block {
				if l.change == gone {
					was = append(was, clip(l, "del"))
				} else {
					is = append(is, clip(l, "ins"))
				}
			}
			was, is = pad(was, len(is)), pad(is, len(was))
		}
		start = end
	}
	return limit(was), limit(is)
}

// pad extends a column to n rows.
func pad(rows []excerptRow, n int) []excerptRow {
	for len(rows) < n {
		rows = append(rows, excerptRow{Kind: "pad"})
	}
	return rows
}

// fold returns the lines of an unchanged block that are close to a change.
func fold(block []line, first, last bool) []excerptRow {
	head, tail := contextLines, contextLines
	if first {
		head = 0
	}
	if last {
		tail = 0
	}
	if first && last { // nothing changed in the text
		head = len(block)
	}
	var rows []excerptRow
	for i, l := range block {
		switch rest := len(block) - head - tail; {
		case i < head || i >= len(block)-tail || rest <= 1:
			rows = append(rows, clip(l, ""))
		case i == head:
			rows = append(rows, excerptRow{Kind: "fold", Before: fmt.Sprintf("⋯ %d unchanged lines", rest)})
		}
	}
	return rows
}

// limit truncates a long excerpt.
func limit(rows []excerptRow) []excerptRow {
	if len(rows) <= maxRows {
		return rows
	}
	rest := len(rows) - maxRows + 1
	return append(rows[:maxRows-1:maxRows-1], excerptRow{Kind: "fold", Before: fmt.Sprintf("⋯ %d more lines", rest)})
}

// clip converts a line to a row, and shortens the parts before, inside and after the mark.
func clip(l line, kind string) excerptRow {
	if l.from >= l.to {
		return excerptRow{Kind: kind, Before: visible(clipEnd(l.text, 3*maxClear))}
	}
	before, mark, after := l.text[:l.from], l.text[l.from:l.to], l.text[l.to:]
	return excerptRow{kind, visible(clipStart(before, maxClear)), visible(clipEnd(mark, maxMark)), visible(clipEnd(after, maxClear))}
}

func clipEnd(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

func clipStart(s string, n int) string {
	if len(s) <= n {
		return s
	}
	i := len(s) - n
	for i < len(s) && !utf8.RuneStart(s[i]) {
		i++
	}
	return "…" + s[i:]
}
