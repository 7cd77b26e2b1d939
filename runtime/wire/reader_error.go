package wire

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// fault is the reason why a text was refused.
type fault struct {
	at      int
	about   int // offset of the malformed value, or at
	problem string
	syntax  bool
	member  bool // the problem is a member whose name begins at at
}

func duplicateFault(at int, name string) fault {
	return fault{at: at, about: at, problem: "duplicate member " + strconv.Quote(shown(name)), member: true}
}

// place is what the pointer of an error refers to, relative to Reader.about.
type place uint8

const (
	atValue  place = iota // the value there, or its container if none begins there
	atMember              // the member whose name is there
	atObject              // the object whose closing brace is there
)

// Fail records that the value that comes next does not fit. The arguments are those of
// [fmt.Sprintf].
func (r *Reader) Fail(format string, args ...any) {
	if r.err == nil {
		r.fail(skipSpace(r.src, r.pos), fmt.Sprintf(format, args...))
	}
}

// fail records an error that is not a syntax error.
func (r *Reader) fail(at int, problem string) {
	r.err = &Error{Offset: int64(at), Problem: problem}
	r.about = at
	r.pos = max(r.pos, at)
}

// failSyntax records a syntax error.
func (r *Reader) failSyntax(at int, problem string) {
	r.fail(at, problem)
	r.err.Syntax = true
}

// failFound records that the grammar requires something else at i.
func (r *Reader) failFound(i int, want string) {
	r.failSyntax(i, "expected "+want+", found "+found(r.src, i))
}

// failScan records the fault of a scan that went as far as reach.
func (r *Reader) failScan(f fault, reach int) {
	r.fail(f.at, f.problem)
	r.about = f.about
	r.err.Syntax = f.syntax
	if f.member {
		r.place = atMember
	}
	r.pos = max(r.pos, reach)
}

// failString records the fault of the string at i, which was scanned up to reach.
func (r *Reader) failString(i, reach int) {
	at, problem := stringFault(r.src, i)
	r.failSyntax(at, problem)
	r.about = i
	r.pos = max(r.pos, reach)
}

// failKind records that the value at i has another kind than the wanted one, or the fault of a
// malformed value.
func (r *Reader) failKind(i int, want string) {
	if i >= len(r.src) || kindOf(r.src[i]) == KindInvalid {
		r.failFound(i, want)
		return
	}
	if r.trying == 0 { // otherwise the error is dropped, and the scan could cost much
		if end, _, reach, f := scanValue(r.src, i, r.depth); end < 0 {
			r.failScan(f, reach)
			return
		}
	}
	r.fail(i, "expected "+want+", found "+kindOf(r.src[i]).String())
}

// failToken records that the token just read does not fit.
func (r *Reader) failToken(token, problem string) {
	r.fail(r.pos-len(token), problem)
}

// Once sets a bit of seen for the current member, and fails if it is set already. Call it before
// the value is read.
func (r *Reader) Once(seen *uint64, bit uint) {
	mask := uint64(1) << bit
	if *seen&mask != 0 {
		r.Duplicate()
	}
	*seen |= mask
}

// Duplicate fails because the object has had a member with the current name before.
func (r *Reader) Duplicate() {
	if r.err == nil {
		r.failScan(duplicateFault(r.nameAt, r.Name()), r.pos)
	}
}

// Missing fails if the object that was closed last lacks members. It names every names[i] whose
// bit i is clear; bit i is bit i%64 of seen[i/64]. It ignores names that are "".
func (r *Reader) Missing(seen []uint64, names ...string) {
	if r.err != nil {
		return
	}
	var missing []string
	for i, name := range names {
		if name != "" && (i/64 >= len(seen) || seen[i/64]>>(i%64)&1 == 0) {
			missing = append(missing, strconv.Quote(name))
		}
	}
	switch len(missing) {
	case 0:
		return
	case 1:
		r.fail(r.pos-1, "missing member "+missing[0])
	default:
		r.fail(r.pos-1, "missing members "+strings.Join(missing, ", "))
	}
	r.place = atObject
}

// found describes the character at offset i of text for an error message.
func found(text string, i int) string {
	if i >= len(text) {
		return "the end of the text"
	}
	r, size := utf8.DecodeRuneInString(text[i:])
	if r == utf8.RuneError && size <= 1 {
		return "byte 0x" + strconv.FormatUint(uint64(text[i]), 16)
	}
	return strconv.QuoteRuneToASCII(r)
}

// shown returns text, truncated for an error message if it is long.
func shown(text string) string { return truncate(text, 40) }

// truncate returns text, truncated to most bytes and an ellipsis if it is longer.
func truncate[T ~string](text T, most int) T {
	if len(text) <= most {
		return text
	}
	return T(strings.ToValidUTF8(string(text[:most]), "")) + "..."
}
