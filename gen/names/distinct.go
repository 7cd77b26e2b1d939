package names

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Distinct returns an identifier for each of several names, which must differ. It uses the words
// of the whole name if the result is unique, and otherwise an identifier that spells out the
// characters in which the names differ. If two names still have the same identifier, clash holds
// their indexes.
//
// A reserved identifier gets the suffix.
func (n *Namer) Distinct(wires []string, reserved func(string) bool, suffix string) (identifiers []string, clash []int) {
	return n.distinct(plain, wires, reserved, suffix)
}

// DistinctShort is like Distinct, but a name that is unique without its prefix, which ends at the
// last slash, gets the identifier of [Namer.Exported].
func (n *Namer) DistinctShort(wires []string, reserved func(string) bool, suffix string) (identifiers []string, clash []int) {
	return n.distinct(short, wires, reserved, suffix)
}

func (n *Namer) distinct(level int, wires []string, reserved func(string) bool, suffix string) (identifiers []string, clash []int) {
	identifiers = make([]string, len(wires))
	levels := slices.Repeat([]int{level}, len(wires))
	for {
		holders := map[string][]int{}
		for i, wire := range wires {
			name := n.spell(wire, levels[i])
			if reserved != nil && reserved(name) {
				name += suffix
			}
			identifiers[i] = name
			holders[name] = append(holders[name], i)
		}
		again := false
		for i := range wires {
			same := holders[identifiers[i]]
			if len(same) < 2 || same[0] != i {
				continue
			}
			stuck := true
			for _, j := range same {
				if levels[j] < lastLevel {
					levels[j]++
					stuck = false
				}
			}
			if stuck {
				return identifiers, same[:2]
			}
			again = true
		}
		if !again {
			return identifiers, nil
		}
	}
}

// Unique returns a name that is not taken: the given one, or that and a number from 2 on.
func Unique(name string, taken func(string) bool) string {
	unique := name
	for i := 2; taken(unique); i++ {
		unique = name + strconv.Itoa(i)
	}
	return unique
}

// Constants returns the names of the constants of an enum: the name of its type and an identifier
// for each value. If one of them is taken, all get longer names.
func (n *Namer) Constants(enum string, values []string, taken func(string) bool) []string {
	constants, clash := n.Distinct(values, nil, "")
	if clash != nil {
		for i := range constants {
			constants[i] = strconv.Itoa(i + 1)
		}
	}
	prefix := enum
	for slices.ContainsFunc(constants, func(name string) bool { return taken(prefix + name) }) {
		prefix += "Value"
	}
	for i := range constants {
		constants[i] = prefix + constants[i]
	}
	return constants
}

// The levels of spelling. Each one distinguishes more names than the one before.
const (
	short     = iota // the words after the last slash: TraceID
	plain            // words only: StartTime
	operator         // with symbols that are not separators: StartTimeLess
	symbols          // with separators: ContentDashType
	exact            // with the case of each letter: XcontentDashtype
	lastLevel = exact
)

func (n *Namer) spell(wire string, level int) string {
	if level == short && strings.ContainsFunc(wire, isWord) {
		return n.Exported(wire)
	}
	if level == plain && strings.ContainsFunc(wire, isWord) {
		return n.identifier(strings.ReplaceAll(wire, "/", " "))
	}
	var b strings.Builder
	for _, r := range wire {
		switch {
		case isWord(r):
			b.WriteRune(r)
		case level <= operator && isSeparator(r) && strings.ContainsFunc(wire, isWord):
			b.WriteByte(' ')
		default:
			b.WriteString(" " + symbolName(r) + " ")
		}
	}
	if wire == "" {
		return "Empty"
	}
	if level < exact {
		return n.identifier(b.String())
	}
	name := strings.ReplaceAll(b.String(), " ", "")
	if !unicode.IsUpper(firstRune(name)) {
		return "X" + name
	}
	return name
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// isSeparator reports whether a character separates words.
func isSeparator(r rune) bool { return strings.ContainsRune("-_./: ", r) || unicode.IsSpace(r) }

func symbolName(r rune) string {
	if name, ok := symbolNames[r]; ok {
		return name
	}
	return fmt.Sprintf("U%04X", r)
}

var symbolNames = map[rune]string{
	' ': "Space", '!': "Not", '"': "Quote", '#': "Hash", '$': "Dollar", '%': "Percent", '&': "And", '\'': "Apostrophe",
	'(': "Open", ')': "Close", '*': "Star", '+': "Plus", ',': "Comma", '-': "Dash", '.': "Dot", '/': "Slash",
	':': "Colon", ';': "Semicolon", '<': "Less", '=': "Equal", '>': "Greater", '?': "Question", '@': "At",
	'[': "LeftBracket", '\\': "Backslash", ']': "RightBracket", '^': "Caret", '_': "Underscore", '`': "Backquote",
	'{': "LeftBrace", '|': "Or", '}': "RightBrace", '~': "Tilde",
}
