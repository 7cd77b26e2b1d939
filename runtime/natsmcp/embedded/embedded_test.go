package embedded_test

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/mcpgen/mcpgen/runtime/natsmcp"
	"github.com/mcpgen/mcpgen/runtime/natsmcp/embedded"
)

func startServer(t *testing.T, o embedded.Options) *embedded.Server {
	t.Helper()
	s, err := embedded.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() }) // it may be closed
	return s
}

// TestRestart checks that what is stored survives the end of the server, and that a folder has one server at
// a time.
func TestRestart(t *testing.T) {
	for _, unsynced := range []bool{false, true} {
		o := embedded.Options{Dir: filepath.Join(t.TempDir(), "new", "state"), Unsynced: unsynced}
		for round := range 3 {
			s := startServer(t, o)
			if _, err := embedded.Start(t.Context(), o); err == nil || !strings.Contains(err.Error(), "in use by another process") {
				t.Errorf("a second server: %v", err)
			}
			if url := s.URL(); url != "" {
				t.Errorf("a server for this process alone has the URL %s", url)
			}
			nc, err := s.Connect()
			if err != nil {
				t.Fatal(err)
			}
			store, err := natsmcp.OpenStore(t.Context(), nc, natsmcp.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if round > 0 {
				if r, err := store.Get(t.Context(), "A"); err != nil || r.Method != "tools/call" {
					t.Errorf("after a restart: %+v, %v", r, err)
				}
			} else if err := store.Create(t.Context(), task("A")); err != nil {
				t.Fatal(err)
			}
			if err := store.Close(); err != nil {
				t.Error(err)
			}
			nc.Close()
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestListen checks that other processes reach a server with an address.
func TestListen(t *testing.T) {
	s := startServer(t, embedded.Options{Dir: t.TempDir(), Listen: "127.0.0.1:0"})
	nc, err := nats.Connect(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	if _, err := natsmcp.OpenStore(t.Context(), nc, natsmcp.Options{}); err != nil {
		t.Error(err)
	}
}

// TestStartErrors checks that Start says what is wrong.
func TestStartErrors(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	o := embedded.Options{Dir: t.TempDir(), Listen: "127.0.0.1:0", Logger: slog.New(slog.NewTextHandler(&log, nil))}
	taken := strings.TrimPrefix(startServer(t, o).URL(), "nats://")
	var unlogged bytes.Buffer
	defer slog.SetDefault(slog.Default())
	slog.SetDefault(slog.New(slog.NewTextHandler(&unlogged, nil)))
	for want, o := range map[string]embedded.Options{
		"Options.Dir is empty":               {},
		"not a directory":                    {Dir: file},
		`Options.Listen is "4222"`:           {Dir: t.TempDir(), Listen: "4222"},
		`Options.Listen is "127.0.0.1:nats"`: {Dir: t.TempDir(), Listen: "127.0.0.1:nats"},
		"address already in use":             {Dir: t.TempDir(), Listen: taken},
	} {
		s, err := embedded.Start(t.Context(), o)
		if err == nil || !strings.Contains(err.Error(), want) || s != nil {
			t.Errorf("%+v: %v, want %q", o, err, want)
		}
	}
	if !strings.Contains(unlogged.String(), "level=ERROR") || !strings.Contains(unlogged.String(), "address already in use") {
		t.Errorf("without a logger, slog.Default gets %q", unlogged.String())
	}
}
