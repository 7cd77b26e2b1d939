package contract_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
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
	"checksum":      "differs from the one that the package was generated from: its checksum is",
	"definitions":   `changed "say" at /inputSchema/type: "object", was "array"`,
	"sample":        "is valid but was rejected",
	"accepts":       "was accepted, want a problem at",
	"pointer":       `but without a problem at "/text"`,
	"wrong tool":    `a call with {"text":"a"} reached the method of "other"`,
	"wrong error":   "an error of the handler: got",
	"bad output":    "the server sent the invalid result",
	"output sample": "the result {\"text\":\"x\"} is valid but was rejected",
}

func checkText(c *schema.Checker) {
	if !c.Object(schema.Object) {
		return
	}
	var seen uint64
	for c.Member() {
		if c.Name() != "text" {
			c.Pass()
			continue
		}
		seen = 1
		c.Value(schema.String)
	}
	if seen != 1 {
		c.Missing([]string{"text"}, seen)
	}
}

func checkAnything(c *schema.Checker) { c.Pass() }

func checkNothing(c *schema.Checker) {
	c.Object(schema.Array)
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
	say := &tools.Tool{
		Name:       "say",
		Definition: wire.Object(`{"name":"say","inputSchema":{"type":"object"},"outputSchema":{"type":"object"}}`),
		Input:      checkText, Output: checkText,
	}
	show := &tools.Tool{Name: "show", Definition: wire.Object(`{"name":"show","inputSchema":{"type":"object"}}`), Input: checkText}
	checksum := "62393bedbbbf608abd9d9d26eb96fd55345188e65ea9a1930498298efea4d6b8"
	listed := *say
	samples := contract.Samples{
		Inputs:     []wire.Raw{`{"text":"a"}`},
		Refused:    []contract.Refused{{Pointer: "", Member: "text"}, {Pointer: "/text", Wrong: `7`}},
		Output:     `{"text":"x"}`,
		BadOutputs: []contract.Refused{{Pointer: "/text", Wrong: `7`}},
	}
	switch {
	case is("checksum"):
		checksum = strings.Repeat("0", 64)
	case is("definitions"):
		listed.Definition = `{"name":"say","inputSchema":{"type":"array"},"outputSchema":{"type":"object"}}`
	case is("sample"):
		say.Input = checkNothing
	case is("accepts"):
		say.Input = checkAnything
	case is("pointer"):
		say.Input = func(c *schema.Checker) { c.Object(schema.Array); c.Missing([]string{"text"}, 0) }
	case is("bad output"):
		say.Output = checkAnything
	case is("output sample"):
		say.Output = checkNothing
	}

	f := &contract.Fake{}
	fresh := func() *message { return new(message) }
	server, err := catalog.NewServer(runtime.ServerOptions{}, mcp.BindServer(mcp.UnimplementedServer{}), nil,
		tools.Structured(say, tools.Options{}, fresh, nil, func(context.Context, *message) (*message, error) {
			name := "say"
			if is("wrong tool") {
				name = "other"
			}
			err := f.Call(name)
			if is("wrong error") {
				err = errors.New("another error")
			}
			return nil, err
		}),
		tools.Content(show, tools.Options{}, fresh, nil, func(context.Context, *message) ([]mcp.ContentBlock, error) {
			return nil, f.Call("show")
		}),
	)
	if err != nil {
		t.Fatal(err)
	}
	client := runtime.NewClient(runtime.ClientOptions{Name: "test", Version: "1"}, mcp.BindClient(mcp.UnimplementedClient{}))
	session, err := client.Connect(t.Context(), contract.Connect(t, server))
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	contract.List(t, session, []catalog.Item{catalog.Tool{Definition: &listed.Definition}, catalog.Tool{Definition: &show.Definition}}, checksum)
	contract.Tool(t, session, f, say, samples)
	contract.Tool(t, session, f, show, contract.Samples{Inputs: samples.Inputs, Refused: samples.Refused})
	contract.Tool(t, session, f, show, contract.Samples{})
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

// TestListOfNone checks the list of a package without tools, whose server has no tools/list.
func TestListOfNone(t *testing.T) {
	server, err := catalog.NewServer(runtime.ServerOptions{Name: "none", Version: "1"}, mcp.BindBase(), nil)
	if err != nil {
		t.Fatal(err)
	}
	const empty = "4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945" // of []
	contract.List(t, contract.Session(t, server, mcp.BindClient(mcp.UnimplementedClient{})), nil, empty)
}
