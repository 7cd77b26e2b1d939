package replicas

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/mcpgen/mcpgen/generated/mcp20251125"
	"github.com/mcpgen/mcpgen/generated/mcp20260728"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/natsmcp"
	"github.com/mcpgen/mcpgen/runtime/share"
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
	variableKeys  = "REPLICAS_TEST_KEYS"  // the keys of requestStates in hexadecimal digits, separated by commas
)

// lease is that of the tasks: long enough for a process that has to wait for a processor.
const lease = 3 * time.Second

// replica serves over HTTP, prints its URL, and runs until it is killed or told to end.
func replica() error {
	ctx := context.Background()
	shared, err := openShared(ctx, os.Getenv(variableStore))
	if err != nil {
		return err
	}
	keys, err := keysOf(os.Getenv(variableKeys))
	if err != nil {
		return err
	}
	items := catalog.New(catalog.Options{})
	if err := items.Add(offers(items)...); err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	keeper := tasks.New(tasks.Options{
		Store: shared.store, Lease: lease, MaxRunning: limit, PollInterval: 50 * time.Millisecond, Support: items.TaskSupport, Logger: log,
	})
	options := runtime.ServerOptions{Name: "replica", Version: "1", Logger: log, Rounds: runtime.Rounds{Keys: keys}}
	var sessions share.Sessions // which are not shared if the store is a file
	if shared.bus != nil {
		options.Replicas = share.Announce(shared.bus)
		sessions = share.Sessions{Keys: keys, Bus: shared.bus, Store: shared.store}
	}
	server := runtime.NewServer(options, keeper.Over(items.Over(mcp20251125.BindBase())), keeper.Extend(items.Over(mcp20260728.BindBase())))
	if err := server.Err(); err != nil {
		return err
	}
	streams := streamable.Options{Events: shared.events, MaxSessions: limit, MaxRequests: limit}
	handler, err := share.NewHandler(server, streams, sessions)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("http://%s\n", listener.Addr())
	working, stop := context.WithCancel(ctx)
	worked := make(chan error, 1)
	go func() { worked <- keeper.Serve(working, server) }()
	err = streamable.Serve(ctx, listener, streamable.NewServer(handler), handler)
	keeper.Close()
	stop()
	return errors.Join(err, <-worked)
}

// limit is that of sessions, of requests in flight and of running tasks: more than there are in a test.
const limit = 100_000

// shared is what replicas share.
type shared struct {
	store tasks.Store
	// The others are nil if the tasks are in a file, which has one process at a time.
	events streamable.EventStore
	bus    share.Bus
}

func openShared(ctx context.Context, where string) (s shared, err error) {
	if !strings.HasPrefix(where, "nats://") {
		s.store, err = filestore.Open(where, filestore.Options{})
		return s, err
	}
	nc, err := nats.Connect(where)
	if err != nil {
		return s, err
	}
	if s.store, err = natsmcp.OpenStore(ctx, nc, natsmcp.Options{}); err != nil {
		return s, err
	}
	if s.events, err = natsmcp.OpenEvents(ctx, nc, natsmcp.Options{}); err != nil {
		return s, err
	}
	s.bus, err = natsmcp.OpenBus(nc, "")
	return s, err
}

func keysOf(text string) (keys [][]byte, err error) {
	for digits := range strings.SplitSeq(text, ",") {
		if digits == "" {
			continue
		}
		key, err := hex.DecodeString(digits)
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// clock is a resource, whose updates clients await.
const clock = "test://clock"

// offers returns what a replica offers.
func offers(items *catalog.Catalog) []catalog.Item {
	tick := func(context.Context, string) (string, error) {
		items.ResourceUpdated(clock)
		return "tock", nil
	}
	return []catalog.Item{
		tool("dig", "optional", noted(dig)), tool("ask", "optional", noted(ask)), tool("toil", "optional", noted(toil)),
		tool("count", "forbidden", noted(count)), tool("confirm", "forbidden", confirm), tool("tick", "forbidden", tick),
		tool("steps", "forbidden", noted(steps)), tool("poison", "optional", noted(poison)),
		catalog.Resource{
			Definition: wire.Object(`{"uri":"` + clock + `","name":"clock"}`),
			Read: func(context.Context, string) (wire.Appender, error) {
				return wire.Object(`{"contents":[{"uri":"` + clock + `","text":""}]}`), nil
			},
		},
	}
}

// tool returns a tool.
func tool(name, taskSupport string, run func(ctx context.Context, as string) (string, error)) catalog.Tool {
	return catalog.Tool{
		Definition: wire.Object(`{"name":"` + name + `","inputSchema":{"type":"object"},"execution":{"taskSupport":"` + taskSupport + `"}}`),
		Call: func(ctx context.Context, arguments wire.Object) (wire.Appender, error) {
			said, err := run(ctx, arguments.GetString("as"))
			if err != nil {
				return nil, err
			}
			return wire.Object(`{"content":[{"type":"text","text":"` + said + `"}]}`), nil
		},
	}
}

// noted wraps a tool that notes that it runs.
func noted(run func(ctx context.Context) (string, error)) func(context.Context, string) (string, error) {
	return func(ctx context.Context, as string) (string, error) {
		if err := note(as, tasks.Attempt(ctx)); err != nil {
			return "", err
		}
		return run(ctx)
	}
}

// note adds a line to the file of runs.
func note(name string, attempt int) error {
	return noteIn(os.Getenv(variableRuns), name, fmt.Sprint(attempt))
}

func noteIn(runs, name, what string) error {
	f, err := os.OpenFile(runs, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = fmt.Fprintf(f, "%s %s\n", name, what)
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
	var answer wire.Object
	question := wire.Object(`{"mode":"form","message":"Sure?","requestedSchema":{"type":"object","properties":{}}}`)
	if err := runtime.CallOf(ctx).Call(ctx, "elicitation/create", question, &answer); err != nil {
		return "", err
	}
	return "answer: " + answer.GetString("action"), nil
}

// stepsTaken is the number of steps whose progress the tool "steps" reports.
const stepsTaken = 10

func steps(ctx context.Context) (string, error) {
	for i := range stepsTaken {
		if err := runtime.CallOf(ctx).Progress(ctx, float64(i+1), nil, ""); err != nil {
			return "", err
		}
		if err := rest(ctx, 5*time.Millisecond); err != nil {
			return "", err
		}
	}
	return "arrived", nil
}

// confirm asks, and notes that it runs when it has the answer: until then, a call may begin anew with each
// request of the client.
func confirm(ctx context.Context, as string) (string, error) {
	said, err := ask(ctx)
	if err != nil {
		return "", err
	}
	return said, note(as, 1)
}

// poisonous ends the name of the file that makes the tool "poison" panic. Its name begins with that of the file of
// runs.
const poisonous = ".poisonous"

// poison ends the process: nothing can recover a panic in a goroutine of a handler's own. It does so when the test
// says, because the answer with the task could otherwise be lost.
func poison(ctx context.Context) (string, error) {
	for {
		if _, err := os.Stat(os.Getenv(variableRuns) + poisonous); err == nil {
			break
		}
		if err := rest(ctx, time.Millisecond); err != nil {
			return "", err
		}
	}
	go panic("poison")
	<-ctx.Done()
	return "", context.Cause(ctx)
}

// count takes as long as most calls.
func count(ctx context.Context) (string, error) { return "counted", rest(ctx, 5*time.Millisecond) }

// toil takes long enough to be in progress when a replica is killed.
func toil(ctx context.Context) (string, error) {
	return fmt.Sprint("attempt ", tasks.Attempt(ctx)), rest(ctx, 100*time.Millisecond)
}

// rest waits for up to twice a time.
func rest(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(rand.N(2 * d)):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
