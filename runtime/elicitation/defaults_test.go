package elicitation_test

import (
	"context"
	"errors"
	"testing"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/elicitation"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// F48, F53
func TestFillDefaults(t *testing.T) {
	const form = `{"message":"m","requestedSchema":{"type":"object","properties":{
		"s":{"type":"string","default":"a b"},"i":{"type":"integer","default":30},"n":{"type":"number","default":95.50},
		"b":{"type":"boolean","default":false},"l":{"type":"array","items":{"enum":["x"]},"default":["x"]},"none":{"type":"string"}}}}`
	for name, row := range map[string]struct {
		method string
		params wire.Raw
		result wire.Object
		want   wire.Object
	}{
		"nothing answered":      {"", form, `{"action":"accept","content":{}}`, `{"action":"accept","content":{"s":"a b","i":30,"n":95.50,"b":false,"l":["x"]}}`},
		"no content":            {"", form, `{"action":"accept","_meta":{}}`, `{"action":"accept","_meta":{},"content":{"s":"a b","i":30,"n":95.50,"b":false,"l":["x"]}}`},
		"some answered":         {"", form, `{"action":"accept","content":{"n":1,"other":"","s":""}}`, `{"action":"accept","content":{"n":1,"other":"","s":"","i":30,"b":false,"l":["x"]}}`},
		"all answered":          {"", form, `{"action":"accept","content":{"s":"","i":1,"n":1,"b":true,"l":[]}}`, `{"action":"accept","content":{"s":"","i":1,"n":1,"b":true,"l":[]}}`},
		"declined":              {"", form, `{"action":"decline"}`, `{"action":"decline"}`},
		"no form":               {"", `{"mode":"url","url":"https://example.com","elicitationId":"1","message":"m"}`, `{"action":"accept"}`, `{"action":"accept"}`},
		"defaults of bad types": {"", `{"requestedSchema":{"properties":{"a":{"type":"string","default":1},"b":{"type":"integer","default":1.5},"c":{"type":"array","default":[1]},"d":{"default":{}},"e":{"type":"boolean","default":null},"f":7,"g":{"type":"number","default":"1"}}}}`, `{"action":"accept"}`, `{"action":"accept"}`},
		"another method":        {"other", form, `{"action":"accept"}`, `{"action":"accept"}`},
	} {
		binding := elicitation.FillDefaults(runtime.Binding{Handle: func(context.Context, *runtime.Message) (wire.Appender, error) {
			return row.result, nil
		}})
		method := row.method
		if method == "" {
			method = "elicitation/create"
		}
		result, err := binding.Handle(t.Context(), runtime.NewMessage(jsonrpc.Request, method, row.params))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if got := result.(wire.Object); got != row.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, row.want)
		}
	}
}

func TestFillDefaultsErrors(t *testing.T) {
	why := errors.New("why")
	binding := elicitation.FillDefaults(runtime.Binding{Handle: func(context.Context, *runtime.Message) (wire.Appender, error) { return nil, why }})
	if _, err := binding.Handle(t.Context(), runtime.NewMessage(jsonrpc.Request, "elicitation/create", wire.Raw("{}"))); err != why {
		t.Errorf("got %v", err)
	}
	if _, err := elicitation.FillDefaults(runtime.Binding{}).Handle(t.Context(), runtime.NewMessage(jsonrpc.Request, "elicitation/create", wire.Raw("{}"))); err == nil {
		t.Error("no error without a handler")
	}
}
