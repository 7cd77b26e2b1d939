package runtime_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/stdio"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// methods is the part of a revision's table that the tests use.
var methods = []runtime.Method{
	{Name: "initialize", Kind: jsonrpc.Request, Direction: runtime.ToServer},
	{Name: "ping", Kind: jsonrpc.Request, Direction: runtime.ToServer | runtime.ToClient},
	{Name: "tools/call", Kind: jsonrpc.Request, Direction: runtime.ToServer},
	{Name: "roots/list", Kind: jsonrpc.Request, Direction: runtime.ToClient},
	{Name: "notifications/initialized", Kind: jsonrpc.Notification, Direction: runtime.ToServer},
	{Name: "notifications/cancelled", Kind: jsonrpc.Notification, Direction: runtime.ToServer | runtime.ToClient},
	{Name: "notifications/progress", Kind: jsonrpc.Notification, Direction: runtime.ToServer | runtime.ToClient},
	{Name: "notifications/message", Kind: jsonrpc.Notification, Direction: runtime.ToClient},
	{Name: "notifications/roots/list_changed", Kind: jsonrpc.Notification, Direction: runtime.ToServer},
	{Name: "notifications/tools/list_changed", Kind: jsonrpc.Notification, Direction: runtime.ToClient},
}

// side is a hand-written binding: handlers by method, and by tool name for tools/call.
type side map[string]func(ctx context.Context, m *runtime.Message) (wire.Appender, error)

func (s side) bind(revision string, d runtime.Direction) runtime.Binding {
	return runtime.Binding{Revision: revision, Direction: d, Methods: methods,
		Handle: func(ctx context.Context, message *runtime.Message) (wire.Appender, error) {
			if message.Method == "tools/call" {
				return runtime.Answer(ctx, message, new(toolParams), func(ctx context.Context, p *toolParams) (wire.Appender, error) {
					h, ok := s[p.Name]
					if !ok {
						return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "unknown tool: %q", p.Name)
					}
					if p.Arguments == "" {
						return h(ctx, message.With(nil))
					}
					return h(ctx, message.With(p.Arguments))
				})
			}
			if h, ok := s[message.Method]; ok {
				return h(ctx, message)
			}
			return nil, runtime.MethodNotFound(message.Method)
		}}
}

// toolParams stands for generated CallToolRequestParams.
type toolParams struct {
	Name      string
	Arguments wire.Raw
}

func (p *toolParams) DecodeJSON(r *wire.Reader) error {
	var seen [1]uint64
	for r.BeginObject(); r.Member(); {
		switch r.Name() {
		case "name":
			seen[0] |= 1 << 0
			p.Name = r.ReadString()
		case "arguments":
			seen[0] |= 1 << 1
			p.Arguments = wire.Raw(r.ReadObject())
		default:
			r.Skip()
		}
	}
	if seen[0]&1 == 0 {
		r.Missing(seen[:], "name")
	}
	return r.Err()
}

func (p *toolParams) AppendJSON(dst []byte) ([]byte, error) {
	dst, err := wire.AppendString(append(dst, `{"name":`...), p.Name)
	if err == nil && p.Arguments != "" {
		dst, err = p.Arguments.AppendJSON(append(dst, `,"arguments":`...))
	}
	return append(dst, '}'), err
}

func (p *toolParams) Check(c *wire.Collector) {
	c.Push("name")
	c.MinLength(p.Name, 1)
	c.Pop()
}

// tools are the tools most tests know.
var tools = side{
	"echo": func(_ context.Context, message *runtime.Message) (wire.Appender, error) {
		args := wire.Raw(message.Object())
		if args == "" {
			args = "{}"
		}
		return args, nil
	},
	"boom": func(context.Context, *runtime.Message) (wire.Appender, error) { panic("boom") },
	"wait": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	},
}

// with adds handlers.
func (s side) with(more side) side {
	all := side{}
	for _, m := range []side{s, more} {
		for k, h := range m {
			all[k] = h
		}
	}
	return all
}

const (
	initialize  = `{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"%s","capabilities":{"roots":{}},"clientInfo":{"name":"test","version":"1"}}}`
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
)

// conn is the client's end of a server's standard input and output, at the level of
// lines. It must be used within a synctest bubble.
type conn struct {
	t     testing.TB
	in    *io.PipeWriter
	ended chan error
	mu    sync.Mutex
	lines []string
}

// dial serves a session over a stdio transport.
func dial(ctx context.Context, t testing.TB, s *runtime.Server) *conn {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	c := &conn{t: t, in: inW, ended: make(chan error, 1)}
	go func() { c.ended <- s.Serve(ctx, &stdio.Transport{In: inR, Out: outW}) }()
	go func() {
		r := bufio.NewReader(outR)
		for {
			line, err := r.ReadString('\n')
			if err != nil {
				if line != "" {
					t.Errorf("half a line: %q", line)
				}
				return
			}
			c.mu.Lock()
			c.lines = append(c.lines, strings.TrimSuffix(line, "\n"))
			c.mu.Unlock()
		}
	}()
	return c
}

// open dials and does the handshake.
func open(ctx context.Context, t testing.TB, s *runtime.Server, revision string) *conn {
	c := dial(ctx, t, s)
	c.send(fmt.Sprintf(initialize, revision), initialized)
	if got := c.replies(); len(got) != 1 || !strings.Contains(got[0], `"protocolVersion":"`+revision+`"`) {
		t.Fatalf("handshake: %s", got)
	}
	return c
}

func (c *conn) send(lines ...string) {
	for _, l := range lines {
		if _, err := io.WriteString(c.in, l+"\n"); err != nil {
			c.t.Fatal(err)
		}
	}
}

// replies waits until the server has nothing more to do and returns the lines it has
// written since the last time.
func (c *conn) replies() []string {
	synctest.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	lines := c.lines
	c.lines = nil
	return lines
}

// hangUp closes the server's input and returns what Serve does.
func (c *conn) hangUp() error {
	c.in.Close()
	return <-c.ended
}

func newServer(t testing.TB, s side, opts runtime.ServerOptions, revisions ...string) *runtime.Server {
	if opts.Name == "" {
		opts.Name, opts.Version = "probe", "0.1"
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	var bindings []runtime.Binding
	for _, r := range revisions {
		bindings = append(bindings, s.bind(r, runtime.ToServer))
	}
	return runtime.NewServer(opts, bindings...)
}

// connect runs a client's session with a server in memory. The returned function closes
// it and checks that both sides end well.
func connect(t testing.TB, server *runtime.Server, client *runtime.Client) (*runtime.Session, func()) {
	a, b := inproc.Pair()
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(context.Background(), a) }()
	session, err := client.Connect(context.Background(), b)
	if err != nil {
		t.Fatal(err)
	}
	return session, func() {
		if err := session.Close(); err != nil {
			t.Errorf("client: %v", err)
		}
		if err := <-ended; err != nil {
			t.Errorf("server: %v", err)
		}
	}
}

func newClient(s side, revisions ...string) *runtime.Client {
	var bindings []runtime.Binding
	for _, r := range revisions {
		bindings = append(bindings, s.bind(r, runtime.ToClient))
	}
	return runtime.NewClient(runtime.ClientOptions{Name: "test", Version: "1"}, bindings...)
}

// code is the JSON-RPC code of an error, 0 when it has none.
func code(err error) int64 {
	if e, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return e.Code
	}
	return 0
}

// about reports whether a duration is as wanted, but for what may pass until another goroutine
// reads on when a handler takes long.
func about(got, want time.Duration) bool {
	return got >= want && got <= want+10*time.Millisecond
}
