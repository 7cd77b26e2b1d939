package skeleton

import (
	"fmt"
	"slices"

	"github.com/mcpgen/mcpgen/gen/code"
	"github.com/mcpgen/mcpgen/gen/emit"
	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/gen/tools/typing"
)

// handler is a method that the user implements.
type handler struct {
	name string // of the method
	// of names the item that the method is for, as in `the prompt "greeting"`; kind and item are its
	// parts.
	of, kind, item string
	// says is the text that follows of in the doc comment.
	says   string
	params []param
	// result is the type of the result, and zero its zero value.
	result, zero string
	// calls are the expressions that the method returns to call the operation of its tool, or "".
	calls string
}

type param struct{ name, of string }

// The types of parameters and results that do not depend on the list.
const (
	contentType    = "[]mcp.ContentBlock"
	promptType     = "*mcp.GetPromptResult"
	contentsType   = "*mcp.ReadResourceResult"
	completionType = "catalog.Completion"
)

func newHandler(name, kind, item, says, result string) handler {
	return handler{name: name, of: fmt.Sprintf("%s %q", kind, item), kind: kind, item: item, says: says, result: result, zero: "nil"}
}

func (h *handler) takes(name, t string) { h.params = append(h.params, param{name, t}) }

// signature renders the parameters and results, with the name of the context.
func (h *handler) signature(ctx string) string {
	text := "(" + ctx + " context.Context"
	for _, p := range h.params {
		text += ", " + p.name + " " + p.of
	}
	return text + ") (" + h.result + ", error)"
}

// about renders the doc comment of a method. Does is its verb.
func (h *handler) about(does string) string {
	text := fmt.Sprintf("%s %s %s", h.name, does, h.of)
	if h.says == "" {
		return code.Doc(text+".", "")
	}
	return code.Doc(text+": "+typing.Sentence(h.says), "")
}

// toolHandler returns the method of a tool.
func toolHandler(t typing.ToolTypes) handler {
	h := newHandler(t.Go, "the tool", t.Tool.Name, t.Tool.Description, contentType)
	h.takes("in", "*"+t.Input.Name)
	switch {
	case t.Value != nil:
		h.result, h.zero = emit.GoType(t.Value), emit.Zero(t.Value)
	case t.Output != nil:
		h.result = "*" + t.Output.Name
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

// form says how the code for the items of a kind differs.
type form struct {
	noun     string // in the names of variables and files, and in comments
	list     string // the method of the protocol that lists the items
	serve    string // the function of package tools that returns an item of a server
	argument string // the noun for an argument
	does     string // the verb for what a method of the client does with the item
	call     string // the function of package tools by which it does so
	result   string
}

var forms = map[tools.ItemKind]form{
	tools.Prompts:   {"prompt", "prompts/list", "ServePrompt", "argument", "gets", "GetPrompt", promptType},
	tools.Resources: {"resource", "resources/list", "ServeResource", "", "reads", "ReadResource", contentsType},
	tools.Templates: {"template", "resources/templates/list", "ServeTemplate", "variable", "reads a resource of", "ReadResource", contentsType},
}

// itemName returns the name of the variable that holds an item.
func itemName(i typing.ItemTypes) string { return forms[i.Kind].noun + i.Go }

// itemHandler returns the method that gets a prompt or reads a resource.
func itemHandler(i typing.ItemTypes) handler {
	f := forms[i.Kind]
	h := newHandler(i.Method, "the "+f.noun, i.Key, i.Description, f.result)
	if i.Kind != tools.Prompts {
		h.takes("uri", "string")
	}
	if i.Type != nil {
		h.takes("in", "*"+i.Type.Name)
	}
	return h
}

// itemHandlers returns the methods of the items of some kinds without a text in the list, each followed by those of the
// completion of its arguments.
func itemHandlers(all []typing.ItemTypes, kinds ...tools.ItemKind) []handler {
	var list []handler
	for _, i := range all {
		if !slices.Contains(kinds, i.Kind) || i.Text != nil {
			continue
		}
		list = append(list, itemHandler(i))
		for _, c := range i.Completions {
			list = append(list, completionHandler(c, i))
		}
	}
	return list
}

func completionHandler(c typing.Completion, i typing.ItemTypes) handler {
	of := fmt.Sprintf("values of the %s %q of %s", forms[i.Kind].argument, c.Argument.Name, itemHandler(i).of)
	h := handler{name: c.Method, of: of, item: c.Method, result: completionType}
	h.takes("value", "string")
	h.takes("settled", "map[string]string")
	return h
}

// handlers returns all methods that the user implements.
func handlers(p *typing.Package) []handler {
	return append(toolHandlers(p.Tools), itemHandlers(p.Items, tools.Prompts, tools.Resources, tools.Templates)...)
}
