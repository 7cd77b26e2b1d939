package catalog_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/headers"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestNamed adds tools whose definitions are said to be good.
func TestNamed(t *testing.T) {
	var log bytes.Buffer
	call := echo("").Call
	c := catalog.New(catalog.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	must(t, c.Add(
		catalog.Tool{Name: "a", Definition: wire.Object(` {"name": "a", "inputSchema": {"type": "object"}, "execution": {"t\u0061skSupport": "required"}}`), Call: call},
		catalog.Tool{Name: "broken", Definition: wire.Object(`{"name":"broken","inputSchema":{"type":"object"},"title":"`), Call: call},
		catalog.Tool{Name: "other", Definition: wire.Object(`{"name":"another","inputSchema":{"type":"object"}}`), Call: call},
		catalog.Tool{Name: "b", Definition: wire.Object(`{"name":"b","inputSchema":{"type":"object"}}`), Call: call},
	))
	handle := c.Over(runtime.Binding{Methods: methods}).Handle
	for range 2 {
		result, err := handle(t.Context(), &runtime.Message{Kind: jsonrpc.Request, Method: "tools/list", Params: wire.Raw(`{}`)})
		must(t, err)
		got, err := wire.Marshal(result)
		must(t, err)
		const want = `{"tools":[{"name":"a","inputSchema":{"type":"object"},"execution":{"t\u0061skSupport":"required"}},{"name":"b","inputSchema":{"type":"object"}}]}`
		if string(got) != want {
			t.Errorf("listed: %s", got)
		}
	}
	for _, want := range []string{`tool=broken revision="" error="catalog: tool`, `tool=other revision="" error="catalog: tool \"other\": the definition has the name \"another\"`} {
		if strings.Count(log.String(), want) != 1 {
			t.Errorf("%s is not once in the log:\n%s", want, &log)
		}
	}
	for name, want := range map[string]string{"a": "required", "b": "forbidden", "none": "optional"} {
		if got := c.TaskSupport(name); got != want {
			t.Errorf("%s: tasks are %s", name, got)
		}
	}
	if _, err := handle(t.Context(), &runtime.Message{Kind: jsonrpc.Request, Method: "tools/call", Params: wire.Raw(`{"name":"b"}`)}); err != nil {
		t.Error(err)
	}
}

// TestServerLogger checks that a catalog without a logger logs to that of the server it is given to.
func TestServerLogger(t *testing.T) {
	var log bytes.Buffer
	c := catalog.New(catalog.Options{})
	must(t, c.Add(catalog.NewTool(wire.Object(`{"name":"a","inputSchema":{"type":"object"}}`),
		func(context.Context, wire.Object) (wire.Object, error) { panic("broken") })))
	_, err := catalog.NewServer(runtime.ServerOptions{Name: "s", Version: "1", Logger: slog.New(slog.NewTextHandler(&log, nil))},
		runtime.Binding{Revision: "2025-11-25", Direction: runtime.ToServer, Methods: methods}, nil, c)
	must(t, err)
	if _, err := c.Over(runtime.Binding{Methods: methods}).Handle(t.Context(), &runtime.Message{Kind: jsonrpc.Request, Method: "tools/call", Params: wire.Raw(`{"name":"a"}`)}); err != nil {
		t.Error(err)
	}
	if !strings.Contains(log.String(), "panic=broken") {
		t.Errorf("logged %q", &log)
	}
}

// TestErrorText checks that an error of package wire is shown to a model without its prefix and offset.
func TestErrorText(t *testing.T) {
	for want, decode := range map[string]func(arguments wire.Object) error{
		`at /city: expected an object, found a number`: func(arguments wire.Object) error {
			return arguments.Decode(&wire.Map[wire.Object]{})
		},
		"no place: at /city: must be in the format uri, is \"x\"\nat /day: unknown member: try again": func(wire.Object) error {
			var c wire.Collector
			c.Push("city")
			c.Format("uri", "x")
			c.Pop()
			c.Closed(wire.Members{{Name: "day"}})
			return fmt.Errorf("no place: %w: try again", c.Err())
		},
		`broken`: func(wire.Object) error { return errors.New("broken") },
	} {
		c := catalog.New(catalog.Options{})
		must(t, c.Add(catalog.NewTool(wire.Object(`{"name":"a","inputSchema":{"type":"object"}}`), func(_ context.Context, arguments wire.Object) (wire.Object, error) {
			return "", decode(arguments)
		})))
		result, err := c.Over(runtime.Binding{Methods: methods}).Handle(t.Context(), &runtime.Message{Kind: jsonrpc.Request, Method: "tools/call", Params: wire.Raw(`{"name":"a","arguments":{"city":5}}`)})
		must(t, err)
		got, err := wire.MarshalString(result)
		must(t, err)
		text, err := wire.AppendString(nil, want)
		must(t, err)
		if !strings.Contains(got, `"text":`+string(text)) {
			t.Errorf("got %s, want the text %s", got, text)
		}
	}
}

// TestToolHeaders checks that a catalog tells which arguments are repeated in headers, and refuses a tool
// whose annotations break the rules (H31 to H35).
func TestToolHeaders(t *testing.T) {
	tool := func(name, property string) wire.Object {
		return wire.Object(`{"name":"` + name + `","inputSchema":{"type":"object","properties":{"p":` + property + `}}}`)
	}
	call := echo("").Call
	c := catalog.New(catalog.Options{Logger: slog.New(slog.DiscardHandler)})
	must(t, c.Add(
		catalog.Tool{Name: "named", Definition: tool("named", `{"type":"string","x-mcp-header":"Region"}`), Call: call},
		catalog.Tool{Definition: tool("read", `{"type":"string","x-mcp-header":"Region"}`), Call: call},
		catalog.Tool{Definition: tool("plain", `{"type":"string"}`), Call: call},
	))
	below := runtime.Binding{Methods: methods, ToolHeaders: func(name string) *headers.Table {
		if name != "below" {
			return nil
		}
		table, err := headers.NewTable(`{"properties":{"p":{"type":"string","x-mcp-header":"R"},"q":{"type":"string","x-mcp-header":"Q"}}}`)
		must(t, err)
		return table
	}}
	for name, want := range map[string]int{"named": 1, "read": 1, "plain": 0, "below": 2, "none": 0} {
		if got := c.Over(below).ToolHeaders(name).Len(); got != want {
			t.Errorf("%s has %d headers, want %d", name, got, want)
		}
	}
	err := c.Add(catalog.Tool{Definition: tool("bad", `{"type":"number","x-mcp-header":"Region"}`), Call: call})
	if err == nil || !strings.Contains(err.Error(), "/inputSchema/properties/p/x-mcp-header") {
		t.Errorf("a header of a number: %v", err)
	}
}

// TestNamedChecked has a definition read when the tool is added where something is to be
// made of it.
func TestNamedChecked(t *testing.T) {
	c := catalog.New(catalog.Options{Checker: func(wire.Object) (func(wire.Object) error, error) { return nil, nil }})
	err := c.Add(catalog.Tool{Name: "a", Definition: wire.Object(`{"name":"a"}`), Call: func(context.Context, wire.Object) (wire.Appender, error) { return nil, nil }})
	if err == nil {
		t.Error("a definition without a schema was added")
	}
}
