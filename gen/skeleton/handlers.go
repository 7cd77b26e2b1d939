package skeleton

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/emit"
	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/gen/tools/typing"
)

// handler is a method that the user implements.
type handler struct {
	name string // of the method
	// of names the item that the method is for, as in `the prompt "greeting"`; kind and item are its
	// parts.
	of, kind, item string
	// says follows of in the doc comment.
	says   string
	params []param
	result goType
	// calls are the expressions that the method returns to call the operation of its tool, or "".
	calls string
}

type param struct {
	name string
	goType
}

// goType is a type, as code and as text. Path is "" for types of the package and basic types. Value is
// a type without the other fields, or nil.
type goType struct {
	prefix, path, name string
	value              ir.Type
}

func (t goType) code() *jen.Statement {
	if t.value != nil {
		return jen.Add(emit.GoType(t.value))
	}
	code := jen.Op(t.prefix)
	if t.path == "" {
		return code.Id(t.name)
	}
	return code.Qual(t.path, t.name)
}

// String returns the type as files write it that import its package under its own name.
func (t goType) String() string {
	if t.value != nil {
		return t.code().GoString()
	}
	if t.path == "" {
		return t.prefix + t.name
	}
	return t.prefix + t.path[strings.LastIndexByte(t.path, '/')+1:] + "." + t.name
}

// The types of parameters and results that do not depend on the list.
var (
	contextType    = goType{path: "context", name: "Context"}
	stringType     = goType{name: "string"}
	stringsType    = goType{prefix: "map[string]", name: "string"}
	contentType    = goType{prefix: "[]", path: mcpPath, name: "ContentBlock"}
	promptType     = goType{prefix: "*", path: mcpPath, name: "GetPromptResult"}
	contentsType   = goType{prefix: "*", path: mcpPath, name: "ReadResourceResult"}
	completionType = goType{path: catalogPath, name: "Completion"}
)

// zero returns the zero value of the type.
func (t goType) zero() string {
	if t.value != nil {
		return jen.Add(emit.Zero(t.value)).GoString()
	}
	return "nil"
}

// pointerTo returns the type of pointers to a declaration.
func pointerTo(d *ir.Decl) goType { return goType{prefix: "*", name: d.Name} }

func newHandler(name, kind, item, says string, result goType) handler {
	return handler{name: name, of: fmt.Sprintf("%s %q", kind, item), kind: kind, item: item, says: says, result: result}
}

func (h *handler) takes(name string, t goType) { h.params = append(h.params, param{name, t}) }

// signature renders the parameters and results.
func (h *handler) signature() jen.Code {
	params := []jen.Code{jen.Id("ctx").Add(contextType.code())}
	for _, p := range h.params {
		params = append(params, jen.Id(p.name).Add(p.code()))
	}
	return jen.Params(params...).Params(h.result.code(), jen.Error())
}

// about renders the doc comment of a method. Does is its verb.
func (h *handler) about(name, does string) jen.Code {
	text := fmt.Sprintf("%s %s %s", name, does, h.of)
	if h.says == "" {
		return emit.Comment(text + ".")
	}
	return emit.Comment(text + ": " + h.says)
}

// toolHandler returns the method of a tool.
func toolHandler(t typing.ToolTypes) handler {
	h := newHandler(t.Go, "the tool", t.Tool.Name, t.Tool.Description, contentType)
	h.takes("in", pointerTo(t.Input))
	switch {
	case t.Value != nil:
		h.result = goType{value: t.Value}
	case t.Output != nil:
		h.result = pointerTo(t.Output)
	}
	if t.Tool.Operation != nil {
		h.calls = calling(t)
	}
	return h
}

func toolHandlers(all []typing.ToolTypes) []handler {
	var list []handler
	for _, t := range all {
		list = append(list, toolHandler(t))
	}
	return list
}

func promptHandler(p typing.PromptTypes) handler {
	h := newHandler(p.Go, "the prompt", p.Prompt.Name, p.Prompt.Description, promptType)
	h.takes("in", pointerTo(p.Arguments))
	return h
}

// promptHandlers returns the methods of prompts and of the completion of their arguments.
func promptHandlers(all []typing.PromptTypes) []handler {
	var list []handler
	for _, p := range all {
		h := promptHandler(p)
		list = append(list, h)
		for _, c := range p.Completions {
			list = append(list, completionHandler(c, "argument", h.of))
		}
	}
	return list
}

// resourceHandler returns the method that reads a resource.
func resourceHandler(r typing.ResourceTypes) handler {
	h := newHandler(r.Method, "the resource", r.Resource.URI, r.Resource.Description, contentsType)
	h.takes("uri", stringType)
	return h
}

// templateHandler returns the method that reads the resources of a template.
func templateHandler(t typing.TemplateTypes) handler {
	h := newHandler(t.Method, "the template", t.Template.URITemplate, t.Template.Description, contentsType)
	h.takes("uri", stringType)
	h.takes("in", pointerTo(t.Variables))
	return h
}

// resourceHandlers returns the methods of resources without a text in the list, of templates and
// of the completion of variables.
func resourceHandlers(resources []typing.ResourceTypes, templates []typing.TemplateTypes) []handler {
	var list []handler
	for _, r := range resources {
		if r.Resource.Text == nil {
			list = append(list, resourceHandler(r))
		}
	}
	for _, t := range templates {
		h := templateHandler(t)
		list = append(list, h)
		for _, c := range t.Completions {
			list = append(list, completionHandler(c, "variable", h.of))
		}
	}
	return list
}

func completionHandler(c typing.Completion, kind, of string) handler {
	h := handler{name: c.Method, of: fmt.Sprintf("values of the %s %q of %s", kind, c.Argument.Name, of), item: c.Method, result: completionType}
	h.takes("value", stringType)
	h.takes("settled", stringsType)
	return h
}

// handlers returns all methods that the user implements.
func handlers(p *typing.Package) []handler {
	return append(append(toolHandlers(p.Tools), promptHandlers(p.Prompts)...), resourceHandlers(p.Resources, p.Templates)...)
}

// hasItems reports whether a list has anything but tools.
func hasItems(p *typing.Package) bool { return len(p.Prompts)+len(p.Resources)+len(p.Templates) > 0 }
