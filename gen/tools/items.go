package tools

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/yosida95/uritemplate/v3"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The members of prompts, resources and templates that this project adds. A server does not send
// them.
const (
	// MemberEnum lists the values of an argument.
	MemberEnum = "x-mcp-enum"
	// MemberCompletion says that a method proposes values for an argument.
	MemberCompletion = "x-mcp-completion"
	// MemberText is the text of a resource that never changes.
	MemberText = "x-mcp-text"
	// MemberVariables describes variables of a URI template, in the form of arguments.
	MemberVariables = "x-mcp-variables"
)

// Item holds what prompts, resources and templates have in common.
type Item struct {
	Name        string
	Description string
	// GoName is the Go identifier that the list gives the item (x-go-name), or "".
	GoName string
	// Source is the text of the definition, without white space between tokens. Definition is
	// Source without the members that this project adds, as a server sends it.
	Source, Definition wire.Object
	// Scopes are the values of the member x-mcp-scopes: what the access token of a caller must
	// have.
	Scopes []string
	// Pointer is the place of the item in the text, such as "/prompts/0".
	Pointer string
}

// Prompt is the definition of a prompt.
type Prompt struct {
	Item
	Arguments []*Argument
	// Input is the schema of the arguments, an object of strings.
	Input *jsonschema.Schema
}

// Resource is the definition of a resource.
type Resource struct {
	Item
	URI string
	// MimeType is "" if the definition does not have it.
	MimeType string
	// Text is the content of a resource that never changes, or nil.
	Text *string
}

// Template is the definition of a resource template.
type Template struct {
	Item
	URITemplate string
	// Variables are those of the URI template, in its order.
	Variables []*Argument
	// Input is the schema of the variables, an object of strings, and of arrays of strings for lists.
	Input *jsonschema.Schema
}

// Argument is an argument of a prompt, or a variable of a URI template.
type Argument struct {
	Name        string
	Title       string
	Description string
	GoName      string
	// Required means that a request has the argument, or a URI the variable. A list is never
	// required, because an empty one is undefined.
	Required bool
	// Enum has the only values of the argument, or of the elements of a list, or none if it may have
	// any.
	Enum []string
	// Completion means that a method proposes values.
	Completion bool
	// List means that the value is a list of strings: the variable is exploded.
	List bool
	// Pointer is the place of the argument in the text.
	Pointer string
}

// items reads the prompts, resources and templates in an object.
func (r *reader) items(list *List, pointer string, root wire.Object) {
	taken := map[string]string{}
	each := func(member string, read func(at string, o wire.Object) (key, value string)) {
		all, ok := root.Get(member)
		if !ok {
			return
		}
		at := pointer + "/" + member
		if all.Kind() != wire.KindArray {
			r.fail(at, "must be an array, found %s", all.Kind())
			return
		}
		for i, raw := range all.Elements() {
			at := at + "/" + strconv.Itoa(i)
			r.tool = ""
			if raw.Kind() != wire.KindObject {
				r.fail(at, "must be an object, found %s", raw.Kind())
				continue
			}
			key, value := read(at, wire.Object(raw))
			r.tool = ""
			if other, ok := taken[member+value]; ok && value != "" {
				r.fail(at+"/"+key, "the one at %s has the same %s, %q", other, key, value)
			}
			taken[member+value] = at
		}
	}
	each("prompts", func(at string, o wire.Object) (string, string) {
		p := r.prompt(at, o)
		list.Prompts = append(list.Prompts, p)
		return "name", p.Name
	})
	each("resources", func(at string, o wire.Object) (string, string) {
		s := r.resource(at, o)
		list.Resources = append(list.Resources, s)
		return "uri", s.URI
	})
	each("resourceTemplates", func(at string, o wire.Object) (string, string) {
		t := r.template(at, o)
		list.Templates = append(list.Templates, t)
		return "uriTemplate", t.URITemplate
	})
}

// item reads the members that all items have in common.
func (r *reader) item(at string, o wire.Object) Item {
	compact, err := wire.AppendRaw(nil, wire.Raw(o))
	if err != nil {
		r.fail(at, "%v", err)
		return Item{Pointer: at}
	}
	i := Item{Source: wire.Object(compact), Pointer: at}
	i.Definition = Served(i.Source)
	i.Name = r.needed(at, o, "name")
	r.tool = i.Name
	r.text(at, o, "title")
	i.Description = r.text(at, o, "description")
	i.GoName = r.text(at, o, jsonschema.GoName)
	i.Scopes = r.scopes(at, o)
	return i
}

// needed returns a member that must be present and not empty.
func (r *reader) needed(at string, o wire.Object, member string) string {
	problems := len(r.errs)
	text := r.text(at, o, member)
	if text == "" && len(r.errs) == problems {
		r.fail(at, "must have a %q", member)
	}
	return text
}

func (r *reader) prompt(at string, o wire.Object) *Prompt {
	p := &Prompt{Item: r.item(at, o)}
	p.Arguments = r.arguments(at+"/arguments", o, "arguments")
	p.Input = r.strings(at+"/arguments", p.Arguments)
	return p
}

func (r *reader) resource(at string, o wire.Object) *Resource {
	s := &Resource{Item: r.item(at, o)}
	s.URI, s.MimeType = r.needed(at, o, "uri"), r.text(at, o, "mimeType")
	if s.URI != "" {
		var c wire.Collector
		c.Format("uri", s.URI)
		if c.Err() != nil {
			r.fail(at+"/uri", "%q is not a URI", s.URI)
		}
	}
	if _, ok := o.Get(MemberText); ok {
		s.Text = new(r.text(at, o, MemberText))
	}
	return s
}

func (r *reader) template(at string, o wire.Object) *Template {
	t := &Template{Item: r.item(at, o)}
	t.URITemplate = r.needed(at, o, "uriTemplate")
	r.text(at, o, "mimeType")
	described := r.arguments(at+"/"+MemberVariables, o, MemberVariables)
	if t.URITemplate == "" {
		return t
	}
	parsed, err := uritemplate.New(t.URITemplate)
	if err != nil {
		r.fail(at+"/uriTemplate", "%q is not a URI template (RFC 6570): %v", t.URITemplate, err)
		return t
	}
	required, lists := expressions(t.URITemplate)
	for _, name := range parsed.Varnames() {
		v := &Argument{Name: name, Pointer: at + "/uriTemplate"}
		if i := slices.IndexFunc(described, func(a *Argument) bool { return a.Name == name }); i >= 0 {
			v = described[i]
			if v.Required {
				r.fail(v.Pointer+"/required", "the URI template says which variables a URI must have")
			}
			described = slices.Delete(described, i, i+1)
		}
		v.Required, v.List = required[name] && !lists[name], lists[name]
		t.Variables = append(t.Variables, v)
	}
	for _, a := range described {
		r.fail(a.Pointer+"/name", "the URI template %q has no variable %q", t.URITemplate, a.Name)
	}
	t.Input = r.strings(at+"/uriTemplate", t.Variables)
	return t
}

// expressions returns the variables that every URI of a template has, which are those in
// expressions without an operator or with a plus sign, and the variables that are lists, because they
// are exploded. The others, and lists, may be undefined and then absent from the URI (RFC 6570,
// section 3.2).
func expressions(template string) (required, lists map[string]bool) {
	required, lists = map[string]bool{}, map[string]bool{}
	for _, part := range strings.Split(template, "{")[1:] {
		expression, _, _ := strings.Cut(part, "}")
		names := strings.TrimLeft(expression, "+#./;?&")
		always := names == expression || expression[0] == '+'
		for name := range strings.SplitSeq(names, ",") {
			name, list := strings.CutSuffix(name, "*")
			name, _, _ = strings.Cut(name, ":") // a limit of the length
			lists[name] = lists[name] || list
			required[name] = required[name] || always
		}
	}
	return required, lists
}

// arguments reads an array of arguments.
func (r *reader) arguments(at string, o wire.Object, member string) []*Argument {
	all, ok := o.Get(member)
	if !ok {
		return nil
	}
	if all.Kind() != wire.KindArray {
		r.fail(at, "must be an array, found %s", all.Kind())
		return nil
	}
	var list []*Argument
	for i, raw := range all.Elements() {
		at := at + "/" + strconv.Itoa(i)
		if raw.Kind() != wire.KindObject {
			r.fail(at, "must be an object, found %s", raw.Kind())
			continue
		}
		o := wire.Object(raw)
		a := &Argument{
			Name: r.needed(at, o, "name"), Title: r.text(at, o, "title"), Description: r.text(at, o, "description"),
			GoName: r.text(at, o, jsonschema.GoName), Required: r.flag(at, o, "required"), Completion: r.flag(at, o, MemberCompletion),
			Pointer: at,
		}
		if raw, ok := o.Get(MemberEnum); ok {
			a.Enum = r.values(at+"/"+MemberEnum, raw)
		}
		if a.Name != "" && slices.ContainsFunc(list, func(other *Argument) bool { return other.Name == a.Name }) {
			r.fail(at+"/name", "there are two with the name %q", a.Name)
			continue
		}
		list = append(list, a)
	}
	return list
}

// values reads the values of an argument.
func (r *reader) values(at string, raw wire.Raw) []string {
	if raw.Kind() != wire.KindArray || len(raw.Elements()) == 0 {
		r.fail(at, "must be an array of one or more strings, found %.50s", raw)
		return nil
	}
	var values []string
	for i, element := range raw.Elements() {
		value, ok := element.Str()
		switch {
		case !ok:
			r.fail(at+"/"+strconv.Itoa(i), "must be a string, found %s", element.Kind())
		case slices.Contains(values, value):
			r.fail(at+"/"+strconv.Itoa(i), "there are two values %q", value)
		default:
			values = append(values, value)
		}
	}
	return values
}

func (r *reader) flag(at string, o wire.Object, member string) bool {
	raw, ok := o.Get(member)
	if ok && raw.Kind() != wire.KindBool {
		r.fail(at+"/"+member, "must be true or false, found %s", raw.Kind())
	}
	return raw == "true"
}

// ours are the members of items and of their arguments that this project adds.
var ours = []string{jsonschema.GoName, MemberScopes, MemberEnum, MemberCompletion, MemberText, MemberVariables}

// Served returns the definition of a prompt, resource or template as a server sends it: without the
// members that this project adds.
func Served(source wire.Object) wire.Object {
	definition := source.Without(ours...)
	arguments, ok := definition.Get("arguments")
	if !ok || arguments.Kind() != wire.KindArray {
		return definition
	}
	all := arguments.Elements()
	for i, argument := range all {
		if argument.Kind() == wire.KindObject {
			all[i] = wire.Raw(wire.Object(argument).Without(ours...))
		}
	}
	changed, err := definition.With("arguments", wire.ArrayOf(all))
	if err != nil { // the text was JSON
		return definition
	}
	return changed
}

func (r *reader) replaced(at string, o wire.Object, member string, value wire.Raw) wire.Object {
	changed, err := o.With(member, value)
	if err != nil {
		r.fail(at, "%v", err)
		return o
	}
	return changed
}

// strings returns the schema of arguments, an object of strings, and of arrays of strings for lists.
func (r *reader) strings(at string, arguments []*Argument) *jsonschema.Schema {
	properties, required := []byte{'{'}, []byte{'['}
	for _, a := range arguments {
		property := wire.Object(`{"type":"string"}`)
		if a.List {
			property = r.replaced(a.Pointer, `{"type":"array"}`, "items", wire.Raw(r.listed(a, property)))
		}
		for _, m := range []struct{ name, text string }{{"title", a.Title}, {"description", a.Description}, {jsonschema.GoName, a.GoName}} {
			if m.text != "" {
				property = r.replaced(a.Pointer, property, m.name, r.quoted(a.Pointer, m.text))
			}
		}
		if !a.List {
			property = r.listed(a, property)
		}
		properties = append(wire.AppendName(properties, a.Name), property...)
		if a.Required {
			required = append(wire.AppendComma(required), r.quoted(a.Pointer, a.Name)...)
		}
	}
	text := fmt.Sprintf(`{"type":"object","properties":%s},"required":%s]}`, properties, required)
	return r.schema(at, wire.Raw(text))
}

// listed returns the schema of a string with the values of an argument, if it has only some.
func (r *reader) listed(a *Argument, schema wire.Object) wire.Object {
	if len(a.Enum) == 0 {
		return schema
	}
	values := []byte{'['}
	for _, value := range a.Enum {
		values = append(wire.AppendComma(values), r.quoted(a.Pointer, value)...)
	}
	return r.replaced(a.Pointer, schema, "enum", wire.Raw(append(values, ']')))
}

// quoted returns a string as JSON.
func (r *reader) quoted(at, text string) wire.Raw {
	quoted, err := wire.AppendString(nil, text)
	if err != nil {
		r.fail(at, "%v", err)
		return `""`
	}
	return wire.Raw(quoted)
}
