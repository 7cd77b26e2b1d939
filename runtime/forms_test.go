package runtime_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/generated/mcp20251125"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// ageForm asks for a number of years.
const ageForm = wire.Raw(`{"message":"How old?","requestedSchema":{"type":"object","properties":{"age":{"type":"integer","minimum":0}},"required":["age"]}}`)

// askAge is a tool that asks for an age and returns the user's answer, or the error.
var askAge = side{"a": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
	var answer wire.Raw
	if err := runtime.CallOf(ctx).Call(ctx, "elicitation/create", ageForm, &answer); err != nil {
		return nil, err
	}
	return wire.Raw(`{"answer":` + answer + `}`), nil
}}

// asksInSessions returns a server of a revision with sessions whose tools ask.
func asksInSessions(s side) *runtime.Server {
	b := s.bind("2025-11-25", runtime.ToServer)
	b.Methods = mcp20251125.Methods
	return runtime.NewServer(runtime.ServerOptions{Name: "probe", Version: "0.1", Capabilities: everyCapability, Logger: slog.New(slog.DiscardHandler)}, b)
}

// TestServerChecksForms checks that what the user has filled in reaches a handler only if it matches the
// requested schema, in both eras.
//
// F52, P20
func TestServerChecksForms(t *testing.T) {
	for _, c := range []struct{ name, result, problem string }{
		{"valid", `{"action":"accept","content":{"age":7}}`, ""},
		{"refused", `{"action":"decline"}`, ""},
		{"out of range", `{"action":"accept","content":{"age":-1}}`, "/content/age: "},
		{"another type", `{"action":"accept","content":{"age":"7"}}`, "/content/age: must be an integer"},
		{"missing", `{"action":"accept","content":{}}`, `/content: missing member "age"`},
		{"no content", `{"action":"accept"}`, `/content: missing member "age"`},
	} {
		rounds(t, c.name+" without a session", askAge, runtime.ServerOptions{}, func(t *testing.T, client *client) {
			client.answers = func(string) string { return c.result }
			got := client.round("tools/call", `"name":"a"`, client.round("tools/call", `"name":"a"`, ""))
			if c.problem != "" {
				wantCode(t, got, jsonrpc.CodeInvalidParams, c.problem)
			} else if answer, _ := got.Get("answer"); string(answer) != c.result {
				t.Errorf("got %s", got)
			}
		})
		t.Run(c.name+" in a session", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var failure error
				ask := askAge["a"]
				s := side{"a": func(ctx context.Context, message *runtime.Message) (result wire.Appender, err error) {
					result, failure = ask(ctx, message)
					return result, failure
				}}
				client := dial(t.Context(), t, asksInSessions(s))
				client.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"test","version":"1"}}}`,
					`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
				client.replies()
				client.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}`)
				asked := wire.Object(client.replies()[0])
				id, _ := asked.Get("id")
				client.send(`{"jsonrpc":"2.0","id":` + string(id) + `,"result":` + c.result + `}`)
				got := client.replies()
				switch {
				case c.problem == "" && (failure != nil || !strings.Contains(got[0], c.result)):
					t.Errorf("got %q, %v", got, failure)
				case c.problem != "" && (failure == nil || !strings.Contains(failure.Error(), c.problem)):
					t.Errorf("the handler's error is %v, want %s", failure, c.problem)
				}
				client.hangUp()
			})
		})
	}
}

// TestClientChecksForms checks that a client does not send content that does not match the requested
// schema.
//
// F52
func TestClientChecksForms(t *testing.T) {
	for _, revision := range []string{rA, "2025-11-25"} {
		for _, c := range []struct{ result, problem string }{
			{`{"action":"accept","content":{"age":7}}`, ""},
			{`{"action":"accept","content":{"age":-1}}`, "/content/age: "},
			{`{"action":"cancel"}`, ""},
		} {
			t.Run(revision+" "+c.result, func(t *testing.T) {
				user := side{"elicitation/create": func(context.Context, *runtime.Message) (wire.Appender, error) { return wire.Raw(c.result), nil }}
				binding, server := user.bind(revision, runtime.ToClient), asksInSessions(askAge)
				binding.Methods = mcp20251125.Methods
				if revision == rA {
					binding.Methods = user.in(rA).Methods
					server = newStateless(t, askAge, runtime.ServerOptions{})
				}
				client := runtime.NewClient(runtime.ClientOptions{Name: "test", Version: "1", Capabilities: wire.Raw(`{"elicitation":{}}`)}, binding)
				session, end := connect(t, server, client)
				defer end()
				var got wire.Object
				err := session.Call(t.Context(), "tools/call", wire.Raw(`{"name":"a"}`), &got)
				answer, _ := got.Get("answer")
				switch {
				case c.problem == "" && (err != nil || string(answer) != c.result):
					t.Errorf("got %s, %v", got, err)
				case c.problem != "" && (err == nil || revision == rA && !strings.Contains(err.Error(), c.problem)):
					t.Errorf("the error is %v, want %s", err, c.problem)
				}
			})
		}
	}
}

// TestNoAnswerToForm has a function for forms that returns nothing. That is an error of the program, not a panic.
func TestNoAnswerToForm(t *testing.T) {
	for _, fill := range []bool{false, true} {
		var log bytes.Buffer
		options := mcp20251125.ClientOptions{
			Elicit: func(context.Context, mcp20251125.ElicitRequestParams) (*mcp20251125.ElicitResult, error) {
				return nil, nil
			},
			Runtime: runtime.ClientOptions{Name: "test", Version: "1", Logger: slog.New(slog.NewTextHandler(&log, nil))},
		}
		if fill {
			options.Bind = runtime.FillDefaults
		}
		session, end := connect(t, asksInSessions(askAge), options.NewClient(nil))
		if err := session.Call(t.Context(), "tools/call", wire.Raw(`{"name":"a"}`), new(wire.Object)); err == nil {
			t.Error("there is an answer")
		}
		end()
		if !strings.Contains(log.String(), "the handler returned no result") || strings.Contains(log.String(), "panic") {
			t.Errorf("logged: %s", &log)
		}
	}
}

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
		"not an object":         {"", form, `{"action":"accept","content":[1]}`, `{"action":"accept","content":[1]}`},
		"declined":              {"", form, `{"action":"decline"}`, `{"action":"decline"}`},
		"no form":               {"", `{"mode":"url","url":"https://example.com","elicitationId":"1","message":"m"}`, `{"action":"accept"}`, `{"action":"accept"}`},
		"defaults of bad types": {"", `{"requestedSchema":{"properties":{"a":{"type":"string","default":1},"b":{"type":"integer","default":1.5},"c":{"type":"array","default":[1]},"d":{"default":{}},"e":{"type":"boolean","default":null},"f":7,"g":{"type":"number","default":"1"}}}}`, `{"action":"accept"}`, `{"action":"accept"}`},
		"defaults not allowed":  {"", `{"requestedSchema":{"properties":{"a":{"type":"string","maxLength":2,"default":"abc"},"b":{"type":"integer","minimum":1,"default":0},"c":{"type":"string","enum":["x"],"default":"y"},"d":{"type":"string","enum":["x"],"default":"x"}}}}`, `{"action":"accept"}`, `{"action":"accept","content":{"d":"x"}}`},
		"another method":        {"other", form, `{"action":"accept"}`, `{"action":"accept"}`},
	} {
		binding := runtime.FillDefaults(runtime.Binding{Handle: func(context.Context, *runtime.Message) (wire.Appender, error) {
			return row.result, nil
		}})
		method := row.method
		if method == "" {
			method = "elicitation/create"
		}
		result, err := binding.Handle(t.Context(), &runtime.Message{Kind: jsonrpc.Request, Method: method, Params: row.params})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if got := result.(wire.Object); got != row.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, row.want)
		}
	}
}

func TestFillDefaultsErrors(t *testing.T) {
	why := errors.New("why")
	binding := runtime.FillDefaults(runtime.Binding{Handle: func(context.Context, *runtime.Message) (wire.Appender, error) { return nil, why }})
	if _, err := binding.Handle(t.Context(), &runtime.Message{Kind: jsonrpc.Request, Method: "elicitation/create", Params: wire.Raw("{}")}); err != why {
		t.Errorf("got %v", err)
	}
	if _, err := runtime.FillDefaults(runtime.Binding{}).Handle(t.Context(), &runtime.Message{Kind: jsonrpc.Request, Method: "elicitation/create", Params: wire.Raw("{}")}); err == nil {
		t.Error("no error without a handler")
	}
}
