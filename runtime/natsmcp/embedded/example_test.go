package embedded_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/mcpgen/mcpgen/runtime/natsmcp"
)

// openNATS returns the store for tasks.Options, and a function that closes it.
func openNATS(ctx context.Context, url string) (*natsmcp.Store, func(), error) {
	nc, err := nats.Connect(url, nats.MaxReconnects(-1))
	if err != nil {
		return nil, nil, err
	}
	store, err := natsmcp.OpenStore(ctx, nc, natsmcp.Options{Stream: "WEATHER_TASKS"})
	if err != nil {
		nc.Close()
		return nil, nil, err
	}
	return store, func() { store.Close(); nc.Close() }, nil
}

// TestReadme runs the code that runtime/tasks/README.md shows.
func TestReadme(t *testing.T) {
	url := startNATS(t, t.TempDir()).ClientURL()
	for i := range 2 {
		store, done, err := openNATS(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		if err := store.Create(t.Context(), task(fmt.Sprint("A", i))); err != nil {
			t.Error(err)
		}
		if _, err := store.Get(t.Context(), "A0"); err != nil {
			t.Error(err)
		}
		done()
	}
	if _, _, err := openNATS(t.Context(), "nats://127.0.0.1:1"); err == nil {
		t.Error("there is no error without a server")
	}
}
