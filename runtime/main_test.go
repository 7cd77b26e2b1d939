package runtime_test

import (
	"log/slog"
	"os"
	"testing"
)

// TestMain discards the log of handlers that fail on purpose.
func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	os.Exit(m.Run())
}
