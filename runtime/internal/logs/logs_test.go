package logs

import (
	"bytes"
	"log/slog"
	"testing"
)

// TestOr checks that records without a logger of their own reach the slog.Default that is set later.
func TestOr(t *testing.T) {
	own := slog.New(slog.DiscardHandler)
	if Or(own, slog.LevelWarn) != own {
		t.Error("a logger is replaced")
	}
	log := Or(nil, slog.LevelWarn).With("a", 1).WithGroup("g").With("b", 2)
	var out bytes.Buffer
	defer slog.SetDefault(slog.Default())
	slog.SetDefault(slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}})))
	if All(own) != own {
		t.Error("a logger is replaced")
	}
	log.Info("below the level")
	log.Warn("w", "c", 3)
	All(log).Info("i")
	if got, want := out.String(), "level=WARN msg=w a=1 g.b=2 g.c=3\nlevel=INFO msg=i a=1 g.b=2\n"; got != want {
		t.Errorf("logged %q, want %q", got, want)
	}
}
