package diff

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/tests/internal/pinned"
)

// program builds mcpgen and returns the path of it.
func program(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "mcpgen")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", name, "../../cmd/mcpgen").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return name
}

// runDiff runs mcpgen diff and returns its output and exit code.
func runDiff(t *testing.T, program string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(t.Context(), program, append([]string{"diff"}, args...)...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = t.TempDir(), &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// last is the line with which the report of a comparison ends.
var last = regexp.MustCompile(`(?m)^(\S+) -> (\S+): (\d+) methods compared, (\d+) unchanged, .*: (\d+) err, (\d+) warn, (\d+) info, `)

// TestUpstreamPairs compares every revision with every other and with itself, each
// from the upstream's file and, if it is pinned, from its pin: all can be read, and
// nothing differs from itself.
func TestUpstreamPairs(t *testing.T) {
	shared := os.Getenv("MCPGEN_SHARED")
	if shared == "" {
		shared = "../../../shared"
	}
	found, err := filepath.Glob(filepath.Join(shared, "upstream", "????-??-??", "schema.json"))
	if err != nil || len(found) == 0 {
		t.Skip("no upstream schemas: set MCPGEN_SHARED")
	}
	files := map[string]string{}
	var revisions []string
	for _, name := range found {
		if name, err = filepath.Abs(name); err != nil {
			t.Fatal(err)
		}
		revision := filepath.Base(filepath.Dir(name))
		files[revision] = name
		revisions = append(revisions, revision)
	}
	type pair struct{ name, old, new string }
	var pairs []pair
	for _, old := range revisions {
		for _, new := range revisions {
			pairs = append(pairs, pair{"files " + old + " " + new, files[old], files[new]})
			_, pinnedOld := pinned.Spec(t).Pin(old)
			_, pinnedNew := pinned.Spec(t).Pin(new)
			if pinnedOld {
				pairs = append(pairs, pair{"pin and file " + old + " " + new, old, files[new]})
			}
			if pinnedNew {
				pairs = append(pairs, pair{"file and pin " + old + " " + new, files[old], new})
			}
		}
	}
	mcpgen := program(t)
	busy := make(chan struct{}, runtime.GOMAXPROCS(0))
	t.Run("pairs", func(t *testing.T) {
		for _, p := range pairs {
			t.Run(p.name, func(t *testing.T) {
				t.Parallel()
				busy <- struct{}{}
				defer func() { <-busy }()
				stdout, stderr, code := runDiff(t, mcpgen, p.old, p.new)
				said := last.FindStringSubmatch(stdout)
				if code > 1 || stderr != "" || said == nil {
					t.Fatalf("exit code %d\n%s\n%.1000s", code, stdout, stderr)
				}
				words := strings.Fields(p.name)
				if words[len(words)-2] != words[len(words)-1] {
					return
				}
				if code != 0 || said[3] != said[4] || said[5]+said[6]+said[7] != "000" {
					t.Errorf("it differs from itself:\n%s", stdout)
				}
			})
		}
	})
}
