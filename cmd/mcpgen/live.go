//go:build !bootstrap

package main

import (
	"context"
	"fmt"
	"io"

	"github.com/mcpgen/mcpgen/generated/mcp20241105"
	"github.com/mcpgen/mcpgen/generated/mcp20250326"
	"github.com/mcpgen/mcpgen/generated/mcp20250618"
	"github.com/mcpgen/mcpgen/generated/mcp20251125"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/stdio"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/tools"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// fetch returns the definitions of a server's tools, as an array. The server's standard
// error goes to stderr.
func (o *origin) fetch(ctx context.Context, stderr io.Writer) ([]byte, error) {
	transport, err := o.transport(stderr)
	if err != nil {
		return nil, err
	}
	client := runtime.NewClient(runtime.ClientOptions{Name: "mcpgen", Version: "1"},
		mcp20251125.BindClient(mcp20251125.UnimplementedClient{}),
		mcp20250618.BindClient(mcp20250618.UnimplementedClient{}),
		mcp20250326.BindClient(mcp20250326.UnimplementedClient{}),
		mcp20241105.BindClient(mcp20241105.UnimplementedClient{}))
	session, err := client.Connect(ctx, transport)
	if err != nil {
		return nil, err
	}
	defer session.Close() // how the server takes the end is not what was asked
	all, err := tools.List(ctx, session)
	if err != nil {
		return nil, fmt.Errorf("tools/list: %w", err)
	}
	text := []byte{'['}
	for _, definition := range all {
		text = append(wire.AppendComma(text), definition...)
	}
	return append(text, ']'), nil
}

// transport is the way to the server: this is the place for another one.
func (o *origin) transport(stderr io.Writer) (runtime.Transport, error) {
	if o.url == "" {
		cmd, err := o.process()
		if err != nil {
			return nil, err
		}
		return stdio.Start(cmd, stdio.CommandOptions{Stderr: stderr})
	}
	header, err := o.header()
	if err != nil {
		return nil, err
	}
	return streamable.NewTransport(o.url, streamable.ClientOptions{Header: header})
}
