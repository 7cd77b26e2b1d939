package samples

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
)

// matching returns strings that a pattern may match. They have at least the given length if the
// pattern allows it.
func matching(pattern string, least, turn int) []string {
	rest, ahead := withoutLookaround(pattern)
	re, err := syntax.Parse(jsonschema.GoSyntax(rest), syntax.Perl)
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
		if re, err := syntax.Parse(jsonschema.GoSyntax(pattern), syntax.Perl); err == nil {
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

// match returns a string that an expression matches. Repetitions occur extra times more than
// required.
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

// member returns a character of a class, preferably a common one.
func member(class []rune, turn int) rune {
	has := func(r rune) bool {
		for i := 0; i < len(class); i += 2 {
			if class[i] <= r && r <= class[i+1] {
				return true
			}
		}
		return false
	}
	plain := []rune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ1234567890-_.")
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

// withoutLookaround removes lookaround groups, which Go does not support, from a pattern. It
// returns the patterns of the lookahead groups.
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

// classEnd returns the end of the class that begins at i.
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

// groupEnd returns the end of the group that begins at i.
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
