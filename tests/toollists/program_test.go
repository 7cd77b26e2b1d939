package toollists

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/gen/skeleton"
)

// maxProgram is the maximum size, in bytes, of a stripped server with one tool that uses
// standard input and output: 1% more than the 4,366,498 bytes measured with Go 1.26. A program that does
// nothing but log through log/slog has 2,050,000 of them. The cryptography that seals the states of requests
// (runtime/internal/seal) takes 213,000, of which crypto/rand alone takes 180,000. Every server that speaks a
// revision without sessions needs it, because any handler may ask the client.
const maxProgram = 4_410_000

// oneTool is a list of a tool with content blocks and one with a structured result.
const oneTool = `{"tools":[{
	"name": "get_weather",
	"description": "Tells the weather in a city as it is now.",
	"inputSchema": {
		"type": "object",
		"properties": {
			"city": {"type": "string", "minLength": 1},
			"units": {"enum": ["metric", "imperial"], "default": "metric"}
		},
		"required": ["city"]
	},
	"outputSchema": {
		"type": "object",
		"properties": {"degrees": {"type": "number"}, "sky": {"type": "string"}},
		"required": ["degrees"]
	}
}]}`

// TestProgram checks what a server that uses only standard input and output links.
func TestProgram(t *testing.T) {
	list, err := skeleton.Read("tools.json", []byte(oneTool))
	if err != nil {
		t.Fatal(err)
	}
	made, err := skeleton.Server(skeleton.Options{List: list, Source: "tools.json", Package: "main"})
	if err != nil {
		t.Fatal(err)
	}
	users, err := skeleton.User(skeleton.UserOptions{Name: "weather", Package: "main", Source: "tools.json", Types: made.Package, Survey: &skeleton.Survey{}})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	module(t, dir)
	write(t, dir, made.Files)
	write(t, dir, users)
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}

	deps := strings.Fields(run("list", "-deps", "."))
	for _, path := range []string{"net", "net/http", "flag", "text/template"} {
		if slices.Contains(deps, path) {
			t.Errorf("it imports %s", path)
		}
	}

	run("build", "-trimpath", "-o", "symbols", ".")
	symbols := run("tool", "nm", "symbols")
	for name, what := range map[string]string{
		"regexp.compile":                     "regular expressions, though no schema has a pattern",
		"uritemplate/v3.(*compiler)":         "the matching of URI templates, though there are none",
		"math/big.(*Int)":                    "big integers, though nothing is a multiple of one",
		"runtime.(*resultCache)":             "the cache of clients",
		"runtime.(*clientEra)":               "the client's half of a connection",
		"os/exec.(*Cmd)":                     "the starting of commands",
		".(*CallToolResult).DecodeJSON":      "the codec of a method that the catalog answers",
		".(*ReadResourceResult).DecodeJSON":  "the codec of a method that the catalog answers",
		".(*CreateMessageResult).DecodeJSON": "the codec of a method of clients",
		".(*InitializeResult).":              "the codec of a result that the runtime writes",
		".(*InitializeRequestParams).Append": "the encoder of params that a server only reads",
		"time.parseTimeZone":                 "the layouts of times, though all have the form of RFC 3339",
	} {
		if strings.Contains(symbols, name) {
			t.Errorf("it links %s: %s", name, what)
		}
	}
	if !strings.Contains(symbols, ".(*InitializeRequestParams).DecodeJSON") {
		t.Error("it does not check the params of initialize")
	}

	run("build", "-trimpath", "-ldflags", "-s -w", "-o", "stripped", ".")
	info, err := os.Stat(filepath.Join(dir, "stripped"))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes", info.Size())
	if info.Size() > maxProgram {
		t.Errorf("the program has %d bytes, more than %d", info.Size(), maxProgram)
	}
}
