package catalog

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// features lists the methods whose capabilities a catalog declares, and when it does.
var features = []struct {
	method     string
	capability string // for bindings without a table of methods
	present    func(*Catalog) bool
}{
	{"completion/complete", "completions", (*Catalog).completes},
	{"notifications/message", "logging", func(*Catalog) bool { return true }},
	{"prompts/list", "prompts", (*Catalog).hasPrompts},
	{"notifications/prompts/list_changed", "prompts.listChanged", (*Catalog).hasPrompts},
	{"resources/list", "resources", (*Catalog).hasResources},
	{"notifications/resources/list_changed", "resources.listChanged", (*Catalog).hasResources},
	{"notifications/resources/updated", "resources.subscribe", (*Catalog).hasResources},
	{"tools/list", "tools", (*Catalog).hasTools},
	{"notifications/tools/list_changed", "tools.listChanged", (*Catalog).hasTools},
}

func (c *Catalog) hasTools() bool   { return len(c.tools.view().ordered) > 0 }
func (c *Catalog) hasPrompts() bool { return len(c.prompts.view().ordered) > 0 }
func (c *Catalog) hasResources() bool {
	return len(c.resources.view().ordered)+len(c.templates.view().ordered) > 0
}

// completes reports whether an argument of a prompt or template has a Completer.
func (c *Catalog) completes() bool {
	for _, it := range c.prompts.view().ordered {
		if it.value.completers.any() {
			return true
		}
	}
	for _, it := range c.templates.view().ordered {
		if it.value.completers.any() {
			return true
		}
	}
	return false
}

// capabilities returns the ServerCapabilities of the items in the catalog, in a revision
// with these methods: every capability of a method that the catalog has an item for. They
// include logging, which the runtime handles.
func (c *Catalog) capabilities(methods []runtime.Method) wire.Object {
	text := []byte{'{'}
	open := false // an object of capabilities has been begun
	for _, f := range features {
		capability := f.capability
		if len(methods) > 0 {
			capability = capabilityOf(methods, f.method)
		}
		if capability == "" || !f.present(c) {
			continue
		}
		_, inner, nested := strings.Cut(capability, ".")
		switch {
		case nested:
			text = append(wire.AppendName(text, inner), "true"...)
		default:
			if open {
				text = append(text, '}')
			}
			text, open = append(wire.AppendName(text, capability), '{'), true
		}
	}
	if open {
		text = append(text, '}')
	}
	return wire.Object(append(text, '}'))
}

// capabilityOf returns the capability that a method requires, or "" if it requires none or
// the revision does not have it.
func capabilityOf(methods []runtime.Method, name string) string {
	if i := slices.IndexFunc(methods, func(m runtime.Method) bool { return m.Name == name }); i >= 0 {
		return methods[i].Capability
	}
	return ""
}
