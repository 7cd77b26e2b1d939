package replicas

import (
	"io"
	"log"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
)

// balancer is a proxy that sends each request to a replica at random, and repeats none. A request to a replica
// that is dead gets status 502.
type balancer struct {
	*httptest.Server
	refused atomic.Int64 // requests with status 502

	mu       sync.Mutex
	replicas []*url.URL
}

func newBalancer(t *testing.T, slots int) *balancer {
	b := &balancer{replicas: make([]*url.URL, slots)}
	proxy := &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(b.pick()) },
		Transport:     &http.Transport{MaxIdleConnsPerHost: 10_000},
		FlushInterval: -1,                         // events leave at once
		ErrorLog:      log.New(io.Discard, "", 0), // of connections to replicas that are killed
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) {
			b.refused.Add(1)
			w.WriteHeader(http.StatusBadGateway)
		},
	}
	b.Server = httptest.NewServer(proxy)
	t.Cleanup(b.CloseClientConnections) // Close would wait for them
	return b
}

// set puts a replica into a slot.
func (b *balancer) set(slot int, address string) {
	u, err := url.Parse(address)
	if err != nil {
		panic(err) // it is the address of a listener
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.replicas[slot] = u
}

func (b *balancer) pick() *url.URL {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.replicas[rand.IntN(len(b.replicas))]
}
