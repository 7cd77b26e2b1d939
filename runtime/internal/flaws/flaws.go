// Package flaws shows that the tests for implementations of an interface find mistakes.
package flaws

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// variable names the environment variable with the flaw of the tested implementation.
const variable = "MCPGEN_TEST_FLAW"

// None is the name for an implementation without a flaw.
const None = "none"

// Flaw is a mistake that an implementation may have: its name, the subtest of TestFlawed that finds it, and a
// part of what that prints.
type Flaw = struct{ Name, Test, Want string }

// Run checks that each flaw is found, and that an implementation without a flaw passes. It runs TestFlawed
// of the package in a process of its own for each, because a test cannot expect the failure of another
// one.
func Run(t *testing.T, all []Flaw) {
	for _, flaw := range append([]Flaw{{None, "", "--- PASS: TestFlawed "}}, all...) {
		t.Run(flaw.Name+"/"+flaw.Test, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(os.Args[0], "-test.run=^TestFlawed$/"+flaw.Test, "-test.v")
			cmd.Env = append(os.Environ(), variable+"="+flaw.Name)
			out, err := cmd.CombinedOutput()
			if (err == nil) != (flaw.Name == None) || !strings.Contains(string(out), flaw.Want) {
				t.Errorf("%v, want %q in\n%s", err, flaw.Want, out)
			}
		})
	}
}

// Current returns the name of the flaw that TestFlawed is to test, or "" if Run has not started the process.
// TestFlawed then does nothing.
func Current() string { return os.Getenv(variable) }
