// Package npm installs, for tests, what the package-lock.json of a folder says.
package npm

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// requireVariable, when set to 1, makes a missing program a failure instead of a reason
// to skip.
const requireVariable = "MCPGEN_REQUIRE_INTEROP"

// Need makes sure that the packages of a folder are installed. Where there is no node or
// npm the test is skipped, or fails when they are required.
func Need(t testing.TB, folder string) {
	t.Helper()
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			Missing(t, fmt.Sprintf("%s: %v", program, err))
		}
	}
	if err := install(folder); err != nil {
		t.Fatal(err)
	}
}

// Missing skips a test for lack of a program, or fails it when programs are required.
func Missing(t testing.TB, what string) {
	t.Helper()
	if os.Getenv(requireVariable) == "1" {
		t.Fatalf("needed for this test: %s", what)
	}
	t.Skipf("needed for this test: %s", what)
}

// installing is held while npm works, which it must not do twice in a folder.
var installing sync.Mutex

// install has npm do its work, unless that was done before.
func install(folder string) error {
	installing.Lock()
	defer installing.Unlock()
	// The copy of the lock file is made last, so it tells of a complete installation.
	done := filepath.Join(folder, "node_modules", ".installed-package-lock.json")
	lock, err := os.ReadFile(filepath.Join(folder, "package-lock.json"))
	if err != nil {
		return err
	}
	if have, err := os.ReadFile(done); err == nil && bytes.Equal(have, lock) {
		return nil
	}
	cmd := exec.Command("npm", "ci", "--ignore-scripts")
	cmd.Dir = folder
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("npm ci in %s: %w\n%s", folder, err, out)
	}
	return os.WriteFile(done, lock, 0o644)
}
