// Command replicas is an MCP server of which several replicas serve the same clients, and whose tasks survive
// its end. What the replicas share is in NATS:
//
//	replicas -http localhost:8080 -nats nats://localhost:4222 -key FILE
//
// Alone, it needs no NATS server: it runs one itself, and keeps its state in a folder.
//
//	replicas -http localhost:8080 -state DIR
package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/mcpgen/mcpgen/generated/compat"
	"github.com/mcpgen/mcpgen/generated/mcp20260728"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/natsmcp"
	"github.com/mcpgen/mcpgen/runtime/natsmcp/embedded"
	"github.com/mcpgen/mcpgen/runtime/share"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/typed"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// flags are those of the command.
type flags struct{ address, hosts, state, nats, key, name string }

func main() {
	var f flags
	host, _ := os.Hostname()
	flag.StringVar(&f.address, "http", "localhost:8080", "serve Streamable HTTP on this `address`")
	flag.StringVar(&f.hosts, "hosts", "", "the public `names` of the server, separated by commas, if it is behind a proxy")
	flag.StringVar(&f.state, "state", "", "keep the state in this `folder`")
	flag.StringVar(&f.nats, "nats", "", "share the state through the NATS server at this `URL`")
	flag.StringVar(&f.key, "key", "", "a `file` with the key that all replicas have in common, 32 bytes or more")
	flag.StringVar(&f.name, "name", host, "the `name` of this replica in answers")
	flag.Parse()
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	if err := f.serve(context.Background(), log); err != nil {
		log.Error("the server failed", "error", err)
		os.Exit(1)
	}
}

// serve serves until the process is told to end.
func (f flags) serve(ctx context.Context, log *slog.Logger) error {
	if f.nats != "" && f.key == "" {
		return errors.New("replicas want the same -key")
	}
	nc, done, err := f.connect(ctx, log)
	if err != nil {
		return err
	}
	defer done()
	key, err := f.readKey()
	if err != nil {
		return err
	}
	store, err := natsmcp.OpenStore(ctx, nc, natsmcp.Options{})
	if err != nil {
		return err
	}
	defer store.Close()
	events, err := natsmcp.OpenEvents(ctx, nc, natsmcp.Options{})
	if err != nil {
		return err
	}
	bus, err := natsmcp.OpenBus(nc, "")
	if err != nil {
		return err
	}

	items := catalog.New(catalog.Options{})
	if err := items.Add(f.tools()...); err != nil {
		return err
	}
	keeper := tasks.New(tasks.Options{Store: store, Lease: 5 * time.Second, Logger: log})
	defer keeper.Close()
	bindings := compat.Serve(items.Over(mcp20260728.BindBase()), compat.Options{})
	for i, b := range bindings {
		bindings[i] = keeper.Wrap(b, items.TaskSupport)
	}
	server := runtime.NewServer(runtime.ServerOptions{
		Name: "replicas", Version: "1.0.0", Logger: log,
		Replicas: share.Announce(bus),
		Rounds:   runtime.Rounds{Keys: [][]byte{key}},
	}, bindings...)
	if err := server.Err(); err != nil {
		return err
	}
	working, stop := context.WithCancel(ctx)
	defer stop()
	go keeper.Serve(working, server)
	options := streamable.Options{Events: events}
	if f.hosts != "" {
		options.Hosts = strings.Split(f.hosts, ",")
	}
	handler, err := share.NewHandler(server, options, share.Sessions{Keys: [][]byte{key}, Bus: bus, Store: store})
	if err != nil {
		return err
	}
	return streamable.ListenAndServe(ctx, f.address, "/mcp", handler)
}

// connect returns a connection to NATS, and a function that closes it.
func (f flags) connect(ctx context.Context, log *slog.Logger) (*nats.Conn, func(), error) {
	switch {
	case (f.state == "") == (f.nats == ""):
		return nil, nil, errors.New("want either -state or -nats")
	case f.nats != "":
		nc, err := nats.Connect(f.nats, nats.MaxReconnects(-1))
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", f.nats, err)
		}
		return nc, nc.Close, nil
	}
	own, err := embedded.Start(ctx, embedded.Options{Dir: f.state, Logger: log})
	if err != nil {
		return nil, nil, err
	}
	nc, err := own.Connect()
	if err != nil {
		return nil, nil, errors.Join(err, own.Close())
	}
	return nc, func() { nc.Close(); _ = own.Close() }, nil
}

// readKey returns the key of all replicas. A server that is alone makes one, and finds it again.
func (f flags) readKey() ([]byte, error) {
	path := cmp.Or(f.key, filepath.Join(f.state, "key"))
	key, err := os.ReadFile(path)
	if f.key == "" && errors.Is(err, os.ErrNotExist) {
		key = []byte(rand.Text() + rand.Text())
		err = os.WriteFile(path, key, 0o600)
	}
	return key, err
}

type greeting struct {
	Name string `json:"name"`
}

type hole struct {
	Seconds float64 `json:"seconds" jsonschema:"minimum=0,maximum=60"`
}

// taskSupport lets a tool be called as a task, in revisions up to 2025-11-25 and in the extension for tasks.
var taskSupport = wire.Members{{Name: "execution", Value: `{"taskSupport":"optional"}`}}

// tools returns a tool that answers at once, and one whose calls become tasks of clients that know them.
func (f flags) tools() []catalog.Item {
	return []catalog.Item{
		typed.ContentTool(&mcp20260728.Tool{Name: "greet"}, func(_ context.Context, in *greeting) ([]mcp20260728.ContentBlock, error) {
			return f.say("Hello, %s!", in.Name), nil
		}),
		typed.ContentTool(&mcp20260728.Tool{Name: "dig", Extra: taskSupport}, func(ctx context.Context, in *hole) ([]mcp20260728.ContentBlock, error) {
			select {
			case <-time.After(time.Duration(in.Seconds * float64(time.Second))):
				return f.say("The hole is dug, in attempt %d.", tasks.Attempt(ctx)), nil
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		}),
	}
}

func (f flags) say(format string, args ...any) []mcp20260728.ContentBlock {
	text := fmt.Sprintf(format, args...) + " This is " + f.name + "."
	return []mcp20260728.ContentBlock{&mcp20260728.TextContent{Text: text}}
}
