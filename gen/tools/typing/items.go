package typing

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// PromptTypes has the Go names and types of a prompt.
type PromptTypes struct {
	Prompt *tools.Prompt
	// Go is the name of the prompt's method.
	Go string
	// Arguments is the type of the arguments, an object of strings.
	Arguments   *ir.Decl
	Completions []Completion
	// Decls are the declarations that only the prompt has, sorted by name.
	Decls []*ir.Decl
}

// ResourceTypes has the Go names of a resource.
type ResourceTypes struct {
	Resource *tools.Resource
	// Go is the identifier of the resource, Method the name of the method that reads it.
	Go, Method string
}

// TemplateTypes has the Go names and types of a resource template.
type TemplateTypes struct {
	Template *tools.Template
	// Go is the identifier of the template, Method the name of the method that reads it.
	Go, Method string
	// Variables is the type of the variables, an object of strings and of lists of strings.
	Variables   *ir.Decl
	Completions []Completion
	// Decls are the declarations that only the template has, sorted by name.
	Decls []*ir.Decl
}

// Completion is an argument for which a method proposes values.
type Completion struct {
	Argument *tools.Argument
	// Method is the name of the method.
	Method string
}

// The kinds of items. Each method has the kind of its item.
const (
	kindTool     = "tool"
	kindPrompt   = "prompt"
	kindResource = "resource"
	kindTemplate = "resource template"
)

// method is a method that an item has.
type method struct {
	kind, name, pointer string // of the item
}

// naming gives methods to items.
type naming struct {
	*typer
	opts  Options
	taken map[string]method
}

// name returns the identifier of an item and its method, which is the identifier after a
// prefix. An item whose method one of another kind has gets a suffix, so that a prompt may have
// the name of a tool. Two of one kind are an error, because a name that distinguishes them
// would change when another item is added.
func (n *naming) name(kind, prefix, suffix string, i *tools.Item) (identifier, method string) {
	n.owner = i.Name
	reserved := func(name string) bool { return slices.Contains(n.opts.Methods, prefix+name) }
	one, _ := n.names.Distinct([]string{i.Name}, reserved, suffix)
	identifier = one[0]
	if i.GoName != "" {
		if !isExported(i.GoName) || reserved(i.GoName) {
			n.failf(i.Pointer+"/"+jsonschema.GoName, "%q cannot be the Go name of a %s: it must be an exported identifier that generated code does not use otherwise", i.GoName, kind)
		}
		identifier = i.GoName
	} else if other, ok := n.taken[prefix+identifier]; ok && other.kind != kind {
		identifier += suffix
	}
	n.take(kind, prefix+identifier, i)
	return identifier, prefix + identifier
}

// take records the method of an item.
func (n *naming) take(kind, name string, i *tools.Item) {
	if other, ok := n.taken[name]; ok {
		n.failf(i.Pointer+"/name", "the %s would have the Go name %s, as the %s %q (%s) has; %s gives it another", kind, name, other.kind, other.name, other.pointer, jsonschema.GoName)
	}
	n.taken[name] = method{kind, i.Name, i.Pointer}
}

// reserve reserves the name of the type of an item's arguments.
func (n *naming) reserve(name string, i *tools.Item) string {
	if other, ok := n.typer.taken[name]; ok {
		n.failf(i.Pointer, "its arguments need the Go name %s, which %s has", name, other)
	}
	n.typer.taken[name] = i.Pointer
	return name
}

// nameItems names the methods of prompts, resources and templates, and reserves the names of
// their types.
func (t *typer) nameItems(list *tools.List, opts Options, pkg *Package) {
	n := &naming{t, opts, map[string]method{}}
	for _, tt := range pkg.Tools {
		n.taken[tt.Go] = method{kindTool, tt.Tool.Name, tt.Tool.Pointer}
	}
	for _, p := range list.Prompts {
		name, _ := n.name(kindPrompt, "", "Prompt", &p.Item)
		n.reserve(name+argsSuffix, &p.Item)
		pkg.Prompts = append(pkg.Prompts, PromptTypes{Prompt: p, Go: name})
	}
	for _, r := range list.Resources {
		name, method := n.name(kindResource, "Read", "Resource", &r.Item)
		pkg.Resources = append(pkg.Resources, ResourceTypes{r, name, method})
	}
	for _, template := range list.Templates {
		name, method := n.name(kindTemplate, "Read", "Template", &template.Item)
		n.reserve(name+variablesSuffix, &template.Item)
		pkg.Templates = append(pkg.Templates, TemplateTypes{Template: template, Go: name, Method: method})
	}
	n.completions(pkg)
}

// The ends of the names of the types of arguments and variables.
const (
	argsSuffix      = "Args"
	variablesSuffix = "Variables"
)

// ArgumentSuffixes lists the ends of the names of the types that handlers take.
var ArgumentSuffixes = []string{string(inputs), argsSuffix, variablesSuffix}

// completions names the methods that propose values.
func (n *naming) completions(pkg *Package) {
	of := func(kind, identifier string, i *tools.Item, arguments []*tools.Argument) []Completion {
		n.owner = i.Name
		wires := make([]string, len(arguments))
		for k, a := range arguments {
			wires[k] = a.Name
		}
		identifiers, _ := n.names.Distinct(wires, nil, "") // a clash is reported where the fields are named
		var all []Completion
		for k, a := range arguments {
			if !a.Completion {
				continue
			}
			field := identifiers[k]
			if a.GoName != "" {
				field = a.GoName
			}
			c := Completion{a, "Complete" + identifier + field}
			n.take(kind, c.Method, i)
			all = append(all, c)
		}
		return all
	}
	for k := range pkg.Prompts {
		p := &pkg.Prompts[k]
		p.Completions = of(kindPrompt, p.Go, &p.Prompt.Item, p.Prompt.Arguments)
	}
	for k := range pkg.Templates {
		t := &pkg.Templates[k]
		t.Completions = of(kindTemplate, t.Go, &t.Template.Item, t.Template.Variables)
	}
}

// itemTypes makes the types of arguments and variables.
func (t *typer) itemTypes(pkg *Package) {
	of := func(i *tools.Item, s *jsonschema.Schema, arguments []*tools.Argument, kind, prefix, suffix, what string) *ir.Decl {
		t.owner = i.Name
		problems, remarks := len(t.errs), len(t.diagnostics)
		d := t.typesOf(s, false, &document{kind, i.Pointer, i.Name, prefix, prefix + suffix, fmt.Sprintf(what, i.Name), inputs, false})
		// The schema is not in the list, so problems are reported where the arguments are.
		for _, a := range arguments {
			at := wire.ChildPointer(s.Pointer+"/properties", a.Name)
			for _, err := range t.errs[problems:] {
				if e, ok := errors.AsType[*tools.Error](err); ok {
					e.Pointer = moved(e.Pointer, at, a.Pointer)
				}
			}
			for k := range t.diagnostics[remarks:] {
				remark := &t.diagnostics[remarks+k]
				remark.Pointer = moved(remark.Pointer, at, a.Pointer)
			}
		}
		return d
	}
	for k := range pkg.Prompts {
		p := &pkg.Prompts[k]
		p.Arguments = of(&p.Prompt.Item, p.Prompt.Input, p.Prompt.Arguments, kindPrompt, p.Go, argsSuffix, "the arguments of the prompt %s")
	}
	for k := range pkg.Templates {
		p := &pkg.Templates[k]
		p.Variables = of(&p.Template.Item, p.Template.Input, p.Template.Variables, kindTemplate, p.Go, variablesSuffix, "the variables of the resource template %s")
	}
}

// moved returns a pointer to or into one place as a pointer to or into another.
func moved(pointer, from, to string) string {
	if rest, ok := strings.CutPrefix(pointer, from); ok && (rest == "" || rest[0] == '/') {
		return to + rest
	}
	return pointer
}
