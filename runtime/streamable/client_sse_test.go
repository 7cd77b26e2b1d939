package streamable

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/internal/testkit/mcptest"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/eventstream"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// TestDialSSECloseWaits checks that nothing of a transport runs after Close, not even a POST whose caller has stopped
// waiting.
func TestDialSSECloseWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ts := testkit.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body) // net/http notices the end of a connection only after the body
			if r.Method == http.MethodGet {
				w.Header().Set("Content-Type", eventstream.MediaType)
				io.WriteString(w, "event: endpoint\ndata: /messages\n\n")
				http.NewResponseController(w).Flush()
			}
			<-r.Context().Done()
		}))
		defer ts.Close()
		to, err := DialSSE(t.Context(), ts.URL, ClientOptions{HTTPClient: ts.Client()})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := to.Send(ctx, runtime.Outgoing{Kind: jsonrpc.Notification, Method: "n", Text: []byte(mcptest.Initialized)}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Send: %v", err)
		}
		if n := to.(*sseTransport).t.life.Running(); n != 1 {
			t.Errorf("%d goroutines before Close, want that of the POST", n)
		}
		to.Close()
		if n := to.(*sseTransport).t.life.Running(); n != 0 {
			t.Errorf("%d goroutines are left after Close", n)
		}
		if err := to.Send(t.Context(), runtime.Outgoing{}); err != runtime.ErrClosed {
			t.Errorf("Send after Close: %v", err)
		}
	})
}

// TestDialSSELost checks that a call over HTTP with SSE whose POST breaks, or whose proxy has lost the server, returns
// a LostError, since the server may have handled it, and that any other refusal does not.
func TestDialSSELost(t *testing.T) {
	for name, c := range map[string]struct {
		answer func(w http.ResponseWriter)
		lost   bool
	}{
		"breaks":  {func(http.ResponseWriter) { panic(http.ErrAbortHandler) }, true},
		"proxy":   {func(w http.ResponseWriter) { w.WriteHeader(http.StatusBadGateway) }, true},
		"refused": {func(w http.ResponseWriter) { w.WriteHeader(http.StatusBadRequest) }, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			ts := testkit.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPost {
					_, _ = io.Copy(io.Discard, r.Body)
					c.answer(w)
					return
				}
				w.Header().Set("Content-Type", eventstream.MediaType)
				_, _ = io.WriteString(w, "event: endpoint\ndata: /messages?id=secret\n\n")
				_ = http.NewResponseController(w).Flush()
				<-r.Context().Done()
			}))
			defer ts.Close()
			to, err := DialSSE(t.Context(), ts.URL, ClientOptions{HTTPClient: ts.Client(), Logger: discard})
			if err != nil {
				t.Fatal(err)
			}
			defer to.Close()
			for kind, want := range map[jsonrpc.Kind]bool{jsonrpc.Request: c.lost, jsonrpc.Notification: false} {
				err := to.Send(t.Context(), runtime.Outgoing{Kind: kind, Text: []byte(mcptest.Call(1, "echo", "{}"))})
				if _, lost := errors.AsType[*runtime.LostError](err); err == nil || lost != want || strings.Contains(err.Error(), "secret") {
					t.Errorf("%s: %v, want a LostError: %t", name, err, want)
				}
			}
		})
	}
}
