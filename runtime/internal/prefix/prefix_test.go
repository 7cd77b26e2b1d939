package prefix

import (
	"errors"
	"fmt"
	"io"
	"testing"
)

// TestErrorf checks the texts of wrapped errors, and that they can still be recognized.
func TestErrorf(t *testing.T) {
	closed := errors.New("runtime: session closed")
	for want, err := range map[string]error{
		"runtime: connect: session closed: EOF":        Errorf("runtime: connect: %w", Errorf("runtime: %w: %w", closed, fmt.Errorf("stdio: %w", io.EOF))),
		"runtime: the session closed: 7 wire: EOF":     Errorf("runtime: the %w: %d wire: %v", closed, 7, io.EOF),
		"runtime: result: tls: bad certificate":        Errorf("runtime: result: %w", errors.New("tls: bad certificate")),
		"runtime: <nil>":                               Errorf("runtime: %v", nil),
		"runtime: /a: b: at the place: session closed": Errorf("runtime: /a: b: at the place: %s", closed),
	} {
		if err.Error() != want {
			t.Errorf("%q; want %q", err, want)
		}
	}
	err := Errorf("runtime: %w: %w", closed, Errorf("streamable: %w", io.EOF))
	if !errors.Is(err, closed) || !errors.Is(err, io.EOF) {
		t.Errorf("%v is not what it wraps", err)
	}
}
