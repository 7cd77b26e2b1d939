// Package npm installs the packages in a folder's package-lock.json for tests.
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

// requireVariable, if set to 1, makes a missing program a failure instead of a skip.
const requireVariable = "MCPGEN_REQUIRE_INTEROP"

// Need installs the packages of a folder. Without node or npm it skips the test, or fails it if
// they are required.
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

// Missing skips a test because a program is missing, or fails it if programs are required.
func Missing(t testing.TB, what string) {
	t.Helper()
	if os.Getenv(requireVariable) == "1" {
		t.Fatalf("needed for this test: %s", what)
	}
	t.Skipf("needed for this test: %s", what)
}

// installing is held during npm ci, which must not run twice in a folder.
var installing sync.Mutex

// install runs npm ci unless the packages are already installed.
func install(folder string) error {
	installing.Lock()
	defer installing.Unlock()
	// The lock file is copied last, so its copy marks a complete installation.
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
