package wire

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// fault is why a text was refused.
type fault struct {
	at      int
	about   int // where the value begins that is malformed, or at
	problem string
	syntax  bool
	member  bool // at is where a member's name begins, and the trouble is that member
}

func duplicateFault(at int, name string) fault {
	return fault{at: at, about: at, problem: "duplicate member " + strconv.Quote(shown(name)), member: true}
}

// place says what an error's pointer shall name, as seen from Reader.about.
type place uint8

const (
	atValue  place = iota // the value there, or its container where none begins
	atMember              // the member whose name is there
	atObject              // the object whose closing brace is there
)

// Fail records an error about the value that comes next: not that it is
// malformed, but that it does not fit. The arguments are those of [fmt.Sprintf].
func (r *Reader) Fail(format string, args ...any) {
	if r.err == nil {
		r.fail(skipSpace(r.src, r.pos), fmt.Sprintf(format, args...))
	}
}

// fail records an error that is not about syntax.
func (r *Reader) fail(at int, problem string) {
	r.err = &Error{Offset: int64(at), Problem: problem}
	r.about = at
	r.pos = max(r.pos, at)
}

// failSyntax records that the text is no JSON.
func (r *Reader) failSyntax(at int, problem string) {
	r.fail(at, problem)
	r.err.Syntax = true
}

// failFound records that at i there is not what the grammar wants.
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

// failString records what is wrong with the string at i that was scanned up to reach.
func (r *Reader) failString(i, reach int) {
	at, problem := stringFault(r.src, i)
	r.failSyntax(at, problem)
	r.about = i
	r.pos = max(r.pos, reach)
}

// failKind records that the value at i is well formed but not the one wanted,
// or else what is wrong with it.
func (r *Reader) failKind(i int, want string) {
	if i >= len(r.src) || kindOf(r.src[i]) == KindInvalid {
		r.failFound(i, want)
		return
	}
	if r.trying == 0 { // else the error is forgotten, and the check could cost much
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

// Once sets a bit of seen for the current member, and fails when it is set
// already. It is to be called before the value is read.
func (r *Reader) Once(seen *uint64, bit uint) {
	mask := uint64(1) << bit
	if *seen&mask != 0 {
		r.Duplicate()
	}
	*seen |= mask
}

// Duplicate fails because the current member's name has been there before.
func (r *Reader) Duplicate() {
	if r.err == nil {
		r.failScan(duplicateFault(r.nameAt, r.Name()), r.pos)
	}
}

// Missing fails about the object that was closed last, naming every names[i]
// other than "" whose bit i of seen is clear; bit i is bit i%64 of seen[i/64].
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

// found describes what stands at offset i of text for an error message.
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

// maxShown bounds how much of a peer's text goes into an error message.
const maxShown = 40

// shown returns text, shortened where it is long.
func shown(text string) string {
	if len(text) <= maxShown {
		return text
	}
	return strings.ToValidUTF8(text[:maxShown], "") + "..."
}
