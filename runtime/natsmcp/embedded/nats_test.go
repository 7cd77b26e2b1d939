package embedded_test

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// startNATS starts a server with JetStream, whose state is in a folder, and returns it when it is ready. It ends
// with the test.
func startNATS(t testing.TB, state string) *server.Server {
	t.Helper()
	return startNATSWith(t, server.Options{JetStream: true, StoreDir: state})
}

// restartNATS ends a server and starts another one in its place.
func restartNATS(t testing.TB, s *server.Server, state string) *server.Server {
	t.Helper()
	port := s.Addr().(*net.TCPAddr).Port
	s.Shutdown()
	s.WaitForShutdown()
	return startNATSWith(t, server.Options{Port: port, JetStream: true, StoreDir: state})
}

// startNATSWith starts a server with options.
func startNATSWith(t testing.TB, o server.Options) *server.Server {
	t.Helper()
	s := runNATS(t, o)
	await(t, s)
	return s
}

func runNATS(t testing.TB, o server.Options) *server.Server {
	t.Helper()
	o.Host, o.Port, o.NoSigs, o.NoLog = "127.0.0.1", cmp.Or(o.Port, server.RANDOM_PORT), true, true
	s, err := server.NewServer(&o)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	return s
}

// await waits until a server takes connections.
func await(t testing.TB, s *server.Server) {
	t.Helper()
	for !s.ReadyForConnections(time.Second) {
		if !s.Running() {
			t.Fatal("the NATS server has ended")
		}
	}
}

// connect returns a connection of its own.
func connect(t testing.TB, s *server.Server) *nats.Conn {
	t.Helper()
	return connectTo(t, s.ClientURL())
}

func connectTo(t testing.TB, url string) *nats.Conn {
	t.Helper()
	nc, err := nats.Connect(url, nats.MaxReconnects(-1), nats.ReconnectWait(10*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}

// cluster is a cluster of three servers.
type cluster []*server.Server

// startCluster starts a cluster, and returns it when it has a leader. It ends with the test.
func startCluster(t testing.TB) cluster {
	t.Helper()
	ports, routes := freePorts(t)
	var c cluster
	for i, port := range ports {
		c = append(c, runNATS(t, server.Options{
			ServerName: fmt.Sprint("node", i), JetStream: true, StoreDir: t.TempDir(),
			Cluster: server.ClusterOpts{Name: "test", Host: "127.0.0.1", Port: port}, Routes: routes,
		}))
	}
	for _, s := range c {
		await(t, s)
	}
	for !c.hasLeader() {
		time.Sleep(time.Millisecond) // the server has no event for it
	}
	return c
}

// freePorts returns the ports of three servers, and where each finds the others.
func freePorts(t testing.TB) (ports []int, routes []*url.URL) {
	t.Helper()
	for range 3 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close() // when all are known, so that they differ
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
		routes = append(routes, &url.URL{Scheme: "nats", Host: l.Addr().String()})
	}
	return ports, routes
}

func (c cluster) hasLeader() bool {
	for _, s := range c {
		if s.JetStreamIsLeader() && len(s.JetStreamClusterPeers()) == len(c) {
			return true
		}
	}
	return false
}

// Connect returns a connection to the cluster.
func (c cluster) Connect(t testing.TB) *nats.Conn {
	t.Helper()
	var urls []string
	for _, s := range c {
		urls = append(urls, s.ClientURL())
	}
	return connectTo(t, strings.Join(urls, ","))
}

// Leader returns the server that leads a stream. It waits while the cluster chooses one.
func (c cluster) Leader(t testing.TB, nc *nats.Conn, stream string) *server.Server {
	t.Helper()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	for t.Context().Err() == nil {
		ctx, done := context.WithTimeout(t.Context(), time.Second) // a server that has just ended does not answer
		s, err := js.Stream(ctx, stream)
		done()
		if err != nil {
			continue
		}
		leader := s.CachedInfo().Cluster.Leader
		for _, one := range c {
			if one.Name() == leader && one.Running() {
				return one
			}
		}
	}
	t.Fatal("the test has ended")
	return nil
}
