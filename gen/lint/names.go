package lint

import (
	"slices"
	"strings"
	"unicode"

	"github.com/mcpgen/mcpgen/gen/report"
	checks "github.com/mcpgen/mcpgen/runtime/schema" // schema is a type here
)

// named is a name and the place of its definition.
type named struct{ name, pointer string }

// names checks the names of a list against each other. Identifiers are names that models write,
// so that their characters and their likeness matter.
func (l *linter) names(kind string, all []named, identifiers bool) {
	byName, byFold := map[string]string{}, map[string]string{}
	for _, n := range all {
		if n.name == "" {
			continue
		}
		l.subject = kind + " " + n.name
		if first, ok := byName[n.name]; ok {
			l.add("name-duplicate", n.pointer, "the %s %q is at %s too", kind, n.name, first)
			continue
		}
		byName[n.name] = n.pointer
		if !identifiers {
			continue
		}
		if !protocolName.MatchString(n.name) {
			l.add("name-characters", n.pointer+"/name", "the name %q", short(n.name))
		}
		if other, ok := byFold[fold(n.name)]; ok {
			l.add("name-similar", n.pointer+"/name", "%q and %q differ only in case, separators or look-alike characters", short(n.name), short(other))
			continue
		}
		for _, other := range all {
			if other.name == n.name {
				break // the pair is reported once, at the later name
			}
			if typo(n.name, other.name) {
				l.add("name-similar", n.pointer+"/name", "%q and %q differ only in two swapped or one repeated letter", short(n.name), short(other.name))
			}
		}
		byFold[fold(n.name)] = n.name
	}
}

// lookAlikes maps characters to the Latin letters that they look like. The confusables of UTS #39
// that occur in names are lower-case letters of Cyrillic and Greek, and digits.
var lookAlikes = strings.NewReplacer(
	"а", "a", "в", "b", "с", "c", "ԁ", "d", "е", "e", "ё", "e", "һ", "h", "і", "i", "ї", "i", "ј", "j", "к", "k", "ӏ", "l", "м", "m", "н", "h",
	"о", "o", "р", "p", "ԛ", "q", "ѕ", "s", "т", "t", "у", "y", "ѵ", "v", "ԝ", "w", "х", "x",
	"α", "a", "ε", "e", "ι", "i", "κ", "k", "ν", "v", "ο", "o", "ρ", "p", "τ", "t", "υ", "u", "χ", "x",
	"0", "o", "1", "l", "ı", "i",
	"rn", "m", "vv", "w", // together
)

// fold returns what two names that look alike have in common: letters and digits in lower case,
// full-width ones as ASCII, and look-alikes as Latin letters.
func fold(name string) string {
	var b strings.Builder
	for _, r := range name {
		if r >= '！' && r <= '～' {
			r -= '！' - '!'
		}
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return lookAlikes.Replace(b.String())
}

// shortestTypo is the length from which a word with a swapped or repeated letter is unlikely to be
// another word.
const shortestTypo = 6

// typo reports whether one name is the other with two neighbouring letters swapped, or with one
// letter written twice.
func typo(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a) < shortestTypo || len(b)-len(a) > 1 {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	switch {
	case len(a) == len(b) && i+1 < len(a):
		return a[i] == b[i+1] && a[i+1] == b[i] && isLetter(a[i]) && isLetter(a[i+1]) && a[i+2:] == b[i+2:]
	case len(a)+1 == len(b) && i > 0:
		return b[i] == b[i-1] && isLetter(b[i]) && a[i:] == b[i+1:]
	}
	return false
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// nearest returns the known word that a word is most likely a misspelling of. It returns false for
// a word that is itself known or resembles none.
func nearest(word string, known []string) (string, bool) {
	if len(word) < 4 || slices.Contains(known, word) {
		return "", false
	}
	return checks.Nearest(word, known, min(1+len(word)/6, 2))
}

// short returns a text that fits in a message.
func short(s string) string { return report.Short(s, 60) }
