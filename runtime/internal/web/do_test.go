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
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestDoSparesOthers holds that a request which is cancelled at any moment fails alone,
// whether or not its response has a body. With http.Client.Do it takes others with it,
// some in 100,000.
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
	client := Client(&http.Client{Transport: pool})
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

// TestDoEnds holds that a request ends with its context, wherever it is.
func TestDoEnds(t *testing.T) {
	cause := errors.New("enough")
	for _, c := range []struct {
		name, response string // what has come when the context ends
		within         time.Duration
	}{
		{"before the response", "", settle},
		{"in the header", "HTTP/1.1 200 OK\r\nContent-", settle + headerWait},
		{"in the body", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\na", settle},
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
