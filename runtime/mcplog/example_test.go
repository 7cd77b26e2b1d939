package mcplog_test

import (
	"context"
	"fmt"
	"log"
	"log/slog"

	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/mcplog"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A tool whose records go to the client that calls it. A program also gives New a handler for its own log,
// such as slog.NewTextHandler(os.Stderr, nil).
func Example() {
	logger := slog.New(mcplog.New("backup", nil))
	backup := func(ctx context.Context, _ wire.Object) (*mcp.CallToolResult, error) {
		logger.DebugContext(ctx, "reading", "folder", "/notes")
		logger.InfoContext(ctx, "copied", "files", 12, slog.Group("target", "disk", "b"))
		logger.WarnContext(ctx, "skipped", "file", "draft.md")
		return &mcp.CallToolResult{}, nil
	}
	server, err := mcp.NewServer(mcp.ServerOptions{
		Name: "notes", Version: "1.0.0",
		Capabilities: wire.Raw(`{"tools":{},"logging":{}}`),
	}, catalog.NewTool(&mcp.Tool{Name: "backup"}, backup))
	if err != nil {
		log.Fatal(err)
	}

	ctx := context.Background()
	near, far := inproc.Pair()
	go server.Serve(ctx, far)
	messages := make(chan string, 10)
	session, err := mcp.Connect(ctx, near, mcp.ClientOptions{
		Name: "app", Version: "1.0.0",
		LoggingMessage: func(_ context.Context, m *mcp.LoggingMessageNotificationParams) error {
			messages <- fmt.Sprint(*m.Logger, " ", m.Level, " ", m.Data)
			return nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	if _, err := session.SetLevel(ctx, &mcp.SetLevelRequestParams{Level: mcp.LoggingLevelInfo}); err != nil {
		log.Fatal(err)
	}
	if _, err := session.CallTool(ctx, &mcp.CallToolRequestParams{Name: "backup"}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(<-messages)
	fmt.Println(<-messages)
	// Output:
	// backup info {"msg":"copied","files":12,"target":{"disk":"b"}}
	// backup warning {"msg":"skipped","file":"draft.md"}
}
