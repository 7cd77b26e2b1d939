package examples

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/proxy"
	"github.com/mcpgen/mcpgen/runtime/stdio"
	"github.com/mcpgen/mcpgen/runtime/typed"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// askingServer is the environment variable that makes the test binary act as a server.
const askingServer = "MCPGEN_ASKING_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(askingServer) == "" {
		os.Exit(m.Run())
	}
	server, err := newAsking()
	if err == nil {
		err = stdio.Serve(context.Background(), server)
	}
	if err != nil {
		log.Fatal(err)
	}
}

type none struct{}

type answers struct {
	User  string `json:"user"`
	Model string `json:"model"`
}

// ask asks the user and the model of the client.
func ask(ctx context.Context, _ *none) (*answers, error) {
	client := mcp.NewClientCaller(runtime.CallOf(ctx))
	asked, err := client.Elicit(ctx, &mcp.ElicitRequestFormParams{
		Message: "Who are you?",
		RequestedSchema: mcp.FormSchema{
			Properties: wire.Map[mcp.PrimitiveSchemaDefinition]{{Name: "name", Value: &mcp.StringSchema{}}},
			Required:   []string{"name"},
		},
	})
	if err != nil {
		return nil, err
	}
	var form struct{ Name string }
	if asked.Action == mcp.ElicitActionAccept {
		if err := asked.Content.Decode(&form); err != nil {
			return nil, err
		}
	}
	sampled, err := client.CreateMessage(ctx, &mcp.CreateMessageRequestParams{
		MaxTokens: 10,
		Messages:  []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: &mcp.TextContent{Text: "Hello?"}}},
	})
	if err != nil {
		return nil, err
	}
	said, ok := sampled.Content.(*mcp.TextContent)
	if !ok {
		return nil, fmt.Errorf("the model said %T", sampled.Content)
	}
	return &answers{User: cmp.Or(form.Name, string(asked.Action)), Model: said.Text}, nil
}

func newAsking() (*runtime.Server, error) {
	return mcp.NewServer(mcp.ServerOptions{Name: "asking", Version: "1"}, typed.Tool(&mcp.Tool{Name: "ask"}, ask))
}

// TestClients runs the client programs with server programs, directly and through the proxy.
func TestClients(t *testing.T) {
	bin := t.TempDir()
	program := func(name string) string { return filepath.Join(bin, name) }
	for _, name := range []string{"call", "list", "answer", "proxy", "items"} {
		build(t, program(name), "./tests/examples/"+name)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ client, server, want string }{
		{"call", program("items"), "21 degrees\n"},
		{"list", program("items"), "tool get_weather\nresource weather://stations\n"},
		{"answer", self, "{\"user\":\"decline\",\"model\":\"Hello!\"}\n"},
	} {
		behind := filepath.Join(bin, c.client+".sh")
		script := fmt.Sprintf("#!/bin/sh\nexec %q %q\n", program("proxy"), c.server)
		if err := os.WriteFile(behind, []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
		for _, server := range []string{c.server, behind} {
			cmd := exec.Command(program(c.client), server)
			cmd.Env = append(os.Environ(), askingServer+"=1")
			out, err := cmd.Output()
			if err != nil || string(out) != c.want {
				t.Errorf("%s %s: got %q, %v, want %q", c.client, server, out, err, c.want)
			}
		}
	}
}

// TestProxyBytes forwards lines through the example proxy to cat, which returns them.
func TestProxyBytes(t *testing.T) {
	program := filepath.Join(t.TempDir(), "proxy")
	build(t, program, "./tests/examples/proxy")
	cmd := exec.Command(program, "cat")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	for _, line := range []string{
		`{"b":1.50,"a":[],"method":"x/y","jsonrpc":"2.0","_":"\u0041"}`,
		`{"jsonrpc":"2.0","id":12345678901234567890,"result":{"z":1e400,"y":null}}`,
	} {
		fmt.Fprintln(in, line)
		if got, err := lines.ReadString('\n'); err != nil || got != line+"\n" {
			t.Errorf("got %q, %v, want %q", got, err, line)
		}
	}
	in.Close()
	if rest, err := io.ReadAll(lines); err != nil || len(rest) > 0 {
		t.Errorf("got %q, %v", rest, err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// connected returns a transport to a server in memory.
func connected(server *runtime.Server) runtime.Transport {
	near, far := inproc.Pair()
	go server.Serve(context.Background(), far)
	return near
}

type place struct {
	City string `json:"city" jsonschema:"minLength=1"`
}

type conditions struct {
	Degrees float64 `json:"degrees"`
}

func weather(context.Context, *place) (*conditions, error) { return &conditions{Degrees: 21}, nil }

func newWeather() *runtime.Server {
	tool := typed.Tool(&mcp.Tool{Name: "get_weather"}, weather)
	server, err := mcp.NewServer(mcp.ServerOptions{Name: "weather", Version: "1.0.0"}, tool)
	if err != nil {
		log.Fatal(err)
	}
	return server
}

// A client that calls a tool by name. For a server that is a program, use the transport
// stdio.Command(exec.Command("weather")).
func Example_call() {
	ctx := context.Background()
	session, err := mcp.Connect(ctx, connected(newWeather()), mcp.ClientOptions{Name: "app", Version: "1.0.0"})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	result, err := session.CallTool(ctx, &mcp.CallToolRequestParams{
		Name:      "get_weather",
		Arguments: wire.MustObject(map[string]any{"city": "Oslo"}),
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.StructuredContent)
	// Output: {"degrees":21}
}

// A client that lists the tools of a server, page by page.
func Example_list() {
	ctx := context.Background()
	session, err := mcp.Connect(ctx, connected(newWeather()), mcp.ClientOptions{Name: "app", Version: "1.0.0"})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	for tool, err := range session.Tools(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(tool.Name)
	}
	// Output: get_weather
}

// A client that answers what a tool asks the user and the model.
func Example_answer() {
	server, err := newAsking()
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	session, err := mcp.Connect(ctx, connected(server), mcp.ClientOptions{
		Name: "app", Version: "1.0.0",
		Elicit: func(ctx context.Context, params mcp.ElicitRequestParams) (*mcp.ElicitResult, error) {
			name := mcp.ElicitResultContentScalar{Scalar: wire.ScalarOf("Ada")}
			return &mcp.ElicitResult{Action: mcp.ElicitActionAccept, Content: wire.Map[mcp.ElicitResultContent]{{Name: "name", Value: name}}}, nil
		},
		CreateMessage: func(ctx context.Context, params *mcp.CreateMessageRequestParams) (*mcp.CreateMessageResult, error) {
			return &mcp.CreateMessageResult{Role: mcp.RoleAssistant, Model: "none", Content: &mcp.TextContent{Text: "Hello!"}}, nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	result, err := session.CallTool(ctx, &mcp.CallToolRequestParams{Name: "ask"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.StructuredContent)
	// Output: {"user":"Ada","model":"Hello!"}
}

// A proxy that forwards every message as it is. A program serves it with
// stdio.Serve(ctx, proxy.New(...)), or over HTTP with streamable.NewHandler(proxy.New(...)).
func Example_proxy() {
	ctx := context.Background()
	server := newWeather()
	front, back := inproc.Pair()
	go proxy.New(func() runtime.Transport { return connected(server) }, proxy.Options{}).Serve(ctx, back)
	session, err := mcp.Connect(ctx, front, mcp.ClientOptions{Name: "app", Version: "1.0.0"})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	fmt.Println(strings.ToUpper(session.ServerInfo().Name))
	// Output: WEATHER
}
