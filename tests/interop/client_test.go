package interop

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/tests/internal/npm"
)

// TestTypeScriptClient uses the example server with both generations of the TypeScript client,
// over each transport. client.mjs prints a line for each step. A client that asks first uses the newest
// revision, except over HTTP with SSE, which only has sessions.
//
// S3
func TestTypeScriptClient(t *testing.T) {
	t.Parallel()
	npm.Need(t, ".")
	if _, err := os.ReadFile("client.mjs"); err != nil {
		t.Fatal(err)
	}
	hello := program(t, "hello")
	for _, sdk := range []string{"v1", "v2", "v2-auto"} {
		for _, way := range []string{"stdio", "sse", "http"} {
			t.Run(sdk+"/"+way, func(t *testing.T) {
				t.Parallel()
				c := &typeScript{sdk: sdk, way: way, log: filepath.Join(t.TempDir(), "log")}
				c.run(t, hello)
			})
		}
	}
}

// typeScript is a connection of the TypeScript client.
type typeScript struct {
	code     int // the exit code of the server
	sdk, way string
	log      string // the file of the server's log
	said     *transcript
	proxy    *proxy // nil for stdio
}

// stateless reports whether the client must use a revision without sessions.
func (c *typeScript) stateless() bool { return c.sdk == "v2-auto" && c.way != "sse" }

func (c *typeScript) run(t *testing.T, hello string) {
	var out []byte
	if c.way == "stdio" {
		file := filepath.Join(t.TempDir(), "transcript")
		out = c.node(t, os.Args[0], relayArgument, file, c.log, hello)
		c.said = readTranscript(t, file)
	} else {
		log, err := os.Create(c.log)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { log.Close() })
		cmd := exec.Command(hello, "-"+c.way, "127.0.0.1:0")
		cmd.Stderr = log
		url, _ := startHTTP(t, cmd, "url=")
		c.proxy = newProxy(t, url, func(body string, events int) bool {
			return strings.Contains(body, `"to":10`) && events == 2
		})
		c.said = c.proxy.log
		out = c.node(t, c.proxy.URL)
	}
	c.checkSteps(t, out)
	c.checkSaid(t)
	switch {
	case c.way == "http" && c.stateless():
		c.checkStatelessExchanges(t)
		c.said.closed = 1
	case c.way == "http":
		c.checkExchanges(t)
	}
	revision, unknown := "2025-11-25", []string{"tools/dance"}
	if c.stateless() {
		revision = "2026-07-28"
	} else if c.sdk == "v2-auto" {
		unknown = append(unknown, "server/discover")
	}
	check(t, c.said, revision, unknown...)
}

// node runs client.mjs and returns its output.
func (c *typeScript) node(t *testing.T, target ...string) []byte {
	t.Helper()
	ctx := testkit.Context(t)
	var log bytes.Buffer
	cmd := exec.CommandContext(ctx, "node", append([]string{"client.mjs", c.sdk, c.log, c.way}, target...)...)
	cmd.Stderr = &log
	// A relay built with -race otherwise takes a second to exit.
	cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("node client.mjs: %v\n%s\n%s", err, out, &log)
	}
	return out
}

// checkSteps compares the steps of the client with the expected ones.
func (c *typeScript) checkSteps(t *testing.T, out []byte) {
	text := `
		{"step":"initialize","server":{"name":"hello","version":"1.0.0"},
			"capabilities":{"logging":{},"tools":{"listChanged":true}},"instructions":"Four tools to try a client with."}`
	if !c.stateless() {
		text += `{"step":"ping","result":{}}`
	}
	text += `
		{"step":"list","tools":["greet","divide","count","wait"],"greet":{
			"name":"greet","description":"Greets somebody.",
			"inputSchema":{"type":"object","required":["name"],"additionalProperties":false,"properties":{
				"name":{"type":"string","description":"The person to greet."},
				"formal":{"type":"boolean","description":"Greets with respect."}}},
			"outputSchema":{"type":"object","required":["greeting"],"additionalProperties":false,"properties":{"greeting":{"type":"string"}}},
			"annotations":{"readOnlyHint":true}}}
		{"step":"call","result":{"content":[{"type":"text","text":"Hello, Zoë!"}],"structuredContent":{"greeting":"Hello, Zoë!"}}}
		{"step":"tool error","result":{"content":[{"type":"text","text":"cannot divide by zero"}],"isError":true}}
		{"step":"unknown tool","error":{"code":-32602,"message":"unknown tool: \"dance\""}}
		{"step":"bad arguments","result":{"content":[{"type":"text","text":"invalid arguments: at /name: must be a string, found 7"}],"isError":true}}
		{"step":"unknown method","error":{"code":-32601,"message":"method not found: \"tools/dance\""}}
		{"step":"progress","result":{"content":[{"type":"text","text":"1 2 3"}]}}`
	if c.stateless() {
		meta := `"result":{"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"hello","version":"1.0.0"}},`
		text = strings.ReplaceAll(text, `"result":{`, meta)
	}
	if c.stateless() && c.way == "http" {
		text = strings.Replace(text, `"code":-32601`, `"status":404,"code":-32601`, 1)
	} else if c.way == "http" {
		text += `{"step":"resume","result":{"content":[{"type":"text","text":"1 2 3 4 5 6 7 8 9 10"}]}}`
	}
	// The end of a response cancels the call without a reason.
	text += fmt.Sprintf(`{"step":"cancel","started":true,"meanwhile":"0.25","failed":true,"stopped":true,"reasonLogged":%t}`,
		!c.stateless() || c.way != "http")
	if c.way == "http" && !c.stateless() {
		text += `{"step":"delete","had":true,"has":false}`
	}
	switch c.way {
	case "http", "sse":
		text += `{"step":"close","inTime":true,"complaints":[]}`
	case "stdio":
		text += `{"step":"close","code":` + strconv.Itoa(c.code) + `,"signal":null,"inTime":true,"complaints":[]}`
	}
	got, want := steps(t, out), steps(t, []byte(text))
	for i := range max(len(got), len(want)) {
		if diff := cmp.Diff(at(want, i), at(got, i)); diff != "" {
			t.Errorf("step %v (-want +got):\n%s", at(want, i)["step"], diff)
		}
	}
}

type step = map[string]any

func at(list []step, i int) step {
	if i < len(list) {
		return list[i]
	}
	return nil
}

// steps reads consecutive JSON objects.
func steps(t *testing.T, text []byte) []step {
	t.Helper()
	var list []step
	for d := json.NewDecoder(bytes.NewReader(text)); d.More(); {
		var s step
		if err := d.Decode(&s); err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		list = append(list, s)
	}
	return list
}

// checkSaid checks the parts of the transcript that the client does not report.
func (c *typeScript) checkSaid(t *testing.T) {
	asked := c.said.find(t, fromClient, func(e envelope) bool { return e.Method == "initialize" })
	if c.stateless() {
		if len(asked) > 0 {
			t.Errorf("the client sent initialize: %+v", asked)
		}
	} else if len(asked) != 1 || asked[0].Params.ProtocolVersion != "2025-11-25" {
		t.Errorf("initialize: got %+v, want a request for 2025-11-25", asked)
	}

	var progress []float64
	for _, e := range c.said.find(t, fromServer, func(e envelope) bool { return e.Method == "notifications/progress" }) {
		progress = append(progress, e.Params.Progress)
	}
	want := []float64{1, 2, 3}
	if c.way == "http" && !c.stateless() {
		want = append(want, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10) // of a stream that was cut
	}
	if diff := cmp.Diff(want, progress); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}

	waits := c.said.find(t, fromClient, func(e envelope) bool { return e.Params.Name == "wait" })
	cancels := c.said.find(t, fromClient, func(e envelope) bool { return e.Method == "notifications/cancelled" })
	if c.stateless() && c.way == "http" {
		if len(waits) != 1 || len(cancels) != 0 {
			t.Fatalf("the call %+v was cancelled by %+v, want the end of the response", waits, cancels)
		}
	} else if len(waits) != 1 || len(cancels) != 1 || string(waits[0].ID) != string(cancels[0].Params.RequestID) {
		t.Fatalf("the call %+v was cancelled by %+v", waits, cancels)
	}
	if answers := c.said.find(t, fromServer, func(e envelope) bool { return string(e.ID) == string(waits[0].ID) }); len(answers) > 0 {
		t.Errorf("the cancelled call was answered: %+v", answers)
	}
}

// checkStatelessExchanges checks how the client and the server used HTTP without a session.
func (c *typeScript) checkStatelessExchanges(t *testing.T) {
	unknown := 0
	for i, e := range c.proxy.list() {
		switch {
		case e.Method != http.MethodPost || e.Session != "" || e.Last != "":
			t.Errorf("exchange %d is of a session: %+v", i, e)
		case e.Status == http.StatusNotFound && e.Error == jsonrpc.CodeMethodNotFound:
			unknown++
		case e.Status != http.StatusOK:
			t.Errorf("exchange %d: %+v", i, e)
		}
	}
	if unknown != 1 {
		t.Errorf("%d requests had a method that the server lacks, want 1", unknown)
	}
}

// checkExchanges checks how the client and the server used HTTP in a session.
func (c *typeScript) checkExchanges(t *testing.T) {
	var session string
	var cut, resumed, ended, deleted int
	for i, e := range c.proxy.list() {
		if session == "" {
			session = e.Session
		}
		if e.Session == "" || e.Session != session {
			t.Errorf("exchange %d is not of session %q: %+v", i, session, e)
		}
		if e.Cut {
			cut++
		}
		switch {
		case e.Method == http.MethodGet && e.Last != "" && e.Status == http.StatusOK:
			resumed++
		case e.Method == http.MethodGet && e.Last != "" && e.Status == http.StatusMethodNotAllowed:
			ended++ // the cancelled call
		case e.Method == http.MethodDelete && e.Status == http.StatusNoContent:
			deleted++
		case e.Status/100 != 2:
			t.Errorf("exchange %d: %+v", i, e)
		}
	}
	if cut != 1 || resumed != 1 || ended > 1 || deleted != 1 {
		t.Errorf("%d streams were cut, %d resumed, %d asked for after their end, %d sessions deleted; want one of each", cut, resumed, ended, deleted)
	}

	// The server has forgotten the session.
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.proxy.target.String(),
		strings.NewReader(`{"jsonrpc":"2.0","id":"late","method":"ping"}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = http.Header{
		"Content-Type":   {"application/json"},
		"Accept":         {"application/json, text/event-stream"},
		"Mcp-Session-Id": {session},
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusNotFound {
		t.Errorf("a ping after the end of the session: status %d", resp.StatusCode)
	}
}
