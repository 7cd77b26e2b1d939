package rest

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// escaper returns a text as a part of a request.
type escaper func(text string) string

// value is a JSON value, divided as the styles of OpenAPI do.
type value struct {
	kind  wire.Kind
	parts []part // the elements of an array, the members of an object, or a scalar
}

// part is an element, which has no name, or a member, not escaped.
type part struct{ name, text string }

// newValue divides a value. What is nested in arrays and objects is JSON text, for which OpenAPI
// defines no style.
func newValue(raw wire.Raw) value {
	v := value{kind: raw.Kind()}
	switch v.kind {
	case wire.KindArray:
		for _, element := range raw.Elements() {
			v.parts = append(v.parts, part{text: textOf(element)})
		}
	case wire.KindObject:
		for name, member := range wire.Object(raw).All() {
			v.parts = append(v.parts, part{name, textOf(member)})
		}
	default:
		v.parts = []part{{text: textOf(raw)}}
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

// joined returns the parts of a value with separators. The separator is not escaped. Assign separates the name and the
// value of a member.
func (v value) joined(separator, assign string, escape escaper) string {
	var texts []string
	for _, p := range v.parts {
		text := escape(p.text)
		if v.kind == wire.KindObject {
			text = escape(p.name) + assign + text
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, separator)
}

// exploded returns NAME=TEXT for each part of a value, with the name of the member or else the given one.
func (v value) exploded(name string, escape escaper) (pairs []string) {
	for _, p := range v.parts {
		if v.kind == wire.KindObject {
			name = escape(p.name)
		}
		pairs = append(pairs, name+"="+escape(p.text))
	}
	return pairs
}

// inPath returns the text of a value in a path: the styles simple, label and matrix (RFC 6570).
func inPath(name string, style string, explode bool, v value) string {
	switch {
	case style == "label" && explode:
		return "." + v.joined(".", "=", escapeText)
	case style == "label":
		return "." + simple(explode, v, escapeText)
	case style == "matrix" && explode && (v.kind == wire.KindArray || v.kind == wire.KindObject):
		text := ""
		for _, pair := range v.exploded(escapeText(name), escapeText) {
			text += ";" + pair
		}
		return text
	case style == "matrix":
		if text := v.joined(",", ",", escapeText); text != "" {
			return ";" + escapeText(name) + "=" + text
		}
		return ";" + escapeText(name)
	}
	return simple(explode, v, escapeText)
}

func simple(explode bool, v value, escape escaper) string {
	if explode {
		return v.joined(",", "=", escape)
	}
	return v.joined(",", ",", escape)
}

// inQuery returns NAME=TEXT for each part of a value in a query or a form, or for the value.
func inQuery(name string, style string, explode bool, raw wire.Raw, escape escaper) []string {
	v := newValue(raw)
	own := escape(name)
	switch {
	case style == "json":
		return []string{own + "=" + escape(string(raw))}
	case style == "deepObject":
		return deep(nil, name, raw, escape)
	case explode:
		return v.exploded(own, escape)
	case len(v.parts) == 0:
		return nil
	}
	between := separator(style)
	if between != "," {
		between = escapeText(between)
	}
	return []string{own + "=" + v.joined(between, between, escape)}
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
func deep(pairs []string, name string, raw wire.Raw, escape escaper) []string {
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
	return append(pairs, escape(name)+"="+escape(textOf(raw)))
}

// escapeText escapes everything but the unreserved characters of RFC 3986.
func escapeText(text string) string { return escapeBut(text, "") }

// escapeReserved leaves reserved characters as they are, except for those that delimit the pairs of
// a query or end it. Some servers take a semicolon for a delimiter, and others refuse it.
func escapeReserved(text string) string { return escapeBut(text, ":/?[]@!$'()*,") }

func escapeBut(text, keep string) string {
	var b strings.Builder
	for i := range len(text) {
		c := text[i : i+1]
		if !strings.Contains(keep, c) {
			c = strings.ReplaceAll(url.QueryEscape(c), "+", "%20")
		}
		b.WriteString(c)
	}
	return b.String()
}

// escapeCookie escapes what cannot be in the value of a cookie (RFC 6265, section 4.1.1).
func escapeCookie(text string) string {
	return escapeBut(text, "!#$&'()*+/:<=>?@[]^`{|}")
}

// plain leaves a text unescaped, for headers.
func plain(text string) string { return text }
