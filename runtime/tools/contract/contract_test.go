package contract_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	mcp "github.com/mcpgen/mcpgen/generated/mcp20251125"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/schema"
	"github.com/mcpgen/mcpgen/runtime/tools"
	"github.com/mcpgen/mcpgen/runtime/tools/contract"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// brokenVariable names the environment variable that selects the mistake in the tested
// package.
const brokenVariable = "CONTRACT_TEST_BROKEN"

// mistakes maps the mistakes that generated code or the runtime may have to the message
// with which the contract tests detect them.
var mistakes = map[string]string{
	"bad file":      "contract.gen.txt:3: ",
	"old file":      "contract.gen.txt has no checksum in its second line",
	"checksum":      "differs from the one that the package was generated from: its checksum is",
	"definitions":   `changed "say" at /inputSchema/type: "object", was "array"`,
	"sample":        "is valid but was rejected",
	"accepts":       "was accepted, want a problem at",
	"pointer":       `but without a problem at "/text"`,
	"wrong tool":    `a call with {"text":"a"} reached the method "Other"`,
	"wrong error":   "an error of the handler: got",
	"bad output":    "the server sent the invalid result",
	"output sample": "the result {\"text\":\"x\"} is valid but was rejected",
}

func checkText(c *schema.Checker) {
	if !c.Object(wire.KindObject) {
		return
	}
	var seen uint64
	for c.Member() {
		if c.Name() != "text" {
			c.Pass()
			continue
		}
		seen = 1
		c.Value(wire.KindString)
	}
	if seen != 1 {
		c.Missing([]string{"text"}, seen)
	}
}

func checkAnything(c *schema.Checker) { c.Pass() }

func checkNothing(c *schema.Checker) {
	c.Object(wire.KindArray)
	for c.Member() {
		c.Pass()
	}
}

// message is an object with a text.
type message struct{ text wire.Raw }

// DecodeJSON implements wire.Value.
func (m *message) DecodeJSON(r *wire.Reader) error {
	for r.BeginObject(); r.Member(); {
		if r.Name() == "text" {
			m.text = r.ReadRaw()
		} else {
			r.Skip()
		}
	}
	return r.Err()
}

// AppendJSON implements wire.Appender.
func (m *message) AppendJSON(dst []byte) ([]byte, error) {
	return append(append(append(dst, `{"text":`...), m.text...), '}'), nil
}

// TestRun tests a generated package, with a mistake if the environment names one.
func TestRun(t *testing.T) {
	broken := os.Getenv(brokenVariable)
	is := func(mistake string) bool { return mistake == broken }
	say := &tools.Item{
		Kind: "tool", Key: "say",
		Definition: wire.Object(`{"name":"say","inputSchema":{"type":"object"},"outputSchema":{"type":"object"}}`),
		Input:      checkText, Output: checkText,
	}
	show := &tools.Item{Kind: "tool", Key: "show", Definition: wire.Object(`{"name":"show","inputSchema":{"type":"object"}}`), Input: checkText}
	quiet := &tools.Item{Kind: "tool", Key: "quiet", Definition: wire.Object(`{"name":"quiet","inputSchema":{"type":"object"}}`), Input: checkText}
	checksum := "6c969d3b20c83b2d31c7cdb005e6ee4fd4c35fe23be25eff61d633683c6a0dd9"
	listed := *say
	switch {
	case is("checksum"):
		checksum = strings.Repeat("0", 64)
	case is("definitions"):
		listed.Definition = `{"name":"say","inputSchema":{"type":"array"},"outputSchema":{"type":"object"}}`
	case is("sample"):
		listed.Input = checkNothing
	case is("accepts"):
		listed.Input = checkAnything
	case is("pointer"):
		listed.Input = func(c *schema.Checker) { c.Object(wire.KindArray); c.Missing([]string{"text"}, 0) }
	case is("bad output"):
		listed.Output = checkAnything
	case is("output sample"):
		listed.Output = checkNothing
	}
	file := write(t, `{"checksum":"`+checksum+`"}`,
		`{"item":"tool say","method":"Say","inputs":[{"text":"a"}],"refused":[{"at":"","without":["text"]},{"value":7,"at":["/text"]}],"output":{"text":"x"},"badOutputs":[{"value":7,"at":["/text"]}]}`,
		`{"item":"tool show","method":"Show","inputs":[{"text":"a"}],"refused":[{"at":"","without":["text"]},{"value":7,"at":["/text"]}]}`,
		`{"item":"tool quiet","method":"Quiet"}`)
	switch {
	case is("bad file"):
		file = write(t, `{"checksum":"`+checksum+`"}`, "<<<<<<< HEAD")
	case is("old file"):
		file = write(t, `{"item":"tool say","inputs":[{"text":"a"}]}`)
	}
	contract.Run(t, file, []*tools.Item{&listed, show, quiet}, func(f *contract.Fake) (*runtime.Server, error) {
		fresh := func() *message { return new(message) }
		content := func(method string) func(context.Context, *message) ([]mcp.ContentBlock, error) {
			return func(context.Context, *message) ([]mcp.ContentBlock, error) { return nil, f.Call(method) }
		}
		return catalog.NewServer(runtime.ServerOptions{}, mcp.BindServer(mcp.UnimplementedServer{}), nil,
			tools.Structured(say, tools.Options{}, fresh, func(context.Context, *message) (*message, error) {
				method := "Say"
				if is("wrong tool") {
					method = "Other"
				}
				err := f.Call(method)
				if is("wrong error") {
					err = errors.New("another error")
				}
				return nil, err
			}),
			tools.Content(show, tools.Options{}, fresh, content("Show")),
			tools.Content(quiet, tools.Options{}, fresh, content("Quiet")),
		)
	}, mcp.BindClient(mcp.UnimplementedClient{}))
}

// write writes the file with the samples of a generated package, and returns its name.
func write(t *testing.T, lines ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "contract.gen.txt")
	if err := os.WriteFile(file, []byte("// A comment.\n"+strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestMistakes checks that each mistake is detected.
func TestMistakes(t *testing.T) {
	for mistake, want := range mistakes {
		cmd := exec.Command(os.Args[0], "-test.run=^TestRun$")
		cmd.Env = append(os.Environ(), brokenVariable+"="+mistake)
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v, want %q:\n%s", mistake, err, want, out)
		}
	}
}

// empty is the checksum of [].
const empty = "4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945"

// TestListOfNone checks the list of a package without tools, whose server has no tools/list.
func TestListOfNone(t *testing.T) {
	contract.Run(t, write(t, `{"checksum":"`+empty+`"}`), nil, func(*contract.Fake) (*runtime.Server, error) {
		return catalog.NewServer(runtime.ServerOptions{Name: "none", Version: "1"}, mcp.BindBase(), nil)
	}, mcp.BindClient(mcp.UnimplementedClient{}))
}
