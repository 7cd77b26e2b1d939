package main

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/mcpgen/mcpgen/runtime/streamable"
)

// sessions are those of a handler of HTTP requests.
type sessions interface {
	http.Handler
	Close()
}

// serveHTTP has a handler serve a path until ctx ends, then waits for what is under way.
func serveHTTP(ctx context.Context, log *slog.Logger, address, path string, h sessions) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle(path, h)
	server := streamable.NewServer(mux)
	server.RegisterOnShutdown(h.Close) // else the streams that clients keep open hold it up
	log.Info("listening", "url", "http://"+listener.Addr().String()+path)

	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	return server.Shutdown(ctx)
}
