package dynamic

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Translate returns the regular expression of package regexp that matches the same strings
// as a regular expression of ECMA-262 with the u flag. ok is false if there is none or if
// it cannot be found piece by piece.
//
// The two languages differ in the meaning of \s and of the dot, in their escapes, and in
// the characters that need an escape in brackets. Only ECMA-262 has lookaround and
// backreferences.
func Translate(source string) (re2 string, ok bool) {
	t := &translator{rest: source}
	for t.rest != "" {
		if !t.piece() {
			return "", false
		}
	}
	if _, err := regexp.Compile(t.out.String()); err != nil {
		return "", false
	}
	return t.out.String(), true
}

type translator struct {
	rest string // of the source
	out  strings.Builder

	class bool // rest begins within brackets
	last  atom // the last piece in brackets, if it can begin a pair with a hyphen between
	ends  bool // the next piece ends such a pair
}

// atom is a piece in brackets.
type atom uint8

const (
	neither atom = iota
	single       // a character
	several      // a set of characters
)

// follows notes that a piece was written.
func (t *translator) follows(a atom) {
	if t.ends {
		a = neither
	}
	t.last, t.ends = a, false
}

// escapes matches an escape. The groups are a pair of surrogates, the digits of a character in three notations, a
// set, a control letter, a letter that stands for a character or a boundary, and a character that stands for itself.
var escapes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\\(?:u([dD][89abAB]\w\w)\\u([dD][c-fC-F]\w\w)|u\{(\w+)\}|u(\w{4})|x(\w{2})|` +
		`([dDwWsS]|[pP]\{\w+\})|c([A-Za-z])|([tnvfr0bB])|([[:punct:]]))`)
})

// repeats matches a number of repetitions.
var repeats = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\{\d+(?:,\d*)?\}`) })

// White space and line terminators of ECMA-262, for use in brackets.
const (
	spaces   = `\t\n\v\f\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`
	lineEnds = `\n\r\x{2028}\x{2029}`
)

// piece translates what comes next: an escape, a character, or the beginning or the end of a group or brackets. It
// returns false for what it cannot translate.
func (t *translator) piece() bool {
	r, size := utf8.DecodeRuneInString(t.rest)
	switch {
	case r == '\\':
		return t.escape()
	case t.class:
		t.rest = t.rest[size:]
		t.inside(r)
	case r == '[':
		return t.brackets()
	case r == '{':
		n := repeats().FindString(t.rest)
		t.out.WriteString(n)
		t.rest = t.rest[len(n):]
		return n != "" // a brace alone is an error or a literal, depending on the flag
	case strings.HasPrefix(t.rest, "(?"):
		t.out.WriteString("(?:")
		rest, ok := strings.CutPrefix(t.rest, "(?:")
		t.rest = rest
		return ok // all others are lookaround, a named group or flags
	case r == '.':
		t.rest = t.rest[size:]
		t.out.WriteString("[^" + lineEnds + "]")
	case strings.ContainsRune("^$|()*+?", r):
		t.rest = t.rest[size:]
		t.out.WriteRune(r)
	default:
		t.rest = t.rest[size:]
		t.char(r)
	}
	return true
}

// brackets translates the beginning of a bracket expression.
func (t *translator) brackets() bool {
	begin := "["
	if strings.HasPrefix(t.rest, "[^") {
		begin = "[^"
	}
	t.out.WriteString(begin)
	t.rest, t.class, t.last, t.ends = t.rest[len(begin):], true, neither, false
	return !strings.HasPrefix(t.rest, "]") // ECMA-262 matches no character with [], and any with [^]
}

// inside translates a character in brackets that is not part of an escape.
func (t *translator) inside(r rune) {
	switch {
	case r == ']':
		t.class = false
		t.out.WriteByte(']')
	case r == '-' && t.last != neither && !strings.HasPrefix(t.rest, "]"):
		set, _ := regexp.MatchString(`^\\[dDwWsSpP]`, t.rest)
		if set || t.last == several { // with a set, it is no range
			t.out.WriteByte('\\')
		}
		t.out.WriteByte('-')
		t.last, t.ends = neither, true
	default:
		t.char(r)
	}
}

// char writes a character, escaped if it would have a special meaning.
func (t *translator) char(r rune) {
	t.follows(single)
	switch {
	case t.class && r == '-':
		t.out.WriteString(`\-`)
	case r <= unicode.MaxASCII && (unicode.IsPunct(r) || unicode.IsSymbol(r)) && !strings.ContainsRune("_-/:,;@#%&=!<>~'\"`", r):
		t.out.WriteString(`\` + string(r))
	case !unicode.IsPrint(r):
		fmt.Fprintf(&t.out, `\x{%x}`, r)
	default:
		t.out.WriteRune(r)
	}
}

// escape translates an escape.
func (t *translator) escape() bool {
	m := escapes().FindStringSubmatch(t.rest)
	if m == nil {
		return false
	}
	t.rest = t.rest[len(m[0]):]
	high, low, digits, set, control, letter, itself := m[1], m[2], m[3]+m[4]+m[5], m[6], m[7], m[8], m[9]
	switch {
	case set != "":
		return t.set(set)
	case control != "":
		t.char(rune(control[0] % 32))
	case itself != "":
		t.char(rune(itself[0]))
	case letter == "B" || letter == "b" && !t.class:
		t.out.WriteString(`\` + letter)
		return !t.class
	case letter == "0":
		t.char(0)
		return t.rest == "" || t.rest[0] < '0' || t.rest[0] > '9'
	case letter != "":
		t.char(map[string]rune{"t": '\t', "n": '\n', "v": '\v', "f": '\f', "r": '\r', "b": '\b'}[letter])
	case high != "":
		first, err1 := strconv.ParseUint(high, 16, 32)
		second, err2 := strconv.ParseUint(low, 16, 32)
		t.char(utf16.DecodeRune(rune(first), rune(second)))
		return err1 == nil && err2 == nil
	default:
		n, err := strconv.ParseUint(digits, 16, 32)
		t.char(rune(n))
		return err == nil && n <= unicode.MaxRune && !utf16.IsSurrogate(rune(n))
	}
	return true
}

// set translates a set of characters.
func (t *translator) set(set string) bool {
	t.follows(several)
	category, _ := strings.CutSuffix(set[1:], "}")
	category, property := strings.CutPrefix(category, "{")
	switch {
	case property:
		_, known := unicode.Categories[category]
		if set = `\` + set; !t.class {
			set = "[" + set + "]"
		}
		t.out.WriteString(set)
		return known && len(category) <= 2
	case set != "s" && set != "S":
		t.out.WriteString(`\` + set)
	case t.class:
		t.out.WriteString(spaces)
		return set == "s"
	case set == "s":
		t.out.WriteString("[" + spaces + "]")
	default:
		t.out.WriteString("[^" + spaces + "]")
	}
	return true
}
