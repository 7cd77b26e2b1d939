package diff

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/mcpgen/mcpgen/gen/catalog"
	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// ofPrompt returns the [Witness.Of] of a prompt's prompts/get params.
func ofPrompt(name string) string { return "prompt " + strconv.Quote(name) + " params" }

// Values of [Witness.Of] for the URI of a resource, and for the path of a capability.
const (
	ofURI        = "resource URI"
	ofCapability = "capability"
)

// offers compares everything that two servers offer besides tools.
func (t *toolLists) offers(report *Report, old, new ToolList) {
	if old.Catalog == nil || new.Catalog == nil {
		return
	}
	if t.has(report, old, new, catalog.Prompts) {
		t.prompts(old.Catalog, new.Catalog)
	}
	if t.has(report, old, new, catalog.Resources) {
		t.resources(old.Catalog, new.Catalog)
	}
	if t.has(report, old, new, catalog.Templates) {
		t.templates(old.Catalog, new.Catalog)
	}
	if t.has(report, old, new, catalog.Capabilities) {
		t.capabilities(old.Catalog, new.Catalog)
	}
	if was, is := old.Catalog.Instructions, new.Catalog.Instructions; t.has(report, old, new, catalog.Instructions) && was != is {
		at := Place{"instructions", "/instructions"}
		t.says("initialize result", "instructions-changed", at, at, inQuotes(was), inQuotes(is))
	}
}

// has reports whether a part can be compared: both sides have it, or the new side has removed
// it. It records a part that only one side mentions.
func (t *toolLists) has(report *Report, old, new ToolList, part catalog.Part) bool {
	was, is := old.Catalog.Has[part], new.Catalog.Has[part]
	switch {
	case was && is, was && new.Catalog.Whole && part != catalog.Capabilities:
		if part != catalog.Tools {
			report.Compared.Items += old.Catalog.Count(part) + new.Catalog.Count(part)
		}
		return true
	case part == catalog.Capabilities: // most lists that are kept have none, which is no gap
	case was && old.Catalog.Count(part) > 0:
		report.Skipped = append(report.Skipped, Skipped{"new", Place{Path: string(part)}, fmt.Sprintf("has no %s: the %[1]s of the old side are not compared", part)})
	case is && new.Catalog.Count(part) > 0:
		report.Skipped = append(report.Skipped, Skipped{"old", Place{Path: string(part)}, fmt.Sprintf("has no %s: the %[1]s of the new side are not compared", part)})
	}
	return false
}

// offer is something that a server offers. The path of its place is the subject of findings.
type offer struct {
	Place
	// values are what clients send for it. guard is why nothing breaks without it.
	values []any
	guard  string
	// of names the judge of the values, use the message that carries them.
	of, use string
	wrap    func(v any) any
}

func (o *offer) root() *root {
	return &root{use: o.use, direction: ToServer, wrap: o.wrap, judged: [2][]string{{o.of}, {o.of}}}
}

// only reports an offer that one side has. The rule is that for the old side.
func (t *toolLists) only(way int, rule string, o *offer, args ...string) {
	ch := t.lone(rule, way, o.Path, o.Place, args...)
	values := o.values
	if ch.guard = o.guard; way == widens {
		ch.guard, values = guardListed, nil
	}
	t.direct(ch, values, nil, o.root())
}

// entriesOf returns the entries of a list by their keys.
func entriesOf(list []*catalog.Entry) map[string]*catalog.Entry {
	return byKey(list, func(e *catalog.Entry) string { return e.Key })
}

// entries reports the entries that only one side has, by the rule for the old side, and compares the others.
func (t *toolLists) entries(rule string, old, new map[string]*catalog.Entry, of func(e *catalog.Entry) *offer, both func(was, is *catalog.Entry)) {
	eachKey(old, new, func(way int, _ string, e *catalog.Entry) { t.only(way, rule, of(e)) }, func(_ string, was, is *catalog.Entry) { both(was, is) })
}

func (t *toolLists) prompts(old, new *catalog.Catalog) {
	t.entries("prompt-removed", entriesOf(old.Prompts), entriesOf(new.Prompts), promptOf, func(was, is *catalog.Entry) {
		before, after := promptOf(was), promptOf(is)
		at := after.root()
		c := newComparer(guardIgnoredMember)
		at.old, at.new = argumentsOf(c.engine, was, before.Path), argumentsOf(c.engine, is, after.Path)
		t.compare(c, after.Path+".arguments", at)
		t.remarks("prompt-changed", "prompts/list", after.Path, was, is, "arguments")
		for _, one := range arguments(is) {
			if slices.ContainsFunc(arguments(was), func(a argument) bool { return a.name == one.name && a.rest != one.rest }) {
				t.says("prompts/list", "prompt-changed", before.Place, after.Place, "argument "+one.name)
			}
		}
	})
}

func promptOf(e *catalog.Entry) *offer {
	required := map[string]any{}
	for _, argument := range arguments(e) {
		if argument.required {
			required[argument.name] = ""
		}
	}
	return &offer{
		Place: Place{"prompts/" + e.Key, e.Pointer}, values: []any{required}, of: ofPrompt(e.Key), use: "prompts/get " + e.Key,
		wrap: func(v any) any { return map[string]any{"name": e.Key, "arguments": v} },
	}
}

// argument is an argument of a prompt, at an index of the list, with its other members.
type argument struct {
	name     string
	required bool
	index    int
	rest     string
}

func arguments(e *catalog.Entry) (all []argument) {
	list, _ := e.Definition.Get("arguments")
	for i, raw := range list.Elements() {
		if raw.Kind() != wire.KindObject {
			continue
		}
		object := wire.Object(raw)
		text, _ := object.Get("name")
		name, ok := text.Str()
		if ok && !slices.ContainsFunc(all, func(a argument) bool { return a.name == name }) {
			required, _ := object.Get("required")
			all = append(all, argument{name, required == "true", i, fmt.Sprint(membersBut(object, "name", "required"))})
		}
	}
	return all
}

// promptPlaces has the places of a prompt's arguments by the pointers of their schemas.
type promptPlaces map[string]Place

func (p promptPlaces) place(pointer string) (Place, string) { return p[pointer], "" }

func (p promptPlaces) member(_, pointer, _ string) (Place, bool) { return p[pointer], false }

// argumentsOf returns the shape of a prompt's arguments, which are strings.
func argumentsOf(e *engine, prompt *catalog.Entry, subject string) *Shape {
	at := Place{subject + ".arguments", prompt.Pointer + "/arguments"}
	places := promptPlaces{"": at}
	properties, required := map[string]any{}, []any{}
	for _, a := range arguments(prompt) {
		properties[a.name] = map[string]any{"type": "string"}
		places[wire.ChildPointer("/properties", a.name)] = Place{at.Path + "." + a.name, at.Pointer + "/" + strconv.Itoa(a.index)}
		if a.required {
			required = append(required, a.name)
		}
	}
	schema, _ := jsonschema.Read("", wire.Raw(render(map[string]any{"type": "object", "properties": properties, "required": required})))
	b := newSchemaBuilder(e)
	b.names = places
	return b.shape(schema)
}

// membersBut returns the members of an object except for those with the given names, in a normal form.
func membersBut(o wire.Object, names ...string) map[string]string {
	rest := map[string]string{}
	for name, raw := range o.All() {
		if !slices.Contains(names, name) {
			rest[name] = canonical(raw)
		}
	}
	return rest
}

// says reports that a server now says something else about an offer in a message.
func (t *toolLists) says(use, rule string, old, new Place, args ...string) {
	t.add(&change{rule: rule, subject: new.Path, old: old, new: new, args: args}, &root{use: use, direction: ToClient})
}

// remarks reports the members of two entries that differ, except for those named in but.
func (t *toolLists) remarks(rule, use, subject string, was, is *catalog.Entry, but ...string) {
	for _, name := range differing(membersBut(was.Definition, but...), membersBut(is.Definition, but...)) {
		t.says(use, rule, Place{subject, was.Pointer}, Place{subject, is.Pointer}, name)
	}
}
