//lint:file-ignore SA1019 the test uses every feature, also those that are deprecated

package interop

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/mcp20260728"
	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/stdio"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
	"github.com/mcpgen/mcpgen/tests/internal/npm"
)

// bridgeTo returns the command line of mcpgen bridge, or the URL of one, in front of a server.
func bridgeTo(t *testing.T, way string, server ...string) []string {
	t.Helper()
	args := append([]string{"bridge", "--report", filepath.Join(t.TempDir(), "losses.json")}, server...)
	if way == "stdio" {
		return append([]string{program(t, "mcpgen")}, args...)
	}
	args = append([]string{"bridge", "--listen", "127.0.0.1:0"}, args[1:]...)
	url, _ := startHTTP(t, exec.Command(program(t, "mcpgen"), args...), "mcpgen bridge: ")
	url, _, _ = strings.Cut(url, " ")
	return []string{url}
}

// recorded returns the command line of a proxy that records the messages of a command in a file. No word of
// the command has a space or a quote, unless it is the command of another proxy.
func recorded(t *testing.T, file string, command []string) []string {
	t.Helper()
	words := make([]string, len(command))
	for i, word := range command {
		if words[i] = word; strings.Contains(word, " ") {
			words[i] = "'" + word + "'"
		}
	}
	return []string{program(t, "mcpgen"), "proxy", "--record", file, "--cmd", strings.Join(words, " ")}
}

// recordedURL returns the URL of a proxy that records the messages of a server at a URL in a file.
func recordedURL(t *testing.T, file, server string) string {
	t.Helper()
	return watch(t, exec.Command(program(t, "mcpgen"), "proxy", "--record", file, "--url", server, "--listen", "127.0.0.1:0"))
}

// nullID is the fault that verify finds when the TypeScript SDK answers an HTTP request that belongs to no
// session, such as the probe server/discover: its error has the id null.
const nullID = "/id: expected a string or an integer, found null [schema]"

// checkRecordings checks that recordings of sessions or of stateless requests are valid. It ignores findings
// with the text of a known fault of the peer, which is "" if there is none.
func checkRecordings(ctx context.Context, t *testing.T, kinds map[string]string, fault string) {
	t.Helper()
	for file, kind := range kinds {
		out, err := exec.CommandContext(ctx, program(t, "mcpgen"), "verify", file).CombinedOutput()
		findings := strings.Split(strings.TrimSpace(string(out)), "\n")
		findings = findings[:len(findings)-1] // the last line counts them
		findings = slices.DeleteFunc(findings, func(finding string) bool { return fault != "" && strings.HasSuffix(finding, fault) })
		if code := new(exec.ExitError); err != nil && !errors.As(err, &code) || len(findings) > 0 {
			t.Errorf("mcpgen verify: %v\n%s", err, out)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if called := eraOfCalls(string(text)); called != kind {
			t.Errorf("%s is no recording of a %s:\n%.2000s", filepath.Base(file), kind, text)
		}
	}
}

// eraOfCalls returns the kind of the calls of tools in a recording, or "" if there are none. Over stdio, a bridge
// may also have sent initialize to a server without sessions, if that was slow.
func eraOfCalls(recording string) string {
	for line := range strings.Lines(recording) {
		if !strings.Contains(line, `\"method\":\"tools/call\"`) {
			continue
		}
		if strings.Contains(line, "io.modelcontextprotocol/protocolVersion") {
			return "stateless"
		}
		return "session"
	}
	return ""
}

// TestBridgeEras has clients that know one era only call servers that know the other one only, through a
// bridge. Each client works as with a server of its own era, and what passes on both sides of the bridge is
// valid in the revisions of the sides.
func TestBridgeEras(t *testing.T) {
	t.Parallel()
	npm.Need(t, ".")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, sides := range []struct{ client, server string }{{"mcpgen", "typescript"}, {"typescript", "typescript"}, {"typescript", "mcpgen"}} {
		for _, way := range []string{"stdio", "http"} {
			for _, kinds := range [][2]string{{"session", "stateless"}, {"stateless", "session"}} {
				client, server := kinds[0], kinds[1]
				t.Run(sides.client+" to "+sides.server+" over "+way+": "+client+" to "+server, func(t *testing.T) {
					ctx := testkit.Context(t)
					command := []string{self, eraArgument, server}
					if sides.server == "typescript" {
						command = []string{"node", "eras_server.mjs", server, way}
					}
					front, back := filepath.Join(t.TempDir(), "front.jsonl"), filepath.Join(t.TempDir(), "back.jsonl")
					var target []string
					if way == "http" {
						behind := recordedURL(t, back, eraURL(t, sides.server, server, command))
						target = []string{recordedURL(t, front, bridgeTo(t, way, "--url", behind)[0])}
					} else {
						target = recorded(t, front, bridgeTo(t, way, append([]string{"--"}, recorded(t, back, command)...)...))
					}
					checkEra(t, client, meetAt(ctx, t, sides.client, client, way, target))
					fault := ""
					if sides.server == "typescript" && server == "session" && way == "http" {
						fault = nullID
					}
					checkRecordings(ctx, t, map[string]string{front: client, back: server}, fault)
				})
			}
		}
	}
}

// meetAt returns what a client of a kind sees of the server at a command line or URL.
func meetAt(ctx context.Context, t *testing.T, client, kind, way string, target []string) outcome {
	t.Helper()
	if client == "mcpgen" {
		return eraClient(ctx, kind, transportTo(way, target))
	}
	out, err := exec.CommandContext(ctx, "node", append([]string{"eras_client.mjs", kind, way}, target...)...).Output()
	if err != nil {
		t.Fatalf("node: %v", err)
	}
	var o outcome
	if err := json.Unmarshal(out, &o); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return o
}

func transportTo(way string, target []string) runtime.Transport {
	if way == "http" {
		return streamable.URL(target[0], streamable.ClientOptions{})
	}
	cmd := exec.Command(target[0], target[1:]...)
	cmd.Stderr = new(buffer)
	process := stdio.Command(cmd)
	process.ProbeWait = -1 // these servers answer, however busy the machine is
	return process
}

// TestBridgeEverything uses the features of server-everything, which has sessions, as a client without one.
// What passes on both sides of the bridge is valid.
func TestBridgeEverything(t *testing.T) {
	t.Parallel()
	npm.Need(t, ".")
	for _, way := range []string{"stdio", "http"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			ctx := testkit.Context(t)
			updated := make(chan string, 100)
			options := mcp20260728.ClientOptions{
				Name: "test", Version: "1",
				Elicit: func(context.Context, mcp20260728.ElicitRequestParams) (*mcp20260728.ElicitResult, error) {
					return &mcp20260728.ElicitResult{Action: "decline"}, nil
				},
				CreateMessage: func(context.Context, *mcp20260728.CreateMessageRequestParams) (*mcp20260728.CreateMessageResult, error) {
					return &mcp20260728.CreateMessageResult{Model: "m", Role: "assistant", Content: &mcp20260728.TextContent{Text: "said the model"}}, nil
				},
				ListRoots: func(context.Context, *mcp20260728.ListRootsRequestParams) (*mcp20260728.ListRootsResult, error) {
					return &mcp20260728.ListRootsResult{Roots: []mcp20260728.Root{{URI: "file:///bridged"}}}, nil
				},
				ResourceUpdated: func(_ context.Context, p *mcp20260728.ResourceUpdatedNotificationParams) error {
					updated <- p.URI
					return nil
				},
			}
			front, back := filepath.Join(t.TempDir(), "front.jsonl"), filepath.Join(t.TempDir(), "back.jsonl")
			target := bridgeTo(t, way, append([]string{"--"}, recorded(t, back, []string{"node", everythingServer})...)...)
			if way == "http" {
				target = []string{recordedURL(t, front, target[0])}
			} else {
				target = recorded(t, front, target)
			}
			session, err := options.NewClient(nil).Connect(ctx, transportTo(way, target))
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			useBridged(ctx, t, session)
			resource := "demo://resource/dynamic/text/1"
			if err := session.Call(ctx, "resources/subscribe", wire.Raw(`{"uri":"`+resource+`"}`), nil); err != nil {
				t.Fatal(err)
			}
			callText(ctx, t, session, "toggle-subscriber-updates", "{}", "")
			select {
			case uri := <-updated:
				if uri != resource {
					t.Errorf("%s was updated", uri)
				}
			case <-ctx.Done():
				t.Error("no update of the resource")
			}
			session.Close()
			checkRecordings(ctx, t, map[string]string{front: "stateless", back: "session"}, "")
		})
	}
}

func useBridged(ctx context.Context, t *testing.T, session *runtime.Session) {
	if session.Revision() != "2026-07-28" || session.ServerInfo().GetString("name") == "mcpgen bridge" {
		t.Errorf("%s speaks %s", session.ServerInfo(), session.Revision())
	}
	for _, list := range []string{"tools/list", "prompts/list", "resources/list", "resources/templates/list"} {
		if err := session.Call(ctx, list, wire.Raw("{}"), nil); err != nil {
			t.Errorf("%s: %v", list, err)
		}
	}
	callText(ctx, t, session, "echo", `{"message":"hello"}`, "hello")
	callText(ctx, t, session, "get-roots-list", "{}", "file:///bridged")
	callText(ctx, t, session, "trigger-elicitation-request", "{}", "declined")
	callText(ctx, t, session, "trigger-sampling-request", `{"prompt":"Say it."}`, "said the model")
	steps := 0
	callText(runtime.WithProgress(ctx, func(runtime.Progress) { steps++ }), t, session, "trigger-long-running-operation", `{"duration":0.2,"steps":4}`, "completed")
	if steps == 0 {
		t.Error("no progress")
	}
}

// callText calls a tool whose result has a text.
func callText(ctx context.Context, t *testing.T, session *runtime.Session, tool, arguments, want string) {
	t.Helper()
	var result wire.Raw
	err := session.Call(ctx, "tools/call", wire.Raw(`{"name":"`+tool+`","arguments":`+arguments+`}`), &result)
	if err != nil || strings.Contains(string(result), `"isError":true`) || !strings.Contains(string(result), want) {
		t.Errorf("%s: %.500s, %v", tool, result, err)
	}
}
