package catalog_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// holder is the Access of a caller with some scopes.
type holder []string

func (h holder) Allow(scopes []string) *runtime.DeniedError {
	for _, s := range scopes {
		if !slices.Contains(h, s) {
			return &runtime.DeniedError{Status: 403, Message: "forbidden"}
		}
	}
	return nil
}

// scoped is a catalog whose items of each kind need a scope of their own.
func scoped(t *testing.T) *catalog.Catalog {
	t.Helper()
	c := catalog.New(catalog.Options{})
	empty := func(context.Context, wire.Object) (wire.Object, error) { return "{}", nil }
	if err := c.Add(
		catalog.NewTool(wire.Object(`{"name":"x","inputSchema":{"type":"object"}}`), empty).Require("tools", "x"),
		catalog.NewTool(wire.Object(`{"name":"free","inputSchema":{"type":"object"}}`), empty),
		catalog.NewPrompt(wire.Object(`{"name":"x"}`), func(context.Context, map[string]string) (wire.Object, error) { return "{}", nil }).Require("prompts"),
		catalog.NewResource(wire.Object(`{"uri":"a:x","name":"x"}`), func(context.Context, string) (wire.Object, error) { return "{}", nil }).Require("resources"),
		catalog.NewTemplate(wire.Object(`{"uriTemplate":"t:{x}","name":"t"}`), func(context.Context, string, catalog.Variables) (wire.Object, error) {
			return "{}", nil
		}).Require("templates"),
	); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestPermit asks a binding, without handling a request, whether its sender may use the item in its params.
func TestPermit(t *testing.T) {
	below := errors.New("the binding below")
	b := scoped(t).Over(runtime.Binding{Revision: "2025-11-25", Methods: methods, Permit: func(_ context.Context, method string, _ wire.Raw) error {
		if method == "vendor/method" {
			return below
		}
		return nil
	}})
	for _, test := range []struct {
		method string
		params wire.Raw
		scopes []string // that the item needs; nil for none
	}{
		{"tools/call", `{"name":"x"}`, []string{"tools", "x"}},
		{"tools/call", `{"name":"free"}`, nil},
		{"tools/call", `{"name":"unknown"}`, nil}, // the handler reports it
		{"prompts/get", `{"name":"x"}`, []string{"prompts"}},
		{"resources/read", `{"uri":"a:x"}`, []string{"resources"}},
		{"resources/read", `{"uri":"t:1"}`, []string{"templates"}},
		{"resources/read", `{"uri":"unknown:"}`, nil},
		{"tools/list", `{}`, nil},
	} {
		for i := range len(test.scopes) + 1 {
			err := b.Permit(runtime.WithAccess(t.Context(), holder(test.scopes[:i])), test.method, test.params)
			denied, ok := errors.AsType[*runtime.DeniedError](err)
			if want := i < len(test.scopes); ok != want || !ok && err != nil || ok && denied.Status != 403 {
				t.Errorf("%s %s with %q: %v, want a refusal: %t", test.method, test.params, test.scopes[:i], err, want)
			}
		}
	}
	if err := b.Permit(t.Context(), "vendor/method", "{}"); !errors.Is(err, below) {
		t.Errorf("got %v, want the error of the binding below", err)
	}
}

// TestSubscribeForbidden checks that the binding below is not asked about a resource that the catalog refuses.
func TestSubscribeForbidden(t *testing.T) {
	var asked []string
	b := scoped(t).Over(runtime.Binding{Revision: "2026-07-28", Methods: methods, Listen: func(_ context.Context, _, uri string) error {
		asked = append(asked, uri)
		return nil
	}})
	const updated = "notifications/resources/updated"
	ctx := runtime.WithAccess(t.Context(), holder{})
	if _, ok := errors.AsType[*runtime.DeniedError](b.Listen(ctx, updated, "a:x")); !ok {
		t.Error("a resource without its scope is accepted")
	}
	if err := b.Listen(ctx, updated, "unknown:"); err != nil || !slices.Equal(asked, []string{"unknown:"}) {
		t.Errorf("the binding below was asked about %q: %v", asked, err)
	}
}
