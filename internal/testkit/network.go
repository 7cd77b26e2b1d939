package testkit

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
)

// Network is a network in memory with one server. A write to a connection waits until it is read, and deadlines
// are those of the bubble of testing/synctest that it is used in. It is the server's net.Listener.
type Network struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

// NewNetwork returns a network.
func NewNetwork() *Network {
	return &Network{conns: make(chan net.Conn), closed: make(chan struct{})}
}

// NewServer starts a server of HTTP on a network of its own. Only its Client reaches it.
func NewServer(h http.Handler) *httptest.Server {
	n := NewNetwork()
	s := httptest.NewUnstartedServer(h)
	s.Listener.Close()
	s.Listener = n
	s.Start()
	s.Client().Transport.(*http.Transport).DialContext = n.DialContext
	return s
}

// DialContext connects to the server, whatever the address.
func (n *Network) DialContext(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case n.conns <- server:
		return client, nil
	case <-n.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept implements net.Listener.
func (n *Network) Accept() (net.Conn, error) {
	select {
	case c := <-n.conns:
		return c, nil
	case <-n.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (n *Network) Close() error {
	n.once.Do(func() { close(n.closed) })
	return nil
}

// Addr implements net.Listener.
func (*Network) Addr() net.Addr { return &net.UnixAddr{Name: "memory", Net: "memory"} }
