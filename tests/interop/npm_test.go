// Package interop lets programs on this module talk to programs on the official TypeScript
// SDKs, which npm installs into this folder. It holds tests only.
//
// Every session is recorded, and each of its messages is checked against the schema of the
// revision that was negotiated, see [transcript].
package interop

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// requireVariable, when set to 1, makes a missing node or npm a failure instead of a
// reason to skip.
const requireVariable = "MCPGEN_REQUIRE_INTEROP"

// Each folder with a package.json is installed once for all tests.
var (
	installPeers     = sync.OnceValue(func() error { return install(".") })
	installInspector = sync.OnceValue(func() error { return install("inspector") })
)

// needPeers makes sure that the TypeScript SDKs and server-everything are installed.
func needPeers(t *testing.T) { need(t, installPeers) }

// needInspector makes sure that the inspector is installed.
func needInspector(t *testing.T) { need(t, installInspector) }

func need(t *testing.T, installed func() error) {
	t.Helper()
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			if os.Getenv(requireVariable) == "1" {
				t.Fatalf("%s is needed for this test: %v", program, err)
			}
			t.Skipf("%s is needed for this test and not installed", program)
		}
	}
	if err := installed(); err != nil {
		t.Fatal(err)
	}
}

// install has npm install what the lock file of a folder says, unless that was done
// before.
func install(folder string) error {
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
