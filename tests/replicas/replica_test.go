package replicas

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/mcpgen/mcpgen/generated/mcp20260728"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/natsmcp"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/tasks/filestore"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The environment of a process that is a replica.
const (
	variableStore = "REPLICAS_TEST_STORE" // the path of a file, or the URL of a NATS server
	variableRuns  = "REPLICAS_TEST_RUNS"  // the path of a file to which each run of a tool adds a line
	variableHangs = "REPLICAS_TEST_HANGS" // not empty: the tool "dig" does not end
)

// lease is that of the tasks: long enough for a process that has to wait for a processor.
const lease = 3 * time.Second

// replica serves over HTTP, prints its URL, and runs until it is killed.
func replica() error {
	ctx := context.Background()
	store, err := openStore(ctx, os.Getenv(variableStore))
	if err != nil {
		return err
	}
	items := catalog.New(catalog.Options{})
	if err := items.Add(tool("dig", dig), tool("ask", ask)); err != nil {
		return err
	}
	keeper := tasks.New(tasks.Options{
		Store: store, Lease: lease, PollInterval: 50 * time.Millisecond, Support: items.TaskSupport,
		Logger: slog.New(slog.NewTextHandler(os.Stderr, nil)),
	})
	server := runtime.NewServer(runtime.ServerOptions{Name: "replica", Version: "1"}, keeper.Extend(items.Over(mcp20260728.BindBase())))
	if err := server.Err(); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("http://%s\n", listener.Addr())
	ended := make(chan error, 2)
	go func() { ended <- keeper.Serve(ctx, server) }()
	go func() { ended <- http.Serve(listener, streamable.NewHandler(server, streamable.Options{})) }()
	return errors.Join(<-ended, errors.New("the replica has ended"))
}

func openStore(ctx context.Context, where string) (tasks.Store, error) {
	if !strings.HasPrefix(where, "nats://") {
		return filestore.Open(where, filestore.Options{})
	}
	nc, err := nats.Connect(where)
	if err != nil {
		return nil, err
	}
	return natsmcp.OpenTasks(ctx, nc, natsmcp.TasksOptions{})
}

// tool returns a tool that notes that it runs.
func tool(name string, run func(ctx context.Context) (string, error)) catalog.Tool {
	return catalog.Tool{
		Definition: wire.Object(`{"name":"` + name + `","inputSchema":{"type":"object"},"execution":{"taskSupport":"optional"}}`),
		Call: func(ctx context.Context, arguments wire.Object) (wire.Appender, error) {
			if err := note(arguments.GetString("as"), tasks.Attempt(ctx)); err != nil {
				return nil, err
			}
			said, err := run(ctx)
			if err != nil {
				return nil, err
			}
			return &mcp20260728.CallToolResult{Content: []mcp20260728.ContentBlock{&mcp20260728.TextContent{Text: said}}}, nil
		},
	}
}

// note adds a line to the file of runs.
func note(name string, attempt int) error {
	f, err := os.OpenFile(os.Getenv(variableRuns), os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = fmt.Fprintf(f, "%s %d\n", name, attempt)
	return err
}

func dig(ctx context.Context) (string, error) {
	if os.Getenv(variableHangs) != "" {
		<-ctx.Done()
		return "", context.Cause(ctx)
	}
	return fmt.Sprint("attempt ", tasks.Attempt(ctx)), nil
}

func ask(ctx context.Context) (string, error) {
	r, err := mcp20260728.NewClientCaller(runtime.CallOf(ctx)).Elicit(ctx, &mcp20260728.ElicitRequestFormParams{Message: "Sure?"})
	if err != nil {
		return "", err
	}
	return "answer: " + string(r.Action), nil
}
