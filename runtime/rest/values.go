package rest

import (
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// escaper appends a text as a part of a request.
type escaper func(text string) string

// pair is a name and a value, not escaped. Absent means that there is no value.
type pair struct{ name, value string }

// value is a JSON value, divided as the styles of OpenAPI do.
type value struct {
	kind   wire.Kind
	text   string   // of a scalar
	list   []string // the elements of an array
	fields []pair   // the members of an object
}

// newValue divides a value. What is nested in arrays and objects is JSON text, for which OpenAPI
// defines no style.
func newValue(raw wire.Raw) value {
	v := value{kind: raw.Kind()}
	switch v.kind {
	case wire.KindArray:
		for _, element := range raw.Elements() {
			v.list = append(v.list, textOf(element))
		}
	case wire.KindObject:
		for name, member := range wire.Object(raw).All() {
			v.fields = append(v.fields, pair{name, textOf(member)})
		}
	default:
		v.text = textOf(raw)
	}
	return v
}

// textOf returns a scalar as text, and any other value as JSON. Null is the empty text.
func textOf(raw wire.Raw) string {
	if s, ok := raw.Str(); ok {
		return s
	}
	if raw.Kind() == wire.KindNull {
		return ""
	}
	return string(raw)
}

// joined returns the elements or members of a value with separators. The separator is not escaped.
// Assign separates the name and the value of a member.
func (v value) joined(separator, assign string, escape escaper) string {
	var parts []string
	switch v.kind {
	case wire.KindArray:
		for _, element := range v.list {
			parts = append(parts, escape(element))
		}
	case wire.KindObject:
		for _, f := range v.fields {
			parts = append(parts, escape(f.name)+assign+escape(f.value))
		}
	default:
		return escape(v.text)
	}
	return strings.Join(parts, separator)
}

// inPath returns the text of a value in a path: the styles simple, label and matrix (RFC 6570).
func inPath(name string, style string, explode bool, v value) string {
	switch style {
	case "label":
		if explode {
			return "." + v.joined(".", "=", escapeText)
		}
		return "." + v.joined(",", ",", escapeText)
	case "matrix":
		return matrix(escapeText(name), explode, v)
	}
	return simple(explode, v, escapeText)
}

func simple(explode bool, v value, escape escaper) string {
	if explode {
		return v.joined(",", "=", escape)
	}
	return v.joined(",", ",", escape)
}

func matrix(name string, explode bool, v value) string {
	switch {
	case explode && v.kind == wire.KindObject:
		return ";" + v.joined(";", "=", escapeText)
	case explode && v.kind == wire.KindArray:
		var b strings.Builder
		for _, element := range v.list {
			b.WriteString(";" + name + "=" + escapeText(element))
		}
		return b.String()
	}
	if text := v.joined(",", ",", escapeText); text != "" {
		return ";" + name + "=" + text
	}
	return ";" + name
}

// inQuery returns the pairs of a value in a query or a form, whose names and values are escaped.
func inQuery(name string, style string, explode bool, raw wire.Raw, escape escaper) []pair {
	v := newValue(raw)
	own := escape(name)
	switch {
	case style == "json":
		return []pair{{own, escape(string(raw))}}
	case style == "deepObject":
		return deep(nil, name, raw, escape)
	case v.kind == wire.KindArray && explode:
		var pairs []pair
		for _, element := range v.list {
			pairs = append(pairs, pair{own, escape(element)})
		}
		return pairs
	case v.kind == wire.KindObject && explode:
		var pairs []pair
		for _, f := range v.fields {
			pairs = append(pairs, pair{escape(f.name), escape(f.value)})
		}
		return pairs
	case (v.kind == wire.KindArray || v.kind == wire.KindObject) && len(v.list)+len(v.fields) == 0:
		return nil
	}
	between := separator(style)
	if between != "," {
		between = escapeText(between)
	}
	return []pair{{own, v.joined(between, between, escape)}}
}

// separator returns the text between the elements of an array that is not exploded.
func separator(style string) string {
	switch style {
	case "spaceDelimited":
		return " "
	case "pipeDelimited":
		return "|"
	}
	return ","
}

// deep returns the pairs of the style deepObject. OpenAPI defines it for members that are scalars.
// Deeper members and elements are in further brackets, as common parsers expect.
func deep(pairs []pair, name string, raw wire.Raw, escape escaper) []pair {
	switch raw.Kind() {
	case wire.KindObject:
		for member, value := range wire.Object(raw).All() {
			pairs = deep(pairs, name+"["+member+"]", value, escape)
		}
		return pairs
	case wire.KindArray:
		for i, element := range raw.Elements() {
			pairs = deep(pairs, name+"["+strconv.Itoa(i)+"]", element, escape)
		}
		return pairs
	}
	return append(pairs, pair{escape(name), escape(textOf(raw))})
}

// escapeText escapes everything but the unreserved characters of RFC 3986.
func escapeText(text string) string { return escapeBut(text, "") }

// escapeReserved leaves reserved characters as they are, except for those that delimit the pairs of
// a query or end it. Some servers take a semicolon for a delimiter, and others refuse it.
func escapeReserved(text string) string { return escapeBut(text, ":/?[]@!$'()*,") }

func escapeBut(text, keep string) string {
	const digits = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(text) {
		switch c := text[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9',
			c == '-', c == '.', c == '_', c == '~', strings.IndexByte(keep, c) >= 0:
			b.WriteByte(c)
		default:
			b.Write([]byte{'%', digits[c>>4], digits[c&15]})
		}
	}
	return b.String()
}

// escapeCookie escapes what cannot be in the value of a cookie (RFC 6265, section 4.1.1).
func escapeCookie(text string) string {
	return escapeBut(text, "!#$&'()*+/:<=>?@[]^`{|}")
}

// plain leaves a text unescaped, for headers.
func plain(text string) string { return text }
