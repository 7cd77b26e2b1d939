package hostile

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/stdio"
	"github.com/mcpgen/mcpgen/runtime/tools"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// endless is a server over stdio that is never done. It runs in this process.
type endless struct {
	sessions bool                                // it speaks 2025-11-25 and not 2026-07-28
	delay    time.Duration                       // before each answer
	answer   func(method string, n int64) string // the rest of an answer, behind its id; n counts them
	n        atomic.Int64
}

// serverCapabilities are all that clients look for.
const serverCapabilities = `{"tools":{},"prompts":{},"resources":{},"tasks":{"list":{}}}`

func (e *endless) serve(in io.Reader, out io.Writer) {
	for lines := bufio.NewReader(in); ; {
		line, ended := lines.ReadString('\n')
		if ended != nil {
			return
		}
		m, err := jsonrpc.Parse(line)
		if err != nil || m.Kind != jsonrpc.Request {
			continue
		}
		rest := ""
		switch {
		case m.Method == "server/discover" && !e.sessions:
			rest = `"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":` + serverCapabilities + `,"ttlMs":0,"cacheScope":"private"}`
		case m.Method == "initialize" && e.sessions:
			rest = `"result":{"protocolVersion":"2025-11-25","capabilities":` + serverCapabilities + `,"serverInfo":{"name":"s","version":"1"}}`
		case m.Method == "server/discover" || m.Method == "initialize":
			rest = `"error":{"code":-32601,"message":"unknown"}`
		default:
			time.Sleep(e.delay)
			rest = e.answer(m.Method, e.n.Add(1))
		}
		fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,%s}`+"\n", m.ID.String(), rest)
	}
}

// connect opens a session with the server.
func (e *endless) connect(t *testing.T, limits runtime.Limits) *mcp.Session {
	t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	go e.serve(in, out)
	session, err := mcp.Connect(t.Context(), &stdio.Transport{In: fromServer, Out: toServer}, mcp.ClientOptions{Name: "c", Version: "1", Runtime: runtime.ClientOptions{Limits: limits}})
	if err != nil {
		t.Fatal(err)
	}
	return session
}

// page is an empty page of every list, with a cursor that was never used. After twice the pages that a client may ask
// for, the list ends, so that a test fails soon.
func page(method string, n int64) string {
	next := fmt.Sprintf(`,"nextCursor":"%d"`, n)
	if n > 20_000 {
		next = ""
	}
	list := map[string]string{"tools/list": "tools", "prompts/list": "prompts", "resources/list": "resources", "resources/templates/list": "resourceTemplates", "tasks/list": "tasks"}[method]
	return `"result":{"resultType":"complete","` + list + `":[]` + next + `,"ttlMs":0,"cacheScope":"private"}`
}

// drain reads a list to its end and returns its error.
func drain[T any](list iter.Seq2[T, error]) (err error) {
	for _, err = range list {
	}
	return err
}

// TestEndlessLists checks that every list ends with an error although its server always names another page, whether
// the server answers at once or late.
func TestEndlessLists(t *testing.T) {
	for name, list := range map[string]func(ctx context.Context, s *mcp.Session) error{
		"tools":     func(ctx context.Context, s *mcp.Session) error { return drain(s.Tools(ctx)) },
		"prompts":   func(ctx context.Context, s *mcp.Session) error { return drain(s.Prompts(ctx)) },
		"resources": func(ctx context.Context, s *mcp.Session) error { return drain(s.Resources(ctx)) },
		"templates": func(ctx context.Context, s *mcp.Session) error { return drain(s.ResourceTemplates(ctx)) },
		"tasks":     func(ctx context.Context, s *mcp.Session) error { return drain(s.Tasks(ctx)) },
		"definitions of tools": func(ctx context.Context, s *mcp.Session) error {
			_, err := tools.List(ctx, s.Session, "tool")
			return err
		},
		"definitions of prompts": func(ctx context.Context, s *mcp.Session) error {
			_, err := tools.List(ctx, s.Session, "prompt")
			return err
		},
	} {
		for _, delay := range []time.Duration{0, 50 * time.Second} {
			for _, sessions := range []bool{false, true} {
				if name == "tasks" && !sessions {
					continue // the revision has no list of tasks
				}
				t.Run(fmt.Sprint(name, " after ", delay, " sessions ", sessions), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						e := &endless{sessions: sessions, delay: delay, answer: page}
						s := e.connect(t, runtime.Limits{})
						defer s.Close()
						start := time.Now()
						if err := list(t.Context(), s); err == nil || !strings.Contains(err.Error(), "has not ended after") {
							t.Errorf("after %d pages and %s: %v", e.n.Load(), time.Since(start), err)
						}
						if n := e.n.Load(); n > 10_000 || time.Since(start) > time.Hour+time.Minute {
							t.Errorf("the list took %d pages and %s", n, time.Since(start))
						}
					})
				})
			}
		}
	}
}

// TestLongCursors checks that the cursors of a list do not stay in memory.
func TestLongCursors(t *testing.T) {
	e := &endless{answer: func(_ string, n int64) string {
		if n == 100 {
			return `"result":{"resultType":"complete","tools":[],"ttlMs":0,"cacheScope":"private"}`
		}
		return fmt.Sprintf(`"result":{"resultType":"complete","tools":[{"name":"a","inputSchema":{"type":"object"}}],"nextCursor":"%d%s","ttlMs":0,"cacheScope":"private"}`, n, strings.Repeat("x", megabyte/10))
	}}
	s := e.connect(t, runtime.Limits{})
	defer s.Close()
	before, most := 0, 0
	for _, err := range s.Tools(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		switch e.n.Load() {
		case 10:
			before = testkit.Live()
		case 90:
			most = testkit.Live() - before
		}
	}
	if most > 2*megabyte {
		t.Errorf("80 cursors of a tenth of a megabyte keep %d bytes", most)
	}
}

// TestEndlessCalls checks that a call takes no longer than its limits allow, whatever the server asks the client to do
// in between, and makes a bounded number of requests.
func TestEndlessCalls(t *testing.T) {
	const timeout, maxTimeout = time.Second, 2 * time.Second
	for _, c := range []struct {
		name   string
		delay  time.Duration
		answer func(method string, n int64) string
	}{
		{"another page of tools after each", 0, mismatches},
		{"another page of tools after each, late", 100 * time.Millisecond, mismatches},
		{"another round after each", 0, rounds},
		{"another round after each, late", 900 * time.Millisecond, rounds},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := &endless{delay: c.delay, answer: c.answer}
				s := e.connect(t, runtime.Limits{Timeout: timeout, MaxTimeout: maxTimeout})
				defer s.Close()
				start := time.Now()
				err := s.Call(t.Context(), "tools/call", wire.Object(`{"name":"a"}`), nil)
				if took := time.Since(start); err == nil || took > maxTimeout || e.n.Load() > 10_010 {
					t.Errorf("the call took %s and %d requests: %v", took, e.n.Load(), err)
				}
			})
		})
	}
	t.Run("with a deadline", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			e := &endless{delay: 100 * time.Millisecond, answer: rounds}
			s := e.connect(t, runtime.Limits{})
			defer s.Close()
			ctx, cancel := context.WithTimeout(t.Context(), timeout)
			defer cancel()
			start := time.Now()
			err := s.Call(ctx, "tools/call", wire.Object(`{"name":"a"}`), nil)
			if took := time.Since(start); !errors.Is(err, context.DeadlineExceeded) || took != timeout {
				t.Errorf("the call took %s: %v", took, err)
			}
		})
	})
}

// mismatches refuses each call because of its headers, so that the client lists the tools, which never ends.
func mismatches(method string, n int64) string {
	if method == "tools/list" {
		return page(method, n)
	}
	return `"error":{"code":-32020,"message":"header mismatch"}`
}

// rounds asks the client to make each request again.
func rounds(string, int64) string {
	return `"result":{"resultType":"input_required","requestState":"again"}`
}
