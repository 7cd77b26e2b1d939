package programs

import (
	"encoding/json"
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestImportGo imports the lists of Go programs on each library with mcpgen tools import --go, over
// stdio and over HTTP.
func TestImportGo(t *testing.T) {
	mcpgen := filepath.Join(t.TempDir(), "mcpgen")
	build := exec.Command("go", "build", "-o", mcpgen, "./cmd/mcpgen")
	build.Dir = "../../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	address := freeAddress(t)
	for _, test := range []struct {
		name, tool, next string
		args             []string
	}{
		{"Go SDK", "get_weather", "--cmd 'go run ./gosdk/typedtool'", []string{"--go", "./gosdk/typedtool"}},
		{"mcp-go", "get_weather", "--cmd 'go run ./mcpgo/typedtool'", []string{"--go", "./mcpgo/typedtool"}},
		{"import path", "get_weather", "--cmd 'go run github.com/mcpgen/mcpgen/tests/bench/programs/mcpgo/typedtool -v'",
			[]string{"--go", "github.com/mcpgen/mcpgen/tests/bench/programs/mcpgo/typedtool", "--", "-v"}},
		{"another module, over HTTP", "get_forecast", "--url http://" + address + "/mcp",
			[]string{"--go", "../../examples/weather", "--url", "http://" + address + "/mcp", "--", "--http", address}},
	} {
		t.Run(test.name, func(t *testing.T) {
			list := filepath.Join(t.TempDir(), "tools.json")
			out, err := exec.Command(mcpgen, append([]string{"tools", "import", "--json", "-o", list}, test.args...)...).Output()
			if err != nil {
				t.Fatalf("%v\n%s", err, stderr(err))
			}
			var report struct {
				Tools int
				Next  []string
			}
			if err := json.Unmarshal(out, &report); err != nil {
				t.Fatal(err)
			}
			if report.Tools == 0 || !strings.Contains(strings.Join(report.Next, "\n"), "mcpgen diff "+list+" "+test.next) {
				t.Errorf("%s", out)
			}
			out, err = exec.Command(mcpgen, "tools", "import", "-o", "-", list).Output()
			if err != nil || !strings.Contains(string(out), `"name": "`+test.tool+`"`) {
				t.Errorf("%v\n%s%s", err, out, stderr(err))
			}
		})
	}
	for _, test := range []struct {
		want string
		args []string
	}{
		{"--go ../../internal/everything: the package is not a program", []string{"--go", "../../internal/everything"}},
		{"--go ./none: go install: exit status 1", []string{"--go", "./none"}},
		{"the program ended before it listened at " + address + ": exit status", []string{"--go", "../../examples/weather", "--url", "http://" + address, "--", "--nonsense"}},
		{"expected one of --cmd, --url, --go, --openapi and FILE", []string{"--go", "./gosdk/typedtool", "--cmd", "x"}},
		{`unexpected argument "more": the arguments of --go ./gosdk/typedtool follow --`, []string{"--go", "./gosdk/typedtool", "more"}},
	} {
		_, err := exec.Command(mcpgen, append([]string{"tools", "import", "-o", "-"}, test.args...)...).Output()
		if got := stderr(err); !strings.Contains(got, test.want) {
			t.Errorf("%q: %s, want %s", test.args, got, test.want)
		}
	}
}

// stderr returns what a failed command has printed to standard error.
func stderr(err error) string {
	if exit, ok := err.(*exec.ExitError); ok {
		return string(exit.Stderr)
	}
	return ""
}

// freeAddress returns an address at which nothing listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
