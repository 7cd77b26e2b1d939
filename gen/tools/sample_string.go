package tools

import (
	"fmt"
	"iter"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// strings makes strings that may satisfy some schemas.
func (g *sampler) strings(flat []*Schema) iter.Seq[wire.Raw] {
	return func(yield func(wire.Raw) bool) {
		least := atLeast(flat, func(s *Schema) *int64 { return s.MinLength })
		most := atMost(flat, func(s *Schema) *int64 { return s.MaxLength })
		if least > 10*tooMany {
			return
		}
		var all []string
		for _, s := range flat {
			if s.Format != "" {
				all = append(all, formatted(s.Format, g.turn)...)
			}
		}
		for _, s := range flat {
			if s.Pattern != nil {
				all = append(all, matching(*s.Pattern, int(least), g.turn)...)
			}
		}
		plain := "text"
		if g.turn > 0 {
			plain += strconv.Itoa(g.turn)
		}
		all = append(all, plain, strings.Repeat("a", g.turn))
		fit := func(s string) string {
			if n := int(least) - utf8.RuneCountInString(s); n > 0 {
				s += strings.Repeat("a", n)
			}
			if most >= 0 && utf8.RuneCountInString(s) > int(most) {
				r := []rune(s)
				s = string(r[len(r)-int(most):])
			}
			return s
		}
		for _, s := range all {
			for _, s := range slices.Compact([]string{s, fit(s)}) {
				text, err := wire.AppendString(nil, s)
				if err == nil && !yield(wire.Raw(text)) {
					return
				}
			}
		}
	}
}

// formatted makes strings of a format.
func formatted(format string, n int) []string {
	number := strconv.Itoa(n)
	if n == 0 {
		number = ""
	}
	day := fmt.Sprintf("%02d", n%28+1)
	switch format {
	case "uuid":
		return []string{fmt.Sprintf("123e4567-e89b-42d3-a456-%012d", n)}
	case "date-time":
		return []string{"2025-01-" + day + "T12:00:00Z"}
	case "date":
		return []string{"2025-01-" + day}
	case "time":
		return []string{fmt.Sprintf("12:00:%02dZ", n%60)}
	case "duration":
		return []string{fmt.Sprintf("P%dD", n+1)}
	case "email", "idn-email":
		return []string{"ada" + number + "@example.com"}
	case "hostname", "idn-hostname":
		return []string{"example" + number + ".com"}
	case "ipv4":
		return []string{fmt.Sprintf("192.0.2.%d", n%250+1)}
	case "ipv6":
		return []string{fmt.Sprintf("2001:db8::%x", n%0xffff+1)}
	case "uri", "url", "iri", "uri-reference", "iri-reference", "uri-template":
		return []string{"https://example.com/" + number, "https://example.com"}
	case "json-pointer":
		return []string{"/member" + number}
	case "relative-json-pointer":
		return []string{strconv.Itoa(n)}
	case "regex":
		return []string{"^text" + number + "$"}
	case "byte", "base64":
		return []string{"dGV4dA=="}
	}
	return nil
}

// matching makes strings that a pattern may match, of at least some length if
// the pattern can be stretched.
func matching(pattern string, least, turn int) []string {
	rest, ahead := withoutLookaround(pattern)
	re, err := syntax.Parse(goSyntax(rest), syntax.Perl)
	if err != nil {
		return nil
	}
	var all []string
	add := func(s string) {
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	prefix := ""
	for _, pattern := range ahead {
		if re, err := syntax.Parse(goSyntax(pattern), syntax.Perl); err == nil {
			prefix += match(re, 0, turn)
		}
	}
	for _, extra := range []int{turn, turn + 1, turn + 2, turn + 3, least + turn, 0} {
		s := match(re, extra, turn)
		add(s)
		if prefix != "" {
			add(prefix + s)
		}
	}
	for other := 1; other < 5; other++ {
		add(match(re, other, turn+other))
	}
	return all
}

// match makes a string that an expression matches. What may be repeated is
// repeated extra times more than it must.
func match(re *syntax.Regexp, extra, turn int) string {
	repeat := func(least, most int) string {
		n := least + extra
		if most >= 0 {
			n = min(n, most)
		}
		return strings.Repeat(match(re.Sub[0], extra, turn), min(n, 10*tooMany))
	}
	switch re.Op {
	case syntax.OpLiteral:
		return string(re.Rune)
	case syntax.OpCharClass:
		return string(member(re.Rune, turn))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return "a"
	case syntax.OpCapture:
		return match(re.Sub[0], extra, turn)
	case syntax.OpStar:
		return repeat(0, -1)
	case syntax.OpPlus:
		return repeat(1, -1)
	case syntax.OpQuest:
		return repeat(0, 1)
	case syntax.OpRepeat:
		return repeat(re.Min, re.Max)
	case syntax.OpConcat:
		var b strings.Builder
		for _, sub := range re.Sub {
			b.WriteString(match(sub, extra, turn))
		}
		return b.String()
	case syntax.OpAlternate:
		return match(re.Sub[turn%len(re.Sub)], extra, turn)
	}
	return ""
}

// member returns a character of a class, a plain one if it has some.
func member(class []rune, turn int) rune {
	has := func(r rune) bool {
		for i := 0; i < len(class); i += 2 {
			if class[i] <= r && r <= class[i+1] {
				return true
			}
		}
		return false
	}
	var plain []rune
	for r := rune('a'); r <= 'z'; r++ {
		plain = append(plain, r)
	}
	for r := rune('A'); r <= 'Z'; r++ {
		plain = append(plain, r)
	}
	plain = append(plain, []rune("1234567890-_.")...)
	plain = slices.DeleteFunc(plain, func(r rune) bool { return !has(r) })
	if len(plain) > 0 {
		return plain[turn%len(plain)]
	}
	for i := 0; i < len(class); i += 2 {
		for r := class[i]; r <= class[i+1] && r < class[i]+256; r++ {
			if unicode.IsPrint(r) {
				return r
			}
		}
	}
	if len(class) == 0 {
		return 'a'
	}
	return class[0]
}

// withoutLookaround takes from a pattern the groups that look ahead or behind,
// which Go does not have, and returns the patterns that must be found ahead.
func withoutLookaround(pattern string) (rest string, ahead []string) {
	var b strings.Builder
	for i := 0; i < len(pattern); {
		switch {
		case pattern[i] == '\\' && i+1 < len(pattern):
			b.WriteString(pattern[i : i+2])
			i += 2
			continue
		case pattern[i] == '[':
			end := classEnd(pattern, i)
			b.WriteString(pattern[i:end])
			i = end
			continue
		}
		found := false
		for _, opening := range []string{"(?=", "(?!", "(?<=", "(?<!"} {
			if strings.HasPrefix(pattern[i:], opening) {
				end := groupEnd(pattern, i)
				if opening == "(?=" && end > i+len(opening) {
					ahead = append(ahead, pattern[i+len(opening):end-1])
				}
				i, found = end, true
				break
			}
		}
		if !found {
			b.WriteByte(pattern[i])
			i++
		}
	}
	return b.String(), ahead
}

// classEnd returns where the class ends that begins at i.
func classEnd(pattern string, i int) int {
	for i++; i < len(pattern); i++ {
		switch pattern[i] {
		case '\\':
			i++
		case ']':
			return i + 1
		}
	}
	return len(pattern)
}

// groupEnd returns where the group ends that begins at i.
func groupEnd(pattern string, i int) int {
	depth := 0
	for i < len(pattern) {
		switch pattern[i] {
		case '\\':
			i++
		case '[':
			i = classEnd(pattern, i) - 1
		case '(':
			depth++
		case ')':
			depth--
			if depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return len(pattern)
}

// goSyntax writes the escapes of ECMA-262 that Go has not as it has them.
func goSyntax(pattern string) string {
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		if pattern[i] != '\\' || i+1 == len(pattern) {
			b.WriteByte(pattern[i])
			continue
		}
		switch next := pattern[i+1]; {
		case next == 'u' && i+5 < len(pattern) && pattern[i+2] != '{':
			b.WriteString(`\x{` + pattern[i+2:i+6] + `}`)
			i += 5
			continue
		case next == 'u':
			b.WriteString(`\x`)
		default:
			b.WriteString(pattern[i : i+2])
		}
		i++
	}
	return b.String()
}
