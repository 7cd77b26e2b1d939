package uritemplate

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// newPattern returns the pattern of URIs, with a group for each occurrence of a variable.
func (t *Template) newPattern() (*regexp.Regexp, error) {
	var pattern strings.Builder
	pattern.WriteString("^" + regexp.QuoteMeta(t.prefix))
	for _, e := range t.expressions {
		pattern.WriteString("(?:" + regexp.QuoteMeta(e.op.first))
		for i, v := range e.variables {
			sep := ""
			if i > 0 {
				sep = regexp.QuoteMeta(e.op.sep)
				if !v.exploded || e.op.named {
					sep += "?" // variables before it may be undefined
				}
			}
			pattern.WriteString("(?:" + sep + "(" + e.op.values(v) + "))?")
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
		for _, v := range e.variables {
			groups = groups[2:]
			start, end := groups[0], groups[1]
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
