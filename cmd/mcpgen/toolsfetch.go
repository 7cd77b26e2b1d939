//go:build !bootstrap

package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/mcpgen/mcpgen/generated"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/stdio"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/tools"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// fetch returns the tool definitions of a server as a JSON array. It copies the server's
// standard error to stderr.
func (o *origin) fetch(ctx context.Context, stderr io.Writer) ([]byte, error) {
	session, end, err := o.connect(ctx, stderr)
	if err != nil {
		return nil, err
	}
	defer end()
	return definitions(ctx, session)
}

// definitions returns the tool definitions of a session's server as a JSON array.
func definitions(ctx context.Context, session *runtime.Session) ([]byte, error) {
	all, err := tools.List(ctx, session, "tool")
	if err != nil {
		return nil, fmt.Errorf("tools/list: %w", explainRefusal(err))
	}
	return []byte(wire.ArrayOf(all)), nil
}

// catalog returns everything a server offers as a JSON object. A list is empty if the server
// lacks its capability.
func (o *origin) catalog(ctx context.Context, stderr io.Writer) ([]byte, error) {
	session, end, err := o.connect(ctx, stderr)
	if err != nil {
		return nil, err
	}
	defer end()
	text := []byte{'{'}
	for _, list := range []struct{ capability, kind, member string }{
		{"tools", "tool", "tools"},
		{"prompts", "prompt", "prompts"},
		{"resources", "resource", "resources"},
		{"resources", "template", "resourceTemplates"},
	} {
		part := []byte("[]")
		if _, ok := session.ServerCapabilities().Get(list.capability); ok && list.kind == "tool" {
			part, err = definitions(ctx, session)
		} else if ok {
			part, err = entries(ctx, session, list.kind)
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
	if text, err = wire.Raw(session.ServerCapabilities()).AppendJSON(text); err != nil {
		return nil, err
	}
	return append(text, '}'), nil
}

// entries returns all entries of a list as a JSON array. The array is empty if the server does
// not know the method.
func entries(ctx context.Context, session *runtime.Session, kind string) ([]byte, error) {
	all, err := tools.List(ctx, session, kind)
	if refused, ok := errors.AsType[*jsonrpc.Error](err); ok && refused.Code == jsonrpc.CodeMethodNotFound {
		return []byte("[]"), nil
	}
	return []byte(wire.ArrayOf(all)), explainRefusal(err)
}

// connect opens a session with the server over stdio, or over Streamable HTTP with a fallback
// to HTTP+SSE. It reports to stderr what it waits for, until the session is closed by end.
func (o *origin) connect(ctx context.Context, stderr io.Writer) (session *runtime.Session, end func(), err error) {
	return o.open(ctx, stderr, o.bindings()...)
}

// open is connect with the bindings of a client.
func (o *origin) open(ctx context.Context, stderr io.Writer, bindings ...runtime.Binding) (session *runtime.Session, end func(), err error) {
	seen := &watch{out: stderr}
	if o.quiet {
		seen.out = io.Discard
	}
	client := runtime.NewClient(runtime.ClientOptions{
		Name: "mcpgen", Version: programVersion(), Sending: []runtime.Middleware{seen.around},
	}, bindings...)
	transport, err := o.transport(ctx, stderr, seen)
	if err != nil {
		return nil, nil, err
	}
	release, err := hold(ctx)
	if err != nil {
		return nil, nil, err
	}
	watching, stop := context.WithCancel(ctx)
	go seen.run(watching)
	session, err = client.Connect(ctx, transport)
	if err != nil {
		stop()
		release()
		return nil, nil, explainRefusal(seen.explain(err))
	}
	return session, func() {
		stop()
		session.Close() // how the server ends does not matter
		release()
	}, nil
}

func (o *origin) transport(ctx context.Context, stderr io.Writer, seen *watch) (runtime.Transport, error) {
	if o.url != "" {
		opts, err := o.access.options(ctx, o.url, stderr)
		if err != nil {
			return nil, err
		}
		return streamable.URL(o.url, opts), nil
	}
	cmd, err := o.process(ctx)
	if err != nil {
		return nil, err
	}
	cmd.Stderr = stderr
	return watchedProcess{stdio.Command(cmd), seen}, nil
}

// bindings returns a client's binding for every revision, which declares the capabilities of the
// origin. A server that uses them gets no roots, and its questions are declined.
func (o *origin) bindings() []runtime.Binding {
	answers := runtime.Handlers{
		"roots/list": func(context.Context, *runtime.Message) (wire.Appender, error) { return wire.Raw(`{"roots":[]}`), nil },
		"elicitation/create": func(context.Context, *runtime.Message) (wire.Appender, error) {
			return wire.Raw(`{"action":"decline"}`), nil
		},
		"sampling/createMessage": func(context.Context, *runtime.Message) (wire.Appender, error) {
			return nil, &jsonrpc.Error{Code: codeDeclined, Message: "mcpgen only reads lists and has no model"}
		},
	}
	var all []runtime.Binding
	for _, r := range generated.Revisions() {
		b := answers.Bind(r.ID, r.Methods)
		b.Capabilities = func(wire.Appender) (wire.Appender, error) { return o.declares.in(r.ID) }
		all = append(all, b)
	}
	return all
}

// codeDeclined is the code with which the specification's examples decline sampling.
const codeDeclined = -1
