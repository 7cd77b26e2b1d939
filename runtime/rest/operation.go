// Package rest calls HTTP APIs for the handlers that mcpgen generates from OpenAPI documents.
//
// An [Operation] says how the arguments of a tool become a request: which member is which
// parameter, how its value is written ("Style Values" of OpenAPI), and what is in the body. A
// [Client] sends the request and limits the answer. [Call] decodes a JSON answer into the
// structured result of a tool, and [CallContent] returns any answer as content blocks.
//
// The package does not read OpenAPI documents; mcpgen does when it generates code.
package rest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Operation is an operation of an HTTP API. As JSON, it is the member x-openapi of a tool in a list.
type Operation struct {
	Method string `json:"method"`
	// Path is the path below the server, with {name} for parameters.
	Path string `json:"path"`
	// Server is the URL that the document gives, or "" if it gives none that can be called.
	Server     string      `json:"server,omitempty"`
	Parameters []Parameter `json:"parameters,omitempty"`
	// Body is nil if requests have none.
	Body *Body `json:"body,omitempty"`
	// Accept is the value of the header Accept, or "".
	Accept string `json:"accept,omitempty"`
	// Wrapped means that the answer is the member "result" of the structured result, because it
	// need not be an object.
	Wrapped bool `json:"wrapped,omitempty"`
	// Security lists the alternatives of credentials, each of which is a list of schemes that are
	// used together. An empty alternative means that requests without credentials are allowed.
	Security [][]Scheme `json:"security,omitempty"`
}

// Parameter is a member of the arguments that is sent outside of the body.
type Parameter struct {
	// Member is the name in the arguments, Name that in the request.
	Member string `json:"member"`
	Name   string `json:"name"`
	// In is where it is in a request: path, query, header or cookie.
	In string `json:"in"`
	// Style is how its value is written: in a style of OpenAPI, such as form, or as a JSON text, which is json.
	Style string `json:"style"`
	// Explode writes each element of an array, and each member of an object, separately.
	Explode bool `json:"explode,omitempty"`
	// Reserved leaves the reserved characters of URLs unescaped, except for those that delimit a
	// query.
	Reserved bool `json:"reserved,omitempty"`
}

// Body is the member of the arguments that is sent as the body.
type Body struct {
	Member    string `json:"member"`
	MediaType string `json:"mediaType"`
	// Encoding is how it is written: json, form (application/x-www-form-urlencoded), multipart
	// (multipart/form-data), text (a string as it is) or binary (a string with base64).
	Encoding string `json:"encoding"`
	// Fields describe members of a form that are not written in the default way.
	Fields []Field `json:"fields,omitempty"`
}

// Field is a member of a form.
type Field struct {
	Name string `json:"name"`
	// Style is "" for the default: scalars as text, the elements of arrays each on their own, and
	// objects as JSON. In multipart/form-data, a style joins the elements of arrays unless Explode is
	// true.
	Style    string `json:"style,omitempty"`
	Explode  bool   `json:"explode,omitempty"`
	Reserved bool   `json:"reserved,omitempty"`
	// MediaType is the Content-Type of a part of multipart/form-data, or "" for the default.
	MediaType string `json:"mediaType,omitempty"`
	// Base64 means that the value is binary, and its text in the arguments is base64.
	Base64 bool `json:"base64,omitempty"`
}

// builder collects the parts of a request.
type builder struct {
	path    string
	query   []string
	header  http.Header
	cookies []string
}

// request returns the request for arguments, without credentials. Base replaces the server of the
// operation if it is not "".
func (o *Operation) request(ctx context.Context, base string, arguments wire.Object) (*http.Request, error) {
	if base = cmp.Or(base, o.Server); base == "" {
		return nil, fmt.Errorf("%s %s: the URL of the API is not known; it is set by the environment variable %s", o.Method, o.Path, BaseURLVariable)
	}
	b := &builder{path: o.Path, header: http.Header{}}
	for _, p := range o.Parameters {
		// No style can write null, which RFC 6570 takes for a value that is not there.
		if raw, ok := arguments.Get(p.Member); ok && (raw.Kind() != wire.KindNull || p.In == "path" || p.Style == "json") {
			if err := b.parameter(p, raw); err != nil {
				return nil, fmt.Errorf("%s %s: the argument %q: %w", o.Method, o.Path, p.Member, err)
			}
		}
	}
	var body io.Reader
	if o.Body != nil {
		if raw, ok := arguments.Get(o.Body.Member); ok {
			text, mediaType, err := o.Body.encode(raw)
			if err != nil {
				return nil, fmt.Errorf("%s %s: the argument %q: %w", o.Method, o.Path, o.Body.Member, err)
			}
			body = bytes.NewReader(text)
			b.header.Set("Content-Type", mediaType)
		}
	}
	req, err := http.NewRequestWithContext(ctx, o.Method, b.url(base), body)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", o.Method, o.Path, withoutURL(err))
	}
	if o.Accept != "" {
		b.header.Set("Accept", o.Accept)
	}
	if len(b.cookies) > 0 {
		b.header.Set("Cookie", strings.Join(b.cookies, "; "))
	}
	req.Header = b.header
	return req, nil
}

// url returns the URL of the request below a server.
func (b *builder) url(base string) string {
	base, own, _ := strings.Cut(base, "?")
	path, fixed, _ := strings.Cut(b.path, "?") // some documents have a query in their paths
	path, _, _ = strings.Cut(path, "#")
	fixed, _, _ = strings.Cut(fixed, "#")
	query := slices.DeleteFunc(append([]string{own, fixed}, b.query...), func(part string) bool { return part == "" })
	// A character that no URL has, in what the document says, would make package url ignore the escapes of arguments.
	address := strings.TrimRight(base, "/") + path
	if _, rest, ok := strings.Cut(address, "://"); ok {
		_, path, _ = strings.Cut(rest, "/")
		address = strings.TrimSuffix(address, path) + escapeBut(path, "/%:@!$&'()*+,;=[]")
	}
	if len(query) > 0 {
		address += "?" + strings.Join(query, "&")
	}
	return address
}

// parameter adds a parameter.
func (b *builder) parameter(p Parameter, raw wire.Raw) error {
	switch p.In {
	case "path":
		return b.inPath(p, raw)
	case "query":
		escape := escapeText
		if p.Reserved {
			escape = escapeReserved
		}
		b.query = append(b.query, inQuery(p.Name, p.Style, p.Explode, raw, escape)...)
	case "header":
		text := string(raw)
		if p.Style != "json" {
			text = simple(p.Explode, newValue(raw), plain)
		}
		if strings.ContainsAny(text, "\r\n\x00") {
			return fmt.Errorf("a header cannot contain line breaks")
		}
		b.header.Set(p.Name, text)
	case "cookie":
		b.cookies = append(b.cookies, inQuery(p.Name, p.Style, p.Explode, raw, escapeCookie)...)
	}
	return nil
}

// inPath replaces a parameter of the path. A segment that is empty, "." or ".." would lead to
// another operation.
func (b *builder) inPath(p Parameter, raw wire.Raw) error {
	text := escapeText(string(raw))
	if p.Style != "json" {
		text = inPath(p.Name, p.Style, p.Explode, newValue(raw))
	}
	if text == "" {
		return fmt.Errorf("a part of a path cannot be empty")
	}
	placeholder := "{" + p.Name + "}"
	for segment := range strings.SplitSeq(b.path, "/") {
		if !strings.Contains(segment, placeholder) {
			continue
		}
		if whole := strings.ReplaceAll(segment, placeholder, text); whole == "." || whole == ".." {
			return fmt.Errorf("a part of a path cannot be %q", whole)
		}
	}
	b.path = strings.ReplaceAll(b.path, placeholder, text)
	return nil
}

// encode returns the body and its Content-Type.
func (b *Body) encode(raw wire.Raw) ([]byte, string, error) {
	switch b.Encoding {
	case "text":
		return []byte(textOf(raw)), b.MediaType, nil
	case "binary":
		text, err := decodeBase64(raw)
		return text, b.MediaType, err
	case "form":
		return b.form(raw), b.MediaType, nil
	case "multipart":
		return b.multipart(raw)
	}
	return []byte(raw), b.MediaType, nil
}

// field returns the description of a member of a form.
func (b *Body) field(name string) Field {
	for _, f := range b.Fields {
		if f.Name == name {
			return f
		}
	}
	return Field{Name: name}
}

// form writes application/x-www-form-urlencoded, with %20 for spaces, which all readers decode.
func (b *Body) form(raw wire.Raw) []byte {
	var parts []string
	for name, member := range wire.Object(raw).All() {
		if member.Kind() == wire.KindNull {
			continue
		}
		f := b.field(name)
		escape := escapeText
		if f.Reserved {
			escape = escapeReserved
		}
		style, explode := f.Style, f.Explode
		if style == "" {
			style, explode = "form", member.Kind() == wire.KindArray
			if member.Kind() == wire.KindObject {
				style = "json"
			}
		}
		parts = append(parts, inQuery(name, style, explode, member, escape)...)
	}
	return []byte(strings.Join(parts, "&"))
}

// multipart writes multipart/form-data. Each element of an array is a part of its own, unless the field has
// a style that joins them.
func (b *Body) multipart(raw wire.Raw) ([]byte, string, error) {
	var text bytes.Buffer
	w := multipart.NewWriter(&text)
	for name, member := range wire.Object(raw).All() {
		if member.Kind() == wire.KindNull {
			continue
		}
		f := b.field(name)
		elements := []wire.Raw{member}
		switch joined := f.Style != "" && !f.Explode; {
		case member.Kind() == wire.KindArray && joined:
			text, err := wire.AppendString(nil, newValue(member).joined(separator(f.Style), "", plain))
			if err != nil {
				return nil, "", fmt.Errorf("the member %q: %w", name, err)
			}
			elements[0] = wire.Raw(text)
		case member.Kind() == wire.KindArray:
			elements = member.Elements()
		}
		for _, element := range elements {
			if err := f.part(w, element); err != nil {
				return nil, "", fmt.Errorf("the member %q: %w", name, err)
			}
		}
	}
	if err := w.Close(); err != nil {
		return nil, "", err
	}
	return text.Bytes(), w.FormDataContentType(), nil
}

// part writes a part of a multipart body.
func (f Field) part(w *multipart.Writer, raw wire.Raw) error {
	disposition := multipart.FileContentDisposition(f.Name, f.Name)
	content, mediaType := []byte(textOf(raw)), f.MediaType
	if f.Base64 {
		var err error
		if content, err = decodeBase64(raw); err != nil {
			return err
		}
		mediaType = cmp.Or(mediaType, "application/octet-stream")
	} else {
		disposition, _, _ = strings.Cut(disposition, "; filename=")
		if mediaType == "" && (raw.Kind() == wire.KindObject || raw.Kind() == wire.KindArray) {
			mediaType = "application/json"
		}
	}
	header := textproto.MIMEHeader{"Content-Disposition": {disposition}}
	if mediaType != "" {
		header.Set("Content-Type", mediaType)
	}
	part, err := w.CreatePart(header)
	if err != nil {
		return err
	}
	_, err = part.Write(content)
	return err
}

func decodeBase64(raw wire.Raw) ([]byte, error) {
	text, err := base64.StdEncoding.DecodeString(textOf(raw))
	if err != nil {
		return nil, fmt.Errorf("is not base64: %w", err)
	}
	return text, nil
}

// withoutURL returns the cause of an error of package net/http. The URL around it may have
// credentials.
func withoutURL(err error) error {
	if e, ok := err.(*url.Error); ok {
		return e.Err
	}
	return err
}
