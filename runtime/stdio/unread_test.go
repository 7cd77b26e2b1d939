//go:build unix

package stdio

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestUnreadCall checks that a call ends with its context though the server does not read
// what is sent to it, and that the session can be closed then.
func TestUnreadCall(t *testing.T) {
	big := wire.Raw(`{"a":"` + strings.Repeat("x", 1<<20) + `"}`)
	for _, mode := range []string{"unread", "unread garbage", "unread requests"} {
		t.Run(mode, func(t *testing.T) {
			s, _ := connect(t, mode, settings{ExitWait: -1, TermWait: -1})
			for _, params := range []wire.Raw{big, `{"a":1}`, big} {
				ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
				defer cancel()
				ended := make(chan error, 1)
				go func() { ended <- s.Call(ctx, "echo", params, nil) }()
				select {
				case err := <-ended:
					if !errors.Is(err, context.DeadlineExceeded) {
						t.Errorf("the call returned %v", err)
					}
				case <-time.After(testkit.Limit):
					t.Fatal("the call outlives its context")
				}
			}
			s.Close()
		})
	}
}

// TestCallAllocations checks that the time limit of a send allocates little while the server reads.
func TestCallAllocations(t *testing.T) {
	s, _ := connect(t, "echo", settings{})
	params := wire.Raw(`{"a":1}`)
	n := testkit.Allocs(100, func() {
		if err := s.Call(t.Context(), "echo", params, nil); err != nil {
			t.Fatal(err)
		}
	})
	if t.Logf("%v allocations", n); n > 3 {
		t.Errorf("a call takes %v allocations, want at most 3", n)
	}
}

// TestSendLater checks that a line which the peer does not read in time is finished when the
// peer reads on, before any other.
func TestSendLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		transport := open(strings.NewReader(""), w)
		long := strings.Repeat("x", 100_000)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := make([]byte, 10)
		go io.ReadFull(r, start)
		if err := transport.Send(ctx, runtime.Outgoing{Kind: jsonrpc.Request, Text: []byte(long)}); err != context.DeadlineExceeded {
			t.Errorf("the long line: %v", err)
		}
		if err := transport.Send(ctx, runtime.Outgoing{Kind: jsonrpc.Request, Text: []byte("never")}); err != context.DeadlineExceeded {
			t.Errorf("a line behind it: %v", err)
		}
		sent := make(chan error, 1)
		go func() {
			sent <- transport.Send(t.Context(), runtime.Outgoing{Kind: jsonrpc.Notification, Text: []byte("next")})
		}()
		lines := bufio.NewReader(r)
		if got, err := lines.ReadString('\n'); string(start)+got != long+"\n" {
			t.Errorf("got %d bytes, %v", len(start)+len(got), err)
		}
		if got, err := lines.ReadString('\n'); got != "next\n" {
			t.Errorf("got %q, %v", got, err)
		}
		if err := <-sent; err != nil {
			t.Error(err)
		}
		transport.Close()
	})
}

// TestGarbage checks that a client logs the lines of a server that are no messages, of many
// only some, and answers none of them.
func TestGarbage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		serverIn, clientOut := io.Pipe()
		clientIn, serverOut := io.Pipe()
		var log bytes.Buffer
		client := runtime.NewClient(runtime.ClientOptions{Name: "test", Version: "1", Logger: slog.New(slog.NewTextHandler(&log, nil))},
			runtime.Binding{Revision: helperRevision, Direction: runtime.ToClient})
		var mu sync.Mutex
		var sent []string
		go func() {
			for lines := bufio.NewScanner(serverIn); lines.Scan(); {
				mu.Lock()
				sent = append(sent, lines.Text())
				mu.Unlock()
				m, _ := jsonrpc.Parse(lines.Text())
				switch m.Method {
				case "initialize":
					io.WriteString(serverOut, "Listening!\n"+`{"jsonrpc":"2.0","id":`+m.ID.String()+`,"result":{"protocolVersion":"`+helperRevision+`","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`+"\n")
				case "echo":
					garbage := "[INFO] a line of the log\n" + `{"level":"info","id":7}` + "\n" + "{\"a\":\"\xff\"}\n\x00\n[]\n"
					bad := `{"jsonrpc":"1.0","id":"r","method":"ping"}` + "\n"
					go io.WriteString(serverOut, strings.Repeat(garbage, 1000)+bad+`{"jsonrpc":"2.0","id":`+m.ID.String()+`,"result":{}}`+"\n")
				}
			}
		}()
		s, err := client.Connect(t.Context(), open(clientIn, clientOut))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Call(t.Context(), "echo", nil, nil); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		if len(sent) != 4 || !strings.Contains(sent[3], `"id":"r","error"`) {
			t.Errorf("sent %q, want initialize, initialized, echo and the answer to the bad request", sent)
		}
		if n := strings.Count(log.String(), "level=WARN"); n == 0 || n > 50 || !strings.Contains(log.String(), "Listening!") {
			t.Errorf("%d lines are logged:\n%s", n, log.String())
		}
		s.Close()
		serverOut.Close()
	})
}
