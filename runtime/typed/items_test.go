package typed_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/typed"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

type reportArguments struct {
	City  string    `json:"city" jsonschema:"title=City,description=Which city.,minLength=2"`
	Days  int       `json:"days,omitempty" jsonschema:"minimum=1,maximum=14,default=3"`
	Units Units     `json:"units,omitempty"`
	Brief bool      `json:"brief,omitempty"`
	From  time.Time `json:"from,omitzero"`
}

func report(_ context.Context, in *reportArguments) (*mcp.GetPromptResult, error) {
	text, err := wire.RawOf(in)
	return &mcp.GetPromptResult{Messages: []mcp.PromptMessage{{Role: mcp.RoleUser, Content: &mcp.TextContent{Text: string(text)}}}}, err
}

type stationVariables struct {
	City string   `json:"city" jsonschema:"enum=Oslo,enum=Rome"`
	ID   uint16   `json:"id"`
	Tags []string `json:"tag,omitempty" jsonschema:"minLength=1"`
}

func station(_ context.Context, uri string, in *stationVariables) (*mcp.ReadResourceResult, error) {
	text, err := wire.RawOf(in)
	return &mcp.ReadResourceResult{Contents: []mcp.ResourceContentsUnion{&mcp.TextResourceContents{URI: uri, Text: string(text)}}}, err
}

// TestItems gets a prompt and reads a template with typed arguments.
func TestItems(t *testing.T) {
	c := catalog.New(catalog.Options{})
	err := c.Add(
		typed.Prompt(&mcp.Prompt{Name: "report", Description: new("Writes a report.")}, report),
		typed.Template(&mcp.ResourceTemplate{Name: "station", URITemplate: "weather://{city}/{id}{?tag*}"}, station),
	)
	if err != nil {
		t.Fatal(err)
	}
	session := connect(t, c, "2025-11-25")
	for _, tt := range []struct{ method, params, want string }{
		{"prompts/list", `{}`, `"arguments":[{"name":"city","title":"City","description":"Which city.","required":true},{"name":"days"},{"name":"units"},{"name":"brief"},{"name":"from"}]`},
		{"prompts/get", `{"name":"report","arguments":{"city":"Oslo"}}`, `{\"city\":\"Oslo\",\"days\":3}`},
		{"prompts/get", `{"name":"report","arguments":{"city":"Oslo","days":"7","units":"imperial","brief":"true","from":"2026-01-31T12:00:00Z"}}`, `{\"city\":\"Oslo\",\"days\":7,\"units\":\"imperial\",\"brief\":true,\"from\":\"2026-01-31T12:00:00Z\"}`},
		{"prompts/get", `{"name":"report","arguments":{"city":"12","units":""}}`, `{\"city\":\"12\",\"days\":3}`},
		{"prompts/get", `{"name":"report","arguments":{"city":"12","days":"","brief":"","from":""}}`, `{\"city\":\"12\",\"days\":3}`},
		{"prompts/get", `{"name":"report","arguments":{"city":""}}`, `/arguments/city: must have at least 2 characters, has 0`},
		{"prompts/get", `{"name":"report","arguments":{"city":"O"}}`, `/arguments/city: must have at least 2 characters, has 1`},
		{"prompts/get", `{"name":"report","arguments":{"city":"Oslo","days":"1.5"}}`, `/arguments/days: must be an integer, found 1.5`},
		{"prompts/get", `{"name":"report","arguments":{"city":"Oslo","days":"some"}}`, `/arguments/days: must be an integer, found the string "some"`},
		{"prompts/get", `{"name":"report","arguments":{"city":"Oslo","units":"kelvin"}}`, `/arguments/units: must be one of "metric", "imperial", found "kelvin"`},
		{"completion/complete", `{"ref":{"type":"ref/prompt","name":"report"},"argument":{"name":"units","value":"i"}}`, `"values":["imperial"]`},
		{"completion/complete", `{"ref":{"type":"ref/resource","uri":"weather://{city}/{id}{?tag*}"},"argument":{"name":"city","value":""}}`, `"values":["Oslo","Rome"]`},
		{"resources/read", `{"uri":"weather://Oslo/7?tag=a&tag=b"}`, `{\"city\":\"Oslo\",\"id\":7,\"tag\":[\"a\",\"b\"]}`},
		{"resources/read", `{"uri":"weather://Rome/7"}`, `{\"city\":\"Rome\",\"id\":7}`},
		{"resources/read", `{"uri":"weather://Paris/7"}`, `-32002`},
		{"resources/read", `{"uri":"weather://Oslo/70000"}`, `-32002`},
	} {
		result := new(wire.Object)
		text := ""
		if err := session.Call(t.Context(), tt.method, wire.Object(tt.params), result); err != nil {
			text = err.Error()
		} else {
			text = string(*result)
		}
		if !strings.Contains(text, tt.want) {
			t.Errorf("%s %s: %s, want %s", tt.method, tt.params, text, tt.want)
		}
	}
}

// TestItemErrors checks that adding a prompt or template reports why it could not be made.
func TestItemErrors(t *testing.T) {
	prompt := func(definition wire.Appender) catalog.Item { return typed.Prompt(definition, report) }
	template := func(uri string) catalog.Item {
		return typed.Template(&mcp.ResourceTemplate{Name: "s", URITemplate: uri}, station)
	}
	for _, tt := range []struct {
		item catalog.Item
		want string
	}{
		{prompt(nil), "the definition is missing"},
		{prompt((*mcp.Prompt)(nil)), "the definition is missing"},
		{typed.Template((*mcp.ResourceTemplate)(nil), station), "the definition is missing"},
		{typed.Tool((*mcp.Tool)(nil), find), "the definition is missing"},
		{prompt(&mcp.Prompt{Name: "r", Arguments: []mcp.PromptArgument{{Name: "x"}}}), "the arguments of the prompt are the fields of typed_test.reportArguments"},
		{typed.Prompt(&mcp.Prompt{Name: "r"}, func(context.Context, *struct{ A []string }) (*mcp.GetPromptResult, error) { return nil, nil }), `catalog: prompt "r": wire: struct { A []string }: the type of "A" must be a string, a number or a boolean`},
		{typed.Prompt(&mcp.Prompt{Name: "r"}, func(context.Context, *map[string]string) (*mcp.GetPromptResult, error) { return nil, nil }), `must be a struct`},
		{typed.Prompt[reportArguments, *mcp.GetPromptResult](&mcp.Prompt{Name: "r"}, nil), `prompt "r": wire: the function is nil`},
		{typed.Template[stationVariables, *mcp.ReadResourceResult](&mcp.ResourceTemplate{Name: "s", URITemplate: "weather://{city}/{id}{?tag*}"}, nil), `the function is nil`},
		{template("weather://{city}"), `catalog: resource template "weather://{city}": wire: typed_test.stationVariables: weather://{city} has no variable "id"; its variables are city`},
		{template("weather://{city}/{id}/{name}{?tag*}"), `has no field for the variable "name"`},
		{template("weather://{city}/{id}{?tag}"), `the variable "tag" of weather://{city}/{id}{?tag} must be a list exactly if it is exploded`},
		{template("weather://{city"), "uriTemplate"},
	} {
		if _, err := mcp.NewServer(mcp.ServerOptions{}, tt.item); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v, want %s", err, tt.want)
		}
	}
}
