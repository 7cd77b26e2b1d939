package openapi_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/gen/openapi"
	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/runtime/rest"
)

// load imports a document in YAML, with the members of paths indented by two spaces, and reads the list.
func load(t *testing.T, text string, m *openapi.Mapping) (*openapi.Result, *tools.List) {
	t.Helper()
	r, err := openapi.Import(openapi.Options{Name: "api.yaml", Text: []byte("openapi: 3.0.3\n" + text), Mapping: m, MappingName: "m.yaml"})
	if err != nil {
		t.Fatal(err)
	}
	list, err := tools.Read([]byte(r.List))
	if err != nil {
		t.Fatal(err)
	}
	return r, list
}

func names(list *tools.List) []string {
	var all []string
	for _, t := range list.Tools {
		all = append(all, t.Name)
	}
	return all
}

// TestNames checks that the names of tools are valid, and that their letters and digits differ.
func TestNames(t *testing.T) {
	_, list := load(t, `paths:
  /a: {get: {operationId: getPet}, put: {operationId: get_pet}, post: {operationId: "pets/«add» all."}, patch: {}}
  /b/{id}.json: {get: {}, delete: {operationId: "`+strings.Repeat("x", 100)+`"}, head: {operationId: "`+strings.Repeat("x", 90)+`"}}
  /a-list-of-all-the-objects/{id}/that-have-a/changed_subscription.of.a.customer: {get: {}, put: {operationId: replaceTheSubscriptionOfACustomerThatHasChangedItForAnotherSubscription}}
  x-extension: {get: {}}
`, nil)
	want := []string{"getPet", "get_pet_2", "pets_add_all", "patch_a", "get_b_id_json", strings.Repeat("x", 64), strings.Repeat("x", 62) + "_2",
		"get_a-list-of-all-the-objects_id_that-have-a_changed", "replaceTheSubscriptionOfACustomerThatHasChangedItForAnother"}
	if diff := cmp.Diff(want, names(list)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestSelection checks which operations become tools.
func TestSelection(t *testing.T) {
	const paths = `paths:
  /pets: {get: {operationId: a, tags: [x]}, post: {operationId: b, tags: [y]}}
  /pets/{id}: {get: {operationId: c, tags: [z], deprecated: true}, delete: {operationId: d}}
  /other: {get: {operationId: e, tags: [x, y]}}
`
	for _, row := range []struct{ mapping, want string }{
		{"", "a b d e"},
		{"include: {tags: [x]}", "a e"},
		{"include: {tags: [x]}\nexclude: {tags: [y]}", "a"},
		{"include: {paths: [/pets/**]}", "a b d"},
		{"include: {paths: [/pets/*], methods: [post]}", "b d"},
		{"exclude: {methods: [GET]}", "b d"},
		{"operations: {GET /pets: false, \"GET /pets/{id}\": see}\ninclude: {methods: [get]}", "see e"},
		{"operations:\n  GET /pets: {name: b}\n", "b b_2 d e"},
		{"operations:\n  GET /pets: {description: only}\n", "a b d e"},
	} {
		m, err := openapi.ReadMapping("m.yaml", []byte(row.mapping))
		if err != nil {
			t.Fatal(err)
		}
		// Rows in braces cannot be added to, so that all operations have one.
		if strings.Contains(row.mapping, "operations: {") {
			row.mapping = strings.Replace(row.mapping, "false,", "false, POST /pets: b, \"DELETE /pets/{id}\": d, GET /other: e,", 1)
			if m, err = openapi.ReadMapping("m.yaml", []byte(row.mapping)); err != nil {
				t.Fatal(err)
			}
		}
		r, list := load(t, paths, m)
		if got := strings.Join(names(list), " "); got != row.want {
			t.Errorf("%s: got %s, want %s", row.mapping, got, row.want)
		}
		// The file that an import writes selects the same.
		again, err := openapi.ReadMapping("m.yaml", r.Mapping)
		if err != nil {
			t.Fatalf("%s: %v", r.Mapping, err)
		}
		second, list := load(t, paths, again)
		if got := strings.Join(names(list), " "); got != row.want || len(second.Added) > 0 || string(second.Mapping) != string(r.Mapping) {
			t.Errorf("%s: a second import: got %s, added %v", row.mapping, got, second.Added)
		}
	}
}

// TestResults checks the output schemas.
func TestResults(t *testing.T) {
	const object = `{content: {application/json: {schema: {type: object, properties: {a: {type: integer}}}}}}`
	const text = `{content: {application/hal+json: {schema: {type: string}}, text/csv: {}}}`
	for _, row := range []struct{ responses, want, accept string }{
		{`"200": ` + object, `{"type":"object","properties":{"a":{"type":"integer"}}}`, "application/json"},
		{`"200": ` + object + `, "201": ` + object + `, default: ` + text, `{"type":"object","properties":{"a":{"type":"integer"}}}`, "application/json"},
		{`default: ` + text, `{"type":"object","properties":{"result":{"type":"string"}},"required":["result"]}`, "application/hal+json"},
		{`2XX: ` + object + `, "204": {}`, `{"type":"object","properties":{"result":{"type":"object","properties":{"a":{"type":"integer"}}}}}`, "application/json"},
		{`"200": ` + object + `, "202": ` + text, `{"type":"object","properties":{"result":{"anyOf":[{"type":"object","properties":{"a":{"type":"integer"}}},{"type":"string"}]}},"required":["result"]}`, "application/json, application/hal+json"},
		{`"200": {content: {"*/*": {schema: {allOf: [{type: object}]}}}}`, `{"allOf":[{"type":"object"}],"type":"object"}`, "*/*"},
		{`"200": {content: {image/png: {}, text/csv: {schema: {type: string}}}}`, "", "image/png, text/csv"},
		{`"200": {content: {"*/*": {schema: {type: string, format: binary}}}}`, "", "*/*"},
		{`"204": {}, "400": ` + object, "", ""},
	} {
		_, list := load(t, "paths: {/a: {get: {responses: {"+row.responses+"}}}}", nil)
		tool := list.Tools[0]
		got, _ := tool.Definition.Get("outputSchema")
		if diff := cmp.Diff(row.want, string(got)); diff != "" || tool.Operation.Accept != row.accept {
			t.Errorf("%s: accepts %q (-want +got):\n%s", row.responses, tool.Operation.Accept, diff)
		}
	}
}

// TestArguments checks the names and places of arguments.
func TestArguments(t *testing.T) {
	_, list := load(t, `
components: {parameters: {p: {name: "$filter", in: query, schema: {type: string}}}}
paths:
  /a/{id}/{other}:
    parameters: [{name: id, in: path, required: true, schema: {type: integer}}, {$ref: "#/components/parameters/p"}, {name: n, in: query, schema: {type: string}}]
    post:
      parameters:
        - {name: n, in: query, required: true, deprecated: true, description: The n., schema: {type: integer}}
        - {name: id, in: header, schema: {type: string}}
        - {name: id, in: query, schema: {type: string}}
        - {name: Accept, in: header, schema: {type: string}}
        - {name: gone, in: path, required: true, schema: {type: string}}
        - {name: s, in: cookie, style: deepObject, content: {text/plain: {}}}
      requestBody: {description: All of it., content: {"text/*": {}, image/png: {}}}
`, nil)
	want := `{"type":"object","properties":{"id":{"type":"integer"},"filter":{"type":"string"},"n":{"type":"integer","description":"The n. (deprecated)"},"id_query":{"type":"string"},` +
		`"id_header":{"type":"string"},"s":{"type":"string"},"other":{"type":"string","minLength":1},"body":{"type":"string","description":"All of it."}},"required":["id","n","other"],"additionalProperties":false}`
	got, _ := list.Tools[0].Definition.Get("inputSchema")
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var places []string
	for _, p := range list.Tools[0].Operation.Parameters {
		places = append(places, fmt.Sprint(p.Member, "=", p.In, " ", p.Name, " ", p.Style))
	}
	if diff := cmp.Diff([]string{"id=path id simple", "filter=query $filter form", "n=query n form", "id_query=query id form", "id_header=header id simple", "s=cookie s form", "other=path other simple"}, places); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if body := list.Tools[0].Operation.Body; body == nil || body.MediaType != "text/plain" || body.Encoding != "text" {
		t.Errorf("got the body %+v", body)
	}
	_, list = load(t, `paths: {/a: {post: {requestBody: {content: {"*/*": {schema: {type: string, format: binary}}}}}}}`, nil)
	if body := list.Tools[0].Operation.Body; body == nil || body.MediaType != "application/octet-stream" || body.Encoding != "binary" {
		t.Errorf("got the body %+v", body)
	}
}

// TestReferencesBetweenParts checks that references are followed where documents of several files have
// them: for operations, all responses, and media types.
func TestReferencesBetweenParts(t *testing.T) {
	files := map[string]string{
		"ops/add.yaml": `
operationId: add
requestBody: {content: {$ref: "parts.yaml#/content"}}
responses: {$ref: "parts.yaml#/responses"}
`,
		"ops/parts.yaml": `
content: {application/json: {$ref: "#/media"}}
media: {schema: {type: object}}
responses: {"200": {content: {application/json: {$ref: "#/media"}}}}
`,
	}
	open := func(path string) ([]byte, error) {
		text, ok := files[path]
		if !ok {
			return nil, fmt.Errorf("there is no file %s", path)
		}
		return []byte(text), nil
	}
	r, err := openapi.Import(openapi.Options{Name: "api.yaml", Text: []byte("openapi: 3.0.3\npaths: {/a: {post: {$ref: ops/add.yaml}}}"), Open: open})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"tools":[{"name":"add","inputSchema":{"type":"object","properties":{"body":{"type":"object"}},"additionalProperties":false},"outputSchema":{"type":"object"},` +
		`"annotations":{"readOnlyHint":false,"openWorldHint":true},"x-openapi":{"method":"POST","path":"/a","body":{"member":"body","mediaType":"application/json","encoding":"json"},"accept":"application/json"}}]}`
	if diff := cmp.Diff(want, string(r.List)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	delete(files, "ops/add.yaml")
	_, err = openapi.Import(openapi.Options{Name: "api.yaml", Text: []byte("openapi: 3.0.3\npaths: {/a: {post: {$ref: ops/add.yaml}}}"), Open: open})
	if want := `api.yaml:2:21: /paths/~1a/post/$ref: there is no file ops/add.yaml`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestAuthorizationParameter checks the note about credentials that only a parameter describes.
func TestAuthorizationParameter(t *testing.T) {
	const operation = `{parameters: [{name: Authorization, in: header, schema: {type: string}}, {name: Accept, in: header, schema: {type: string}}]}`
	r, _ := load(t, "paths: {/a: {get: "+operation+"}, /b: {get: "+operation+"}}", nil)
	want := `api.yaml:2:33: /paths/~1a/get/parameters/0: OpenAPI ignores parameters with the name "Authorization", and the operation has no security; the field Header of the client can add the header`
	if len(r.Notes) != 1 || r.Notes[0].Error() != want {
		t.Errorf("got %v, want %s", r.Notes, want)
	}
	r, _ = load(t, "security: [{b: []}]\ncomponents: {securitySchemes: {b: {type: http, scheme: bearer}}}\npaths: {/a: {get: "+operation+"}}", nil)
	if len(r.Notes) != 0 {
		t.Errorf("got %v, want no note", r.Notes)
	}
}

// TestMisspeltForm checks a media type that some documents have for forms.
func TestMisspeltForm(t *testing.T) {
	_, list := load(t, "paths: {/a: {post: {requestBody: {content: {application/form-data: {schema: {type: object, properties: {f: {type: string, format: binary}}}}}}}}}", nil)
	if got := *list.Tools[0].Operation.Body; got.MediaType != "multipart/form-data" || got.Encoding != "multipart" || len(got.Fields) != 1 || !got.Fields[0].Base64 {
		t.Errorf("got %+v", got)
	}
}

// TestMultipartStyles checks the styles of the members of a multipart form, which OpenAPI has from 3.1 on.
func TestMultipartStyles(t *testing.T) {
	const text = `
paths: {/a: {post: {requestBody: {content: {multipart/form-data: {
  schema: {type: object, properties: {tags: {type: array, items: {type: string}}, ids: {type: array}, more: {type: array}, place: {type: object}, f: {type: string, format: binary}}},
  encoding: {tags: {style: pipeDelimited, contentType: text/csv}, ids: {explode: false}, more: {explode: true}, place: {style: deepObject}, f: {contentType: image/png}}}}}}}}`
	for version, want := range map[string]struct {
		fields []rest.Field
		notes  int
	}{
		"3.0.3": {[]rest.Field{{Name: "tags", MediaType: "text/csv"}, {Name: "f", Base64: true, MediaType: "image/png"}}, 0},
		"3.1.0": {[]rest.Field{{Name: "tags", Style: "pipeDelimited"}, {Name: "ids", Style: "form"}, {Name: "more", Style: "form", Explode: true},
			{Name: "f", Base64: true, MediaType: "image/png"}}, 1},
	} {
		r, err := openapi.Import(openapi.Options{Name: "api.yaml", Text: []byte("openapi: " + version + text)})
		if err != nil {
			t.Fatal(err)
		}
		list, err := tools.Read([]byte(r.List))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.fields, list.Tools[0].Operation.Body.Fields); diff != "" || len(r.Notes) != want.notes {
			t.Errorf("%s: notes %v (-want +got):\n%s", version, r.Notes, diff)
		}
	}
}

// TestFormOfHeirs checks that a form that may be one of several schemas has the files of each.
func TestFormOfHeirs(t *testing.T) {
	_, list := load(t, `paths: {/a: {post: {requestBody: {content: {multipart/form-data: {schema: {$ref: "#/components/schemas/Upload"}}}}}}}
components:
  schemas:
    Upload: {type: object, properties: {kind: {type: string}, cover: {type: string, format: binary}}, discriminator: {propertyName: kind}}
    Photo: {allOf: [{$ref: "#/components/schemas/Upload"}, {properties: {picture: {type: string, format: binary}, title: {type: string}}}]}
    Song: {allOf: [{$ref: "#/components/schemas/Upload"}, {properties: {sound: {type: string, format: binary}}}]}`, nil)
	want := []rest.Field{{Name: "cover", Base64: true}, {Name: "picture", Base64: true}, {Name: "sound", Base64: true}}
	if diff := cmp.Diff(want, list.Tools[0].Operation.Body.Fields); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestHints checks the annotations that follow from methods.
func TestHints(t *testing.T) {
	_, list := load(t, "paths: {/a: {get: {}, put: {}, post: {}, delete: {summary: Ends it.}}}", nil)
	want := []string{
		`{"readOnlyHint":true,"openWorldHint":true}`,
		`{"readOnlyHint":false,"idempotentHint":true,"openWorldHint":true}`,
		`{"readOnlyHint":false,"openWorldHint":true}`,
		`{"title":"Ends it.","readOnlyHint":false,"destructiveHint":true,"idempotentHint":true,"openWorldHint":true}`,
	}
	for i, tool := range list.Tools {
		if got, _ := tool.Definition.Get("annotations"); string(got) != want[i] {
			t.Errorf("%s: got %s", tool.Name, got)
		}
	}
}

// TestServersAndSecurity checks what operations get from the document and what they replace.
func TestServersAndSecurity(t *testing.T) {
	_, list := load(t, `
servers: [{url: "https://{v}.example.com/", variables: {v: {default: 2}}}]
security: [{k: []}, {b: [], unknown: []}]
components: {securitySchemes: {k: {type: apiKey, in: cookie, name: sid}, b: {type: http, scheme: Bearer}, o: {type: openIdConnect}, m: {type: mutualTLS}, d: {type: http, scheme: digest}}}
paths:
  /a: {get: {}, put: {security: []}, post: {security: [{o: [x], b: []}, {m: []}, {}]}}
  /b: {servers: [{url: /relative}], get: {}, put: {servers: [{url: "http://put.example.com"}]}}
`, nil)
	want := []string{
		"https://2.example.com [[{k apiKey cookie sid}]]", "https://2.example.com []", "https://2.example.com [[{o bearer  } {b bearer  }] [] []]",
		" [[{k apiKey cookie sid}]]", "http://put.example.com [[{k apiKey cookie sid}]]",
	}
	for i, tool := range list.Tools {
		if got := fmt.Sprint(tool.Operation.Server, " ", tool.Operation.Security); got != want[i] {
			t.Errorf("%s: got %s, want %s", tool.Name, got, want[i])
		}
	}
}

// TestNewerOperations reads the operations that only OpenAPI 3.2 has.
func TestNewerOperations(t *testing.T) {
	result, err := openapi.Import(openapi.Options{Name: "a.yaml", Text: []byte(`
openapi: 3.2.0
paths:
  /a:
    query: {requestBody: {content: {application/json: {schema: {type: object}}}}}
    additionalOperations: {PURGE: {operationId: purge}, x-none: 1}
`)})
	if err != nil {
		t.Fatal(err)
	}
	list, err := tools.Read([]byte(result.List))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, tool := range list.Tools {
		all = append(all, fmt.Sprint(tool.Name, " ", tool.Operation.Method, " ", strings.Contains(string(tool.Definition), `"readOnlyHint":true`)))
	}
	if diff := cmp.Diff([]string{"query_a QUERY true", "purge PURGE false"}, all); diff != "" {
		t.Error(diff)
	}
}

// TestFaults checks documents that cannot be imported.
func TestFaults(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"a.json", `[]`, "a.json:1:1: an OpenAPI document must be an object, found an array"},
		{"a.json", `{"openapi":"3.0.0","paths":`, "a.json"},
		{"a.yaml", "a: [", "a.yaml:1:4: is not YAML: "},
		{"a.json", `{"openapi":"3.0.0","paths":{"/a":["x"]}}`, `a.json:1:29: /paths/~1a: a path must be an object of operations, found an array`},
		{"a.json", `{"openapi":"4.0.0"}`, `/openapi: the version "4.0.0" is not supported; OpenAPI 2.0, 3.0, 3.1 and 3.2 are`},
		{"a.json", `{"swagger":"1.2"}`, `a.json:1:2: /swagger: the version "1.2" of Swagger is not supported; OpenAPI 2.0, 3.0, 3.1 and 3.2 are`},
		{"a.yaml", "openapi: 3.1", "the document has no operations"},
		{"a.json", `{"openapi":"3.0.0","paths":[]}`, "/paths: must be an object of paths, found an array"},
		{"a.json", `{"openapi":"3.0.0","paths":{"a":{"get":{}}}}`, `a.json:1:29: /paths/a: a path must begin with a slash, found "a"`},
		{"a.json", `{"openapi":"3.0.0","paths":{"/a":{"get":1}}}`, "/paths/~1a/get: an operation must be an object, found a number"},
		{"a.json", `{"openapi":"3.0.0","paths":{"/a":{"get":{"parameters":[{"name":"x","in":"body"}]}}}}`, `the parameter "x" must be in one of path, query, header, cookie; found "body"`},
		{"a.json", `{"openapi":"3.0.0","paths":{"/a":{"get":{"parameters":{}}}}}`, "must be an array of parameters, found an object"},
	} {
		_, err := openapi.Import(openapi.Options{Name: row.name, Text: []byte(row.text)})
		if err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: got %v, want %s", row.text, err, row.want)
		}
	}
}

// TestMappingFaults checks the messages about mapping files.
func TestMappingFaults(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{"severs: x", `m.yaml:1:1: unknown key "severs"`},
		{"limit: 0", "m.yaml:1:8: limit: expected a number of bytes greater than 0"},
		{"server: api.example.com/v1", `m.yaml:1:9: server: expected a complete URL, such as https://api.example.com/v1, found "api.example.com/v1"`},
		{"include: {paths: ['[']}", `paths: "[" is not a pattern`},
		{"operations: [a]", "operations: expected a mapping"},
		{"operations:\n  GET /a: {nmae: x}", `m.yaml:2:12: GET /a: unknown key "nmae" (did you mean "name"?)`},
		{"operations:\n  GET /a: a b", `m.yaml:2:3: the name of a tool has letters, digits, _, . and -, at most 128; found "a b"`},
		{"operations:\n  GET /a: x_y\n  PUT /a: xY", `the tools of "GET /a" and "PUT /a" have names with the same letters and digits, "xY"`},
		{"operations: {GET /a: x}", "m.yaml: the document has new operations (1), and those of the file are in braces; write a line for each"},
	} {
		m, err := openapi.ReadMapping("m.yaml", []byte(row.text))
		if err == nil {
			_, err = openapi.Import(openapi.Options{Name: "a.yaml", Text: []byte("openapi: 3.0.3\npaths: {/a: {get: {}, put: {}}}"), Mapping: m})
		}
		if err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: got %v, want %s", row.text, err, row.want)
		}
	}
}

// FuzzImport checks that any text is imported as a list that can be read, or refused.
func FuzzImport(f *testing.F) {
	f.Add(`{"openapi":"3.0.0","paths":{"/a/{b}":{"get":{"parameters":[{"name":"b","in":"path","schema":{"$ref":"#/paths"}}],"responses":{"200":{"content":{"application/json":{"schema":{"type":"object","nullable":true}}}}}}}}}`)
	f.Add("openapi: 3.1.0\npaths: {/a: {post: {requestBody: {content: {multipart/form-data: {schema: {properties: {a: {}}}, encoding: {a: {style: form}}}}}}}}")
	f.Fuzz(func(t *testing.T, text string) {
		r, err := openapi.Import(openapi.Options{Name: "a.yaml", Text: []byte(text), MappingName: "m.yaml"})
		if err != nil {
			return
		}
		if _, err := tools.Read([]byte(r.List)); err != nil {
			t.Errorf("%s: %v", r.List, err)
		}
		if _, err := openapi.ReadMapping("m.yaml", r.Mapping); err != nil {
			t.Errorf("%s: %v", r.Mapping, err)
		}
	})
}

// TestManyFiles imports a document of 3,000 files, and refuses it once if they are longer than the limit, and with
// a few of its faults if there are none.
func TestManyFiles(t *testing.T) {
	var text strings.Builder
	text.WriteString("openapi: 3.0.3\ninfo: {title: T, version: \"1\"}\npaths:\n")
	for i := range 3000 {
		fmt.Fprintf(&text, "  /x%d: {$ref: p%d.yaml}\n", i, i)
	}
	const file = "get: {summary: S, responses: {\"200\": {description: ok}}}\n"
	o := openapi.Options{Name: "api.yaml", Text: []byte(text.String()), Open: func(string) ([]byte, error) { return []byte(file), nil }}
	made, err := openapi.Import(o)
	if err != nil || made.Tools != 3000 {
		t.Fatalf("%v", err)
	}
	o.Limit = 10 * int64(len(file))
	_, err = openapi.Import(o)
	if err == nil || strings.Count(err.Error(), "\n") > 0 || !strings.Contains(err.Error(), "references that are not followed: 2990;") {
		t.Errorf("error %.500v", err)
	}
	o.Text = []byte("openapi: 3.0.3\npaths:\n  /x: {get: {parameters: [{name: a, in: query, schema: {$ref: long.yaml}}], responses: {}}}\n")
	o.Limit = 1 // the schema is looked at more than once
	if _, err = openapi.Import(o); err == nil || !strings.Contains(err.Error(), "references that are not followed: 1;") {
		t.Errorf("error %.500v", err)
	}
	// The files of a schema that could extend another one are too long, so that the answer's is not read either.
	o.Text = []byte(`{"openapi":"3.0.3","paths":{"/x":{"post":{"requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Pet"}}}},
"responses":{"200":{"description":"","content":{"application/json":{"schema":{"$ref":"answer.yaml"}}}}}}}},
"components":{"schemas":{"Pet":{"type":"object","discriminator":{"propertyName":"kind"}},"Cat":{"allOf":[{"$ref":"long.yaml"}]}}}}`)
	if _, err = openapi.Import(o); err == nil || !strings.Contains(err.Error(), "references that are not followed: 2;") {
		t.Errorf("error %.500v", err)
	}
	o.Text = []byte(text.String())
	o.Open = func(path string) ([]byte, error) { return nil, fmt.Errorf("no file %s", path) }
	_, err = openapi.Import(o)
	if err == nil || strings.Count(err.Error(), "\n") != 20 || !strings.HasSuffix(err.Error(), "\napi.yaml: 2980 more faults") {
		t.Errorf("error %.5000v", err)
	}
}
