package natstest

import (
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

// Cluster is a cluster of three servers.
type Cluster []*server.Server

// StartCluster starts a cluster, and returns it when it has a leader. It ends with the test.
func StartCluster(t testing.TB) Cluster {
	t.Helper()
	ports, routes := freePorts(t)
	var c Cluster
	for i, port := range ports {
		c = append(c, start(t, server.Options{
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

func (c Cluster) hasLeader() bool {
	for _, s := range c {
		if s.JetStreamIsLeader() && len(s.JetStreamClusterPeers()) == len(c) {
			return true
		}
	}
	return false
}

// Connect returns a connection to the cluster.
func (c Cluster) Connect(t testing.TB) *nats.Conn {
	t.Helper()
	var urls []string
	for _, s := range c {
		urls = append(urls, s.ClientURL())
	}
	return connect(t, strings.Join(urls, ","))
}

// Leader returns the server that leads a stream. It waits while the cluster chooses one.
func (c Cluster) Leader(t testing.TB, nc *nats.Conn, stream string) *server.Server {
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
