package diff

import (
	"fmt"

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
		p.roots(p.declared("settings of "+is.Name, BothWays, was.Settings, is.Settings))
	}
	eachKey(p.was.additions(), p.is.additions(), func(way int, name string, d *ir.Decl) {
		report.Compared.add(name, way == narrows, way == widens)
		p.direct(p.lone("method-removed", way, name, placeOf(d), "result", name), nil, nil, &root{use: name, direction: ToClient})
	}, func(name string, was, is *ir.Decl) {
		report.Compared.add(name, true, true)
		p.roots(p.declared(name+" result", ToClient, was, is))
	})
	return settings
}

// declared returns the root of two declarations.
func (p *protocol) declared(use string, to Direction, old, new *ir.Decl) *root {
	return &root{
		use: use, direction: to, old: p.was.decl(old), new: p.is.decl(new),
		judged: [2][]string{{old.Key()}, {new.Key()}},
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
