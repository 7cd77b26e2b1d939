package lower

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/gen/names"
	"github.com/mcpgen/mcpgen/gen/schema"
	"github.com/mcpgen/mcpgen/spec"
)

// Extension says what the schema of an extension extends.
type Extension struct {
	// Name is the identifier of the extension.
	Name string
	// Core is the revision. The Import of its declarations is set.
	Core *ir.Revision
	// Sharing has the schemas that are the same as definitions of Core. Their types are those of Core.
	Sharing *schema.Sharing
}

// at returns the declaration of the core that an anonymous schema equals, or nil.
func (e *Extension) at(s *schema.Schema) *ir.Decl {
	if e == nil {
		return nil
	}
	return e.core(e.Sharing.At(s))
}

// core returns the declaration of a definition of the core, or nil.
func (e *Extension) core(definition string) *ir.Decl {
	if definition == "" {
		return nil
	}
	return e.Core.Definition(definition)
}

// isShared reports whether a definition is one of the core.
func (l *lowerer) isShared(def schema.Definition) bool {
	return l.ext != nil && l.ext.Sharing.Definitions[def.Name] != ""
}

// declareShared replaces a definition that the core also has by that of the core, and reports
// whether it has done so. If it has another name there, the package declares its own name as an
// alias.
func (l *lowerer) declareShared(def schema.Definition) bool {
	if !l.isShared(def) {
		return false
	}
	core := l.ext.core(l.ext.Sharing.Definitions[def.Name])
	if core == nil {
		return false
	}
	l.defined[def.Name] = core
	l.origin[core] = def.Schema
	if core.Path != def.Name && names.IsExported(def.Name) && l.decls[def.Name] == nil {
		alias := &ir.Decl{Name: def.Name, Path: def.Name, Pointer: def.Schema.Pointer, Definition: true, Type: &ir.Ref{Decl: core}}
		l.decls[def.Name] = alias
		l.origin[alias] = def.Schema
	}
	return true
}

// named returns the declaration of the definition with a name, which may be one of the core, or nil.
// An extension may refer to definitions of the core that it does not repeat.
func (l *lowerer) named(name string) *ir.Decl {
	if d := l.decls[name]; d != nil {
		return d
	}
	if d := l.defined[name]; d != nil || l.ext == nil {
		return d
	}
	return l.ext.core(name)
}

// extensionMessages adds the messages that an extension declares. Its schema has no unions that say
// which side sends them.
func (l *lowerer) extensionMessages(sent map[string]*schema.Schema, toServer, toClient map[string]bool) {
	if l.ext == nil {
		return
	}
	for _, def := range l.doc.Definitions {
		method := l.methodConst(def.Schema)
		if method == "" || l.isShared(def) || l.isCores(method) || sent[method] != nil {
			continue
		}
		sent[method] = def.Schema
		notification := strings.HasSuffix(def.Name, "Notification")
		toServer[method], toClient[method] = !notification, notification
		for _, r := range rowsOf[spec.SenderRow](l.overlay) {
			if r.it.Method != method {
				continue
			}
			switch r.it.By {
			case "client", "server", "both":
				r.use()
				toServer[method], toClient[method] = r.it.By != "server", r.it.By != "client"
			default:
				l.failAt(r.where, "the sender of %q is %q: expected client, server or both", method, r.it.By)
			}
		}
	}
}

// isCores reports whether the core has a method.
func (l *lowerer) isCores(method string) bool {
	return slices.ContainsFunc(l.ext.Core.Methods, func(m *ir.Method) bool { return m.Wire == method })
}

// extension returns what the rows say about the extension, or nil if the schema is that of a revision.
func (l *lowerer) extension() *ir.Extension {
	if l.ext == nil {
		return nil
	}
	out := &ir.Extension{Name: l.ext.Name}
	for _, r := range rowsOf[spec.SettingsRow](l.overlay) {
		if d := l.named(r.it.Definition); d != nil {
			r.use()
			out.Settings = d
		}
	}
	for _, r := range rowsOf[spec.ReplyRow](l.overlay) {
		d := l.named(r.it.Result)
		if d == nil || !l.isCores(r.it.Method) {
			continue // unused reports the row as stale
		}
		var kind string
		if f := d.Field("resultType"); f != nil {
			kind, _ = f.Const.(string)
		}
		r.use()
		if kind == "" {
			l.failAt(d.Pointer, "%s: the row has the result %s for %q, whose resultType is not constant; a row of values can fix it: {at: %s.resultType, value: VALUE}", r.where, d.Name, r.it.Method, d.Path)
			continue
		}
		out.Results = append(out.Results, ir.ExtensionResult{Method: r.it.Method, Type: kind, Decl: d})
	}
	return out
}

// ExtensionPackage returns the name of an extension's package: the letters and digits of the last part
// of its identifier.
func ExtensionPackage(name string) string {
	name = name[strings.LastIndexByte(name, '/')+1:]
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(name))
	return strings.TrimLeft(name, "0123456789")
}
