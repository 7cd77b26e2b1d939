// Package uritemplate expands URI templates (RFC 6570) and matches URIs with them.
//
// A variable is a string, or a list of strings if it is exploded, as in {/path*} and {?tag*}.
// Associative arrays, the other values that RFC 6570 has for exploded variables, are not supported.
// Expressions with the operators + and # encode percent signs, too, so that a value with a percent
// sign is the same after it was expanded and matched.
package uritemplate

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/yosida95/uritemplate/v3"
)

// Template is a URI template.
type Template struct {
	names       []string
	prefix      string // text before the first expression
	expressions []expression
	lists       map[string]bool // variables that are exploded somewhere
	pattern     *regexp.Regexp
}

// expression is the text between braces, and the literal text up to the next.
type expression struct {
	op        operator
	variables []variable
	literal   string
}

// isList reports whether the expression has one variable, which is exploded.
func (e expression) isList() bool { return len(e.variables) == 1 && e.variables[0].exploded }

// variable is an occurrence of a variable.
type variable struct {
	name     string
	exploded bool
	limit    int // of the length in characters (section 2.4.1), or 0
}

// operator says how expressions are expanded (appendix A).
type operator struct {
	first, sep string
	named      bool   // the name is before each value
	bare       bool   // a name with an empty value has no equals sign
	safe       string // characters that are not encoded, besides letters and digits
}

const (
	unreserved = "-._~"
	reserved   = ":/?#[]@!$&'()*+,;="
)

var operators = map[byte]operator{
	'+': {"", ",", false, false, unreserved + reserved},
	'#': {"#", ",", false, false, unreserved + reserved},
	'.': {".", ".", false, false, unreserved},
	'/': {"/", "/", false, false, unreserved},
	';': {";", ";", true, true, unreserved},
	'?': {"?", "&", true, false, unreserved},
	'&': {"&", "&", true, false, unreserved},
}

// simple is the operator of expressions without one.
var simple = operator{sep: ",", safe: unreserved}

// split returns the text between the elements of a list.
func (op operator) split(v variable) string {
	if v.exploded {
		return op.sep
	}
	return ","
}

// Parse returns the template with a text.
func Parse(text string) (*Template, error) {
	// The library reports where a text is not a template. Its Expand encodes code points and not
	// UTF-8, and its Match loses empty elements of lists.
	checked, err := uritemplate.New(text)
	if err != nil {
		return nil, err
	}
	parts := strings.Split(encoded(text), "{")
	t := &Template{names: checked.Varnames(), prefix: parts[0], lists: map[string]bool{}}
	for _, part := range parts[1:] {
		inner, literal, _ := strings.Cut(part, "}")
		e := expression{op: simple, literal: literal}
		if op, ok := operators[inner[0]]; ok {
			e.op, inner = op, inner[1:]
		}
		for spec := range strings.SplitSeq(inner, ",") {
			var v variable
			spec, v.exploded = strings.CutSuffix(spec, "*")
			name, limit, limited := strings.Cut(spec, ":")
			v.name = name
			if limited {
				if v.limit, err = strconv.Atoi(limit); err != nil {
					return nil, err
				}
			}
			t.lists[name] = t.lists[name] || v.exploded
			e.variables = append(e.variables, v)
		}
		t.expressions = append(t.expressions, e)
	}
	t.pattern, err = t.newPattern()
	return t, err
}

// encoded returns a text with percent-encoding of all characters beyond ASCII (section 3.1). A client may have left
// those of a template in its URI.
func encoded(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return text
	}
	var b strings.Builder
	for i := range len(text) {
		if c := text[i]; c < utf8.RuneSelf {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// Names returns the names of the variables in the order of the template.
func (t *Template) Names() []string { return slices.Clone(t.names) }

// IsList reports whether a variable is a list: it is exploded somewhere.
func (t *Template) IsList(name string) bool { return t.lists[name] }

// Expand returns the URI with values: the elements of lists, and one value for each other
// variable. A variable without a value, or with an empty list, is undefined (section 3.2.1).
func (t *Template) Expand(values map[string][]string) string {
	var uri strings.Builder
	uri.WriteString(t.prefix)
	for _, e := range t.expressions {
		before := e.op.first
		for _, v := range e.variables {
			if all := values[v.name]; len(all) > 0 {
				uri.WriteString(before)
				e.op.expand(&uri, v, all)
				before = e.op.sep
			}
		}
		uri.WriteString(e.literal)
	}
	return uri.String()
}

// expand writes the values of a variable.
func (op operator) expand(uri *strings.Builder, v variable, values []string) {
	for i, value := range values {
		if i > 0 {
			uri.WriteString(op.split(v))
		}
		if op.named && (v.exploded || i == 0) {
			uri.WriteString(v.name)
			if alone := v.exploded || len(values) == 1; !op.bare || value != "" || !alone {
				uri.WriteByte('=')
			}
		}
		if runes := []rune(value); v.limit > 0 && len(runes) > v.limit {
			value = string(runes[:v.limit])
		}
		op.encode(uri, value)
	}
}

// encode writes a value with percent-encoding (section 3.2.1).
func (op operator) encode(uri *strings.Builder, value string) {
	const hex = "0123456789ABCDEF"
	for i := range len(value) {
		c := value[i]
		if c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || strings.IndexByte(op.safe, c) >= 0 {
			uri.WriteByte(c)
		} else {
			uri.Write([]byte{'%', hex[c>>4], hex[c&15]})
		}
	}
}

// newPattern returns the pattern of URIs, with a group for each occurrence of a variable. Without names, the values are
// those of the first variables. With names, any variable may be the first, and Match checks what separates them.
func (t *Template) newPattern() (*regexp.Regexp, error) {
	var pattern strings.Builder
	pattern.WriteString("^" + regexp.QuoteMeta(t.prefix))
	for _, e := range t.expressions {
		before, sep := regexp.QuoteMeta(e.op.first), regexp.QuoteMeta(e.op.sep)
		if e.op.named {
			sep = "[" + e.op.first + e.op.sep + "]"
			before = sep
		}
		pattern.WriteString("(?:" + before + "(" + e.op.values(e.variables[0]) + ")")
		if e.op.named {
			pattern.WriteString(")?(?:")
		}
		for _, v := range e.variables[1:] {
			pattern.WriteString("(?:" + sep + "(" + e.op.values(v) + "))")
			if e.op.named || v.name != e.variables[0].name { // otherwise both have values, as in {/x:1,x}
				pattern.WriteByte('?')
			}
		}
		pattern.WriteString(")?" + regexp.QuoteMeta(e.literal))
	}
	return regexp.Compile(pattern.String() + "$")
}

// values returns the pattern of the values of a variable.
func (op operator) values(v variable) string {
	const hex, octet = "[0-9A-Fa-f]", "%[0-9A-Fa-f][0-9A-Fa-f]"
	safe := "[A-Za-z0-9" + regexp.QuoteMeta(strings.TrimPrefix(op.safe, "-")) + "-]"
	value := "(?:" + safe + "|" + octet + ")*"
	if v.limit > 0 && v.limit <= maxRepeat { // of characters, which UTF-8 has up to four octets for
		value = "(?:" + safe + "|%[0-7]" + hex + "|%[CDcd]" + hex + octet + "|%[Ee]" + hex + octet + octet +
			"|%[Ff]" + hex + octet + octet + octet + "){0," + strconv.Itoa(v.limit) + "}"
	}
	name := regexp.QuoteMeta(v.name)
	switch split := regexp.QuoteMeta(op.split(v)); {
	case !op.named:
		// The fewest elements, so that the variables after it have values.
		return value + "(?:" + split + value + ")*?"
	case v.exploded:
		one := name + op.equals(value)
		return one + "(?:" + split + one + ")*"
	default:
		return name + op.equals(value+"(?:"+split+value+")*")
	}
}

// equals returns the pattern of the text after a name.
func (op operator) equals(value string) string {
	if op.bare {
		return "(?:=" + value + ")?"
	}
	return "=" + value
}

// maxRepeat is the greatest number of repetitions that package regexp takes. Greater limits are
// checked after the match.
const maxRepeat = 1000

// Match returns the values of the variables in a URI, percent-decoded: the elements of lists, and
// one value for each other variable. It returns false if the URI does not match the template, or
// if a variable has different values in it.
//
// A URI may stand for different values. The last variables of an expression get the most elements
// that they can have. A text that could be an empty list or a list with one empty element, as with
// {x*}, is an empty list.
func (t *Template) Match(uri string) (map[string][]string, bool) {
	uri = encoded(uri)
	// The prefix rules out most URIs at little cost.
	if !strings.HasPrefix(uri, t.prefix) {
		return nil, false
	}
	groups := t.pattern.FindStringSubmatchIndex(uri)
	if groups == nil {
		return nil, false
	}
	found := map[string][]string{}
	limited := map[variable][]string{} // of variables with limits of their lengths
	for _, e := range t.expressions {
		before := e.op.first
		for _, v := range e.variables {
			groups = groups[2:]
			start, end := groups[0], groups[1]
			if e.op.named && start >= 0 {
				if uri[start-1:start] != before {
					return nil, false
				}
				before = e.op.sep
			}
			if start < 0 || start == end && e.isList() && e.op.first == "" {
				continue
			}
			values := e.op.decode(v, uri[start:end])
			if v.limit > maxRepeat && slices.ContainsFunc(values, func(s string) bool { return utf8.RuneCountInString(s) > v.limit }) {
				return nil, false
			}
			if !t.lists[v.name] {
				values = []string{strings.Join(values, ",")}
			}
			other, ok := found[v.name]
			if v.limit > 0 {
				other, ok = limited[v]
			}
			if ok && !slices.Equal(values, other) {
				return nil, false
			}
			if v.limit > 0 {
				limited[v] = values
			} else {
				found[v.name] = values
			}
		}
	}
	longest := map[string]int{}
	for v, values := range limited {
		// A value without a limit comes first, then that with the greatest limit.
		if _, ok := found[v.name]; !ok || v.limit > longest[v.name] && longest[v.name] > 0 {
			found[v.name], longest[v.name] = values, v.limit
		}
	}
	return found, true
}

// decode returns the elements in the text of a variable, which matches the pattern.
func (op operator) decode(v variable, text string) []string {
	if op.named && !v.exploded {
		text = valueOf(v, text)
	}
	var all []string
	for one := range strings.SplitSeq(text, op.split(v)) {
		if op.named && v.exploded {
			one = valueOf(v, one)
		}
		decoded, _ := url.PathUnescape(one) // the pattern has only whole percent-encodings
		all = append(all, decoded)
	}
	return all
}

// valueOf returns the text after the name of a variable.
func valueOf(v variable, text string) string {
	return strings.TrimPrefix(strings.TrimPrefix(text, v.name), "=")
}
