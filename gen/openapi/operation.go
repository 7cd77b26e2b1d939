package openapi

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/rest"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// methods are the members of a path that are operations.
var methods = []string{"get", "put", "post", "delete", "options", "head", "patch", "trace", "query"}

// operation is an operation of the document.
type operation struct {
	node
	item   node   // the path item
	method string // in upper case
	path   string
	id     string
}

// key identifies the operation in a mapping file, such as "GET /pets/{id}".
func (o *operation) key() string { return o.method + " " + o.path }

// summary returns the summary, or the first line of the description.
func (o *operation) summary() string {
	text := o.text("summary")
	if text == "" {
		text, _, _ = strings.Cut(strings.TrimSpace(o.text("description")), "\n")
	}
	return strings.Join(strings.Fields(text), " ")
}

// tags returns the tags.
func (o *operation) tags() []string {
	var tags []string
	for tag := range o.get("tags").elements {
		if name, ok := tag.raw.Str(); ok {
			tags = append(tags, name)
		}
	}
	return tags
}

// operations returns the operations in the order of the document.
func (d *documents) operations() []*operation {
	var all []*operation
	for path, item := range d.root().get("paths").members {
		if strings.HasPrefix(path, "x-") {
			continue
		}
		if !strings.HasPrefix(path, "/") {
			d.fail(item, "a path must begin with a slash, found %q", path)
			continue
		}
		item, ok := d.resolve(item)
		if !ok {
			continue
		}
		if item.kind() != wire.KindObject {
			d.fail(item, "a path must be an object of operations, found %s", item.kind())
			continue
		}
		add := func(method string, n node) {
			// OpenAPI has no references here, but documents that were divided into files do.
			n, ok := d.resolve(n)
			switch {
			case !ok:
			case n.kind() != wire.KindObject:
				d.fail(n, "an operation must be an object, found %s", n.kind())
			default:
				all = append(all, &operation{n, item, method, path, n.text("operationId")})
			}
		}
		for method, n := range item.members {
			if slices.Contains(methods, method) {
				add(strings.ToUpper(method), n)
			}
		}
		for method, n := range item.get("additionalOperations").members { // since 3.2
			if !strings.HasPrefix(method, "x-") {
				add(method, n)
			}
		}
	}
	return all
}

// defaultName returns the name of the tool for an operation: its operationId, else the method and the
// path, of the characters that all hosts accept.
func (o *operation) defaultName() string {
	name := cmp.Or(o.id, strings.ToLower(o.method)+" "+o.path)
	name = cut(clean(strings.ReplaceAll(name, ".", " "), "_"), mostName)
	if name = strings.Trim(name, "_-"); name == "" {
		name = strings.ToLower(o.method)
	}
	return name
}

// mostName is the length of the longest tool name that all hosts accept.
const mostName = 64

// cut returns the words of a name that fit in a length.
func cut(name string, longest int) string {
	if len(name) <= longest {
		return name
	}
	between := func(r rune) bool { return strings.ContainsRune("_-.", r) || unicode.IsUpper(r) }
	if end := strings.LastIndexFunc(name[:longest+1], between); end > longest/2 {
		return name[:end]
	}
	return name[:longest]
}

// distinctName returns a name, with a number if another tool has a name of the same letters and
// digits: Go names consist of those.
func distinctName(name string, taken map[string]bool) string {
	base := name
	for i := 2; taken[letters(name)]; i++ {
		suffix := "_" + strconv.Itoa(i)
		name = cut(base, mostName-len(suffix)) + suffix
	}
	taken[letters(name)] = true
	return name
}

// letters returns the letters and digits of a name, in lower case.
func letters(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == '.' {
			return -1
		}
		return r
	}, strings.ToLower(name))
}

// choice is what the mapping file says about an operation.
type choice struct {
	name        string
	description string
	noOutput    bool // the answer is returned as content
}

// toolBuilder builds the tool for an operation.
type toolBuilder struct {
	*documents
	o        *operation
	settings *Mapping
	call     rest.Operation
	members  map[string]bool // the names of the properties so far
	props    []byte
	required []string
	input    *converter
}

// tool returns the definition of the tool for an operation.
func (d *documents) tool(o *operation, c choice, settings *Mapping) wire.Raw {
	b := &toolBuilder{documents: d, o: o, settings: settings, members: map[string]bool{}, props: []byte{'{'}, input: d.converter(false, settings.limit())}
	b.call = rest.Operation{Method: o.method, Path: o.path, Server: b.server(), Security: b.security()}
	parameters := b.effective()
	body := b.body(parameters)
	b.parameters(parameters, body != nil)
	if body != nil {
		b.addBody(body)
	}
	text := []byte{'{'}
	add := func(name string, value wire.Raw) { text = append(wire.AppendName(text, name), value...) }
	add("name", jsonschema.Text(c.name))
	if about := b.description(c); about != "" {
		add("description", jsonschema.Text(about))
	}
	add("inputSchema", b.inputSchema())
	if output := b.output(c.noOutput); output != "" {
		add("outputSchema", output)
	}
	if hints := b.annotations(); hints != "" {
		add("annotations", hints)
	}
	add(tools.MemberOperation, encode(b.call))
	return wire.Raw(append(text, '}'))
}

// description returns the description for the model.
func (b *toolBuilder) description(c choice) string {
	if c.description != "" {
		return c.description
	}
	var parts []string
	for _, text := range []string{b.o.text("summary"), b.o.text("description")} {
		if text = strings.TrimSpace(text); text != "" && !slices.Contains(parts, text) {
			parts = append(parts, text)
		}
	}
	if b.o.flag("deprecated") {
		parts = append(parts, "This operation is deprecated.")
	}
	return strings.Join(parts, "\n\n")
}

// annotations returns the hints that follow from the method (RFC 9110, section 9.2).
func (b *toolBuilder) annotations() wire.Raw {
	title := ""
	if s := strings.TrimSpace(b.o.text("summary")); s != "" && len(s) <= 80 {
		title = `"title":` + string(jsonschema.Text(s)) + ","
	}
	switch b.o.method {
	case "GET", "HEAD", "OPTIONS", "TRACE", "QUERY":
		return wire.Raw(`{` + title + `"readOnlyHint":true,"openWorldHint":true}`)
	case "PUT":
		return wire.Raw(`{` + title + `"readOnlyHint":false,"idempotentHint":true,"openWorldHint":true}`)
	case "DELETE":
		return wire.Raw(`{` + title + `"readOnlyHint":false,"destructiveHint":true,"idempotentHint":true,"openWorldHint":true}`)
	}
	return wire.Raw(`{` + title + `"readOnlyHint":false,"openWorldHint":true}`)
}

// inputSchema returns the schema of the arguments. It does not allow other properties, so that a
// model gets an error for a misspelt name.
func (b *toolBuilder) inputSchema() wire.Raw {
	text := append([]byte(`{"type":"object","properties":`), append(b.props, '}')...)
	if len(b.required) > 0 {
		text = append(append(text, `,"required":`...), jsonschema.Texts(b.required)...)
	}
	text = append(text, `,"additionalProperties":false`...)
	b.input.size = len(text)
	if defs := b.input.definitions(); defs != "" {
		text = append(append(text, `,"$defs":`...), defs...)
	}
	return wire.Raw(append(text, '}'))
}

// property adds a property of the arguments and returns its name: that of the parameter, in the
// characters that all hosts accept. Place is added to the name if another property has it.
func (b *toolBuilder) property(name, place string, schema wire.Raw, required bool) string {
	name = cmp.Or(strings.Trim(clean(name, "_"), "_"), place)
	name = cut(name, mostName)
	if b.members[name] {
		name = cut(name, mostName-len(place)-1) + "_" + place
	}
	base := name
	for i := 2; b.members[name]; i++ {
		suffix := "_" + strconv.Itoa(i)
		name = cut(base, mostName-len(suffix)) + suffix
	}
	b.members[name] = true
	b.props = append(wire.AppendName(b.props, name), schema...)
	if required {
		b.required = append(b.required, name)
	}
	return name
}

// described returns a schema with the description of its parameter or body.
func described(schema wire.Raw, about string) wire.Raw {
	if about = strings.TrimSpace(about); about == "" || schema.Kind() != wire.KindObject {
		return schema
	}
	return jsonschema.With(schema, "description", jsonschema.Text(about))
}

// parameters adds the parameters of the path and of the operation. Parameters in the path come
// first, so that they keep their names if others have the same.
func (b *toolBuilder) parameters(all []node, body bool) {
	if body {
		b.members["body"] = true // reserved for addBody
	}
	all = slices.DeleteFunc(all, func(n node) bool { return n.text("in") == "body" || n.text("in") == "formData" })
	slices.SortStableFunc(all, func(x, y node) int {
		rank := func(n node) int {
			return slices.Index([]string{"path", "query", "header", "cookie"}, n.text("in"))
		}
		return rank(x) - rank(y)
	})
	missing := placeholders(b.o.path)
	for _, n := range all {
		in, name := n.text("in"), n.text("name")
		if in == "path" {
			if !slices.Contains(missing, name) && !strings.Contains(b.o.path, "{"+name+"}") {
				b.note(n, "the path %s has no {%s}; the parameter is left out", b.o.path, name)
				continue
			}
			missing = slices.DeleteFunc(missing, func(s string) bool { return s == name })
		}
		b.parameter(n, in, name)
	}
	for _, name := range missing {
		b.note(b.o.node, "no parameter describes {%s} of the path; it is taken as a string", name)
		member := b.property(name, "path", `{"type":"string","minLength":1}`, true)
		b.call.Parameters = append(b.call.Parameters, rest.Parameter{Member: member, Name: name, In: "path", Style: "simple"})
	}
}

var placeholder = regexp.MustCompile(`\{([^{}/]+)\}`)

// placeholders returns the names in braces in a path.
func placeholders(path string) []string {
	var names []string
	for _, match := range placeholder.FindAllStringSubmatch(path, -1) {
		names = append(names, match[1])
	}
	return distinct(names)
}

// effective returns the parameters of the operation, and those of its path that it does not replace.
func (b *toolBuilder) effective() []node {
	places := []string{"path", "query", "header", "cookie"}
	if b.swagger {
		places = []string{"path", "query", "header", "body", "formData"}
	}
	var all []node
	index := map[[2]string]int{}
	for _, of := range []node{b.o.item, b.o.node} {
		list := of.get("parameters")
		if list.exists() && list.kind() != wire.KindArray {
			b.fail(list, "must be an array of parameters, found %s", list.kind())
		}
		for n := range list.elements {
			n, ok := b.resolve(n)
			if !ok {
				continue
			}
			in, name := n.text("in"), n.text("name")
			switch {
			case n.kind() != wire.KindObject || name == "":
				b.fail(n, `a parameter must be an object with a "name"`)
				continue
			case !slices.Contains(places, in):
				b.fail(n.get("in"), "the parameter %q must be in one of %s; found %q", name, strings.Join(places, ", "), in)
				continue
			case in == "header" && slices.Contains([]string{"accept", "content-type", "authorization"}, strings.ToLower(name)):
				b.ignoredHeader(n, name)
				continue
			}
			key := [2]string{in, name}
			if i, has := index[key]; has {
				all[i] = n
				continue
			}
			index[key] = len(all)
			all = append(all, n)
		}
	}
	return all
}

// ignoredHeader notes that OpenAPI ignores a parameter for the header Authorization, once in an import and
// only for an operation without security. It also ignores Accept and Content-Type, which the media types
// decide.
func (b *toolBuilder) ignoredHeader(n node, name string) {
	if strings.EqualFold(name, "authorization") && len(b.call.Security) == 0 && !b.insecure {
		b.insecure = true
		b.note(n, "OpenAPI ignores parameters with the name %q, and the operation has no security; the field Header of the client can add the header", name)
	}
}

// styles are the styles that each place allows, the default first.
var styles = map[string][]string{
	"path":   {"simple", "label", "matrix"},
	"query":  {"form", "spaceDelimited", "pipeDelimited", "deepObject"},
	"header": {"simple"},
	"cookie": {"form"},
}

// parameter adds a parameter.
func (b *toolBuilder) parameter(n node, in, name string) {
	p := rest.Parameter{Name: name, In: in}
	schema := n.get("schema")
	for media, content := range n.get("content").members {
		schema, p.Style = content.get("schema"), "json"
		if kind := b.encoding(media); kind != "json" {
			p.Style = ""
		}
		break
	}
	switch {
	case b.swagger:
		schema = n
		p.Style, p.Explode = b.collection(n, in)
	default:
		if p.Style == "" {
			p.Style = b.style(n, styles[in])
		}
		p.Explode = explode(n, p.Style)
	}
	p.Reserved = in == "query" && n.flag("allowReserved")
	converted := wire.Raw(`{"type":"string"}`)
	if schema.exists() {
		converted = b.input.convert(schema)
	} else {
		b.note(n, "the parameter %q has no schema; it is taken as a string", name)
	}
	about := n.text("description")
	if n.flag("deprecated") {
		about = strings.TrimSpace(about + " (deprecated)")
	}
	p.Member = b.property(name, in, described(converted, about), n.flag("required") || in == "path")
	b.call.Parameters = append(b.call.Parameters, p)
}

// style returns the style of a parameter or of a field. The default is the first allowed one.
func (b *toolBuilder) style(n node, allowed []string) string {
	style := n.get("style")
	if !style.exists() {
		return allowed[0]
	}
	if name, _ := style.raw.Str(); slices.Contains(allowed, name) {
		return name
	}
	b.note(style, "%s is not a style of such a parameter; it is taken as %s", style.raw, allowed[0])
	return allowed[0]
}

// explode reports whether values are exploded. By default, those of the style form are.
func explode(n node, style string) bool {
	if style == "deepObject" || style == "json" {
		return false
	}
	if e := n.get("explode"); e.exists() {
		return e.raw == "true"
	}
	return style == "form"
}
