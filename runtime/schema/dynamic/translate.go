package dynamic

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
)

// Translate returns the regular expression of package regexp that matches the same strings
// as a regular expression of ECMA-262 with the u flag. ok is false if there is none or if
// it cannot be found piece by piece.
//
// The two languages differ in the meaning of \s and of the dot, in their escapes, and in
// the characters that need an escape in brackets. Only ECMA-262 has lookaround and
// backreferences.
func Translate(source string) (re2 string, ok bool) {
	t := &translator{in: []rune(source)}
	for t.good() && len(t.in) > 0 {
		t.piece()
	}
	if t.bad {
		return "", false
	}
	if _, err := regexp.Compile(t.out.String()); err != nil {
		return "", false
	}
	return t.out.String(), true
}

type translator struct {
	in  []rune
	out strings.Builder
	bad bool
}

func (t *translator) good() bool { return !t.bad }

// White space and line terminators of ECMA-262, for use in brackets.
const (
	spaces   = `\t\n\v\f\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`
	lineEnds = `\n\r\x{2028}\x{2029}`
)

func (t *translator) peek(s string) bool {
	want := []rune(s)
	if len(t.in) < len(want) {
		return false
	}
	for i, r := range want {
		if t.in[i] != r {
			return false
		}
	}
	return true
}

// skip consumes s if it comes next.
func (t *translator) skip(s string) bool {
	if !t.peek(s) {
		return false
	}
	t.in = t.in[len([]rune(s)):]
	return true
}

// next consumes a character.
func (t *translator) next() rune {
	if len(t.in) == 0 {
		t.bad = true
		return 0
	}
	r := t.in[0]
	t.in = t.in[1:]
	return r
}

func (t *translator) piece() {
	switch r := t.next(); r {
	case '.':
		t.out.WriteString("[^" + lineEnds + "]")
	case '^', '$', '|', ')', '*', '+', '?':
		t.out.WriteRune(r)
	case '(':
		t.group()
	case '[':
		t.class()
	case '{':
		t.repeat()
	case '\\':
		it := t.escape(false)
		t.out.WriteString(it.outside())
	default:
		t.out.WriteString(literal(r))
	}
}

func (t *translator) group() {
	switch {
	case t.skip("?:"):
		t.out.WriteString("(?:")
	case t.peek("?"):
		t.bad = true // lookaround, a named group or flags
	default:
		t.out.WriteRune('(')
	}
}

// repeat translates a number of repetitions. A brace without one is a literal character.
func (t *translator) repeat() {
	rest := string(t.in)
	body, _, closed := strings.Cut(rest, "}")
	least, most, _ := strings.Cut(body, ",")
	if !closed || !isNumber(least) || most != "" && !isNumber(most) {
		t.bad = true // an error or a literal, depending on the flag
		return
	}
	t.skip(body + "}")
	t.out.WriteString("{" + body + "}")
}

func isNumber(s string) bool {
	_, err := strconv.ParseUint(s, 10, 16)
	return err == nil && s[0] != '+'
}

// item is the meaning of an escape or of a character in brackets: a single character or, if
// set is not "", a set.
type item struct {
	char    rune
	set     string // for use in brackets
	negated bool   // the item is the complement of set
	plain   string // for use outside of brackets
}

func (it item) outside() string {
	switch {
	case it.plain != "":
		return it.plain
	case it.set == "":
		return literal(it.char)
	case it.negated:
		return "[^" + it.set + "]"
	}
	return "[" + it.set + "]"
}

// escape reads the characters after a backslash.
func (t *translator) escape(inClass bool) item {
	switch r := t.next(); r {
	case 'd', 'D', 'w', 'W':
		return item{set: `\` + string(r), plain: `\` + string(r)}
	case 's', 'S':
		return item{set: spaces, negated: r == 'S'}
	case 'b':
		if inClass {
			return item{char: '\b'}
		}
		return item{plain: `\b`}
	case 'B':
		t.bad = t.bad || inClass
		return item{plain: `\B`}
	case 't', 'n', 'v', 'f', 'r':
		return item{char: map[rune]rune{'t': '\t', 'n': '\n', 'v': '\v', 'f': '\f', 'r': '\r'}[r]}
	case '0':
		t.bad = t.bad || len(t.in) > 0 && unicode.IsDigit(t.in[0])
		return item{char: 0}
	case 'c':
		letter := t.next()
		t.bad = t.bad || letter > unicode.MaxASCII || !unicode.IsLetter(letter)
		return item{char: letter % 32}
	case 'x':
		return item{char: t.hex(2)}
	case 'u':
		return item{char: t.unicode()}
	case 'p', 'P':
		return item{set: `\` + string(r) + "{" + t.category() + "}"}
	default:
		if r > unicode.MaxASCII || !unicode.IsPunct(r) && !unicode.IsSymbol(r) {
			t.bad = true
		}
		return item{char: r}
	}
}

func (t *translator) hex(digits int) rune {
	if len(t.in) < digits {
		t.bad = true
		return 0
	}
	n, err := strconv.ParseUint(string(t.in[:digits]), 16, 32)
	t.bad = t.bad || err != nil
	t.in = t.in[digits:]
	return rune(n)
}

func (t *translator) unicode() rune {
	var r rune
	if t.skip("{") {
		digits, _, closed := strings.Cut(string(t.in), "}")
		n, err := strconv.ParseUint(digits, 16, 32)
		if !closed || err != nil || n > unicode.MaxRune {
			t.bad = true
			return 0
		}
		t.skip(digits + "}")
		r = rune(n)
	} else if r = t.hex(4); utf16.IsSurrogate(r) && t.skip(`\u`) {
		r = utf16.DecodeRune(r, t.hex(4))
		t.bad = t.bad || r == unicode.ReplacementChar
	}
	t.bad = t.bad || utf16.IsSurrogate(r)
	return r
}

// category reads the name of a general category in braces and returns its short form.
func (t *translator) category() string {
	name, _, closed := strings.Cut(string(t.in), "}")
	short, opened := strings.CutPrefix(name, "{")
	if _, known := unicode.Categories[short]; !opened || !closed || !known || len(short) > 2 {
		t.bad = true
		return ""
	}
	t.skip(name + "}")
	return short
}

// class translates a bracket expression.
func (t *translator) class() {
	t.out.WriteRune('[')
	if t.skip("^") {
		t.out.WriteRune('^')
	}
	if t.peek("]") {
		t.bad = true // no character, or any
	}
	for t.good() && !t.skip("]") {
		from := t.classItem()
		if !t.peek("-") || t.peek("-]") {
			t.out.WriteString(from.inside())
			continue
		}
		t.skip("-")
		to := t.classItem()
		if from.set != "" || to.set != "" {
			t.out.WriteString(from.inside() + `\-` + to.inside())
			continue
		}
		t.out.WriteString(from.inside() + "-" + to.inside())
	}
	t.out.WriteRune(']')
}

func (t *translator) classItem() item {
	r := t.next()
	if r != '\\' {
		return item{char: r}
	}
	it := t.escape(true)
	t.bad = t.bad || it.negated
	return it
}

func (it item) inside() string {
	switch {
	case it.set != "":
		return it.set
	case it.char == '-':
		return `\-`
	}
	return literal(it.char)
}

// literal returns a character, escaped if it would have a special meaning.
func literal(r rune) string {
	switch {
	case r <= unicode.MaxASCII && (unicode.IsPunct(r) || unicode.IsSymbol(r)) && !strings.ContainsRune("_-/:,;@#%&=!<>~'\"`", r):
		return `\` + string(r)
	case !unicode.IsPrint(r):
		return fmt.Sprintf(`\x{%x}`, r)
	}
	return string(r)
}
