package typing

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/gen/names"
	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// ItemTypes has the Go names and types of a prompt, a resource or a resource template.
type ItemTypes struct {
	*tools.Item
	// Go is the identifier of the item, Method the name of its method.
	Go, Method string
	// Type is the type of the arguments or variables, an object of strings and of lists of strings. It is nil for a
	// resource.
	Type        *ir.Decl
	Completions []Completion
	// Decls are the declarations that only the item has, sorted by name.
	Decls []*ir.Decl
}

// Completion is an argument for which a method proposes values.
type Completion struct {
	Argument *tools.Argument
	// Method is the name of the method.
	Method string
}

// form says how the names of the items of a kind differ.
type form struct {
	// prefix begins the names of methods. suffix ends the name of a method whose name without it is taken by another
	// kind. arguments ends the name of the type of the arguments, and about describes that type.
	prefix, suffix, arguments, about string
}

var forms = map[tools.ItemKind]form{
	"":              {"", "Tool", "", ""}, // a tool
	tools.Prompts:   {"", "Prompt", "Args", "the arguments of the prompt %s"},
	tools.Resources: {"Read", "Resource", "", ""},
	tools.Templates: {"Read", "Template", "Variables", "the variables of the resource template %s"},
}

// ArgumentSuffixes lists the ends of the names of the types that handlers take.
var ArgumentSuffixes = []string{string(inputs), forms[tools.Prompts].arguments, forms[tools.Templates].arguments}

// method is a method that an item has.
type method struct {
	noun, name, pointer string // of the item
}

// naming gives methods to tools and other items.
type naming struct {
	*typer
	methods map[string]method // by their names
}

// name returns the identifier of an item and its method, which is the identifier after a
// prefix. An item whose method one of another kind has gets a suffix, so that a prompt may have
// the name of a tool. Two of one kind are an error, because a name that
// distinguishes them would change when another item is added.
func (n *naming) name(i *tools.Item) (identifier, method string) {
	n.owner = i.Name
	f := forms[i.Kind]
	reserved := func(name string) bool { return slices.Contains(n.Methods, f.prefix+name) }
	one, _ := n.names.Distinct([]string{i.Name}, reserved, f.suffix)
	identifier = one[0]
	if i.GoName != "" {
		if !names.IsExported(i.GoName) || reserved(i.GoName) {
			n.failf(i.Pointer+"/"+jsonschema.GoName, "%q cannot be the Go name of a %s: it must be an exported identifier that generated code does not use otherwise", i.GoName, i.Kind.Noun())
		}
		identifier = i.GoName
	} else if other, ok := n.methods[f.prefix+identifier]; ok && other.noun != i.Kind.Noun() {
		identifier += f.suffix
	}
	n.take(f.prefix+identifier, i)
	return identifier, f.prefix + identifier
}

// take records the method of an item.
func (n *naming) take(name string, i *tools.Item) {
	noun := i.Kind.Noun()
	if other, ok := n.methods[name]; ok {
		n.failf(i.Pointer+"/name", "the %s would have the Go name %s, as the %s %q (%s) has; %s gives it another", noun, name, other.noun, other.name, other.pointer, jsonschema.GoName)
	}
	n.methods[name] = method{noun, i.Name, i.Pointer}
}

// reserve records the name of a type, which an item needs.
func (n *naming) reserve(name, pointer, needs string) {
	if other, ok := n.taken[name]; ok {
		n.failf(pointer, "%s the Go name %s, which %s has", needs, name, other)
	}
	n.taken[name] = pointer
}

// nameItems names the methods of prompts, resources and templates, and reserves the names of
// their types.
func (n *naming) nameItems(list *tools.List, pkg *Package) {
	for _, i := range list.Items {
		identifier, method := n.name(i)
		if suffix := forms[i.Kind].arguments; suffix != "" {
			n.reserve(identifier+suffix, i.Pointer, "its arguments need")
		}
		pkg.Items = append(pkg.Items, ItemTypes{Item: i, Go: identifier, Method: method})
	}
	for k := range pkg.Items {
		n.completions(&pkg.Items[k])
	}
}

// completions names the methods that propose values.
func (n *naming) completions(i *ItemTypes) {
	n.owner = i.Name
	wires := make([]string, len(i.Arguments))
	for k, a := range i.Arguments {
		wires[k] = a.Name
	}
	identifiers, _ := n.names.Distinct(wires, nil, "") // a clash is reported where the fields are named
	for k, a := range i.Arguments {
		if !a.Completion {
			continue
		}
		c := Completion{a, "Complete" + i.Go + cmp.Or(a.GoName, identifiers[k])}
		n.take(c.Method, i.Item)
		i.Completions = append(i.Completions, c)
	}
}

// itemTypes makes the types of arguments and variables.
func (t *typer) itemTypes(pkg *Package) {
	for k := range pkg.Items {
		i := &pkg.Items[k]
		if i.Input == nil {
			continue
		}
		t.owner = i.Name
		f := forms[i.Kind]
		i.Type = t.typesOf(i.Input, false, &document{i.Pointer, i.Name, i.Go + f.arguments, fmt.Sprintf(f.about, i.Name), inputs, false})
		// The schema is not in the list, so problems are reported where the arguments are.
		for _, a := range i.Arguments {
			at := wire.ChildPointer(i.Input.Pointer+"/properties", a.Name)
			for _, err := range t.errs {
				if e, ok := errors.AsType[*tools.Error](err); ok {
					e.Pointer = moved(e.Pointer, at, a.Pointer)
				}
			}
			for _, e := range slices.Concat(pkg.Untyped, pkg.Notes) {
				e.Pointer = moved(e.Pointer, at, a.Pointer)
			}
		}
	}
}

// moved returns a pointer to or into one place as a pointer to or into another.
func moved(pointer, from, to string) string {
	if rest, ok := strings.CutPrefix(pointer, from); ok && (rest == "" || rest[0] == '/') {
		return to + rest
	}
	return pointer
}
