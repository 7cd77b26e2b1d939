// Package interop tests programs of this module with programs of the official TypeScript SDKs,
// which npm installs into this folder. It contains only tests.
//
// Every session is recorded, and each of its messages is checked against the schema of the
// negotiated revision; see [transcript].
package interop

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	// The programs import these packages, so go test must not cache results across their
	// changes.
	_ "github.com/mcpgen/mcpgen/gen"
	_ "github.com/mcpgen/mcpgen/generated"
	"github.com/mcpgen/mcpgen/internal/testkit"
	_ "github.com/mcpgen/mcpgen/runtime/stdio"
	_ "github.com/mcpgen/mcpgen/runtime/streamable"
)

// built is the folder of the built programs.
var built string

// buildPrograms builds the programs once for all tests.
var buildPrograms = sync.OnceValue(func() error {
	sources := []string{"../../cmd/mcpgen", "../examples/hello"}
	// go test caches a result by the imports and the files that the test opens.
	for _, folder := range sources {
		names, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil {
			return err
		}
		for _, name := range names {
			if _, err := os.ReadFile(name); err != nil {
				return err
			}
		}
	}
	out, err := exec.Command("go", append([]string{"build", "-o", built}, sources...)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	return nil
})

// program returns the path of mcpgen or of the example server hello.
func program(t *testing.T, name string) string {
	t.Helper()
	if err := buildPrograms(); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(built, name)
}

// startHTTP starts a server that listens. It returns the rest of the line after mark in the
// server's log, and the log. The server is interrupted when the test ends. If the command has a
// Stderr, that receives the log too.
func startHTTP(t *testing.T, cmd *exec.Cmd, mark string) (string, *buffer) {
	t.Helper()
	log := new(buffer)
	if cmd.Stderr != nil {
		cmd.Stderr = io.MultiWriter(cmd.Stderr, log)
	} else {
		cmd.Stderr = log
	}
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(os.Interrupt)
		kill := time.AfterFunc(testkit.Limit, func() { cmd.Process.Kill() })
		defer kill.Stop()
		err := cmd.Wait()
		if len(cmd.Args) > 1 && cmd.Args[1] == "proxy" && cmd.ProcessState.ExitCode() == 1 {
			return // the proxy exits with 1 because it found deliberate violations
		}
		if err != nil && !strings.Contains(err.Error(), "signal: interrupt") && cmd.ProcessState.ExitCode() != interrupted {
			t.Errorf("the server exited with %v; its log:\n%s", err, log)
		}
	})
	log.wait(t, mark)
	_, rest, _ := strings.Cut(log.String(), mark)
	line, _, _ := strings.Cut(rest, "\n")
	return line, log
}

// interrupted is the exit code of the verbs of mcpgen after SIGINT.
const interrupted = 130

// buffer is written by a process while the test reads it.
type buffer struct{ testkit.Buffer }

// wait waits for a line that contains the text.
func (b *buffer) wait(t *testing.T, text string) {
	t.Helper()
	if !testkit.Eventually(func() bool {
		_, rest, ok := strings.Cut(b.String(), text)
		return ok && strings.Contains(rest, "\n")
	}) {
		t.Fatalf("the server's log has no %q:\n%s", text, b.String())
	}
}
