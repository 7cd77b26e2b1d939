//go:build !bootstrap

package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/mcpgen/mcpgen/generated"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/dial"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/stdio"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/tools"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// fetch returns the definitions of a server's tools, as an array. The server's standard
// error goes to stderr.
func (o *origin) fetch(ctx context.Context, stderr io.Writer) ([]byte, error) {
	session, err := o.connect(ctx, stderr)
	if err != nil {
		return nil, err
	}
	defer session.Close() // how the server takes the end is not what was asked
	return definitions(ctx, session)
}

// definitions is the array of the definitions of a session's tools.
func definitions(ctx context.Context, session *runtime.Session) ([]byte, error) {
	all, err := tools.List(ctx, session)
	if err != nil {
		return nil, fmt.Errorf("tools/list: %w", err)
	}
	return array(all), nil
}

func array(all []wire.Object) []byte {
	text := []byte{'['}
	for _, definition := range all {
		text = append(wire.AppendComma(text), definition...)
	}
	return append(text, ']')
}

// catalog returns what a server offers, as an object with all parts of a catalog: a
// list is empty where the server does not have the capability for it.
func (o *origin) catalog(ctx context.Context, stderr io.Writer) ([]byte, error) {
	session, err := o.connect(ctx, stderr)
	if err != nil {
		return nil, err
	}
	defer session.Close()
	text := []byte{'{'}
	for _, list := range []struct{ capability, method, member string }{
		{"tools", "", "tools"},
		{"prompts", "prompts/list", "prompts"},
		{"resources", "resources/list", "resources"},
		{"resources", "resources/templates/list", "resourceTemplates"},
	} {
		part := []byte("[]")
		if _, ok := session.ServerCapabilities().Get(list.capability); ok && list.method == "" {
			part, err = definitions(ctx, session)
		} else if ok {
			part, err = entries(ctx, session, list.method, list.member)
		}
		if err != nil {
			return nil, err
		}
		text = append(wire.AppendName(text, list.member), part...)
	}
	text = append(text, `,"instructions":`...)
	if text, err = wire.AppendString(text, session.Instructions()); err != nil {
		return nil, err
	}
	text = append(text, `,"capabilities":`...)
	if text, err = wire.AppendRaw(text, wire.Raw(session.ServerCapabilities())); err != nil {
		return nil, err
	}
	return append(text, '}'), nil
}

// entries returns the array of all entries of a list. A server that does not know
// the method has none.
func entries(ctx context.Context, session *runtime.Session, method, member string) ([]byte, error) {
	var all []wire.Object
	var cursor *string
	for page := 0; page < mostPages; page++ {
		var params wire.Appender
		if cursor != nil {
			params = cursorParams(*cursor)
		}
		var result wire.Object
		err := session.Call(ctx, method, params, &result)
		var refused *jsonrpc.Error
		if errors.As(err, &refused) && refused.Code == jsonrpc.CodeMethodNotFound {
			return array(nil), nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", method, err)
		}
		list, _ := result.Get(member)
		if list.Kind() != wire.KindArray {
			return nil, fmt.Errorf("%s: the result has no array %q", method, member)
		}
		in := wire.NewStringReader(string(list))
		for in.BeginArray(); in.Element(); {
			all = append(all, in.ReadObject())
		}
		if err := in.Err(); err != nil {
			return nil, fmt.Errorf("%s: %w", method, err)
		}
		next, _ := result.Get("nextCursor")
		text, ok := next.Str()
		if !ok || text == "" {
			return array(all), nil
		}
		cursor = &text
	}
	return nil, fmt.Errorf("%s: the list has more than %d pages", method, mostPages)
}

// mostPages ends a list whose cursors lead round in a circle.
const mostPages = 10_000

// cursorParams are the params that ask for the page after a cursor.
type cursorParams string

// AppendJSON implements wire.Appender.
func (p cursorParams) AppendJSON(dst []byte) ([]byte, error) {
	dst, err := wire.AppendString(append(dst, `{"cursor":`...), string(p))
	return append(dst, '}'), err
}

// connect opens a session with the server: over standard input and output, or over
// Streamable HTTP and, where the server does not have that, HTTP with SSE.
func (o *origin) connect(ctx context.Context, stderr io.Writer) (*runtime.Session, error) {
	client := runtime.NewClient(runtime.ClientOptions{Name: "mcpgen", Version: "1"}, generated.ClientBindings()...)
	if o.url != "" {
		header, err := o.header()
		if err != nil {
			return nil, err
		}
		return client.Connect(ctx, dial.With(o.url, streamable.ClientOptions{Header: header}))
	}
	cmd, err := o.process()
	if err != nil {
		return nil, err
	}
	cmd.Stderr = stderr
	return client.Connect(ctx, stdio.Command(cmd))
}
