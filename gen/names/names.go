// Package names turns names of schemas into Go identifiers.
package names

import (
	"go/token"
	"strings"
	"unicode"
)

// Namer converts names to exported Go identifiers.
type Namer struct{ initialisms map[string]string }

// New returns a Namer that writes the given words, such as "URI", in capitals.
func New(initialisms []string) *Namer {
	n := &Namer{map[string]string{}}
	for _, word := range initialisms {
		n.initialisms[strings.ToLower(word)] = word
	}
	return n
}

// Exported returns the identifier for a wire name: its words, each capitalized. A word ends
// at any character that is not a letter or a digit, and before an upper-case letter that
// follows a lower-case one, so that "mimeType", "mime-type" and "mime_type" all give
// MIMEType. Of a name with a prefix, as in "io.example/traceId", only the part after the
// last slash counts. A name without letters or digits gives "Field". A name that starts
// with a digit gets the prefix N.
func (n *Namer) Exported(wire string) string {
	if i := strings.LastIndexByte(wire, '/'); i >= 0 && i < len(wire)-1 {
		wire = wire[i+1:]
	}
	return n.identifier(wire)
}

func (n *Namer) identifier(wire string) string {
	var b strings.Builder
	for _, word := range split(wire) {
		if upper, ok := n.initialisms[strings.ToLower(word)]; ok {
			b.WriteString(upper)
			continue
		}
		runes := []rune(word)
		b.WriteRune(unicode.ToUpper(runes[0]))
		b.WriteString(string(runes[1:]))
	}
	name := b.String()
	switch first := firstRune(name); {
	case name == "":
		return "Field"
	case unicode.IsDigit(first):
		return "N" + name
	case !unicode.IsUpper(first):
		// A letter of a script without case cannot start an exported identifier.
		return "X" + name
	}
	return name
}

func split(wire string) []string {
	var words []string
	var word []rune
	flush := func() {
		if len(word) > 0 {
			words = append(words, string(word))
			word = nil
		}
	}
	for _, r := range wire {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush()
			continue
		case unicode.IsUpper(r) && len(word) > 0 && !unicode.IsUpper(word[len(word)-1]):
			flush()
		}
		word = append(word, r)
	}
	flush()
	return words
}

func firstRune(s string) rune {
	for _, r := range s {
		return r
	}
	return 0
}

// IsExported reports whether a name is an exported Go identifier.
func IsExported(name string) bool { return token.IsIdentifier(name) && token.IsExported(name) }
