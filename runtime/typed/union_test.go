package typed_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/tools"
	"github.com/mcpgen/mcpgen/runtime/typed"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Units is an enum with names.
type Units string

const (
	Metric   Units = "metric"
	Imperial Units = "imperial"
)

func (Units) Enum() []Units { return []Units{Metric, Imperial} }

type city struct {
	City  string `json:"city" jsonschema:"minLength=1"`
	Units Units  `json:"units,omitempty" jsonschema:"default=metric"`
}

type position struct {
	Latitude  float64 `json:"latitude" jsonschema:"minimum=-90,maximum=90"`
	Longitude float64 `json:"longitude"`
}

type where struct {
	typed.OneOf
	City     *city
	Position *position `jsonschema:"on the globe"`
	Name     *string
	Group    *group
}

// group contains the union that it is an alternative of.
type group struct {
	Members []where `json:"members"`
}

type storm struct {
	Kind  string  `json:"kind" jsonschema:"enum=storm"`
	Gusts float64 `json:"gusts"`
}

type flood struct {
	Kind  string `json:"kind" jsonschema:"enum=flood"`
	River string `json:"river"`
}

type alert struct {
	typed.OneOf
	Storm *storm
	Flood *flood
}

type forecastInput struct {
	Place  where            `json:"place"`
	Alerts []alert          `json:"alerts,omitempty"`
	Named  map[string]where `json:"named,omitempty"`
	Units  []Units          `json:"units,omitempty"`
}

// echo returns its arguments.
func echo(_ context.Context, in *forecastInput) (*forecastInput, error) { return in, nil }

// TestUnions calls a tool whose arguments and result are unions of structs and enums with names. The texts
// about what is wrong are those of generated servers.
func TestUnions(t *testing.T) {
	c := catalog.New(catalog.Options{})
	if err := c.Add(typed.Tool(wire.Object(`{"name":"echo"}`), echo)); err != nil {
		t.Fatal(err)
	}
	session := connect(t, c, "2025-11-25")
	for _, tt := range []struct{ in, out, err string }{
		{in: `{"place":{"city":"Oslo"}}`, out: `{"place":{"city":"Oslo","units":"metric"}}`},
		{in: `{"place":{"latitude":1,"longitude":2.5}}`, out: `{"place":{"latitude":1,"longitude":2.5}}`},
		{in: `{"place":"here"}`, out: `{"place":"here"}`},
		{
			in:  `{"place":{"members":["a",{"members":[]},{"city":"Rom","units":"imperial"}]},"named":{"b":"c"}}`,
			out: `{"place":{"members":["a",{"members":[]},{"city":"Rom","units":"imperial"}]},"named":{"b":"c"}}`,
		},
		{
			in:  `{"place":"x","alerts":[{"kind":"flood","river":"Elbe"},{"kind":"storm","gusts":90}],"units":["metric"]}`,
			out: `{"place":"x","alerts":[{"kind":"flood","river":"Elbe"},{"kind":"storm","gusts":90}],"units":["metric"]}`,
		},
		{in: `{"place":"x","units":["kelvin"]}`, err: `at /units/0: must be one of "metric", "imperial", found "kelvin"`},
		{in: `{"place":"x","alerts":[{"kind":"fire"}]}`, err: `at /alerts/0/kind: must be "storm" or "flood", found "fire"`},
		{in: `{"place":"x","alerts":[{"kind":"flood"}]}`, err: `at /alerts/0: missing member "river"`},
		{in: `{"place":7}`, err: `at /place: must be an object or a string, found 7`},
		{in: `{"place":{"latitude":100,"longitude":0}}`, err: `at /place/latitude: must be at most 90, found 100`},
	} {
		result, err := tools.CallRaw(t.Context(), session, "echo", wire.Raw(tt.in))
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%s: %v, want %s", tt.in, err, tt.err)
			}
			continue
		}
		if out, _ := result.Get("structuredContent"); err != nil || !wire.Equal(out, wire.Raw(tt.out)) {
			t.Errorf("%s: %s, %v, want %s", tt.in, out, err, tt.out)
		}
	}
}

// TestUnionResults returns unions of which no alternative is set, or several are.
func TestUnionResults(t *testing.T) {
	for _, tt := range []struct {
		value alert
		want  string
	}{
		{alert{}, "typed_test.alert: no alternative is set"},
		{alert{Storm: &storm{Kind: "storm"}, Flood: &flood{Kind: "flood"}}, "typed_test.alert: both Storm and Flood are set"},
		{alert{Flood: &flood{Kind: "storm"}}, `missing member "gusts"`},
	} {
		tool := typed.ValueTool(wire.Object(`{"name":"t"}`), func(context.Context, *struct{}) (alert, error) { return tt.value, nil })
		if _, err := tool.Call(t.Context(), "{}"); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v, want %s", tt.value, err, tt.want)
		}
	}
}

type empty struct{ typed.OneOf }

type byValue struct {
	typed.OneOf
	City city
}

type withName struct {
	typed.OneOf
	City *city `json:"city"`
}

// TestUnionErrors checks structs that cannot be unions, and interfaces.
func TestUnionErrors(t *testing.T) {
	for want, tool := range map[string]catalog.Tool{
		"a union needs alternatives":                         typed.ContentTool(wire.Object(`{"name":"t"}`), func(context.Context, *struct{ X empty }) ([]wire.Raw, error) { return nil, nil }),
		"City: an alternative must be a pointer":             typed.ContentTool(wire.Object(`{"name":"t"}`), func(context.Context, *struct{ X byValue }) ([]wire.Raw, error) { return nil, nil }),
		"City: an alternative must be a pointer and have no": typed.ContentTool(wire.Object(`{"name":"t"}`), func(context.Context, *struct{ X withName }) ([]wire.Raw, error) { return nil, nil }),
		"alternatives are a struct with typed.OneOf":         typed.ContentTool(wire.Object(`{"name":"t"}`), func(context.Context, *struct{ X error }) ([]wire.Raw, error) { return nil, nil }),
	} {
		if tool.Err == nil || !strings.Contains(tool.Err.Error(), want) {
			t.Errorf("%v, want %s", tool.Err, want)
		}
	}
	if err := errors.Join(typed.Tool(wire.Object(`{"name":"t"}`), func(context.Context, *struct{}) (*struct{ X error }, error) { return nil, nil }).Err); err != nil {
		t.Errorf("a result with an interface: %v", err)
	}
}
