// Package uritemplate expands URI templates (RFC 6570) and matches URIs with them.
//
// A variable is a string, or a list of strings if it is exploded, as in {/path*} and {?tag*}.
// Associative arrays, the other values that RFC 6570 has for exploded variables, are not supported.
// Expressions with the operators + and # encode percent signs, too, so that a value with a percent
// sign is the same after it was expanded and matched.
package uritemplate

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

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
	parts := strings.Split(text, "{")
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
