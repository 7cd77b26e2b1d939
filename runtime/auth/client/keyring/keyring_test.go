package keyring_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	system "github.com/zalando/go-keyring"

	"github.com/mcpgen/mcpgen/runtime/auth/client/keyring"
)

func TestOpen(t *testing.T) {
	system.MockInit()
	folder := t.TempDir()
	first, err := keyring.Open(t.Context(), folder, "program")
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Set(t.Context(), "key", []byte("hidden")); err != nil {
		t.Fatal(err)
	}
	second, err := keyring.Open(t.Context(), folder, "program")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := second.Get(t.Context(), "key"); string(got) != "hidden" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	files, _ := filepath.Glob(filepath.Join(folder, "*"))
	for _, file := range files {
		if text, _ := os.ReadFile(file); strings.Contains(string(text), "hidden") {
			t.Errorf("%s is not encrypted", file)
		}
	}
	// Without the key the values are lost, not misread.
	system.MockInit()
	third, err := keyring.Open(t.Context(), folder, "program")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := third.Get(t.Context(), "key"); err == nil || !strings.Contains(err.Error(), "encrypted by another key") {
		t.Errorf("got %v", err)
	}
}

func TestNoKeyring(t *testing.T) {
	system.MockInitWithError(system.ErrUnsupportedPlatform)
	if _, err := keyring.Open(t.Context(), t.TempDir(), "program"); err == nil || !strings.HasPrefix(err.Error(), "keyring of the system: ") {
		t.Errorf("got %v", err)
	}
}
