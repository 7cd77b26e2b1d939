package authoring

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/config"
	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/gen/tools/faults"
	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/gen/tools/samples"
	"github.com/mcpgen/mcpgen/runtime/schema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// toolName matches the names that tools should have ("Tool Names" in server/tools of
// 2025-11-25 and later).
var toolName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,128}$`)

// lint notes the faults of a list.
func (r *reader) lint(list *tools.List) {
	root := r.Root.Value
	if root.Kind() == wire.KindObject {
		r.misplaced("", place{r.Root, ""}, root, "the file")
		if result, ok := wire.Object(root).Get("result"); ok {
			r.misplaced("", place{r.Root, "/result"}, result, "the result")
		}
		r.unknown("", place{r.Root, ""}, wire.Object(root), topLevel, "the file")
		r.unused()
	}
	for _, t := range list.Tools {
		at := place{r.Root, t.Pointer}
		r.unknown(t.Name, at, t.Source, tables["tools"].words, tables["tools"].noun)
		for member, words := range map[string][]word{"annotations": ofAnnotations, "execution": ofExecution} {
			r.hints(t.Name, at, t.Definition, words, member)
		}
		r.within(t.Name, place{r.Root, t.Pointer}, t.Definition, "annotations", "execution", "_meta")
		if !toolName.MatchString(t.Name) {
			r.note(t.Name, place{r.Root, t.Pointer + "/name"}, "the name %q has other characters than letters, digits, _, . and -, or more than 128; clients may refuse it", t.Name)
		}
		for _, s := range []*jsonschema.Schema{t.Input, t.Output} {
			if s == nil {
				continue
			}
			judge := samples.NewValidator(s)
			for _, sub := range s.All() {
				r.keywords(t.Name, sub, judge)
			}
		}
	}
	for _, i := range list.Items {
		of := tables[string(i.Kind)]
		at := place{r.Root, i.Pointer}
		r.unknown(i.Name, at, i.Source, of.words, of.noun)
		r.hints(i.Name, at, i.Source, ofResourceAnnotations, "annotations")
		r.within(i.Name, at, i.Source, "annotations", "_meta")
		switch i.Kind {
		case tools.Prompts:
			r.elements(i, "arguments", ofArgument, "an argument")
		case tools.Templates:
			r.elements(i, tools.MemberVariables, ofVariable, "a variable")
		}
	}
}

// hints notes the members of a member of an item that are misspelled or of another type.
func (r *reader) hints(name string, at place, item wire.Object, words []word, member string) {
	value, ok := item.Get(member)
	if !ok || value.Kind() != wire.KindObject {
		return
	}
	at.pointer += "/" + member
	r.similar(name, at, wire.Object(value), words, member)
	for _, w := range words {
		hint, given := wire.Object(value).Get(w.name)
		if s, _ := jsonschema.Read("", wire.Raw(schemaOf[w.shape])); given && s.Kinds()&jsonschema.KindsOfValue(hint) == 0 {
			r.note(name, place{at.file, at.pointer + "/" + w.name}, "must be of type %s, found %s", s.Types[0], hint.Kind())
		}
	}
}

// within refuses scopes in members of an item, in which they have no effect.
func (r *reader) within(name string, at place, item wire.Object, members ...string) {
	for _, member := range members {
		if value, ok := item.Get(member); ok {
			r.misplaced(name, place{at.file, at.pointer + "/" + member}, value, member)
		}
	}
}

// misplaced refuses members of an object that are meant as scopes, even if they are misspelled. They would have no
// effect there, and everybody could call the tool.
func (r *reader) misplaced(tool string, at place, value wire.Raw, what string) {
	if value.Kind() != wire.KindObject {
		return
	}
	for name := range wire.Object(value).All() {
		if isScopes(name) {
			r.fail(tool, place{at.file, wire.ChildPointer(at.pointer, name)}, "has no effect in %s: %s is a member of a tool, prompt, resource or resource template", what, tools.MemberScopes)
		}
	}
}

// isScopes reports whether the name of a member is that of scopes, or resembles it.
func isScopes(name string) bool {
	folded, own := ownName(name)
	_, near := schema.Nearest(folded, []string{tools.MemberScopes}, mostTypos)
	return own && near
}

// ownName returns the name of a member in lower case with hyphens for underscores, and reports whether it
// begins as those of mcpgen do.
func ownName(name string) (folded string, own bool) {
	folded = strings.ReplaceAll(strings.ToLower(name), "_", "-")
	return folded, strings.HasPrefix(folded, "x-mcp")
}

// elements notes the unknown members of the arguments or variables of an item.
func (r *reader) elements(i *tools.Item, member string, words []word, what string) {
	all, ok := i.Source.Get(member)
	if !ok {
		return
	}
	for n, element := range all.Elements() {
		at := place{r.Root, fmt.Sprintf("%s/%s/%d", i.Pointer, member, n)}
		r.misplaced(i.Name, at, element, what)
		r.unknown(i.Name, at, wire.Object(element), words, what)
	}
}

// unknown notes the members of an object that are not in a table. Members that begin with x- are allowed
// everywhere, except for those that resemble one of mcpgen. If such a member begins with x-mcp, in any case and
// with hyphens or underscores, it is a fault: a tool whose scopes are misspelled has none.
func (r *reader) unknown(tool string, at place, o wire.Object, words []word, what string) {
	for name := range o.All() {
		folded, own := ownName(name)
		meant, near := schema.Nearest(folded, namesOf(words), mostTypos)
		if known(words, name) || strings.HasPrefix(folded, "x-") && !own && !near {
			continue
		}
		here := place{at.file, wire.ChildPointer(at.pointer, name)}
		if own && near {
			r.fail(tool, here, "unknown member %q of %s (did you mean %q?)", name, what, meant)
			continue
		}
		r.note(tool, here, "unknown member %q of %s%s", name, what, config.Suggestion(name, namesOf(words)))
	}
}

// mostTypos is how many characters a misspelled member of mcpgen may differ in.
const mostTypos = 3

// misspelled notes the members of the file and of its items whose names resemble those in a table.
func (r *reader) misspelled() {
	root := r.Root.Value
	items := map[string]wire.Raw{"tools": root}
	if root.Kind() == wire.KindObject {
		r.similar("", place{r.Root, ""}, wire.Object(root), topLevel, "the file")
		clear(items)
		for name := range tables {
			items[name], _ = wire.Object(root).Get(name)
		}
	}
	for name, list := range items {
		prefix := ""
		if root.Kind() == wire.KindObject {
			prefix = "/" + name
		}
		for i, item := range list.Elements() {
			if item.Kind() == wire.KindObject {
				r.similar(wire.Object(item).GetString("name"), place{r.Root, fmt.Sprintf("%s/%d", prefix, i)}, wire.Object(item), tables[name].words, tables[name].noun)
			}
		}
	}
}

// similar notes the members of an object whose names resemble one in a table. It ignores others,
// which the protocol does not forbid.
func (r *reader) similar(tool string, at place, o wire.Object, words []word, what string) {
	for name := range o.All() {
		if known(words, name) {
			continue
		}
		if hint := config.Suggestion(name, namesOf(words)); strings.HasPrefix(hint, " (") {
			r.note(tool, place{at.file, wire.ChildPointer(at.pointer, name)}, "unknown member %q of %s%s", name, what, hint)
		}
	}
}

// unused notes the shared schemas that no tool uses.
func (r *reader) unused() {
	defs, _ := wire.Object(r.Root.Value).Get("$defs")
	if defs.Kind() != wire.KindObject {
		return
	}
	var used []string
	for _, from := range r.copies {
		if from.file == r.Root {
			used = append(used, from.pointer+"/")
		}
	}
	for name := range wire.Object(defs).All() {
		at := wire.ChildPointer("/$defs", name)
		if !slices.ContainsFunc(used, func(pointer string) bool { return strings.HasPrefix(pointer, at+"/") }) {
			r.note("", place{r.Root, at}, "no tool refers to the schema %q", name)
		}
	}
}

// ownKeywords are the keywords of mcpgen and of the protocol.
var ownKeywords = []string{jsonschema.GoName, jsonschema.GoBigInteger, "x-mcp-header"}

// keywords notes the faults of one schema.
func (r *reader) keywords(tool string, s *jsonschema.Schema, judge *samples.Validator) {
	if s.Always != nil || s.Source.Kind() != wire.KindObject {
		return
	}
	note := func(keyword, format string, args ...any) {
		r.note(tool, r.origin(wire.ChildPointer(s.Pointer, keyword)), format, args...)
	}
	r.misplaced(tool, r.origin(s.Pointer), s.Source, "a schema")
	for name := range wire.Object(s.Source).All() {
		if known(keywords, name) || isScopes(name) || name == "id" && s.Draft == jsonschema.Draft4 {
			continue
		}
		if folded, own := ownName(name); own || strings.HasPrefix(folded, "x-") {
			if meant, near := schema.Nearest(folded, ownKeywords, mostTypos-1); near && meant != name {
				note(name, "unknown keyword %q (did you mean %q?)", name, meant)
			}
			continue
		}
		hint := config.Suggestion(name, namesOf(keywords))
		if hint == "" {
			hint = ": JSON Schema does not have it, so it is ignored"
		}
		note(name, "unknown keyword %q%s", name, hint)
	}
	for _, fault := range faults.Of(s, judge) {
		r.note(tool, r.origin(fault.Pointer), "%s", fault.Problem)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Always != nil && !*s.AdditionalProperties.Always && s.PatternProperties == nil {
		names := make([]string, len(s.Properties))
		for i, p := range s.Properties {
			names[i] = p.Name
		}
		for _, name := range s.Required {
			if !slices.Contains(names, name) {
				note("required", "requires the member %q, which additionalProperties forbids%s", name, config.Suggestion(name, names))
			}
		}
	}
}
