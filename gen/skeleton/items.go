package skeleton

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/mcpgen/mcpgen/gen/check"
	"github.com/mcpgen/mcpgen/gen/code"
	"github.com/mcpgen/mcpgen/gen/emit"
	"github.com/mcpgen/mcpgen/gen/files"
	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/gen/tools/typing"
)

// Prompts, resources and templates have files of their own, as tools have.

// itemChecks returns the check functions of each item.
func (g *generator) itemChecks() ([][]string, error) {
	groups := make([]check.Group, len(g.pkg.Items))
	for k, i := range g.pkg.Items {
		groups[k] = check.Group{Prefix: "check", At: i.Pointer, Owner: itemHandler(i).of}
		if i.Type == nil {
			continue
		}
		groups[k].Prefix = checkName(i.Type.Name)
		if g.serves {
			groups[k].Roots = []check.Root{{Func: checkName(i.Type.Name), Schema: i.Input}}
		}
	}
	return check.Groups(groups)
}

// itemFile returns the beginning of the names of an item's files.
func (g *generator) itemFile(i typing.ItemTypes) string {
	noun := forms[i.Kind].noun
	return g.names[noun+" "+i.Go] + "_" + noun
}

// items renders the files of the prompts, resources and templates: definitions, types, client
// methods, codecs and checks.
func (g *generator) items() ([]files.File, error) {
	checks, err := g.itemChecks()
	if err != nil {
		return nil, err
	}
	var sources []emit.Source
	for k, i := range g.pkg.Items {
		parts := append([]part{func(w *code.Writer) { g.item(w, i) }}, declarations(i.Decls, checks[k])...)
		sources = append(sources, g.source(g.itemFile(i)+".gen.go", parts))
	}
	return g.render(sources...)
}

// textName returns the name of the constant with the text of a resource.
func textName(i typing.ItemTypes) string { return "text" + i.Go }

// item renders the variable that holds an item, and the client's methods for it.
func (g *generator) item(w *code.Writer, i typing.ItemTypes) {
	of, h := forms[i.Kind], itemHandler(i)
	members := code.Fields{of.key: strconv.Quote(i.Key), "Definition": definitionOf(itemName(i))}
	list := func(name string, values []string) {
		if len(values) > 0 {
			members[name] = code.Strings(values)
		}
	}
	list("Scopes", i.Scopes)
	if i.Type != nil && g.serves {
		members[of.checks] = checkName(i.Type.Name)
	}
	if i.Kind == tools.Templates {
		list("Exploded", argumentsOf(i, func(a *tools.Argument) bool { return a.List }))
	} else if g.serves { // an empty string leaves these arguments out
		list("Blank", argumentsOf(i, func(a *tools.Argument) bool { return !a.Required && len(a.Enum) > 0 && !slices.Contains(a.Enum, "") }))
	}
	w.Doc("%s is %s, with its definition as %s returns it.", itemName(i), h.of, of.list)
	w.P("var %s = &tools.%s%s\n", itemName(i), of.of, members)
	switch {
	case g.serves && i.Text != nil:
		w.Doc("%s is the content of %s.", textName(i), h.of)
		w.P("const %s = %s\n", textName(i), text(*i.Text))
	case !g.serves:
		args := itemName(i) + ", in, "
		if i.Kind != tools.Prompts {
			h.params = h.params[1:] // the URI follows from the item
		}
		if i.Type == nil {
			args = itemName(i) + ".URI, "
		}
		clientMethodOf(w, h, of.does, of.call, args)
		for _, c := range i.Completions {
			h := completionHandler(c, i)
			h.result = goType{prefix: "*", path: mcpPath, name: "CompleteResult"}
			h.says = "Value is the text typed so far, settled the values of other arguments."
			clientMethodOf(w, h, "requests", "Complete", fmt.Sprintf("%s.Ref(), %q, value, settled, ", itemName(i), c.Argument.Name))
		}
	}
}

// argumentsOf returns the names of some of the arguments of an item.
func argumentsOf(i typing.ItemTypes, is func(*tools.Argument) bool) []string {
	var names []string
	for _, a := range i.Arguments {
		if is(a) {
			names = append(names, a.Name)
		}
	}
	return names
}

// clientMethodOf renders a method of the client that calls a function of package tools.
func clientMethodOf(w *code.Writer, h handler, does, call, args string) {
	w.P("%sfunc (c *Client) %s%s {\nreturn tools.%s(ctx, c.caller, %snew(mcp.%s))\n}\n", h.about(does), h.name, h.signature("ctx"), call, args, h.result.name)
}

// itemInterfaces renders the interfaces of prompts and resources, and that of all handlers.
func (g *generator) itemInterfaces(w *code.Writer) {
	for _, i := range []struct {
		name, about string
		handlers    []handler
	}{
		{"Prompts", "a method for each prompt of %s, and for each argument whose values it proposes. Arguments are checked. An error that is a *jsonrpc.Error is the answer to the request; for any other error, clients get an internal error without its text.", itemHandlers(g.pkg.Items, tools.Prompts)},
		{"Resources", "a method for each resource of %s without a text there, for each resource template, and for each variable whose values it proposes. Clients choose the values of variables, which may contain \"..\" and \"/\". A method returns catalog.ErrNoResource if there is no such resource.", itemHandlers(g.pkg.Items, tools.Resources, tools.Templates)},
	} {
		w.Doc("%s has %s", i.name, fmt.Sprintf(i.about, g.Source))
		w.P("type %s interface {\n%s}\n", i.name, methods(i.handlers))
	}
	w.Doc("Service has all methods that a server of %s needs.", g.Source)
	w.P("type Service interface {\nTools\nPrompts\nResources\n}")
}

// methods renders the methods of an interface.
func methods(all []handler) string {
	var w code.Writer
	for _, h := range all {
		does := "implements"
		if h.result == completionType {
			does = "proposes"
		}
		w.P("%s%s%s", h.about(does), h.name, h.signature("ctx"))
	}
	return w.String()
}

// serverItems renders the functions that return prompts and resources as items.
func (g *generator) serverItems(w *code.Writer) {
	list := func(name, handlers, about string, kinds ...tools.ItemKind) {
		var items []string
		for _, i := range g.pkg.Items {
			if slices.Contains(kinds, i.Kind) {
				items = append(items, serverItem(i))
			}
		}
		w.Doc("%s returns the %s as items for a server or a catalog.", name, about)
		w.P("func %s(h %s) []catalog.Item {\nreturn []catalog.Item%s\n}\n", name, handlers, code.Lines(items))
	}
	list("ServerPrompts", "Prompts", "prompts", tools.Prompts)
	list("ServerResources", "Resources", "resources and resource templates", tools.Resources, tools.Templates)
}

// serverItem renders an item of a server.
func serverItem(i typing.ItemTypes) string {
	if i.Text != nil {
		return fmt.Sprintf("tools.ServeText(%s, %s)", itemName(i), textName(i))
	}
	fresh := ""
	if i.Type != nil {
		fresh = newOf(i.Type) + ", "
	}
	item := fmt.Sprintf("tools.Serve%s(%s, %sh.%s)", forms[i.Kind].of, itemName(i), fresh, i.Method)
	for _, a := range i.Arguments {
		switch k := indexOf(i.Completions, a); {
		case k >= 0:
			item += fmt.Sprintf(".Complete(%q, h.%s)", a.Name, i.Completions[k].Method)
		case len(a.Enum) > 0:
			item += fmt.Sprintf(".Complete(%q, catalog.OneOf(%s))", a.Name, code.Quoted(a.Enum))
		}
	}
	return item
}

// newOf renders a function that returns a new value of a declared type.
func newOf(d *ir.Decl) string { return fmt.Sprintf("func() *%[1]s { return new(%[1]s) }", d.Name) }

func indexOf(all []typing.Completion, a *tools.Argument) int {
	for i, c := range all {
		if c.Argument == a {
			return i
		}
	}
	return -1
}

// itemList renders the list of all prompts, resources and templates.
func (g *generator) itemList(w *code.Writer) {
	members := code.Fields{}
	for _, k := range tools.ItemKinds {
		var names []string
		for _, i := range g.pkg.Items {
			if i.Kind == k.Kind {
				names = append(names, itemName(i))
			}
		}
		if names != nil {
			members[forms[k.Kind].of+"s"] = "[]*tools." + forms[k.Kind].of + code.Lines(names)
		}
	}
	w.P("// otherItems holds all prompts, resources and templates, in the order of the list.\nvar otherItems = &tools.Items%s", members)
}
