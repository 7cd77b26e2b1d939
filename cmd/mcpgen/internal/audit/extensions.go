package audit

import (
	"slices"
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/generated"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file checks the messages of extensions ("Extension Negotiation" in basic/versioning, 2026-07-28).

// Extensions are extensions whose messages are known. They are safe for concurrent use.
type Extensions struct {
	all      []generated.Extension
	mu       sync.Mutex
	extended map[*runtime.Method]generated.Revision // by the first row of the table of the revision
}

// NewExtensions returns extensions, of which no two have the same name.
func NewExtensions(all []generated.Extension) *Extensions {
	return &Extensions{all: all, extended: map[*runtime.Method]generated.Revision{}}
}

// knownExtensions returns the extensions with generated code.
var knownExtensions = sync.OnceValue(func() *Extensions { return NewExtensions(generated.Extensions()) })

// over returns a revision with the methods of the extensions that extend it. Their definitions have the
// names of the function qualified.
func (x *Extensions) over(r generated.Revision) generated.Revision {
	if len(r.Methods) == 0 {
		return r
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if have, ok := x.extended[&r.Methods[0]]; ok {
		return have
	}
	own := r
	for _, e := range x.all {
		if !e.Extends(r.ID, own.Methods) {
			continue
		}
		for _, m := range e.Methods {
			if slices.ContainsFunc(own.Methods, func(of runtime.Method) bool { return of.Name == m.Name }) {
				continue
			}
			m.Params, m.Result = qualified(e.Name, m.Params), qualified(e.Name, m.Result)
			r.Methods = append(slices.Clip(r.Methods), m)
		}
	}
	r.New = func(definition string) (wire.Value, bool) {
		name, rest, ok := strings.Cut(definition, "#")
		if e := x.named(name); ok && e != nil {
			return e.New(rest)
		}
		return own.New(definition)
	}
	x.extended[&own.Methods[0]], x.extended[&r.Methods[0]] = r, r
	return r
}

// qualified returns the name of a definition of an extension, which may be that of another definition of the
// revision.
func qualified(extension, definition string) string {
	if definition == "" {
		return ""
	}
	return extension + "#" + definition
}

// named returns an extension, or nil.
func (x *Extensions) named(name string) *generated.Extension {
	i := slices.IndexFunc(x.all, func(e generated.Extension) bool { return e.Name == name })
	if i < 0 {
		return nil
	}
	return &x.all[i]
}

// result returns the extension that adds a type of results to a method, and the qualified definition.
func (x *Extensions) result(in generated.Revision, method, kind string) (of *generated.Extension, definition string) {
	for i, e := range x.all {
		for _, r := range e.Results {
			if e.Extends(in.ID, in.Methods) && r.Method == method && r.Type == kind {
				return &x.all[i], qualified(e.Name, r.Definition)
			}
		}
	}
	return nil, ""
}

// declaresExtension reports whether a side has declared an extension, or may have: its capabilities are unknown.
func (s *Session) declaresExtension(side Side, extension string) bool {
	declared, known := s.capabilities[side]
	return !known || member(wire.Raw(declared), "extensions", extension).Kind() == wire.KindObject
}

// undeclaredExtension reports a message of an extension that its client has not declared: the server has
// neither refused it nor answered without the extension.
func (s *Session) undeclaredExtension(c *check, m *runtime.Method, pointer string) {
	if m.Extension != "" && !s.declaresExtension(Client, m.Extension) {
		c.breaks("extension-undeclared", pointer, "%s belongs to the extension %s, which the client does not declare", m.Name, m.Extension)
	}
}

// settings checks the identifiers and the values by which a side declares extensions.
func (s *Session) settings(c *check, capabilities wire.Raw, pointer string) {
	for name, value := range wire.Object(member(capabilities, "extensions")).All() {
		at := pointer + wire.ChildPointer("/extensions", name)
		if prefix, rest, found := strings.Cut(name, "/"); s.since("2026-07-28") && (!found || !metaPrefix.MatchString(prefix) || !metaName.MatchString(rest)) {
			c.breaks("extension-name", at, "%q is not an identifier of an extension: a prefix of labels, a slash and a name, such as com.example/colors", cut(name, 80))
		}
		if e := s.extensions.named(name); e != nil && e.Settings != "" && e.Extends(s.revision.ID, s.revision.Methods) {
			c.value(s.revision, qualified(e.Name, e.Settings), string(value), at)
		}
	}
}

// pathCapabilities is the place of the capabilities in a stateless request.
var pathCapabilities = wire.ChildPointer("/params/_meta", metaCapabilities)
