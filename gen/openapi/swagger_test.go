package openapi_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/gen/openapi"
	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// swagger imports a document of OpenAPI 2.0 in YAML and returns its tools by name.
func swagger(t *testing.T, text string) (*openapi.Result, map[string]*tools.Tool) {
	t.Helper()
	r, err := openapi.Import(openapi.Options{Name: "api.yaml", Text: []byte("swagger: '2.0'\n" + text), MappingName: "m.yaml"})
	if err != nil {
		t.Fatal(err)
	}
	list, err := tools.Read([]byte(r.List))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*tools.Tool{}
	for _, tool := range list.Tools {
		all[tool.Name] = tool
	}
	return r, all
}

// encoded returns a value as JSON.
func encoded(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestSwaggerParameters checks parameters of OpenAPI 2.0, which are schemas themselves.
func TestSwaggerParameters(t *testing.T) {
	r, all := swagger(t, `
parameters: {limit: {name: limit, in: query, type: integer, format: int32, maximum: 5, default: 3, x-nullable: true}}
paths:
  /a/{ids}:
    parameters: [{name: ids, in: path, required: true, type: array, items: {type: string}, description: Some ids.}]
    get:
      operationId: get
      parameters:
        - {$ref: "#/parameters/limit"}
        - {name: csv, in: query, type: array, items: {type: string}}
        - {name: ssv, in: query, type: array, items: {type: string}, collectionFormat: ssv}
        - {name: pipes, in: query, type: array, items: {type: string}, collectionFormat: pipes}
        - {name: multi, in: query, type: array, items: {type: string}, collectionFormat: multi}
        - {name: X-H, in: header, type: array, items: {type: integer}, collectionFormat: multi}
`)
	want := `{"type":"object","properties":{"ids":{"type":"array","items":{"type":"string"},"description":"Some ids."},` +
		`"limit":{"type":["integer","null"],"format":"int32","maximum":5,"default":3},"csv":{"type":"array","items":{"type":"string"}},` +
		`"ssv":{"type":"array","items":{"type":"string"}},"pipes":{"type":"array","items":{"type":"string"}},"multi":{"type":"array","items":{"type":"string"}},` +
		`"X-H":{"type":"array","items":{"type":"integer"}}},"required":["ids"],"additionalProperties":false}`
	got, _ := all["get"].Definition.Get("inputSchema")
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var styles []string
	for _, p := range all["get"].Operation.Parameters {
		styles = append(styles, fmt.Sprint(p.Name, " ", p.In, " ", p.Style, " ", p.Explode))
	}
	if diff := cmp.Diff([]string{
		"ids path simple false", "limit query form false", "csv query form false", "ssv query spaceDelimited false",
		"pipes query pipeDelimited false", "multi query form true", "X-H header simple false",
	}, styles); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var notes []string
	for _, n := range r.Notes {
		notes = append(notes, n.Error())
	}
	if diff := cmp.Diff([]string{
		"api.yaml:1:1: the document names no host; API_BASE_URL of the generated program sets the URL, or server in the mapping file",
		`api.yaml:15:72: /paths/~1a~1{ids}/get/parameters/5/collectionFormat: "multi" is not supported for such a parameter; it is taken as csv`,
	}, notes); diff != "" {
		t.Errorf("the notes (-want +got):\n%s", diff)
	}
}

// TestSwaggerBodies checks bodies and forms of OpenAPI 2.0, which are parameters, and answers.
func TestSwaggerBodies(t *testing.T) {
	_, all := swagger(t, `
host: api.example.com
consumes: [application/xml, application/json]
produces: [application/json, text/csv]
paths:
  /json:
    post:
      operationId: json
      parameters: [{name: pet, in: body, required: true, description: A pet., schema: {$ref: "#/definitions/Pet"}}]
      responses: {"200": {description: ok, schema: {$ref: "#/definitions/Pet"}}, "204": {description: none}}
  /form:
    post:
      operationId: form
      consumes: [application/x-www-form-urlencoded]
      parameters: [{name: a, in: formData, required: true, type: string, description: The a.}, {name: b, in: formData, type: array, items: {type: integer}}, {name: c, in: formData, type: array, items: {type: integer}, collectionFormat: multi}]
      responses: {"200": {description: ok, schema: {type: file}}}
  /upload:
    post:
      operationId: upload
      produces: [image/png]
      parameters: [{name: f, in: formData, type: file}, {name: tags, in: formData, type: array, items: {type: string}, collectionFormat: pipes}]
      responses: {default: {description: ok, schema: {type: file}}}
definitions:
  Pet: {type: object, required: [id, name], properties: {id: {type: integer, readOnly: true}, name: {type: string}}}
`)
	const pet = `"$defs":{"Pet":{"type":"object","required":["name"],"properties":{"name":{"type":"string"}}}}`
	for _, row := range []struct{ tool, input, output, body, accept string }{
		{"json",
			`{"type":"object","properties":{"body":{"$ref":"#/$defs/Pet","description":"A pet."}},"required":["body"],"additionalProperties":false,` + pet + `}`,
			`{"type":"object","properties":{"result":{"$ref":"#/$defs/Pet"}},"$defs":{"Pet":{"type":"object","required":["id","name"],"properties":{"id":{"type":"integer"},"name":{"type":"string"}}}}}`,
			`{"member":"body","mediaType":"application/json","encoding":"json"}`, "application/json"},
		{"form",
			`{"type":"object","properties":{"body":{"type":"object","properties":{"a":{"type":"string","description":"The a."},"b":{"type":"array","items":{"type":"integer"}},"c":{"type":"array","items":{"type":"integer"}}},"required":["a"]}},"required":["body"],"additionalProperties":false}`,
			"", `{"member":"body","mediaType":"application/x-www-form-urlencoded","encoding":"form","fields":[{"name":"b","style":"form"}]}`, "application/json, text/csv"},
		{"upload",
			`{"type":"object","properties":{"body":{"type":"object","properties":{"f":{"type":"string","contentEncoding":"base64"},"tags":{"type":"array","items":{"type":"string"}}}}},"additionalProperties":false}`,
			"", `{"member":"body","mediaType":"multipart/form-data","encoding":"multipart","fields":[{"name":"f","base64":true},{"name":"tags","style":"pipeDelimited"}]}`, "image/png"},
	} {
		tool := all[row.tool]
		input, _ := tool.Definition.Get("inputSchema")
		output, _ := tool.Definition.Get("outputSchema")
		got := []string{string(input), string(output), encoded(t, tool.Operation.Body), tool.Operation.Accept}
		if diff := cmp.Diff([]string{row.input, row.output, row.body, row.accept}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.tool, diff)
		}
	}
}

// TestSwaggerHeirs checks the discriminator of OpenAPI 2.0, which is the name of a property.
func TestSwaggerHeirs(t *testing.T) {
	_, all := swagger(t, `
paths: {/a: {post: {operationId: post, parameters: [{name: pet, in: body, required: true, schema: {$ref: "#/definitions/Pet"}}]}}}
definitions:
  Pet: {type: object, required: [kind], properties: {kind: {type: string}}, discriminator: kind}
  Cat: {allOf: [{$ref: "#/definitions/Pet"}, {properties: {lives: {type: integer}}}]}
`)
	input, _ := all["post"].Definition.Get("inputSchema")
	definitions, _ := wire.Object(input).Get("$defs")
	want := wire.Raw(`{"Pet":{"anyOf":[{"$ref":"#/$defs/Cat","properties":{"kind":{"const":"Cat"}}},{"$ref":"#/$defs/Pet_base","properties":{"kind":{"const":"Pet"}}}]},` +
		`"Cat":{"allOf":[{"$ref":"#/$defs/Pet_base"},{"properties":{"lives":{"type":"integer"}}}]},"Pet_base":{"type":"object","required":["kind"],"properties":{"kind":{"type":"string"}}}}`)
	if diff := cmp.Diff(want, definitions); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestSwaggerServersAndSecurity checks the URL and the credentials of OpenAPI 2.0.
func TestSwaggerServersAndSecurity(t *testing.T) {
	const security = `
security: [{k: []}]
securityDefinitions: {k: {type: apiKey, in: query, name: key}, b: {type: basic}, o: {type: oauth2, flow: implicit}}
paths: {/a: {get: {operationId: get}, put: {operationId: put, schemes: [http], security: [{b: []}, {o: [x]}]}}}
`
	for _, row := range []struct{ server, get, put string }{
		{"host: a.example:8080\nbasePath: /v1/\nschemes: [http, https]", "https://a.example:8080/v1", "http://a.example:8080/v1"},
		{"host: a.example\nschemes: [wss]", "https://a.example", "http://a.example"},
		{"basePath: /v1", "", ""},
	} {
		_, all := swagger(t, row.server+security)
		got := []string{all["get"].Operation.Server, all["put"].Operation.Server, fmt.Sprint(all["get"].Operation.Security), fmt.Sprint(all["put"].Operation.Security)}
		if diff := cmp.Diff([]string{row.get, row.put, "[[{k apiKey query key}]]", "[[{b basic  }] [{o bearer  }]]"}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.server, diff)
		}
	}
}
