package web

import (
	"bufio"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
)

// cancelAfterReuse makes the request that TestCancelledRequestFailsAnother is about: net/http has put
// the connection of a response without a body back, but its caller does not have the response yet.
// Then another request gets the connection and is cancelled.
func cancelAfterReuse(t *testing.T, do func(*http.Client, *http.Request) (*http.Response, error)) (first error) {
	hang := make(chan struct{})
	ts := testkit.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/hang" {
			<-hang
		}
		w.WriteHeader(http.StatusAccepted)
	}))
	defer ts.Close()
	client := ts.Client()
	defer client.CloseIdleConnections()
	var others sync.WaitGroup
	defer others.Wait()
	defer close(hang)
	isBack := func(error) {
		ctx, cancel := context.WithCancel(context.Background())
		reused := make(chan bool, 1)
		got := func(info httptrace.GotConnInfo) { reused <- info.Reused }
		req, err := http.NewRequestWithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: got}), http.MethodPost, ts.URL+"/hang", nil)
		if err != nil {
			t.Error(err)
		}
		failed := make(chan struct{})
		others.Go(func() {
			defer close(failed)
			if resp, err := do(client, req); err == nil {
				resp.Body.Close()
			}
		})
		if !<-reused {
			t.Error("the other request has a connection of its own")
		}
		cancel()
		select {
		case <-failed: // with a plain context, before the first caller gets its response
		case <-time.After(waits.Cancel / 2): // it waits, as everything else does
		}
	}
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{PutIdleConn: isBack})
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, ts.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := do(client, req)
	if err == nil {
		resp.Body.Close()
	}
	return err
}

// TestCancelledRequestFailsAnother shows the fault in net/http that Request works around. If it fails
// because the first request succeeds, the workaround is no longer needed.
func TestCancelledRequestFailsAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		failed := false
		for range 100 { // net/http has both the response and the error, and returns either
			if failed = errors.Is(cancelAfterReuse(t, (*http.Client).Do), context.Canceled); failed {
				break
			}
		}
		if !failed {
			t.Error("net/http: want the error of the request that was cancelled; is Request still needed?")
		}
		if err := cancelAfterReuse(t, Do); err != nil {
			t.Errorf("Do: %v", err)
		}
	})
}

// TestDoSparesOthers checks that a request that is cancelled at any moment fails alone, whether or not
// its response has a body.
func TestDoSparesOthers(t *testing.T) {
	pause := func(max time.Duration) { time.Sleep(rand.N(max)) }
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		pause(200 * time.Microsecond)
		if rand.IntN(8) == 0 {
			io.WriteString(w, "a body")
			return
		}
		w.WriteHeader(http.StatusAccepted)
	}))
	defer ts.Close()
	pool := &http.Transport{MaxIdleConnsPerHost: 100}
	defer pool.CloseIdleConnections()
	client, _ := Client(&http.Client{Transport: pool})
	var all sync.WaitGroup
	for n := range 20 {
		all.Go(func() {
			for range 200 {
				ctx, cancel := context.WithCancel(t.Context())
				if n%2 == 0 {
					time.AfterFunc(rand.N(400*time.Microsecond), cancel)
				}
				req, err := http.NewRequestWithContext(ctx, http.MethodPost, ts.URL, nil)
				if err != nil {
					t.Error(err)
				}
				resp, err := Do(client, req)
				if err == nil {
					Discard(resp)
				} else if ctx.Err() == nil || !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
				cancel()
			}
		})
	}
	all.Wait()
}

// TestDoEnds checks that a request ends with its context, at once if it has a response.
func TestDoEnds(t *testing.T) {
	cause := errors.New("enough")
	for _, c := range []struct {
		name, response string // what has come when the context ends
		within         time.Duration
	}{
		{"before the response", "", waits.Cancel},
		{"in the header", "HTTP/1.1 200 OK\r\nContent-", waits.Cancel},
		{"in the body", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\na", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				client := &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
					near, far := net.Pipe()
					go func() {
						defer far.Close()
						http.ReadRequest(bufio.NewReader(far))
						io.WriteString(far, c.response)
						synctest.Wait()
						cancel(cause)
						io.Copy(io.Discard, far)
					}()
					return near, nil
				}}}
				req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://pipe/", nil)
				if err != nil {
					t.Fatal(err)
				}
				start := time.Now()
				resp, err := Do(client, req)
				if err == nil {
					_, err = io.ReadAll(resp.Body)
					resp.Body.Close()
				}
				if took := time.Since(start); !errors.Is(err, cause) || took > c.within {
					t.Errorf("after %v: %v, want %v", took, err, cause)
				}
			})
		})
	}
}
