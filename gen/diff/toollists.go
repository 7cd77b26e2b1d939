package diff

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/mcpgen/mcpgen/gen/catalog"
	"github.com/mcpgen/mcpgen/gen/code"
	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// ToolList is a tool list as a side of a comparison.
type ToolList struct {
	Label string
	List  *tools.List
	// Catalog has everything else that the server offers. It is nil if that is unknown.
	Catalog *catalog.Catalog
	Notes   Notes
	// Progress, unless it is nil, is called after each tool that both lists have, from several goroutines. Only
	// that of the new list is called.
	Progress func()
}

// ofInput returns the [Witness.Of] of a tool's arguments.
func ofInput(tool string) string { return "tool " + strconv.Quote(tool) + " arguments" }

// ofOutput returns the [Witness.Of] of a tool's structured result.
func ofOutput(tool string) string { return "tool " + strconv.Quote(tool) + " structuredContent" }

// Tools compares two tool lists. It returns an error only if the sides cannot be compared at
// all.
func Tools(old, new ToolList) (*Report, error) {
	t := newToolLists(old, new)
	report := &Report{Old: old.Label, New: new.Label, Kind: t.kind}
	nameOf := func(t *tools.Tool) string { return t.Name }
	was, is := byKey(old.List.Tools, nameOf), byKey(new.List.Tools, nameOf)
	if old.Catalog != nil && new.Catalog != nil && !t.has(report, old, new, catalog.Tools) {
		was, is = nil, nil
	}
	report.Compared.Items += len(was) + len(is)
	for before, after := range renames(was, is) {
		// Both maps use the new name from here on.
		was[after] = was[before]
		delete(was, before)
	}
	names := keysOf(was, is)
	parts := make([]*toolLists, len(names))
	code.Parallel(len(names), func(i int) {
		before, after := was[names[i]], is[names[i]]
		parts[i] = newToolLists(old, new)
		if parts[i].tools(before, after); before != nil && after != nil && new.Progress != nil {
			new.Progress()
		}
	})
	for i, name := range names {
		t.join(&parts[i].assembler)
		switch {
		case !report.Compared.add(name, was[name] != nil, is[name] != nil):
		case len(parts[i].order) == 0:
			report.Compared.Unchanged++
		default:
			report.Compared.Changed = append(report.Compared.Changed, name)
		}
	}
	t.offers(report, old, new)
	report.Findings = t.list()
	report.Problems = t.problems
	report.notes(old.Notes, new.Notes)
	report.SetUpgrade(UpgradeEither)
	return report, nil
}

// toolLists compares tool lists, or two tools of them.
type toolLists struct{ assembler }

func newToolLists(old, new ToolList) *toolLists {
	return &toolLists{assembler{kind: "tools", old: old.Label, new: new.Label, findings: map[string]*Finding{}}}
}

func placeOfTool(tool *tools.Tool) Place { return Place{tool.Name, tool.Pointer} }

// presence reports a tool that only one list has.
func (t *toolLists) presence(way int, tool *tools.Tool) {
	c := newComparer("")
	at := &root{use: "tools/call " + tool.Name, direction: ToServer,
		judged: [2][]string{{ofInput(tool.Name)}, {ofInput(tool.Name)}}}
	ch := t.lone("tool-removed", way, tool.Name, placeOfTool(tool))
	if way == widens {
		ch.guard = guardListed
	}
	t.lacked(ch, way, c.finder(tool.Input.Root()), []*jsonschema.Schema{tool.Input}, "mcpgen cannot make arguments that the tool accepts", at)
}

// tools compares two tools, or reports the one that only one list has.
func (t *toolLists) tools(old, new *tools.Tool) {
	t.tool = cmp.Or(old, new).Name
	switch {
	case new == nil:
		t.presence(narrows, old)
		return
	case old == nil:
		t.presence(widens, new)
		return
	case old.Name != new.Name:
		t.renamed(old, new)
	}
	if !wire.Equal(old.Input.Source, new.Input.Source) {
		c, at := t.schemas(old.Input, new.Input, guardIgnoredMember)
		at.use, at.direction, at.judged = "tools/call "+new.Name, ToServer, [2][]string{{ofInput(old.Name)}, {ofInput(new.Name)}}
		t.compare(c, new.Name+".input", at)
	}
	t.output(old, new)
	tell := func(rule string, args ...string) {
		t.says("tools/list", rule, placeOfTool(old), placeOfTool(new), args...)
	}
	if old.Description != new.Description {
		tell("tool-description-changed", inQuotes(old.Description), inQuotes(new.Description))
	}
	if was, is := titleOf(old), titleOf(new); was != is {
		tell("tool-title-changed", inQuotes(was), inQuotes(is))
	}
	t.taskSupport(old, new)
	dialects(old, new, tell)
	t.mirrored(new.Name, headersOf(old), headersOf(new))
	promises(old, new, tell)
	for _, name := range differing(otherMembers(old), otherMembers(new)) {
		tell("tool-metadata-changed", name)
	}
}

// schemas returns the root of two schemas and a comparer for them. The comparer uses the guard dropped for a member
// that only one of them declares.
func (t *toolLists) schemas(old, new *jsonschema.Schema, dropped string) (*comparer, *root) {
	c := newComparer(dropped)
	return c, &root{old: newSchemaBuilder(c.engine).shape(old), new: newSchemaBuilder(c.engine).shape(new)}
}

// output compares the output schemas. A tool without one may return any object.
func (t *toolLists) output(old, new *tools.Tool) {
	schema := func(tool *tools.Tool) *jsonschema.Schema {
		anyObject, _ := jsonschema.Read(tool.Pointer, `{"type":"object"}`)
		return cmp.Or(tool.Output, anyObject)
	}
	was, is := schema(old), schema(new)
	if old.Output == nil && new.Output == nil || old.Output != nil && new.Output != nil && wire.Equal(was.Source, is.Source) {
		return
	}
	c, at := t.schemas(was, is, guardOpenObject)
	at.use, at.direction, at.judged = "tools/call "+new.Name+" result", ToClient, [2][]string{{ofOutput(old.Name)}, {ofOutput(new.Name)}}
	path := new.Name + ".output"
	if old.Output != nil && new.Output != nil {
		t.compare(c, path, at)
		return
	}
	rule, way, object, described := "output-schema-added", narrows, was, is
	if new.Output == nil {
		rule, way, object, described = "output-schema-removed", widens, is, was
	}
	one := (&change{rule: rule}).in(&node{pairing: &pairing{old: at.old, new: at.new}, path: path})
	switch a := c.finder(nil).find([]*jsonschema.Schema{object}, []*jsonschema.Schema{described}, nil); a.is {
	case found:
		one.ways[way] = a
	case none:
		one.ways[way], one.guard = answer{is: noted}, guardPromisedNobody
	default:
		one.ways[way] = answer{is: unknown, why: "mcpgen cannot make a result that the schema refuses"}
	}
	t.add(one, at)
}

// titleOf returns the title that clients show for a tool.
func titleOf(tool *tools.Tool) string {
	hints, _ := tool.Definition.Get("annotations")
	raw, _ := hints.Child("title")
	title, _ := raw.Str()
	return cmp.Or(tool.Title, title)
}

// promises compares the promises of annotations.
func promises(old, new *tools.Tool, tell func(rule string, args ...string)) {
	readOnly := annotations[0]
	for _, a := range annotations {
		if a.ifWrites && (readOnly.promised(old) || readOnly.promised(new)) {
			continue // a read-only tool implies these promises
		}
		before, after := a.promised(old), a.promised(new)
		switch {
		case before && !after:
			tell(a.lost())
		case after && !before:
			tell(a.gained())
		}
	}
}

// promised reports whether a tool makes the promise of the annotation.
func (a annotation) promised(tool *tools.Tool) bool {
	hints, _ := tool.Definition.Get("annotations")
	raw, ok := hints.Child(a.member)
	return (ok && raw == "true" || !ok && a.absent) == a.promises
}

// differing returns the names of the members that differ, or that one side lacks.
func differing(old, new map[string]string) []string {
	return slices.DeleteFunc(keysOf(old, new), func(name string) bool { return old[name] == new[name] })
}

// otherMembers returns the members of the definition that no other rule compares.
func otherMembers(tool *tools.Tool) map[string]string {
	others := membersBut(tool.Definition, "name", "title", "description", "inputSchema", "outputSchema", "input_schema", "parameters")
	told := []string{"title", "taskSupport"}
	for _, a := range annotations {
		told = append(told, a.member)
	}
	for _, outer := range []string{"annotations", "execution"} {
		if raw, _ := tool.Definition.Get(outer); raw.Kind() == wire.KindObject {
			delete(others, outer)
			for inner, text := range membersBut(wire.Object(raw), told...) {
				others[outer+"."+inner] = text
			}
		}
	}
	return others
}
