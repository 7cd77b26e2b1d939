package main

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/mcp20241105"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestAddresses opens a session at the address of each HTTP transport.
func TestAddresses(t *testing.T) {
	for path, flags := range map[string][2]string{"/mcp": {"localhost:0", ""}, "/sse": {"", "localhost:0"}} {
		t.Run(path, func(t *testing.T) {
			logged, out := io.Pipe()
			ctx, stop := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() { ended <- serve(ctx, slog.New(slog.NewTextHandler(out, nil)), flags[0], flags[1]) }()
			line, err := bufio.NewReader(logged).ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			go io.Copy(io.Discard, logged)
			_, url, _ := strings.Cut(strings.TrimSpace(line), "url=")
			if !strings.HasSuffix(url, path) {
				t.Fatalf("logged %q", line)
			}
			session, err := runtime.NewClient(runtime.ClientOptions{Name: "test", Version: "1"},
				mcp20241105.BindClient(mcp20241105.UnimplementedClient{})).Connect(t.Context(), streamable.URL(url, streamable.ClientOptions{}))
			if err != nil {
				t.Fatal(err)
			}
			var result wire.Raw
			err = session.Call(t.Context(), "tools/call", wire.Raw(`{"name":"test_simple_text"}`), &result)
			if err != nil || !strings.Contains(string(result), "simple text") {
				t.Errorf("%s, %v", result, err)
			}
			session.Close()
			stop()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
	}
}
