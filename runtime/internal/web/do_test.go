package web

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
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
			for range 500 {
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
	for name, serve := range map[string]http.HandlerFunc{
		"before the response": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"in the header": func(w http.ResponseWriter, r *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-")
			io.Copy(io.Discard, conn)
		},
		"in the body": func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusOK)
			http.NewResponseController(w).Flush()
			<-r.Context().Done()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			begun := make(chan struct{}, 1)
			ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				begun <- struct{}{}
				serve(w, r)
			}))
			defer ts.Close()
			ctx, cancel := context.WithCancelCause(t.Context())
			go func() { <-begun; cancel(cause) }()
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, ts.URL, nil)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := Do(ts.Client(), req)
			if err == nil {
				_, err = io.ReadAll(resp.Body)
				resp.Body.Close()
			}
			if !errors.Is(err, cause) {
				t.Errorf("%v, want %v", err, cause)
			}
		})
	}
}
