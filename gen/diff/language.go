package diff

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
)

// language is the set of strings that contain a match of a pattern. It is an automaton whose
// states are made on demand.
type language struct {
	prog *syntax.Prog
	// cuts are the characters at which the behavior of the pattern may change.
	cuts   []rune
	states map[string]*state
	// made counts the states. matched is that of strings in which the pattern has matched, whatever follows.
	made    uint32
	matched state
}

// state describes the matches that are possible after a prefix of a string.
type state struct {
	id uint32
	// at lists the instructions that wait for a character or for the end of the string.
	at []uint32
	// accepts means that the string may end here.
	accepts bool
	next    map[rune]*state
}

// newLanguage parses a pattern. It returns nil for patterns with lookaround, backreferences or
// word boundaries, which the automaton does not support.
func newLanguage(pattern string) *language {
	re, err := syntax.Parse(jsonschema.GoSyntax(pattern), syntax.Perl)
	if err != nil {
		return nil
	}
	prog, err := syntax.Compile(re.Simplify())
	if err != nil || len(prog.Inst) > 2000 {
		return nil
	}
	l := &language{prog: prog, states: map[string]*state{}, matched: state{accepts: true}}
	for _, in := range prog.Inst {
		switch in.Op {
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(in.Arg)&^(syntax.EmptyBeginText|syntax.EmptyEndText) != 0 {
				return nil
			}
		case syntax.InstRuneAnyNotNL:
			l.cuts = append(l.cuts, '\n', '\n'+1)
		case syntax.InstRune1, syntax.InstRune:
			if len(in.Rune) == 1 {
				r := in.Rune[0]
				l.cuts = append(l.cuts, r, r+1)
				for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
					l.cuts = append(l.cuts, f, f+1)
				}
				continue
			}
			for i := 0; i+1 < len(in.Rune); i += 2 {
				l.cuts = append(l.cuts, in.Rune[i], in.Rune[i+1]+1)
			}
		}
	}
	return l
}

// state returns the state for a list of instructions. first means that no character has been read.
func (l *language) state(start []uint32, first bool) *state {
	at, found := l.follow(start, first, false)
	if found {
		return &l.matched
	}
	var key []byte
	for _, pc := range at {
		key = binary.LittleEndian.AppendUint32(key, pc)
	}
	if have, ok := l.states[string(key)]; ok && !first {
		return have
	}
	l.made++
	s := &state{id: l.made, at: at, next: map[rune]*state{}}
	if _, s.accepts = l.follow(at, first, true); !first {
		l.states[string(key)] = s
	}
	return s
}

// follow executes instructions until they wait for input. It reports whether the pattern has
// matched.
func (l *language) follow(start []uint32, first, last bool) (at []uint32, found bool) {
	seen := map[uint32]bool{}
	todo := slices.Clone(start)
	for len(todo) > 0 {
		pc := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[pc] {
			continue
		}
		seen[pc] = true
		switch in := l.prog.Inst[pc]; in.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			todo = append(todo, in.Out, in.Arg)
		case syntax.InstCapture, syntax.InstNop:
			todo = append(todo, in.Out)
		case syntax.InstMatch:
			return nil, true
		case syntax.InstEmptyWidth:
			op := syntax.EmptyOp(in.Arg)
			switch {
			case op&syntax.EmptyBeginText != 0 && !first:
			case op&syntax.EmptyEndText != 0 && !last:
				at = append(at, pc)
			default:
				todo = append(todo, in.Out)
			}
		case syntax.InstFail:
		default:
			at = append(at, pc)
		}
	}
	slices.Sort(at)
	return at, false
}

// dead reports whether the pattern matches no string that continues there.
func (s *state) dead() bool { return len(s.at) == 0 && !s.accepts }

func (l *language) start() *state { return l.state([]uint32{uint32(l.prog.Start)}, true) }

// step returns the state after a character.
func (l *language) step(s *state, r rune) *state {
	if s == &l.matched {
		return s
	}
	if next, ok := s.next[r]; ok {
		return next
	}
	var out []uint32
	for _, pc := range s.at {
		if in := &l.prog.Inst[pc]; in.Op != syntax.InstEmptyWidth && in.MatchRune(r) {
			out = append(out, in.Out)
		}
	}
	if dead, ok := l.states[""]; ok && len(out) == 0 {
		return dead // a match may begin only at the start
	}
	out = append(out, uint32(l.prog.Start)) // a match may begin at any position
	next := l.state(out, false)
	s.next[r] = next
	return next
}

// alphabet returns one character of each class of characters that the languages do not
// distinguish.
func alphabet(list []*language) []rune {
	cuts := []rune{0, 'a', 'b'}
	for _, l := range list {
		cuts = append(cuts, l.cuts...)
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	var out []rune
	for i, low := range cuts {
		high := rune(unicode.MaxRune)
		if i+1 < len(cuts) {
			high = cuts[i+1] - 1
		}
		r := low
		for _, nice := range []rune{'a', 'x', 'A', '0', '-', '_', '.', ' ', 'é'} {
			if low <= nice && nice <= high {
				r = nice
				break
			}
		}
		if r < ' ' && high >= ' ' {
			r = min(high, '!')
		}
		if utf8.ValidRune(r) {
			out = append(out, r)
		}
	}
	// Common characters come first, so that examples are readable.
	slices.SortStableFunc(out, func(x, y rune) int { return plainness(x) - plainness(y) })
	return out
}

func plainness(r rune) int {
	switch {
	case 'a' <= r && r <= 'z':
		return 0
	case 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
		return 1
	case ' ' < r && r < 127:
		return 2
	case unicode.IsPrint(r):
		return 3
	}
	return 4
}

// language returns the language of a pattern, or nil if the pattern is not supported.
func (e *engine) language(pattern string) *language {
	return cached(e.languages, pattern, func() *language { return newLanguage(pattern) })
}

// The limits of a search: characters of a string, states, and transitions.
const (
	longest    = 300
	mostStates = 4000
	mostMoves  = 200_000
)

// walk searches the states of several automata at once, breadth first, for a string with a length in a span that the
// first automata accept, and the others do not. Lengths above most count as most.
func walk(list []*language, accept int, length span, most int) (s string, found, known bool) {
	type point struct {
		states []*state
		n      int
		from   int
		by     rune
	}
	runes := alphabet(list)
	var queue []point
	seen := map[string]bool{}
	var key []byte
	// add adds a point that is new, unless no string that continues there is a goal.
	add := func(p point) {
		key = binary.LittleEndian.AppendUint32(key[:0], uint32(p.n))
		for i, s := range p.states {
			if i < accept && s.dead() || i >= accept && s == &list[i].matched {
				return
			}
			key = binary.LittleEndian.AppendUint32(key, s.id)
		}
		if !seen[string(key)] {
			seen[string(key)] = true
			p.states = slices.Clone(p.states)
			queue = append(queue, p)
		}
	}
	states := make([]*state, len(list))
	for i, l := range list {
		states[i] = l.start()
	}
	add(point{states: states, from: -1})
	moves := 0
	for i := 0; i < len(queue); i++ {
		here := queue[i]
		goal := true
		for j, s := range here.states {
			goal = goal && s.accepts == (j < accept)
		}
		if goal && length.Contains(here.n) {
			var text []rune
			for at := i; queue[at].from >= 0; at = queue[at].from {
				text = append(text, queue[at].by)
			}
			slices.Reverse(text)
			return string(text), true, true
		}
		for _, r := range runes {
			if moves++; moves > mostMoves || len(queue) > mostStates {
				return "", false, false
			}
			for j, l := range list {
				states[j] = l.step(here.states[j], r)
			}
			add(point{states, min(here.n+1, most), i, r})
		}
	}
	return "", false, true
}
