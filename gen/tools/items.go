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

// ItemKind is the member of a list that has the items of a kind.
type ItemKind string

// The kinds of items that are not tools.
const (
	Prompts   ItemKind = "prompts"
	Resources ItemKind = "resources"
	Templates ItemKind = "resourceTemplates"
)

// KindOfItem describes a kind: by the member that identifies an item, and the noun for one.
type KindOfItem struct {
	Kind      ItemKind
	Key, Noun string
}

// AllKinds lists the kinds in the order in which a list has their items, and ItemKinds those that are not tools.
var (
	AllKinds  = []KindOfItem{{"tools", "name", "tool"}, {Prompts, "name", "prompt"}, {Resources, "uri", "resource"}, {Templates, "uriTemplate", "resource template"}}
	ItemKinds = AllKinds[1:]
)

// Noun returns the noun for an item of a kind, and for a tool if that is "".
func (k ItemKind) Noun() string {
	for _, known := range ItemKinds {
		if known.Kind == k {
			return known.Noun
		}
	}
	return "tool"
}

// Item is the definition of a prompt, a resource or a resource template.
type Item struct {
	Kind ItemKind
	// Key is the name of a prompt, the URI of a resource or the URI template of a template.
	Key         string
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
	// Arguments are those of a prompt, or the variables of a URI template in its order.
	Arguments []*Argument
	// Input is the schema of the arguments, an object of strings, and of arrays of strings for lists. It is nil for a
	// resource.
	Input *jsonschema.Schema
	// Text is the content of a resource that never changes, or nil.
	Text *string
	// Pointer is the place of the item in the text, such as "/prompts/0".
	Pointer string
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
	// Enum has the values that the argument, or an element of a list, may have. It is empty if there
	// is no such limit.
	Enum []string
	// Completion means that a method proposes values.
	Completion bool
	// List means that the value is a list of strings: the variable is exploded.
	List bool
	// Pointer is the place of the argument in the text.
	Pointer string
}

// items reads the prompts, resources and templates in an object, and reports whether it has a list of some.
func (r *reader) items(list *List, pointer string, root wire.Object) (found bool) {
	for _, k := range ItemKinds {
		all, ok := root.Get(string(k.Kind))
		if !ok {
			continue
		}
		found = true
		at := pointer + "/" + string(k.Kind)
		if all.Kind() != wire.KindArray {
			r.fail(at, "must be an array, found %s", all.Kind())
			continue
		}
		taken := map[string]string{}
		for i, raw := range all.Elements() {
			at := at + "/" + strconv.Itoa(i)
			r.tool = ""
			if raw.Kind() != wire.KindObject {
				r.fail(at, "must be an object, found %s", raw.Kind())
				continue
			}
			item := r.item(k.Kind, at, wire.Object(raw))
			list.Items = append(list.Items, item)
			r.tool = ""
			if other, ok := taken[item.Key]; ok && item.Key != "" {
				r.fail(at+"/"+k.Key, "the one at %s has the same %s, %q", other, k.Key, item.Key)
			}
			taken[item.Key] = at
		}
	}
	return found
}

// item reads an item.
func (r *reader) item(kind ItemKind, at string, o wire.Object) *Item {
	i := &Item{Kind: kind, Pointer: at}
	compact, err := wire.Raw(o).AppendJSON(nil)
	if err != nil {
		r.fail(at, "%v", err)
		return i
	}
	i.Source = wire.Object(compact)
	i.Definition = Served(i.Source)
	i.Name = r.needed(at, o, "name")
	r.tool = i.Name
	r.text(at, o, "title")
	i.Description = r.text(at, o, "description")
	i.GoName = r.text(at, o, jsonschema.GoName)
	i.Scopes = r.scopes(at, o)
	switch kind {
	case Prompts:
		i.Key, i.Arguments = i.Name, r.arguments(at+"/arguments", o, "arguments")
		i.Input = r.strings(at+"/arguments", i.Arguments)
	case Resources:
		r.resource(i, o)
	case Templates:
		r.template(i, o)
	}
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

func (r *reader) resource(i *Item, o wire.Object) {
	i.Key = r.needed(i.Pointer, o, "uri")
	r.text(i.Pointer, o, "mimeType")
	if i.Key != "" {
		var c wire.Collector
		c.Format("uri", i.Key)
		if c.Err() != nil {
			r.fail(i.Pointer+"/uri", "%q is not a URI", i.Key)
		}
	}
	if _, ok := o.Get(MemberText); ok {
		i.Text = new(r.text(i.Pointer, o, MemberText))
	}
}

func (r *reader) template(t *Item, o wire.Object) {
	at := t.Pointer
	t.Key = r.needed(at, o, "uriTemplate")
	r.text(at, o, "mimeType")
	described := r.arguments(at+"/"+MemberVariables, o, MemberVariables)
	if t.Key == "" {
		return
	}
	parsed, err := uritemplate.New(t.Key)
	if err != nil {
		r.fail(at+"/uriTemplate", "%q is not a URI template (RFC 6570): %v", t.Key, err)
		return
	}
	required, lists := expressions(t.Key)
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
		t.Arguments = append(t.Arguments, v)
	}
	for _, a := range described {
		r.fail(a.Pointer+"/name", "the URI template %q has no variable %q", t.Key, a.Name)
	}
	t.Input = r.strings(at+"/uriTemplate", t.Arguments)
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

// ours lists the members of items and of their arguments that this project adds.
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
	return jsonschema.With(definition, "arguments", wire.ArrayOf(all))
}

// strings returns the schema of arguments, an object of strings, and of arrays of strings for lists.
func (r *reader) strings(at string, arguments []*Argument) *jsonschema.Schema {
	properties, required := []byte{'{'}, []string{}
	for _, a := range arguments {
		property, enum := `{"type":"string"`, ""
		if len(a.Enum) > 0 {
			enum = `,"enum":` + string(jsonschema.Texts(a.Enum))
		}
		if a.List {
			property, enum = `{"type":"array","items":{"type":"string"`+enum+`}`, ""
		}
		for _, m := range []struct{ name, text string }{{"title", a.Title}, {"description", a.Description}, {jsonschema.GoName, a.GoName}} {
			if m.text != "" {
				property += `,"` + m.name + `":` + string(jsonschema.Text(m.text))
			}
		}
		properties = append(append(wire.AppendName(properties, a.Name), property+enum...), '}')
		if a.Required {
			required = append(required, a.Name)
		}
	}
	return r.schema(at, wire.Raw(fmt.Sprintf(`{"type":"object","properties":%s},"required":%s}`, properties, jsonschema.Texts(required))))
}
