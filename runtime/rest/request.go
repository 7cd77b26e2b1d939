package rest

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

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
	if base == "" {
		base = o.Server
	}
	if base == "" {
		return nil, fmt.Errorf("%s %s: the URL of the API is not known; it is set by the environment variable %s", o.Method, o.Path, BaseURLVariable)
	}
	b := &builder{path: o.Path, header: http.Header{}}
	for _, p := range o.Parameters {
		// No style can write null, which RFC 6570 takes for a value that is not there.
		if raw, ok := arguments.Get(p.Member); ok && (raw.Kind() != wire.KindNull || p.In == Path || p.Style == JSON) {
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
	var query []string
	for _, part := range append([]string{own, fixed}, b.query...) {
		if part != "" {
			query = append(query, part)
		}
	}
	address := strings.TrimRight(base, "/") + path
	if len(query) > 0 {
		address += "?" + strings.Join(query, "&")
	}
	return address
}

// parameter adds a parameter.
func (b *builder) parameter(p Parameter, raw wire.Raw) error {
	switch p.In {
	case Path:
		return b.inPath(p, raw)
	case Query:
		escape := escapeText
		if p.Reserved {
			escape = escapeReserved
		}
		for _, pair := range inQuery(p.Name, p.Style, p.Explode, raw, escape) {
			b.query = append(b.query, pair.name+"="+pair.value)
		}
	case Header:
		text := string(raw)
		if p.Style != JSON {
			text = simple(p.Explode, newValue(raw), plain)
		}
		if strings.ContainsAny(text, "\r\n\x00") {
			return fmt.Errorf("a header cannot contain line breaks")
		}
		b.header.Set(p.Name, text)
	case Cookie:
		for _, pair := range inQuery(p.Name, p.Style, p.Explode, raw, escapeCookie) {
			b.cookies = append(b.cookies, pair.name+"="+pair.value)
		}
	}
	return nil
}

// inPath replaces a parameter of the path. A segment that is empty, "." or ".." would lead to
// another operation.
func (b *builder) inPath(p Parameter, raw wire.Raw) error {
	text := escapeText(string(raw))
	if p.Style != JSON {
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
	case TextBody:
		return []byte(textOf(raw)), b.MediaType, nil
	case BinaryBody:
		text, err := decodeBase64(raw)
		return text, b.MediaType, err
	case FormBody:
		return b.form(raw), b.MediaType, nil
	case MultipartBody:
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
	for name, member := range membersOf(raw) {
		f := b.field(name)
		escape := escapeText
		if f.Reserved {
			escape = escapeReserved
		}
		style, explode := f.Style, f.Explode
		if style == "" {
			style, explode = Form, member.Kind() == wire.KindArray
			if member.Kind() == wire.KindObject {
				style = JSON
			}
		}
		for _, pair := range inQuery(name, style, explode, member, escape) {
			parts = append(parts, pair.name+"="+pair.value)
		}
	}
	return []byte(strings.Join(parts, "&"))
}

// multipart writes multipart/form-data. Each element of an array is a part of its own, unless the field has
// a style that joins them.
func (b *Body) multipart(raw wire.Raw) ([]byte, string, error) {
	var text bytes.Buffer
	w := multipart.NewWriter(&text)
	for name, member := range membersOf(raw) {
		f := b.field(name)
		elements := []wire.Raw{member}
		switch joined := f.Style != "" && !f.Explode; {
		case member.Kind() == wire.KindArray && joined:
			text, err := wire.AppendString(nil, newValue(member).joined(f.Style.separator(), "", plain))
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
		if mediaType == "" {
			mediaType = "application/octet-stream"
		}
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

// membersOf yields the members of a form, which is an object.
func membersOf(raw wire.Raw) func(yield func(string, wire.Raw) bool) {
	return func(yield func(string, wire.Raw) bool) {
		if raw.Kind() != wire.KindObject {
			return
		}
		for name, member := range wire.Object(raw).All() {
			if member.Kind() != wire.KindNull && !yield(name, member) {
				return
			}
		}
	}
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
