package skeleton

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/check"
	"github.com/mcpgen/mcpgen/gen/code"
	"github.com/mcpgen/mcpgen/gen/files"
	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/gen/tools/typing"
)

// Prompts, resources and templates have files of their own, as tools have.

// itemChecks returns the check functions of each item.
func (g *generator) itemChecks() ([][]jen.Code, error) {
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
	var sources []code.Source
	for k, i := range g.pkg.Items {
		parts := append([]func(*jen.File){func(f *jen.File) { g.item(f, i) }}, declarations(i.Decls, checks[k])...)
		sources = append(sources, g.source(g.itemFile(i)+".gen.go", parts))
	}
	return g.render(sources...)
}

// textName returns the name of the constant with the text of a resource.
func textName(i typing.ItemTypes) string { return "text" + i.Go }

// item renders the variable that holds an item, and the client's methods for it.
func (g *generator) item(f *jen.File, i typing.ItemTypes) {
	of, h := forms[i.Kind], itemHandler(i)
	item := itemLiteral{name: itemName(i), kind: of.noun, key: i.Key}
	if i.Type != nil && g.serves {
		item.set("Input", checkName(i.Type.Name))
	}
	if i.Kind == tools.Templates {
		item.list("Exploded", argumentsOf(i, func(a *tools.Argument) bool { return a.List }))
	} else if g.serves { // an empty string leaves these arguments out
		item.list("Blank", argumentsOf(i, func(a *tools.Argument) bool { return !a.Required && len(a.Enum) > 0 && !slices.Contains(a.Enum, "") }))
	}
	item.list("Scopes", i.Scopes)
	item.declare(f, h.of, of.list)
	f.Line()
	switch {
	case g.serves && i.Text != nil:
		f.Add(code.Comment(fmt.Sprintf("%s is the content of %s.", textName(i), h.of)))
		f.Const().Id(textName(i)).Op("=").Add(text(*i.Text))
		f.Line()
	case !g.serves:
		args := itemName(i) + ", in"
		if i.Kind != tools.Prompts {
			h.params = h.params[1:] // the URI follows from the item
		}
		if i.Type == nil {
			args = itemName(i) + ", nil"
		}
		clientMethodOf(f, h, of.does, of.call, args)
		for _, c := range i.Completions {
			h := completionHandler(c, i)
			h.result = "*mcp.CompleteResult"
			h.says = "Value is the text typed so far, settled the values of other arguments."
			clientMethodOf(f, h, "requests", "Complete", fmt.Sprintf("%s, %q, value, settled", itemName(i), c.Argument.Name))
		}
	}
}

// itemLiteral is the literal of a tools.Item, in the variable with a name.
type itemLiteral struct{ name, kind, key, fields string }

func (l *itemLiteral) set(field, value string) { l.fields += field + ": " + value + ",\n" }

func (l *itemLiteral) list(field string, values []string) {
	if len(values) > 0 {
		l.set(field, code.Strings(values))
	}
}

// declare renders the variable. About names the item, and lists is the method that lists it.
func (l *itemLiteral) declare(f *jen.File, about, lists string) {
	f.Add(code.Comment(fmt.Sprintf("%s is %s, with its definition as %s returns it.", l.name, about, lists)))
	f.Add(code.Go("var $1 = &tools.Item{\nKind: $2,\nKey: $3,\nDefinition: definitions[$4],\n$5}",
		l.name, strconv.Quote(l.kind), strconv.Quote(l.key), strconv.Quote(l.name), l.fields))
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

// clientMethodOf renders a method of the client that calls a function of package tools, with arguments after the
// caller.
func clientMethodOf(f *jen.File, h handler, does, call, args string) {
	f.Add(code.Go("$1func (c *Client) $2$3 {\nreturn tools.$4(ctx, c.caller, $5, new($6))\n}\n", h.about(does), h.name, h.signature("ctx"), call, args, strings.TrimPrefix(h.result, "*")))
}

// itemInterfaces renders the interfaces of prompts and resources, and that of all handlers.
func (g *generator) itemInterfaces(f *jen.File) {
	for _, i := range []struct {
		name, about string
		handlers    []handler
	}{
		{"Prompts", "a method for each prompt of %s, and for each argument whose values it proposes. Arguments are checked. An error that is a *jsonrpc.Error is the answer to the request; for any other error, clients get an internal error without its text.", itemHandlers(g.pkg.Items, tools.Prompts)},
		{"Resources", "a method for each resource of %s without a text there, for each resource template, and for each variable whose values it proposes. Clients choose the values of variables, which may contain \"..\" and \"/\". A method returns catalog.ErrNoResource if there is no such resource.", itemHandlers(g.pkg.Items, tools.Resources, tools.Templates)},
	} {
		code.Declare(f, i.name+" has "+fmt.Sprintf(i.about, g.Source), "type $1 interface {\n$2}\n", i.name, methodsOf(i.handlers))
	}
	code.Declare(f, fmt.Sprintf("Service has all methods that a server of %s needs.", g.Source), "type Service interface {\nTools\nPrompts\nResources\n}")
}

// methodsOf renders the methods of an interface.
func methodsOf(all []handler) string {
	text := ""
	for _, h := range all {
		does := "implements"
		if h.result == completionType {
			does = "proposes"
		}
		text += h.about(does) + h.name + h.signature("ctx") + "\n"
	}
	return text
}

// serverItems renders the functions that return prompts and resources as items.
func (g *generator) serverItems(f *jen.File) {
	list := func(name, handlers, about string, kinds ...tools.ItemKind) {
		all := ""
		for _, i := range g.pkg.Items {
			if slices.Contains(kinds, i.Kind) {
				all += "\n" + serverItem(i) + ","
			}
		}
		code.Declare(f, name+" returns the "+about+" as items for a server or a catalog.", "func $1(h $2) []catalog.Item {\nreturn []catalog.Item{$3\n}\n}", name, handlers, all)
		f.Line()
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
		fresh = fmt.Sprintf("func() *%[1]s { return new(%[1]s) }, ", i.Type.Name)
	}
	item := fmt.Sprintf("tools.%s(%s, %sh.%s)", forms[i.Kind].serve, itemName(i), fresh, i.Method)
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

func indexOf(all []typing.Completion, a *tools.Argument) int {
	for i, c := range all {
		if c.Argument == a {
			return i
		}
	}
	return -1
}

// itemList renders the list of the variables that hold the items.
func (g *generator) itemList() string {
	list := "[]*tools.Item{\n"
	for _, t := range g.pkg.Tools {
		list += toolName(t) + ",\n"
	}
	for _, i := range g.pkg.Items {
		list += itemName(i) + ",\n"
	}
	return list + "}"
}
