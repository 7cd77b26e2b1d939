package examples

import (
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/stdio"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestLimits checks how many lines the programs have and how many packages of the project they
// import. Comments do not count.
func TestLimits(t *testing.T) {
	for _, program := range []struct {
		file           string
		lines, imports int
	}{
		{"typedtool/main.go", 25, 3},
		{"items/main.go", 50, 4},
		{"call/main.go", 37, 3},
		{"list/main.go", 34, 2},
		{"answer/main.go", 42, 2},
		{"proxy/main.go", 20, 3},
		{"weather/items.go", 42, 2}, // a prompt, a resource and a template of at most ten lines each
	} {
		text, err := os.ReadFile(program.file)
		if err != nil {
			t.Fatal(err)
		}
		if n := codeLines(string(text)); n > program.lines {
			t.Errorf("%s has %d lines, more than %d", program.file, n, program.lines)
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), program.file, text, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		ours := 0
		for _, spec := range parsed.Imports {
			if strings.HasPrefix(spec.Path.Value, `"github.com/mcpgen/`) {
				ours++
			}
		}
		if ours > program.imports {
			t.Errorf("%s imports %d packages of the project, more than %d", program.file, ours, program.imports)
		}
	}
}

// codeLines counts the lines that are not a comment.
func codeLines(text string) int {
	n := 0
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(strings.TrimSpace(line), "//") {
			n++
		}
	}
	return n
}

// TestReadmeCode checks that each Go block of the README files is a part of an example, or of the
// examples beside the code, apart from indentation.
func TestReadmeCode(t *testing.T) {
	var all []string
	for _, pattern := range []string{"*.go", "*/*.go", "*/*/*.go", "../bench/programs/*/*/*.go", "../../runtime/tasks/example_*.go", "../../runtime/auth/example_*.go", "../../runtime/middleware_test.go", "../../runtime/tasks/filestore/example_*.go", "../../runtime/natsmcp/embedded/example_*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, unindented(string(text)))
		}
	}
	for _, block := range blocks(t, "go") {
		found := false
		for _, text := range all {
			found = found || strings.Contains(text, unindented(block))
		}
		if !found {
			t.Errorf("a README shows code that is in none of the examples:\n%s", block)
		}
	}
}

// unindented returns a text without white space around its lines, and without empty lines.
func unindented(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			out.WriteString(line + "\n")
		}
	}
	return out.String()
}

// start builds a server and connects to it over standard input and output.
func start(t *testing.T, folder string) *runtime.Session {
	t.Helper()
	program := filepath.Join(t.TempDir(), "server")
	build(t, program, "./tests/examples/"+folder)
	ctx := testkit.Context(t)
	session, err := runtime.NewClient(runtime.ClientOptions{Name: "test", Version: "1"}, mcp.BindClient(mcp.UnimplementedClient{})).Connect(ctx, stdio.Command(exec.Command(program)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

// exchange is a request and a part of the result.
type exchange struct{ method, params, want string }

// items are exchanges with a server that has the prompt, the resource and the template of the
// examples.
var items = []exchange{
	{"prompts/get", `{"name":"report","arguments":{"city":"Oslo"}}`, `"text":"Write a weather report for Oslo."`},
	{"resources/read", `{"uri":"weather://stations"}`, `Passau"`},
	{"resources/read", `{"uri":"weather://stations/Oslo"}`, `"uri":"weather://stations/Oslo"`},
	{"completion/complete", `{"ref":{"type":"ref/prompt","name":"report"},"argument":{"name":"city","value":"O"}}`, `"values":["Oslo"]`},
	{"completion/complete", `{"ref":{"type":"ref/resource","uri":"weather://stations/{city}"},"argument":{"name":"city","value":"P"}}`, `"values":["Passau"]`},
	{"prompts/list", `{}`, `"name":"report"`},
	{"resources/list", `{}`, `"name":"stations"`},
	{"resources/templates/list", `{}`, `"name":"station"`},
}

// TestServers runs the programs and makes requests.
func TestServers(t *testing.T) {
	const every = `{"completions":{},"logging":{},"prompts":{"listChanged":true},"resources":{"listChanged":true,"subscribe":true},"tools":{"listChanged":true}}`
	weather := exchange{"tools/call", `{"name":"get_weather","arguments":{"city":"Oslo"}}`, `"structuredContent":{"degrees":21}`}
	for _, program := range []struct {
		folder       string
		capabilities wire.Object
		exchanges    []exchange
	}{
		{"typedtool", `{"logging":{},"tools":{"listChanged":true}}`, []exchange{weather, {"tools/call", `{"name":"get_weather","arguments":{"city":""}}`, `"isError":true`}}},
		{"items", every, append([]exchange{weather}, items...)},
		{"protocol", `{"tools":{}}`, []exchange{
			{"tools/list", `{}`, `"name":"hello"`},
			{"tools/call", `{"name":"hello"}`, `"text":"Hello!"`},
		}},
		{"weather", every, append([]exchange{{"tools/call", `{"name":"get_weather","arguments":{"city":"Oslo"}}`, `"text":"Oslo: `}}, items...)},
	} {
		t.Run(program.folder, func(t *testing.T) {
			session := start(t, program.folder)
			if got := session.ServerCapabilities(); got != program.capabilities {
				t.Errorf("capabilities: got %s, want %s", got, program.capabilities)
			}
			for _, e := range program.exchanges {
				var result wire.Raw
				if err := session.Call(t.Context(), e.method, wire.Raw(e.params), &result); err != nil || !strings.Contains(string(result), e.want) {
					t.Errorf("%s %s: got %s, %v, want %s", e.method, e.params, result, err, e.want)
				}
			}
		})
	}
}
