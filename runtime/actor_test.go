package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generated/mcp20251125"
	"github.com/mcpgen/mcpgen/generated/mcp20260728"
	"github.com/mcpgen/mcpgen/internal/testkit/mcptest"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// actor is a server whose answers are written out: a function that returns the texts to send for each
// message.
type actor struct {
	answer func(m jsonrpc.Message) []string

	mu   sync.Mutex
	got  []jsonrpc.Message
	conn *mcptest.Raw
}

// line is the client's end of a connection over which a server may be silent, as over stdio.
type line struct{ *inproc.Transport }

func (line) ProbeTimeout() time.Duration { return waits.Probe }

// Server implements runtime.Remote.
func (line) Server() string { return "actor" }

func (line) Open(context.Context) error          { return nil }
func (line) Restart() (runtime.Transport, error) { return nil, errors.New("no other server") }
func (line) Fallback(_ context.Context, refused error) (runtime.Transport, error) {
	return nil, refused
}

// serve starts the server and returns the client's end of the connection.
func (s *actor) serve() line {
	a, b := mcptest.Pair()
	s.conn = a
	go func() {
		for {
			in, err := a.Receive(context.Background())
			if err != nil {
				a.Close()
				return
			}
			m, err := jsonrpc.Parse(in.Text)
			if err != nil {
				panic(in.Text)
			}
			s.mu.Lock()
			s.got = append(s.got, m)
			s.mu.Unlock()
			for _, text := range s.answer(m) {
				s.send(text)
			}
		}
	}()
	return line{b}
}

func (s *actor) send(text string) {
	_ = s.conn.Send(context.Background(), runtime.Outgoing{Text: []byte(text)})
}

// messages returns the messages that the server has got.
func (s *actor) messages() []jsonrpc.Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]jsonrpc.Message(nil), s.got...)
}

// methods returns the methods of the messages, in one line.
func (s *actor) methods() string {
	var names []string
	for _, m := range s.messages() {
		names = append(names, strings.TrimSpace(m.Method+" "+map[jsonrpc.Kind]string{jsonrpc.Response: "response"}[m.Kind]))
	}
	return strings.Join(names, ", ")
}

// of returns the messages with the method.
func (s *actor) of(method string) []jsonrpc.Message {
	var found []jsonrpc.Message
	for _, m := range s.messages() {
		if m.Method == method {
			found = append(found, m)
		}
	}
	return found
}

func resultOf(m jsonrpc.Message, text string) []string {
	return []string{fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID.String(), text)}
}

func failureOf(m jsonrpc.Message, code int, data string) []string {
	if data != "" {
		data = `,"data":` + data
	}
	return []string{fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"no"%s}}`, m.ID.String(), code, data)}
}

const (
	discovered = `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true},"prompts":{},"resources":{"subscribe":true,"listChanged":true}},"ttlMs":0,"cacheScope":"private","instructions":"go","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"scripted","version":"7"}}}`
	greeted    = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"old","version":"1"}}`
)

// modern returns an actor of a server that speaks 2026-07-28 and answers other requests than
// server/discover with answer.
func modern(answer func(m jsonrpc.Message) []string) *actor {
	return &actor{answer: func(m jsonrpc.Message) []string {
		switch {
		case m.Method == "server/discover":
			return resultOf(m, discovered)
		case m.Method == "initialize":
			return failureOf(m, -32022, `{"supported":["2026-07-28"]}`)
		case m.Kind == jsonrpc.Request && answer != nil:
			return answer(m)
		}
		return nil
	}}
}

// eraClient returns a client with native bindings of the revisions.
func eraClient(t testing.TB, opts runtime.ClientOptions, handlers runtime.Handlers, revisions ...string) *runtime.Client {
	if opts.Name == "" {
		opts.Name, opts.Version = "test", "1"
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	var bindings []runtime.Binding
	for _, r := range revisions {
		methods := mcp20260728.Methods
		if r == mcp20251125.Revision {
			methods = mcp20251125.Methods
		}
		bindings = append(bindings, handlers.Bind(r, methods))
	}
	if opts.Capabilities == nil {
		opts.Capabilities = handlers.Capabilities(mcp20260728.Methods)
	}
	return runtime.NewClient(opts, bindings...)
}

// r26 and r25 are the newest revision of each era.
const (
	r26 = mcp20260728.Revision
	r25 = mcp20251125.Revision
)

// openScript connects a client to a script.
func openScript(t testing.TB, c *runtime.Client, s *actor) *runtime.Session {
	session, err := c.Connect(t.Context(), s.serve())
	if err != nil {
		t.Fatalf("%v; sent: %s", err, s.methods())
	}
	t.Cleanup(func() { session.Close() })
	return session
}

func object(m jsonrpc.Message, path ...string) wire.Raw {
	v := m.Params
	for _, name := range path {
		v, _ = wire.Object(v).Get(name)
	}
	return v
}
