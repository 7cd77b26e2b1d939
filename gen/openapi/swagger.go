package openapi

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/rest"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file reads what OpenAPI 2.0, also called Swagger, has in other places than 3.0. Its parameters are
// schemas themselves, bodies and the fields of forms are parameters, media types are those of the operation
// or the document, and the server has parts.

// mediaTypes returns the media types of an operation. Kind is "consumes" or "produces".
func (b *toolBuilder) mediaTypes(kind string) []string {
	list := b.o.get(kind)
	if !list.exists() {
		list = b.at("/" + kind)
	}
	var all []string
	for element := range list.elements {
		if media, ok := element.raw.Str(); ok && media != "" {
			all = append(all, media)
		}
	}
	return distinct(all)
}

// typedContents returns the schema of a body or a response with each media type of the operation.
func (b *toolBuilder) typedContents(n node, kind string) []content {
	schema := n.get("schema")
	media := b.mediaTypes(kind)
	if target, ok := b.resolve(schema); ok && target.text("type") == "file" {
		schema = node{}
		if len(media) == 0 {
			media = []string{"application/octet-stream"}
		}
	}
	if len(media) == 0 && schema.exists() {
		media = []string{"application/json"}
	}
	var all []content
	for _, m := range media {
		all = append(all, content{media: m, schema: schema})
	}
	return all
}

// parameterBody returns the body that parameters describe, or nil.
func (b *toolBuilder) parameterBody(parameters []node) *body {
	var form []node
	for _, n := range parameters {
		switch n.text("in") {
		case "body":
			best, ok := b.preferred(b.typedContents(n, "consumes"))
			if !ok {
				best = content{media: "application/json"}
			}
			return &body{content: best, about: n.text("description"), required: n.flag("required")}
		case "formData":
			form = append(form, n)
		}
	}
	if len(form) == 0 {
		return nil
	}
	media := b.mediaTypes("consumes")
	kind := "application/x-www-form-urlencoded"
	if slices.ContainsFunc(form, b.binary) || slices.Contains(media, "multipart/form-data") && !slices.Contains(media, kind) {
		kind = "multipart/form-data"
	}
	return &body{content: content{media: kind, form: form}, required: slices.ContainsFunc(form, func(n node) bool { return n.flag("required") })}
}

// formSchema returns the schema of a form.
func (b *toolBuilder) formSchema(form []node) wire.Raw {
	text := []byte(`{"type":"object","properties":{`)
	var required []string
	for _, n := range form {
		text = append(wire.AppendName(text, n.text("name")), b.input.convert(n)...)
		if n.flag("required") {
			required = append(required, n.text("name"))
		}
	}
	text = append(text, '}')
	if len(required) > 0 {
		text = append(append(text, `,"required":`...), jsonschema.Texts(required)...)
	}
	return wire.Raw(append(text, '}'))
}

// formFields returns the members of a form that are not written in the default way.
func (b *toolBuilder) formFields(form []node, encoding string) []rest.Field {
	var fields []rest.Field
	for _, n := range form {
		f := rest.Field{Name: n.text("name")}
		if n.text("type") == "array" && n.text("collectionFormat") != "multi" {
			f.Style, f.Explode = b.collection(n, "formData")
		}
		f.Base64 = encoding == "multipart" && b.binary(n)
		if f != (rest.Field{Name: f.Name}) {
			fields = append(fields, f)
		}
	}
	return fields
}

// collection returns the style of a parameter, which follows from its collectionFormat.
func (b *toolBuilder) collection(n node, in string) (style string, explode bool) {
	style = "form"
	if in == "path" || in == "header" {
		style = "simple"
	}
	format := n.get("collectionFormat")
	if n.text("type") != "array" || !format.exists() {
		return style, false
	}
	name, _ := format.raw.Str()
	switch {
	case name == "csv":
		return style, false
	case name == "multi" && style == "form":
		return style, true
	case name == "ssv" && style == "form":
		return "spaceDelimited", false
	case name == "pipes" && style == "form":
		return "pipeDelimited", false
	}
	b.note(format, "%s is not supported for such a parameter; it is taken as csv", format.raw)
	return style, false
}

// hostServer returns the URL that consists of a scheme, the host and the base path, or "" if the
// document names no host.
func (b *toolBuilder) hostServer() string {
	root := b.root()
	schemes := b.o.get("schemes")
	if !schemes.exists() {
		schemes = root.get("schemes")
	}
	scheme := "https"
	for element := range schemes.elements {
		name, _ := element.raw.Str()
		if name == "https" {
			scheme = name
			break
		}
		if name == "http" {
			scheme = name
		}
	}
	host := root.text("host")
	if host == "" {
		b.note(root, "the document names no host; %s of the generated program sets the URL, or server in the mapping file", "API_BASE_URL")
		return ""
	}
	return scheme + "://" + host + strings.TrimRight(root.text("basePath"), "/")
}
