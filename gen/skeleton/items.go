package skeleton

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/check"
	"github.com/mcpgen/mcpgen/gen/emit"
	"github.com/mcpgen/mcpgen/gen/files"
	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/gen/tools/typing"
)

// Prompts, resources and templates have files of their own, as tools have.

// itemChecks returns the check functions of each prompt, and then those of each template.
func (g *generator) itemChecks() ([][]jen.Code, error) {
	var groups []check.Group
	group := func(i *tools.Item, owner string, d *ir.Decl, s *jsonschema.Schema) {
		one := check.Group{Prefix: checkName(d.Name), At: i.Pointer, Owner: owner}
		if g.serves {
			one.Roots = []check.Root{{Func: checkName(d.Name), Schema: s}}
		}
		groups = append(groups, one)
	}
	for _, p := range g.pkg.Prompts {
		group(&p.Prompt.Item, promptHandler(p).of, p.Arguments, p.Prompt.Input)
	}
	for _, t := range g.pkg.Templates {
		group(&t.Template.Item, templateHandler(t).of, t.Variables, t.Template.Input)
	}
	return check.Groups(groups)
}

// items renders the files of the prompts, resources and templates: definitions, types, client
// methods, codecs and checks.
func (g *generator) items() ([]files.File, error) {
	checks, err := g.itemChecks()
	if err != nil {
		return nil, err
	}
	var sources []emit.Source
	for i, p := range g.pkg.Prompts {
		parts := append([]func(*jen.File){func(f *jen.File) { g.prompt(f, p) }}, g.declarations(p.Decls, checks[i])...)
		sources = append(sources, g.source(g.names["prompt "+p.Go]+"_prompt.gen.go", parts))
	}
	for _, r := range g.pkg.Resources {
		sources = append(sources, g.source(g.names["resource "+r.Go]+"_resource.gen.go", []func(*jen.File){func(f *jen.File) { g.resource(f, r) }}))
	}
	for i, t := range g.pkg.Templates {
		parts := append([]func(*jen.File){func(f *jen.File) { g.template(f, t) }}, g.declarations(t.Decls, checks[len(g.pkg.Prompts)+i])...)
		sources = append(sources, g.source(g.names["template "+t.Go]+"_template.gen.go", parts))
	}
	return g.render(sources...)
}

// The names of the variables that hold items.
func promptName(p typing.PromptTypes) string     { return "prompt" + p.Go }
func resourceName(r typing.ResourceTypes) string { return "resource" + r.Go }
func templateName(t typing.TemplateTypes) string { return "template" + t.Go }

// textName returns the name of the constant with the text of a resource.
func textName(r typing.ResourceTypes) string { return "text" + r.Go }

// facts renders the variable that holds an item.
func facts(f *jen.File, name, of, list, kind string, scopes []string, members jen.Dict) {
	if len(scopes) > 0 {
		members[jen.Id("Scopes")] = stringList(scopes)
	}
	f.Add(emit.Comment(fmt.Sprintf("%s is %s, with its definition as %s returns it.", name, of, list)))
	f.Var().Id(name).Op("=").Op("&").Qual(toolsPath, kind).Values(members)
}

func stringList(all []string) jen.Code {
	return jen.Index().String().ValuesFunc(func(list *jen.Group) {
		for _, s := range all {
			list.Lit(s)
		}
	})
}

// prompt renders a prompt and the client's methods for it.
func (g *generator) prompt(f *jen.File, p typing.PromptTypes) {
	members := jen.Dict{jen.Id("Name"): jen.Lit(p.Prompt.Name), jen.Id("Definition"): definitionOf(promptName(p))}
	if g.serves {
		members[jen.Id("Arguments")] = jen.Id(checkName(p.Arguments.Name))
		if blank := blank(p.Prompt); len(blank) > 0 {
			members[jen.Id("Blank")] = stringList(blank)
		}
	}
	h := promptHandler(p)
	facts(f, promptName(p), h.of, "prompts/list", "Prompt", p.Prompt.Scopes, members)
	f.Line()
	if g.serves {
		return
	}
	g.clientMethodOf(f, h, "gets", h.params, "GetPrompt", promptName(p))
	for _, c := range p.Completions {
		g.clientCompletion(f, completionHandler(c, "argument", h.of), c, promptName(p))
	}
}

// blank returns the arguments of a prompt that an empty string leaves out.
func blank(p *tools.Prompt) []string {
	var names []string
	for _, a := range p.Arguments {
		if !a.Required && len(a.Enum) > 0 && !slices.Contains(a.Enum, "") {
			names = append(names, a.Name)
		}
	}
	return names
}

// resource renders a resource and the client's method that reads it.
func (g *generator) resource(f *jen.File, r typing.ResourceTypes) {
	h := resourceHandler(r)
	members := jen.Dict{jen.Id("URI"): jen.Lit(r.Resource.URI), jen.Id("Definition"): definitionOf(resourceName(r))}
	facts(f, resourceName(r), h.of, "resources/list", "Resource", r.Resource.Scopes, members)
	f.Line()
	if g.serves && r.Resource.Text != nil {
		f.Add(emit.Comment(fmt.Sprintf("%s is the content of %s.", textName(r), h.of)))
		f.Const().Id(textName(r)).Op("=").Add(text(*r.Resource.Text))
		f.Line()
	}
	if g.serves {
		return
	}
	f.Add(h.about(h.name, "reads"))
	f.Func().Params(jen.Id("c").Op("*").Id("Client")).Id(h.name).Params(jen.Id("ctx").Add(contextType.code())).Params(h.result.code(), jen.Error()).Block(
		jen.Return(jen.Qual(toolsPath, "ReadResource").Call(jen.Id("ctx"), jen.Id("c").Dot("caller"), jen.Id(resourceName(r)).Dot("URI"), jen.New(jen.Qual(mcpPath, h.result.name)))),
	)
}

// template renders a resource template and the client's methods for it.
func (g *generator) template(f *jen.File, t typing.TemplateTypes) {
	members := jen.Dict{jen.Id("URITemplate"): jen.Lit(t.Template.URITemplate), jen.Id("Definition"): definitionOf(templateName(t))}
	if g.serves {
		members[jen.Id("Variables")] = jen.Id(checkName(t.Variables.Name))
	}
	var lists []string
	for _, v := range t.Template.Variables {
		if v.List {
			lists = append(lists, v.Name)
		}
	}
	if len(lists) > 0 {
		members[jen.Id("Exploded")] = stringList(lists)
	}
	h := templateHandler(t)
	facts(f, templateName(t), h.of, "resources/templates/list", "Template", t.Template.Scopes, members)
	f.Line()
	if g.serves {
		return
	}
	g.clientMethodOf(f, h, "reads a resource of", h.params[1:], "ReadTemplate", templateName(t))
	for _, c := range t.Completions {
		g.clientCompletion(f, completionHandler(c, "variable", h.of), c, templateName(t))
	}
}

// clientMethodOf renders a method of the client that calls a function of package tools.
func (g *generator) clientMethodOf(f *jen.File, h handler, does string, params []param, call, item string) {
	h.params = params
	f.Add(h.about(h.name, does))
	f.Func().Params(jen.Id("c").Op("*").Id("Client")).Id(h.name).Add(h.signature()).Block(
		jen.Return(jen.Qual(toolsPath, call).Call(jen.Id("ctx"), jen.Id("c").Dot("caller"), jen.Id(item), jen.Id("in"), jen.New(jen.Qual(mcpPath, h.result.name)))),
	)
	f.Line()
}

// clientCompletion renders the method of the client that requests values of an argument.
func (g *generator) clientCompletion(f *jen.File, h handler, c typing.Completion, item string) {
	h.result = goType{prefix: "*", path: mcpPath, name: "CompleteResult"}
	h.says = "Value is the text typed so far, settled the values of other arguments."
	f.Add(h.about(h.name, "requests"))
	f.Func().Params(jen.Id("c").Op("*").Id("Client")).Id(h.name).Add(h.signature()).Block(
		jen.Return(jen.Qual(toolsPath, "Complete").Call(jen.Id("ctx"), jen.Id("c").Dot("caller"), jen.Id(item).Dot("Ref").Call(),
			jen.Lit(c.Argument.Name), jen.Id("value"), jen.Id("settled"), jen.New(jen.Qual(mcpPath, h.result.name)))),
	)
	f.Line()
}

// itemInterfaces renders the interfaces of prompts and resources, and that of all handlers.
func (g *generator) itemInterfaces(f *jen.File) {
	for _, i := range []struct {
		name, about string
		handlers    []handler
	}{
		{"Prompts", "a method for each prompt of %s, and for each argument whose values it proposes. Arguments are checked. An error that is a *jsonrpc.Error is the answer to the request; for any other error, clients get an internal error without its text.", promptHandlers(g.pkg.Prompts)},
		{"Resources", "a method for each resource of %s without a text there, for each resource template, and for each variable whose values it proposes. Clients choose the values of variables, which may contain \"..\" and \"/\". A method returns catalog.ErrNoResource if there is no such resource.", resourceHandlers(g.pkg.Resources, g.pkg.Templates)},
	} {
		f.Add(emit.Comment(i.name + " has " + fmt.Sprintf(i.about, g.Source)))
		f.Type().Id(i.name).InterfaceFunc(func(methods *jen.Group) { addMethods(methods, i.handlers) })
		f.Line()
	}
	f.Add(emit.Comment(fmt.Sprintf("Service has all methods that a server of %s needs.", g.Source)))
	f.Type().Id("Service").Interface(jen.Id("Tools"), jen.Id("Prompts"), jen.Id("Resources"))
}

// addMethods adds methods to an interface.
func addMethods(methods *jen.Group, all []handler) {
	for _, h := range all {
		does := "implements"
		if h.result == completionType {
			does = "proposes"
		}
		methods.Add(h.about(h.name, does))
		methods.Id(h.name).Add(h.signature())
	}
}

// serverItems renders the functions that return prompts and resources as items.
func (g *generator) serverItems(f *jen.File) {
	complete := func(item *jen.Statement, arguments []*tools.Argument, by []typing.Completion) *jen.Statement {
		for _, a := range arguments {
			switch i := indexOf(by, a); {
			case i >= 0:
				item.Dot("Complete").Call(jen.Lit(a.Name), jen.Id("h").Dot(by[i].Method))
			case len(a.Enum) > 0:
				item.Dot("Complete").Call(jen.Lit(a.Name), jen.Qual(catalogPath, "OneOf").CallFunc(func(values *jen.Group) {
					for _, value := range a.Enum {
						values.Lit(value)
					}
				}))
			}
		}
		return item
	}
	fresh := func(d *ir.Decl) jen.Code { return jen.Op(fmt.Sprintf("func() *%[1]s { return new(%[1]s) }", d.Name)) } // in one line
	list := func(name, handlers, about string, add func(*jen.Group)) {
		f.Add(emit.Comment(name + " returns the " + about + " as items for a server or a catalog."))
		f.Func().Id(name).Params(jen.Id("h").Id(handlers)).Index().Qual(catalogPath, "Item").Block(
			jen.Return(jen.Index().Qual(catalogPath, "Item").ValuesFunc(func(all *jen.Group) {
				add(all)
				all.Line()
			})),
		)
		f.Line()
	}
	list("ServerPrompts", "Prompts", "prompts", func(all *jen.Group) {
		for _, p := range g.pkg.Prompts {
			item := jen.Line().Qual(toolsPath, "ServePrompt").Call(jen.Id(promptName(p)), fresh(p.Arguments), jen.Id("h").Dot(p.Go))
			all.Add(complete(item, p.Prompt.Arguments, p.Completions))
		}
	})
	list("ServerResources", "Resources", "resources and resource templates", func(all *jen.Group) {
		for _, r := range g.pkg.Resources {
			if r.Resource.Text != nil {
				all.Line().Qual(toolsPath, "ServeText").Call(jen.Id(resourceName(r)), jen.Id(textName(r)))
			} else {
				all.Line().Qual(toolsPath, "ServeResource").Call(jen.Id(resourceName(r)), jen.Id("h").Dot(r.Method))
			}
		}
		for _, t := range g.pkg.Templates {
			item := jen.Line().Qual(toolsPath, "ServeTemplate").Call(jen.Id(templateName(t)), fresh(t.Variables), jen.Id("h").Dot(t.Method))
			all.Add(complete(item, t.Template.Variables, t.Completions))
		}
	})
}

func indexOf(all []typing.Completion, a *tools.Argument) int {
	for i, c := range all {
		if c.Argument == a {
			return i
		}
	}
	return -1
}

// itemList renders the list of all prompts, resources and templates.
func (g *generator) itemList(f *jen.File) {
	of := func(kind string, names []string) jen.Code {
		return jen.Index().Op("*").Qual(toolsPath, kind).ValuesFunc(func(all *jen.Group) {
			for _, name := range names {
				all.Line().Id(name)
			}
			all.Line()
		})
	}
	members := jen.Dict{}
	if len(g.pkg.Prompts) > 0 {
		members[jen.Id("Prompts")] = of("Prompt", namesOf(g.pkg.Prompts, promptName))
	}
	if len(g.pkg.Resources) > 0 {
		members[jen.Id("Resources")] = of("Resource", namesOf(g.pkg.Resources, resourceName))
	}
	if len(g.pkg.Templates) > 0 {
		members[jen.Id("Templates")] = of("Template", namesOf(g.pkg.Templates, templateName))
	}
	f.Comment("otherItems holds all prompts, resources and templates, in the order of the list.")
	f.Var().Id("otherItems").Op("=").Op("&").Qual(toolsPath, "Items").Values(members)
}

func namesOf[T any](all []T, name func(T) string) []string {
	var names []string
	for _, one := range all {
		names = append(names, name(one))
	}
	return names
}
