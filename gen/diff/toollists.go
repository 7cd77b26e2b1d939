package diff

import (
	"fmt"
	"maps"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/gen/catalog"
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
	// Progress, unless it is nil, is called after each tool that both lists have, from several goroutines. That
	// of the new list is used.
	Progress func()
}

// ofInput returns the [Witness.Of] of a tool's arguments.
func ofInput(tool string) string { return "tool " + strconv.Quote(tool) + " arguments" }

// ofOutput returns the [Witness.Of] of a tool's structured result.
func ofOutput(tool string) string { return "tool " + strconv.Quote(tool) + " structuredContent" }

// Tools compares two tool lists. It returns an error only if the sides cannot be compared at
// all.
func Tools(old, new ToolList) (*Report, error) {
	rules := newRuleTable()
	t := newToolLists(rules, old, new)
	report := &Report{Old: old.Label, New: new.Label, Kind: t.kind}
	was, is := byName(old.List), byName(new.List)
	if old.Catalog != nil && new.Catalog != nil && !t.has(report, old, new, catalog.Tools) {
		was, is = nil, nil
	}
	report.Compared.Items += len(was) + len(is)
	renamed := renames(was, is)
	for before, after := range renamed {
		// Both maps use the new name from here on.
		was[after] = was[before]
		delete(was, before)
	}
	names := slices.Sorted(maps.Keys(was))
	for _, name := range slices.Sorted(maps.Keys(is)) {
		if was[name] == nil {
			names = append(names, name)
		}
	}
	parts := make([]*toolLists, len(names))
	parallel(len(names), func(i int) {
		parts[i] = newToolLists(rules, old, new)
		parts[i].tool(was[names[i]], is[names[i]])
		if was[names[i]] != nil && is[names[i]] != nil {
			progressed(new.Progress)
		}
	})
	for i, name := range names {
		t.join(&parts[i].assembler)
		switch {
		case is[name] == nil:
			report.Compared.Removed = append(report.Compared.Removed, name)
			continue
		case was[name] == nil:
			report.Compared.Added = append(report.Compared.Added, name)
			continue
		case len(parts[i].order) == 0:
			report.Compared.Unchanged++
		default:
			report.Compared.Changed = append(report.Compared.Changed, name)
		}
		report.Compared.Subjects++
	}
	t.offers(report, old, new)
	report.Findings = t.list()
	report.Problems = t.problems
	report.notes(old.Notes, new.Notes)
	name(report.Findings, old.List, new.List)
	report.finish()
	return report, nil
}

func byName(list *tools.List) map[string]*tools.Tool {
	all := map[string]*tools.Tool{}
	for _, t := range list.Tools {
		all[t.Name] = t
	}
	return all
}

// toolLists compares tool lists, or two tools of them.
type toolLists struct{ assembler }

func newToolLists(rules ruleTable, old, new ToolList) *toolLists {
	return &toolLists{assembler{kind: "tools", old: old.Label, new: new.Label, rules: rules, findings: map[string]*Finding{}}}
}

// parallel calls f with 0 to n-1 on all processors. It panics if f does.
func parallel(n int, f func(i int)) {
	var next atomic.Int64
	var failed atomic.Pointer[string]
	var all sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		all.Go(func() {
			defer func() {
				if v := recover(); v != nil {
					failed.Store(new(fmt.Sprintf("%v\n\n%s", v, debug.Stack())))
				}
			}()
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(i)
			}
		})
	}
	all.Wait()
	if text := failed.Load(); text != nil {
		panic(*text)
	}
}

// presence reports a tool that only one list has. Every call shows that, so the finding needs
// no example, but it has one if possible.
func (t *toolLists) presence(rule string, tool *tools.Tool) {
	c := newComparer(t.rules, "")
	at := &root{use: "tools/call " + tool.Name, direction: ToServer,
		judgedOld: []string{ofInput(tool.Name)}, judgedNew: []string{ofInput(tool.Name)}}
	at.judges = [2]Judge{schemaJudge{c.engine, tool.Input}, schemaJudge{}}
	ch := &change{rule: rule, old: Place{tool.Name, tool.Pointer}}
	way := narrows
	if rule == "tool-added" {
		ch.old, ch.new, ch.guard, way = ch.new, ch.old, guardListed, widens
		at.judges[0], at.judges[1] = at.judges[1], at.judges[0]
	}
	one := ch.about(tool.Name)
	one.ways[way] = outcome{state: unproven, sure: true, why: "mcpgen cannot make arguments that the tool accepts"}
	if a := c.finder(tool.Input.Root()).find([]*jsonschema.Schema{tool.Input}, nil, nil); a.is == found {
		one.ways[way] = outcome{state: shown, values: []any{a.value}}
	}
	t.add(one, at)
}

// tool compares two tools, or reports the one that only one list has.
func (t *toolLists) tool(old, new *tools.Tool) {
	switch {
	case new == nil:
		t.presence("tool-removed", old)
		return
	case old == nil:
		t.presence("tool-added", new)
		return
	case old.Name != new.Name:
		t.renamed(old, new)
	}
	if canonical(old.Input.Source) != canonical(new.Input.Source) {
		c := newComparer(t.rules, guardIgnoredMember)
		t.compare(c, new.Name+".input", &root{use: "tools/call " + new.Name, direction: ToServer,
			old: newSchemaBuilder(old.Input, c.engine).shape(old.Input), new: newSchemaBuilder(new.Input, c.engine).shape(new.Input),
			judges:    [2]Judge{schemaJudge{c.engine, old.Input}, schemaJudge{c.engine, new.Input}},
			judgedOld: []string{ofInput(old.Name)}, judgedNew: []string{ofInput(new.Name)}})
	}
	t.output(old, new)
	at := &root{use: "tools/list", direction: ToClient}
	tell := func(rule string, args ...string) {
		t.tell(&change{rule: rule, old: Place{old.Name, old.Pointer}, new: Place{new.Name, new.Pointer}, args: args}, new.Name, at)
	}
	if old.Description != new.Description {
		tell("tool-description-changed", inQuotes(old.Description), inQuotes(new.Description))
	}
	if was, is := titleOf(old), titleOf(new); was != is {
		tell("tool-title-changed", inQuotes(was), inQuotes(is))
	}
	t.taskSupport(old, new)
	t.dialects(old, new, tell)
	t.mirrored(old, new)
	t.annotations(old, new, tell)
	t.metadata(old, new, tell)
}

func (t *toolLists) compare(c *comparer, path string, at *root) {
	list, problem := c.messages(at.old, at.new, path)
	if problem != "" {
		t.problem("%s", problem)
	}
	for _, one := range list {
		t.add(one, at)
	}
}

func (t *toolLists) output(old, new *tools.Tool) {
	if old.Output == nil && new.Output == nil || old.Output != nil && new.Output != nil && canonical(old.Output.Source) == canonical(new.Output.Source) {
		return
	}
	c := newComparer(t.rules, guardOpenObject)
	shape := func(tool *tools.Tool) *Shape {
		if tool.Output == nil { // any object
			return anything(Place{Pointer: tool.Pointer})
		}
		return newSchemaBuilder(tool.Output, c.engine).shape(tool.Output)
	}
	judge := func(tool *tools.Tool) Judge {
		if tool.Output == nil {
			anyObject, _ := jsonschema.Read("", `{"type":"object"}`)
			return schemaJudge{c.engine, anyObject}
		}
		return schemaJudge{c.engine, tool.Output}
	}
	at := &root{use: "tools/call " + new.Name + " result", direction: ToClient, old: shape(old), new: shape(new),
		judges:    [2]Judge{judge(old), judge(new)},
		judgedOld: []string{ofOutput(old.Name)}, judgedNew: []string{ofOutput(new.Name)}}
	path := new.Name + ".output"
	if old.Output != nil && new.Output != nil {
		t.compare(c, path, at)
		return
	}
	rule, described, direction := "output-schema-added", at.new, narrows
	if new.Output == nil {
		rule, described, direction = "output-schema-removed", at.old, widens
	}
	one := &told{change: &change{rule: rule}, node: &node{pairing: &pairing{old: at.old, new: at.new}, path: path}}
	w := way{refused: described.from, kinds: kindObject}
	switch a := c.finder(nil).search(w, nil, described.from, nil); a.is {
	case found:
		one.ways[direction] = outcome{state: shown, values: []any{a.value}}
	case none:
		one.ways[direction], one.change.guard = outcome{state: noted}, guardPromisedNobody
	default:
		one.ways[direction] = outcome{state: unproven, why: "mcpgen cannot make a result that the schema refuses"}
	}
	t.add(one, at)
}

// titleOf returns the title that clients show for a tool.
func titleOf(tool *tools.Tool) string {
	if hints, ok := tool.Definition.Get("annotations"); ok && tool.Title == "" && hints.Kind() == wire.KindObject {
		title, _ := stringMember(wire.Object(hints), "title")
		return title
	}
	return tool.Title
}

func (t *toolLists) annotations(old, new *tools.Tool, tell func(rule string, args ...string)) {
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
	value := a.absent
	if hints, ok := tool.Definition.Get("annotations"); ok && hints.Kind() == wire.KindObject {
		if raw, ok := wire.Object(hints).Get(a.member); ok {
			value = raw == "true"
		}
	}
	return value == a.promises
}

// metadata compares the members of the definition that no other rule compares.
func (t *toolLists) metadata(old, new *tools.Tool, tell func(rule string, args ...string)) {
	was, is := otherMembers(old), otherMembers(new)
	names := maps.Clone(was)
	maps.Copy(names, is)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if was[name] == is[name] {
			continue
		}
		tell("tool-metadata-changed", name)
	}
}

func otherMembers(tool *tools.Tool) map[string]string {
	others := map[string]string{}
	for name, raw := range tool.Definition.All() {
		switch name {
		case "name", "title", "description", "inputSchema", "outputSchema", "input_schema", "parameters":
		case "annotations", "execution":
			if raw.Kind() != wire.KindObject {
				others[name] = canonical(raw)
				continue
			}
			for inner, value := range wire.Object(raw).All() {
				told := inner == "title" || inner == "taskSupport"
				if !told && !slices.ContainsFunc(annotations, func(a annotation) bool { return a.member == inner }) {
					others[name+"."+inner] = canonical(value)
				}
			}
		default:
			others[name] = canonical(raw)
		}
	}
	return others
}
