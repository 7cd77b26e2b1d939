package rest

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The values of the table "Style Examples" of OpenAPI 3.1.1.
var examples = map[string]wire.Raw{
	"empty": `""`, "string": `"blue"`, "array": `["blue","black","brown"]`, "object": `{"R":100,"G":200,"B":150}`,
}

// TestStyles checks the table "Style Examples" of OpenAPI 3.1.1.
func TestStyles(t *testing.T) {
	for _, row := range []struct {
		in      string
		style   string
		explode bool
		want    map[string]string // by the kind of value
	}{
		{"path", "matrix", false, map[string]string{"empty": ";color", "string": ";color=blue", "array": ";color=blue,black,brown", "object": ";color=R,100,G,200,B,150"}},
		{"path", "matrix", true, map[string]string{"empty": ";color", "string": ";color=blue", "array": ";color=blue;color=black;color=brown", "object": ";R=100;G=200;B=150"}},
		{"path", "label", false, map[string]string{"string": ".blue", "array": ".blue,black,brown", "object": ".R,100,G,200,B,150"}},
		{"path", "label", true, map[string]string{"string": ".blue", "array": ".blue.black.brown", "object": ".R=100.G=200.B=150"}},
		{"path", "simple", false, map[string]string{"string": "blue", "array": "blue,black,brown", "object": "R,100,G,200,B,150"}},
		{"path", "simple", true, map[string]string{"string": "blue", "array": "blue,black,brown", "object": "R=100,G=200,B=150"}},
		{"query", "form", false, map[string]string{"empty": "color=", "string": "color=blue", "array": "color=blue,black,brown", "object": "color=R,100,G,200,B,150"}},
		{"query", "form", true, map[string]string{"empty": "color=", "string": "color=blue", "array": "color=blue&color=black&color=brown", "object": "R=100&G=200&B=150"}},
		{"query", "spaceDelimited", false, map[string]string{"array": "color=blue%20black%20brown", "object": "color=R%20100%20G%20200%20B%20150"}},
		{"query", "pipeDelimited", false, map[string]string{"array": "color=blue%7Cblack%7Cbrown", "object": "color=R%7C100%7CG%7C200%7CB%7C150"}},
		{"query", "deepObject", false, map[string]string{"object": "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"}},
		{"header", "simple", false, map[string]string{"empty": "", "string": "blue", "array": "blue,black,brown", "object": "R,100,G,200,B,150"}},
		{"header", "simple", true, map[string]string{"object": "R=100,G=200,B=150"}},
		{"cookie", "form", false, map[string]string{"string": "color=blue", "array": "color=blue,black,brown"}},
		{"cookie", "form", true, map[string]string{"array": "color=blue; color=black; color=brown"}},
	} {
		for kind, want := range row.want {
			o := &Operation{Method: "GET", Path: "/x", Server: "http://h", Parameters: []Parameter{{Member: "c", Name: "color", In: row.in, Style: row.style, Explode: row.explode}}}
			if row.in == "path" {
				o.Path = "/{color}"
			}
			arguments, err := wire.NewObject(wire.Member{Name: "c", Value: examples[kind]})
			if err != nil {
				t.Fatal(err)
			}
			req, err := o.request(t.Context(), "", arguments)
			if err != nil {
				t.Errorf("%s %s %v %s: %v", row.in, row.style, row.explode, kind, err)
				continue
			}
			got := map[string]string{
				"path": strings.TrimPrefix(req.URL.EscapedPath(), "/"), "query": req.URL.RawQuery, "header": req.Header.Get("color"), "cookie": req.Header.Get("Cookie"),
			}[row.in]
			if got != want {
				t.Errorf("%s %s explode=%v %s:\ngot  %s\nwant %s", row.in, row.style, row.explode, kind, got, want)
			}
		}
	}
}

// TestValues checks values that need escapes or have no style of their own.
func TestValues(t *testing.T) {
	for _, row := range []struct {
		p    Parameter
		raw  wire.Raw
		want string
	}{
		{Parameter{In: "query", Style: "form", Explode: true}, `"a b&c=d+é/?"`, "/x?p=a%20b%26c%3Dd%2B%C3%A9%2F%3F"},
		{Parameter{In: "query", Style: "form", Reserved: true}, `"a/b?c&d=e#f+g%;h"`, "/x?p=a/b?c%26d%3De%23f%2Bg%25%3Bh"},
		{Parameter{In: "query", Style: "form", Explode: true}, `null`, "/x"},
		{Parameter{In: "query", Style: "json"}, `null`, "/x?p=null"},
		{Parameter{In: "query", Style: "form", Explode: true}, `[]`, "/x"},
		{Parameter{In: "query", Style: "form"}, `[]`, "/x"},
		{Parameter{In: "query", Style: "form", Explode: true}, `{}`, "/x"},
		{Parameter{In: "query", Style: "form", Explode: true}, `[1.50,true,null,{"a":1}]`, "/x?p=1.50&p=true&p=&p=%7B%22a%22%3A1%7D"},
		{Parameter{In: "query", Style: "json"}, `{"a":[1]}`, "/x?p=%7B%22a%22%3A%5B1%5D%7D"},
		{Parameter{In: "query", Style: "deepObject"}, `{"a":{"b":[1,2]},"c":null}`, "/x?p%5Ba%5D%5Bb%5D%5B0%5D=1&p%5Ba%5D%5Bb%5D%5B1%5D=2&p%5Bc%5D="},
		{Parameter{In: "path", Style: "simple"}, `"a/b c%"`, "/x/a%2Fb%20c%25"},
		{Parameter{In: "path", Style: "simple"}, `"..."`, "/x/..."},
		{Parameter{In: "path", Style: "json"}, `{"a":1}`, "/x/%7B%22a%22%3A1%7D"},
		{Parameter{In: "path", Style: "matrix", Explode: true}, `[""]`, "/x/;p="},
	} {
		o := &Operation{Method: "GET", Path: "/x", Server: "http://h"}
		row.p.Member, row.p.Name = "p", "p"
		if row.p.In == "path" {
			o.Path = "/x/{p}"
		}
		o.Parameters = []Parameter{row.p}
		req, err := o.request(t.Context(), "", wire.Object(`{"p":`+string(row.raw)+`}`))
		if err != nil {
			t.Errorf("%s: %v", row.raw, err)
		} else if got := req.URL.RequestURI(); got != row.want {
			t.Errorf("%s %s %s:\ngot  %s\nwant %s", row.p.In, row.p.Style, row.raw, got, row.want)
		}
	}
}

// TestPaths checks that an argument stays within its part of a path, whatever is around it.
func TestPaths(t *testing.T) {
	for _, row := range []struct{ server, path, want string }{
		{"http://h", "/a b/{p}", "/a%20b/..%2F..%2Fadmin"},
		{"http://h/ü", "/{p}:x", "/%C3%BC/..%2F..%2Fadmin:x"},
		{"http://ü", "/{other}/{p}", "/%7Bother%7D/..%2F..%2Fadmin"},
		{"http://h", "/a%2Fb/{p}/\"[]", "/a%2Fb/..%2F..%2Fadmin/%22[]"},
	} {
		o := &Operation{Method: "GET", Path: row.path, Server: row.server, Parameters: []Parameter{{Member: "p", Name: "p", In: "path", Style: "simple"}}}
		req, err := o.request(t.Context(), "", `{"p":"../../admin"}`)
		if err != nil || req.URL.RequestURI() != row.want {
			t.Errorf("%+v: got %v, %v", row, req, err)
		}
	}
}

// TestServers checks where requests go.
func TestServers(t *testing.T) {
	for _, row := range []struct{ server, base, path, want string }{
		{"https://a.example/v1", "", "/x", "https://a.example/v1/x"},
		{"https://a.example/v1/", "", "/x", "https://a.example/v1/x"},
		{"https://a.example/v1", "http://localhost:1", "/x", "http://localhost:1/x"},
		{"", "http://localhost:1/api/?v=2", "/x", "http://localhost:1/api/x?v=2&q=1"},
		{"https://a.example", "", "/?Action=List#x", "https://a.example/?Action=List&q=1"},
	} {
		o := &Operation{Method: "GET", Path: row.path, Server: row.server, Parameters: []Parameter{{Member: "q", Name: "q", In: "query", Style: "form"}}}
		arguments := wire.Object("{}")
		if strings.Contains(row.want, "?") {
			arguments = `{"q":1}`
		}
		req, err := o.request(t.Context(), row.base, arguments)
		if err != nil || req.URL.String() != row.want {
			t.Errorf("%+v: got %v, %v", row, req, err)
		}
	}
}

func TestRefusedArguments(t *testing.T) {
	for _, row := range []struct {
		o         Operation
		arguments wire.Object
		want      string
	}{
		{Operation{Path: "/a/{p}", Server: "http://h", Parameters: []Parameter{{Member: "p", Name: "p", In: "path", Style: "simple"}}}, `{"p":".."}`, `GET /a/{p}: the argument "p": a part of a path cannot be ".."`},
		{Operation{Path: "/a/.{p}", Server: "http://h", Parameters: []Parameter{{Member: "p", Name: "p", In: "path", Style: "simple"}}}, `{"p":"."}`, `cannot be ".."`},
		{Operation{Path: "/a/{p}", Server: "http://h", Parameters: []Parameter{{Member: "p", Name: "p", In: "path", Style: "simple"}}}, `{"p":""}`, "cannot be empty"},
		{Operation{Path: "/a/{p}", Server: "http://h", Parameters: []Parameter{{Member: "p", Name: "p", In: "path", Style: "matrix", Explode: true}}}, `{"p":[]}`, "cannot be empty"},
		{Operation{Path: "/a/{p}", Server: "http://h", Parameters: []Parameter{{Member: "p", Name: "p", In: "path", Style: "matrix", Explode: true}}}, `{"p":{}}`, "cannot be empty"},
		{Operation{Path: "/a", Server: "http://h", Parameters: []Parameter{{Member: "p", Name: "p", In: "header", Style: "simple"}}}, `{"p":"a\r\nb: c"}`, "cannot contain line breaks"},
		{Operation{Path: "/a", Server: "http://h", Body: &Body{Member: "body", Encoding: "binary"}}, `{"body":"?"}`, `the argument "body": is not base64`},
		{Operation{Path: "/a", Server: "http://h", Body: &Body{Member: "body", Encoding: "multipart", Fields: []Field{{Name: "f", Base64: true}}}}, `{"body":{"f":"?"}}`, `the member "f": is not base64`},
		{Operation{Path: "/a"}, `{}`, "the URL of the API is not known; it is set by the environment variable API_BASE_URL"},
		{Operation{Path: "/a", Server: "http://h:x"}, `{}`, "invalid port"},
	} {
		row.o.Method = "GET"
		if _, err := row.o.request(t.Context(), "", row.arguments); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("got %v, want %s", err, row.want)
		}
	}
}

// TestBodies checks what is sent for each encoding.
func TestBodies(t *testing.T) {
	for _, row := range []struct {
		body Body
		raw  wire.Raw
		want string
	}{
		{Body{MediaType: "application/json", Encoding: "json"}, `{"a":1.0, "b":null}`, `application/json {"a":1.0, "b":null}`},
		{Body{MediaType: "text/csv", Encoding: "text"}, `"a,b\n"`, "text/csv a,b\n"},
		{Body{MediaType: "image/png", Encoding: "binary"}, `"AAE="`, "image/png \x00\x01"},
		{Body{MediaType: "application/x-www-form-urlencoded", Encoding: "form", Fields: []Field{
			{Name: "comma", Style: "form"}, {Name: "deep", Style: "deepObject"}, {Name: "j", Style: "json"}, {Name: "r", Style: "form", Reserved: true},
		}}, `{"s":"a b","n":null,"list":[1,2],"comma":[1,2],"deep":{"x":[{"y":1}]},"o":{"a":1},"j":[1],"r":"a/b"}`,
			"application/x-www-form-urlencoded s=a%20b&list=1&list=2&comma=1,2&deep%5Bx%5D%5B0%5D%5By%5D=1&o=%7B%22a%22%3A1%7D&j=%5B1%5D&r=a/b"},
		{Body{MediaType: "multipart/form-data", Encoding: "multipart", Fields: []Field{{Name: "f", Base64: true}, {Name: "x", MediaType: "text/xml"}}}, `{"f":["AA==","Yg=="],"o":{"a":1},"x":"<x/>"}`,
			"multipart/form-data; boundary=B --B|Content-Disposition: form-data; name=\"f\"; filename=\"f\"|Content-Type: application/octet-stream||\x00|--B|Content-Disposition: form-data; name=\"f\"; filename=\"f\"|Content-Type: application/octet-stream||b|" +
				"--B|Content-Disposition: form-data; name=\"o\"|Content-Type: application/json||{\"a\":1}|--B|Content-Disposition: form-data; name=\"x\"|Content-Type: text/xml||<x/>|--B--|"},
		{Body{MediaType: "multipart/form-data", Encoding: "multipart", Fields: []Field{{Name: "c", Style: "form"}, {Name: "p", Style: "pipeDelimited"}}}, `{"c":[1,"a b"],"p":["x","y"]}`,
			"multipart/form-data; boundary=B --B|Content-Disposition: form-data; name=\"c\"||1,a b|--B|Content-Disposition: form-data; name=\"p\"||x|y|--B--|"},
	} {
		row.body.Member = "body"
		o := &Operation{Method: "POST", Path: "/x", Server: "http://h", Body: &row.body}
		req, err := o.request(t.Context(), "", wire.Object(`{"body":`+string(row.raw)+`}`))
		if err != nil {
			t.Errorf("%s: %v", row.raw, err)
			continue
		}
		body, err := io.ReadAll(req.Body)
		if err != nil || req.ContentLength != int64(len(body)) {
			t.Errorf("%s: %v, length %d of %d", row.raw, err, req.ContentLength, len(body))
		}
		got := req.Header.Get("Content-Type") + " " + string(body)
		if _, boundary, ok := strings.Cut(req.Header.Get("Content-Type"), "boundary="); ok {
			got = strings.NewReplacer(boundary, "B", "\r\n", "|").Replace(got)
		}
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	o := &Operation{Method: "POST", Path: "/x", Server: "http://h", Body: &Body{Member: "body"}}
	if req, err := o.request(t.Context(), "", "{}"); err != nil || req.Body != nil && req.Body != http.NoBody {
		t.Errorf("without a body: %v, %v", req, err)
	}
}
