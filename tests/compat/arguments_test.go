package compat_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/mcp20241105"
	"github.com/mcpgen/mcpgen/generated/mcp20260728"
	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
	"github.com/mcpgen/mcpgen/tests/internal/everything"
)

// TestInvalidArguments calls each tool of a generated server, and asks for each prompt, with a value of a wrong type
// for each argument. The text that a model reads names the argument and not a place in the message.
func TestInvalidArguments(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "internal", "everything", "tools.json"))
	if err != nil {
		t.Fatal(err)
	}
	generated := itemsOf(wire.Object(text), "tools")
	for _, binding := range []runtime.Binding{
		mcp20241105.BindClient(mcp20241105.UnimplementedClient{}),
		mcp20260728.BindClient(mcp20260728.UnimplementedClient{}),
	} {
		t.Run(binding.Revision, func(t *testing.T) {
			ctx := testkit.Context(t)
			server, _, err := everything.New(everything.Options{})
			if err != nil {
				t.Fatal(err)
			}
			near, far := inproc.Pair()
			go server.Serve(ctx, far)
			session, err := runtime.NewClient(runtime.ClientOptions{Name: "c", Version: "1"}, binding).Connect(ctx, near)
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			checked := 0
			check := func(method, name, argument string, value wire.Raw) {
				text := refusal(ctx, session, method, name, wire.Raw(`{"`+argument+`":`)+value+"}")
				if !strings.Contains(text, "/"+argument+": ") || strings.Contains(text, "wire:") || strings.Contains(text, "byte ") {
					t.Errorf("%s %s with %s = %s: %q", method, name, argument, value, text)
				}
				checked++
			}
			for _, tool := range generated {
				schema, _ := tool.Get("inputSchema")
				properties, _ := wire.Object(schema).Get("properties")
				for argument, of := range wire.Object(properties).All() {
					if kind := wire.Object(of).GetString("type"); kind != "" {
						check("tools/call", tool.GetString("name"), argument, wrong[kind])
					}
				}
			}
			var prompts wire.Object
			if err := session.Call(ctx, "prompts/list", wire.Object("{}"), &prompts); err != nil {
				t.Fatal(err)
			}
			for _, prompt := range itemsOf(prompts, "prompts") {
				arguments, _ := prompt.Get("arguments")
				for _, a := range arguments.Elements() {
					check("prompts/get", prompt.GetString("name"), wire.Object(a).GetString("name"), "5")
				}
			}
			if checked < 10 {
				t.Errorf("%d arguments", checked)
			}
		})
	}
}

// wrong has a value that is not of a type.
var wrong = map[string]wire.Raw{"string": "5", "integer": `"x"`, "number": `"x"`, "boolean": `"x"`, "array": "{}", "object": "[]"}

// itemsOf returns the items of a list.
func itemsOf(list wire.Object, member string) (all []wire.Object) {
	items, _ := list.Get(member)
	for _, item := range items.Elements() {
		all = append(all, wire.Object(item))
	}
	return all
}

// refusal returns the text of the error for a request, which is one of the tool or of the protocol.
func refusal(ctx context.Context, session *runtime.Session, method, name string, arguments wire.Raw) string {
	var result wire.Object
	err := session.Call(ctx, method, wire.Object(`{"name":"`+name+`","arguments":`+string(arguments)+`}`), &result)
	if e, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return e.Message
	}
	if failed, _ := result.Get("isError"); err != nil || failed != "true" {
		return ""
	}
	content, _ := result.Get("content")
	for _, block := range content.Elements() {
		return wire.Object(block).GetString("text")
	}
	return ""
}
