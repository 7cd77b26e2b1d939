package main

import (
	"bytes"
	"context"
	"time"

	"github.com/mcpgen/mcpgen/runtime/share"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/tasks"
)

// maxSealed is what a session that replicas share may add to a call, in nanoseconds.
const maxSealed = 3000

// sealedRows are calls in sessions that every replica of a server can serve. The other libraries have none.
func sealedRows() []*Row {
	return []*Row{{
		Name:   "sealed/http/json/raw/1",
		Title:  "a call over Streamable HTTP in a session that replicas share, answered with JSON, 1 at a time, all with net/http",
		Counts: "client and server",
		Subjects: []Subject{
			{floor, func(ctx context.Context, _ *Lab) (*Work, error) { return echoHTTP(ctx, false, 1) }},
			{mcpgen, func(ctx context.Context, _ *Lab) (*Work, error) { return sealedHTTP(ctx) }},
			{inSession, func(ctx context.Context, _ *Lab) (*Work, error) {
				h, err := onMcpgen(revision).handler(1, false)
				if err != nil {
					return nil, err
				}
				return rawHTTP(ctx, onMcpgen(revision), h, false, 1)
			}},
		},
		Targets: []Target{plusOf(maxSealed, inSession)},
	}}
}

// sealedHTTP is rawHTTP for a session that replicas share.
func sealedHTTP(ctx context.Context) (*Work, error) {
	server, err := mcpgenServer(1)
	if err != nil {
		return nil, err
	}
	var shared share.Memory
	h, err := share.NewHandler(server, streamable.Options{StreamAfter: time.Minute}, share.Sessions{
		Keys: [][]byte{bytes.Repeat([]byte{1}, 32)}, Bus: &shared, Store: tasks.NewMemory(0),
	})
	if err != nil {
		return nil, err
	}
	return rawHTTP(ctx, onMcpgen(revision), h, false, 1)
}
