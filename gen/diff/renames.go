package diff

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// mostPairs limits the number of pairs of tools that renames compares.
const mostPairs = 250_000

// renames returns the new names of renamed tools by old name. A tool of the old side alone was
// renamed if a tool of the new side alone has nearly the same schemas, and the names, the
// descriptions or the parameters are similar too.
func renames(was, is map[string]*tools.Tool) map[string]string {
	gone, come, found := profiles(was, is), profiles(is, was), map[string]string{}
	if len(gone)*len(come) > mostPairs {
		return found
	}
	pairs, _, _ := mostAlike(gone, come, (*profile).like, func(o, n *profile) string { return inEither(o.tool.Name, n.tool.Name) })
	for _, p := range pairs {
		found[p.old.tool.Name] = p.new.tool.Name
	}
	return found
}

// profile describes a tool for comparing it with others.
type profile struct {
	tool *tools.Tool
	// members has the parameters and the members of the result, with their schemas without
	// texts.
	members map[string]string
	text    string
	// words are those of the description, named those of the name.
	words, named map[string]bool
	// alone means that no other tool has the same members, among those that only this side has.
	alone bool
}

// profiles returns the profiles of the tools that only list has.
func profiles(list, other map[string]*tools.Tool) []*profile {
	var all []*profile
	same := map[string][]*profile{}
	for _, name := range slices.Sorted(maps.Keys(list)) {
		if other[name] != nil {
			continue
		}
		t := list[name]
		p := &profile{tool: t, members: map[string]string{}, text: t.Description, words: words(t.Description), named: words(t.Name)}
		for prefix, s := range map[string]*jsonschema.Schema{"input.": t.Input, "output.": t.Output} {
			if s == nil {
				continue
			}
			for _, member := range s.Properties {
				p.members[prefix+member.Name] = bare(member.Schema.Source)
			}
		}
		all = append(all, p)
		if len(p.members) > 0 {
			key := fmt.Sprint(p.members) // sorted by name
			same[key] = append(same[key], p)
		}
	}
	for _, list := range same {
		list[0].alone = len(list) == 1
	}
	return all
}

// bare returns a schema without texts for people.
func bare(raw wire.Raw) string {
	if raw.Kind() != wire.KindObject {
		return string(raw)
	}
	return fmt.Sprint(membersBut(wire.Object(raw), "description", "title", "examples"))
}

// like returns the similarity of two tools, or 0 if they are unrelated.
func (p *profile) like(other *profile) float64 {
	shared := 0
	for name, schema := range p.members {
		if other.members[name] == schema {
			shared++
		}
	}
	schemas := 1.0
	if all := len(p.members) + len(other.members); all > 0 {
		schemas = 2 * float64(shared) / float64(all)
	}
	if schemas < 0.75 {
		return 0
	}
	prose := overlap(p.words, other.words)
	if p.text != "" && p.text == other.text {
		prose = 1
	}
	names := overlap(p.named, other.named)
	switch {
	case prose >= 0.8, names >= 0.5 && len(p.members) > 0:
		return schemas + prose + names
	case p.alone && other.alone && schemas == 1 && len(p.members) > 1 && (p.text == "" || other.text == ""):
		return schemas + prose + names // no evidence against it
	}
	return 0
}

// words returns the words of a text or a name in lower case.
func words(text string) map[string]bool {
	all := map[string]bool{}
	var spaced strings.Builder
	lower := false
	for _, r := range text {
		if unicode.IsUpper(r) && lower {
			spaced.WriteByte(' ')
		}
		lower = unicode.IsLower(r)
		spaced.WriteRune(unicode.ToLower(r))
	}
	for word := range strings.FieldsFuncSeq(spaced.String(), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		all[word] = true
	}
	return all
}

// overlap returns the fraction of all words that both sets have, or 0 if both are empty.
func overlap(a, b map[string]bool) float64 {
	shared := 0
	for word := range a {
		if b[word] {
			shared++
		}
	}
	if all := len(a) + len(b) - shared; all > 0 {
		return float64(shared) / float64(all)
	}
	return 0
}

// renamed reports a renamed tool.
func (t *toolLists) renamed(old, new *tools.Tool) {
	call := map[string]any{"name": old.Name}
	if taskSupportOf(old.Definition) == "required" {
		call["task"] = map[string]any{}
	}
	t.direct(&change{rule: "tool-renamed", guard: guardListed, subject: new.Name, old: placeOfTool(old), new: placeOfTool(new), args: []string{old.Name, new.Name}},
		[]any{call}, nil, &root{use: "tools/call " + old.Name, direction: ToServer, judged: [2][]string{{ofCall(old.Name)}, {ofCall(old.Name)}}})
}
