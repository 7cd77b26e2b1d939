package diff

import (
	"fmt"
	"maps"
	"slices"

	"github.com/mcpgen/mcpgen/gen/ir"
)

// This file compares what an extension adds to the revision that it extends.

// additions returns the results that an extension adds to methods of its revision, by the names that they
// have in findings: "tools/call (task)" is the result of tools/call whose resultType is "task".
func (s *messages) additions() map[string]*ir.Decl {
	all := map[string]*ir.Decl{}
	if x := s.rev.Extension; x != nil {
		for _, r := range x.Results {
			all[fmt.Sprintf("%s (%s)", r.Method, r.Type)] = r.Decl
		}
	}
	return all
}

// extension compares the settings and the added results of extensions.
func (p *protocol) extension(report *Report) (settings bool) {
	was, is := p.was.rev.Extension, p.is.rev.Extension
	if was == nil || is == nil {
		return false
	}
	settings = was.Settings != nil && is.Settings != nil
	if settings {
		p.compare(p.declared("settings of "+is.Name, BothWays, was.Settings, is.Settings))
	}
	old, new := p.was.additions(), p.is.additions()
	tell := func(rule, name string, was, is Place) {
		p.direct(&change{rule: rule, old: was, new: is, args: []string{"result", name}}, name, nil, nil, &root{use: name, direction: ToClient})
	}
	for _, name := range slices.Sorted(maps.Keys(old)) {
		d := old[name]
		if new[name] == nil {
			report.Compared.Removed = append(report.Compared.Removed, name)
			tell("method-removed", name, Place{d.Name, d.Pointer}, Place{})
			continue
		}
		report.Compared.Subjects++
		p.compare(p.declared(name+" result", ToClient, d, new[name]))
	}
	for _, name := range slices.Sorted(maps.Keys(new)) {
		if d := new[name]; old[name] == nil {
			report.Compared.Added = append(report.Compared.Added, name)
			tell("method-added", name, Place{}, Place{d.Name, d.Pointer})
		}
	}
	return settings
}

// declared returns the root of two declarations.
func (p *protocol) declared(use string, to Direction, old, new *ir.Decl) *root {
	return &root{
		use: use, direction: to, old: p.was.decl(old), new: p.is.decl(new),
		judgedOld: []string{old.Key()}, judgedNew: []string{new.Key()},
	}
}

// subjects returns the names of what a finding may be about, and whether both sides have it.
func (p *protocol) subjects() map[string]bool {
	both := map[string]bool{}
	for name := range p.is.methods {
		both[name] = p.was.methods[name] != nil
	}
	old := p.was.additions()
	for name := range p.is.additions() {
		both[name] = old[name] != nil
	}
	return both
}
