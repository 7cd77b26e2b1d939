package openapi

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/rest"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// encoding returns the encoding of a media type, by its name in package runtime/rest.
func (d *documents) encoding(mediaType string) string {
	kind, _, _ := strings.Cut(strings.ToLower(mediaType), ";")
	kind = strings.TrimSpace(kind)
	switch {
	case kind == "application/json", strings.HasSuffix(kind, "+json"), kind == "*/*", kind == "application/*", kind == "text/json":
		return "json"
	case kind == "application/x-www-form-urlencoded":
		return "form"
	case strings.HasSuffix(kind, "/form-data"): // some documents have application/form-data
		return "multipart"
	case strings.HasPrefix(kind, "text/"), kind == "application/xml", strings.HasSuffix(kind, "+xml"), strings.HasSuffix(kind, "yaml"),
		strings.HasSuffix(kind, "json-seq"), strings.HasSuffix(kind, "jsonl"), strings.HasSuffix(kind, "ndjson"):
		return "text"
	}
	return "binary"
}

// encodingOf returns the encoding of content. A schema for a file means that any media type is not JSON.
func (d *documents) encodingOf(c content) string {
	if of, ok := d.resolve(c.schema); ok && strings.Contains(c.media, "*") && (of.text("format") == "binary" || of.text("type") == "file") {
		return "binary"
	}
	return d.encoding(c.media)
}

// preferred lists the encodings of bodies, the best one for the arguments of a tool first.
var preferred = []string{"json", "form", "multipart", "text", "binary"}

// content is a media type of a body or an answer.
type content struct {
	media            string
	schema, encoding node
	// form has the parameters that are the fields of a form, in OpenAPI 2.0.
	form []node
}

// body is the body of requests.
type body struct {
	content
	about    string
	required bool
}

// contents returns the content of a body or a response by media type. In OpenAPI 2.0, kind is the member
// of the operation that lists the media types.
func (b *toolBuilder) contents(n node, kind string) []content {
	if b.swagger {
		return b.typedContents(n, kind)
	}
	var all []content
	for media, n := range b.children(b.child(n, "content")) {
		all = append(all, content{media: media, schema: n.get("schema"), encoding: n.get("encoding")})
	}
	return all
}

// preferred returns the content that is best for the arguments of a tool.
func (b *toolBuilder) preferred(all []content) (best content, ok bool) {
	rank := func(c content) int { return slices.Index(preferred, b.encodingOf(c)) }
	for i, c := range all {
		if i == 0 || rank(c) < rank(best) || rank(c) == rank(best) && strings.Contains(best.media, "*") {
			best = c
		}
	}
	return best, len(all) > 0
}

// body returns the body of requests, or nil if they have none.
func (b *toolBuilder) body(parameters []node) *body {
	if b.swagger {
		return b.parameterBody(parameters)
	}
	n := b.child(b.o.node, "requestBody")
	if !n.exists() {
		return nil
	}
	best, ok := b.preferred(b.contents(n, ""))
	if !ok {
		b.note(n, "the body has no content; it is left out")
		return nil
	}
	return &body{best, n.text("description"), n.flag("required")}
}

// addBody adds the property for the body.
func (b *toolBuilder) addBody(sent *body) {
	media, schema := sent.media, sent.schema
	call := &rest.Body{Member: "body", MediaType: media, Encoding: b.encodingOf(sent.content)}
	if call.Encoding == "multipart" {
		call.MediaType = "multipart/form-data"
	}
	if strings.Contains(media, "*") {
		call.MediaType = cmp.Or(map[string]string{"json": "application/json", "text": "text/plain"}[call.Encoding], "application/octet-stream")
	}
	var converted wire.Raw
	switch {
	case sent.form != nil:
		converted = b.formSchema(sent.form)
		call.Fields = b.formFields(sent.form, call.Encoding)
	case call.Encoding == "text":
		converted = `{"type":"string"}`
	case call.Encoding == "binary":
		converted = `{"type":"string","contentEncoding":"base64"}`
	case schema.exists():
		converted = b.input.convert(schema)
	case call.Encoding == "json":
		converted = "{}"
	default:
		converted = `{"type":"object"}`
	}
	if sent.form == nil && (call.Encoding == "form" || call.Encoding == "multipart") {
		call.Fields = b.fields(schema, sent.encoding, call.Encoding)
	}
	b.props = append(wire.AppendName(b.props, "body"), described(converted, sent.about)...)
	if sent.required {
		b.required = append(b.required, "body")
	}
	b.call.Body = call
}

// fields returns the members of a form that are not written in the default way.
func (b *toolBuilder) fields(schema, encoding node, kind string) []rest.Field {
	var fields []rest.Field
	add := func(name string, property node) {
		how := encoding.get(name)
		f := rest.Field{Name: name}
		styled := how.get("style").exists() || how.get("explode").exists()
		if kind == "form" && (styled || how.flag("allowReserved")) {
			f.Style = b.style(how, styles["query"])
			f.Explode, f.Reserved = explode(how, f.Style), how.flag("allowReserved")
		}
		if kind == "form" && b.encoding(how.text("contentType")) == "json" && how.text("contentType") != "" {
			f.Style = "json"
		}
		if kind == "multipart" {
			f.MediaType, _, _ = strings.Cut(how.text("contentType"), ",")
			if strings.Contains(f.MediaType, "*") {
				f.MediaType = ""
			}
			f.Base64 = b.binary(property)
			if styled && !how.doc.old && !f.Base64 { // OpenAPI 3.0 ignores them
				b.partStyle(&f, how, property)
			}
		}
		if f != (rest.Field{Name: name}) && !slices.Contains(fields, f) {
			fields = append(fields, f)
		}
	}
	of, _ := b.resolve(schema)
	for _, s := range append(b.heirs(of), of) {
		for part := range b.parts(s, "allOf", "oneOf", "anyOf") {
			for name, property := range part.get("properties").members {
				add(name, property)
			}
		}
	}
	return fields
}

// partStyle sets the style of a member of a multipart form. It applies to arrays, and its media type is ignored.
func (b *toolBuilder) partStyle(f *rest.Field, how, property node) {
	style := b.style(how, styles["query"])
	if of, _ := b.resolve(property); style == "deepObject" || of.text("type") == "object" || of.get("properties").exists() {
		b.note(how, "the style of a member of a multipart form that is an object is ignored; the member is written as JSON")
		return
	}
	f.Style, f.Explode, f.MediaType = style, explode(how, style), ""
}

// binary reports whether a property of a form, or the elements of its array, are files.
func (b *toolBuilder) binary(n node) bool {
	n, ok := b.resolve(n)
	if !ok {
		return false
	}
	if items := n.get("items"); items.exists() {
		return b.binary(items)
	}
	media := n.text("contentMediaType")
	return n.text("format") == "binary" || n.text("format") == "byte" || n.text("type") == "file" || n.text("contentEncoding") == "base64" ||
		media != "" && b.encoding(media) == "binary"
}

// success matches the keys of the responses that are successes.
var success = regexp.MustCompile(`^2([0-9][0-9]|XX|xx)$`)

// output returns the output schema, or "" if the tool returns answers as content. It sets Accept
// and Wrapped of the call.
func (b *toolBuilder) output(none bool) wire.Raw {
	var schemas, media []string
	var nodes []node
	empty := false
	responses := b.child(b.o.node, "responses")
	for status, response := range b.children(responses) {
		if !success.MatchString(status) && (status != "default" || hasSuccess(responses)) {
			continue
		}
		structured := false
		for _, c := range b.contents(response, "produces") {
			media = append(media, c.media)
			if schema := c.schema; schema.exists() && b.encodingOf(c) == "json" && !structured {
				structured = true
				if text := string(schema.raw); !slices.Contains(schemas, text) {
					schemas, nodes = append(schemas, text), append(nodes, schema)
				}
			}
		}
		empty = empty || !structured
	}
	media = distinct(media)
	if none || len(nodes) == 0 {
		b.call.Accept = strings.Join(media, ", ")
		return ""
	}
	b.call.Accept = strings.Join(slices.DeleteFunc(media, func(m string) bool { return b.encoding(m) != "json" }), ", ")
	c := b.converter(true, b.settings.limit())
	if target, ok := b.resolve(nodes[0]); ok && len(nodes) == 1 && !empty && c.isObject(nodes[0], 0) {
		return withDefinitions(c, jsonschema.With(c.convert(target), "type", `"object"`))
	}
	b.call.Wrapped = true
	var branches []string
	for _, n := range nodes {
		branches = append(branches, string(c.convert(n)))
	}
	result := branches[0]
	if len(branches) > 1 {
		result = `{"anyOf":[` + strings.Join(branches, ",") + `]}`
	}
	required := `,"required":["result"]`
	if empty {
		required = ""
	}
	return withDefinitions(c, wire.Raw(`{"type":"object","properties":{"result":`+result+`}`+required+`}`))
}

// hasSuccess reports whether there is a response for a success.
func hasSuccess(responses node) bool {
	for status := range responses.members {
		if success.MatchString(status) {
			return true
		}
	}
	return false
}

// withDefinitions returns a schema with the definitions that it refers to.
func withDefinitions(c *converter, schema wire.Raw) wire.Raw {
	c.size += len(schema)
	if defs := c.definitions(); defs != "" {
		return jsonschema.With(schema, "$defs", defs)
	}
	return schema
}

// server returns the URL of the server of the operation: Server of the mapping file, or else the
// first server of the operation, its path or the document. It returns "" if there is none or its URL
// is not complete.
func (b *toolBuilder) server() string {
	if b.settings.Server != "" {
		return b.settings.Server
	}
	if b.swagger {
		return b.hostServer()
	}
	for _, servers := range []node{b.o.get("servers"), b.o.item.get("servers"), b.at("/servers")} {
		for n := range servers.elements {
			address := n.text("url")
			for name, variable := range n.get("variables").members {
				value := variable.get("default")
				text, ok := value.raw.Str()
				if !ok {
					text = string(value.raw)
				}
				address = strings.ReplaceAll(address, "{"+name+"}", text)
			}
			if complete(address) {
				return strings.TrimRight(address, "/")
			}
			b.note(n, "the server %q is not a complete URL; %s of the generated program sets it, or server in the mapping file", address, "API_BASE_URL")
			return ""
		}
	}
	return ""
}

// complete reports whether the URL of a server is absolute and has no variables.
func complete(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && !strings.Contains(address, "{")
}

// security returns the alternatives of credentials, one of which a request needs.
func (b *toolBuilder) security() [][]rest.Scheme {
	requirements := b.o.get("security")
	if !requirements.exists() {
		requirements = b.at("/security")
	}
	var all [][]rest.Scheme
	for alternative := range requirements.elements {
		schemes := []rest.Scheme{}
		usable := true
		for name, scopes := range alternative.members {
			s, ok := b.scheme(name, scopes)
			usable = usable && ok
			if ok && s.Kind != "" {
				schemes = append(schemes, s)
			}
		}
		if usable {
			all = append(all, schemes)
		}
	}
	return all
}

// scheme returns a security scheme, and false if it cannot be used. Its kind is "" if the handlers
// send no credential for it.
func (b *toolBuilder) scheme(name string, at node) (rest.Scheme, bool) {
	all := "/components/securitySchemes"
	if b.swagger {
		all = "/securityDefinitions"
	}
	n := b.at(wire.ChildPointer(all, name))
	if !n.exists() {
		b.note(at, "the document has no security scheme %q; it is ignored", name)
		return rest.Scheme{}, false
	}
	n, ok := b.resolve(n)
	if !ok {
		return rest.Scheme{}, false
	}
	s := rest.Scheme{Name: name}
	switch kind := n.text("type"); kind {
	case "apiKey":
		s.Kind, s.In, s.Parameter = "apiKey", n.text("in"), n.text("name")
		if !slices.Contains([]string{"header", "query", "cookie"}, s.In) || s.Parameter == "" {
			b.note(n, `an API key needs a "name", and to be in "header", "query" or "cookie"; the scheme %q is ignored`, name)
			return s, false
		}
	case "oauth2", "openIdConnect":
		s.Kind = "bearer"
	case "basic": // of OpenAPI 2.0
		s.Kind = "basic"
	case "http":
		switch scheme := strings.ToLower(n.text("scheme")); scheme {
		case "basic", "bearer":
			s.Kind = scheme
		default:
			b.note(n, "the HTTP scheme %q is not supported; the HTTP client of the handlers can add its credentials", scheme)
		}
	case "mutualTLS": // the HTTP client has the certificate
	default:
		b.note(n, "the type %q of a security scheme is not known; it is ignored", kind)
		return s, false
	}
	return s, true
}

// encode returns an operation as a member of a tool.
func encode(o rest.Operation) wire.Raw {
	var text strings.Builder
	out := json.NewEncoder(&text)
	out.SetEscapeHTML(false)
	if err := out.Encode(o); err != nil {
		panic(fmt.Sprintf("openapi: an operation cannot be encoded: %v", err)) // it has only strings and flags
	}
	return wire.Raw(strings.TrimSpace(text.String()))
}
