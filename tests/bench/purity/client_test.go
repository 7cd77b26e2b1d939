package purity

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/testkit"
)

// client reads and writes JSON without any of the libraries, so that the judge receives the
// messages of a server unchanged.
type client struct {
	t     *testing.T
	judge *judge
	out   io.Writer
	last  int

	mu     sync.Mutex
	asked  map[string]string        // methods of the client's requests, by id
	wait   map[string]chan envelope // answers to the requests, by id
	sent   []message                // the messages of the server
	closed bool
}

type envelope struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// message is a message of the server.
type message struct {
	text   string
	method string // the id of the message itself
	asked  string // the method of the request that it answers
}

// answers holds the client's results for requests that its revision defines, by method.
var answers = map[string]string{
	"ping":                   `{}`,
	"roots/list":             `{"roots":[{"uri":"file:///a","name":"a"}]}`,
	"sampling/createMessage": `{"role":"assistant","model":"m","content":{"type":"text","text":"said"}}`,
	"elicitation/create":     `{"action":"accept","content":{"name":"Ada"}}`,
}

// rounds limits how often the client answers what a server asks within results.
const rounds = 5

// capabilities returns all capabilities of a client in a revision.
func capabilities(revision string) string {
	switch {
	case revision >= "2026-07-28":
		return `{"roots":{},"sampling":{"tools":{}},"elicitation":{"form":{},"url":{}}}`
	case revision >= "2025-11-25":
		return `{"roots":{"listChanged":true},"sampling":{"tools":{}},"elicitation":{"form":{},"url":{}}}`
	case revision >= "2025-06-18":
		return `{"roots":{"listChanged":true},"sampling":{},"elicitation":{}}`
	}
	return `{"roots":{"listChanged":true},"sampling":{}}`
}

// visit uses every feature of a server with a client of the judge's revision. It returns the
// server's messages and the tools that failed.
func visit(t *testing.T, j *judge, s subject) (sent []message, failed []string) {
	t.Helper()
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	change := s.serve(t, fromClient, toClient)
	c := &client{t: t, judge: j, out: toServer, asked: map[string]string{}, wait: map[string]chan envelope{}}
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.read(fromServer)
	}()
	defer func() {
		toServer.Close()
		toClient.Close()
		<-done
	}()

	if j.sessions() {
		c.initialize()
	} else {
		c.listen()
	}
	for _, request := range [][2]string{
		{"server/discover", "{}"},
		{"tools/list", "{}"},
		{"prompts/list", "{}"},
		{"resources/list", "{}"},
		{"resources/templates/list", "{}"},
		{"prompts/get", `{"name":"greet","arguments":{"who":"Ada"}}`},
		{"resources/read", `{"uri":"file:///r"}`},
		{"resources/read", `{"uri":"file:///t/1"}`},
		{"resources/subscribe", `{"uri":"file:///r"}`},
		{"completion/complete", `{"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"who","value":"A"}}`},
		{"logging/setLevel", `{"level":"debug"}`},
		{"ping", `{}`},
	} {
		if j.methods[request[0]] == "" {
			continue
		}
		if answer := c.call(request[0], request[1]); answer.Error != nil {
			t.Errorf("%s %s: %s", request[0], request[1], answer.Error)
		}
	}
	for _, tool := range tools {
		answer := c.call("tools/call", fmt.Sprintf(`{"name":%q,"arguments":{},"_meta":{"progressToken":"p"}}`, tool))
		for n := 0; n < rounds && c.inputs(answer) != ""; n++ {
			answer = c.call("tools/call", fmt.Sprintf(`{"name":%q,"arguments":{},"_meta":{"progressToken":"p"},%s}`, tool, c.inputs(answer)))
		}
		var result struct{ IsError bool }
		if answer.Error == nil {
			if err := json.Unmarshal(answer.Result, &result); err != nil {
				t.Errorf("%s: %v", tool, err)
			}
		}
		if answer.Error != nil || result.IsError {
			failed = append(failed, tool)
			// A server may refuse features to older clients. If it refused one to the newest
			// client, the counts could not be compared.
			if j.revision == newest {
				t.Errorf("%s: %s%s", tool, answer.Result, answer.Error)
			}
		}
	}
	if answer := c.call("tools/call", `{"name":"missing","arguments":{}}`); answer.Error == nil && !strings.Contains(string(answer.Result), `"isError":true`) {
		t.Errorf("a tool that is missing: %s", answer.Result)
	}
	change.updated()
	c.await("notifications/resources/updated")
	change.removed()
	c.await("notifications/tools/list_changed")
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	return c.sent, failed
}

// initialize opens a session.
func (c *client) initialize() {
	c.t.Helper()
	opened := c.call("initialize", fmt.Sprintf(`{"protocolVersion":%q,"capabilities":%s,"clientInfo":{"name":"client","version":"1"}}`, c.judge.revision, capabilities(c.judge.revision)))
	var result struct{ ProtocolVersion string }
	if err := json.Unmarshal(opened.Result, &result); err != nil || result.ProtocolVersion != c.judge.revision {
		c.t.Fatalf("initialize: %s %s", opened.Result, opened.Error)
	}
	c.write(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// listen asks for all notifications that belong to no request.
func (c *client) listen() {
	c.t.Helper()
	c.send("subscriptions/listen", `{"notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["file:///r"]}}`)
	c.await("notifications/subscriptions/acknowledged")
}

// inputs returns the members with which a request is repeated after a result that asks for input, or "".
func (c *client) inputs(e envelope) string {
	var result struct {
		InputRequests map[string]struct{ Method string }
		RequestState  json.RawMessage
	}
	if err := json.Unmarshal(e.Result, &result); err != nil || result.InputRequests == nil && result.RequestState == nil {
		return ""
	}
	responses := map[string]json.RawMessage{}
	for key, request := range result.InputRequests {
		responses[key] = json.RawMessage(answers[request.Method])
	}
	text, err := json.Marshal(responses)
	if err != nil {
		c.t.Error(err)
	}
	members := `"inputResponses":` + string(text)
	if result.RequestState != nil {
		members += `,"requestState":` + string(result.RequestState)
	}
	return members
}

// terms returns params with the terms of a request without a session.
func (c *client) terms(params string) string {
	terms := fmt.Sprintf(`"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientCapabilities":%s,"io.modelcontextprotocol/logLevel":"debug"`,
		c.judge.revision, capabilities(c.judge.revision))
	if before, after, ok := strings.Cut(params, `"_meta":{`); ok {
		return before + `"_meta":{` + terms + "," + after
	}
	return strings.Replace(`{"_meta":{`+terms+"},"+params[1:], ",}", "}", 1)
}

// call sends a request and waits for its answer.
func (c *client) call(method, params string) envelope {
	c.t.Helper()
	select {
	case e := <-c.send(method, params):
		return e
	case <-time.After(testkit.Limit): // so that a missing answer is named
		c.t.Fatalf("%s %s was not answered", method, params)
		return envelope{}
	}
}

// send sends a request.
func (c *client) send(method, params string) <-chan envelope {
	if !c.judge.sessions() {
		params = c.terms(params)
	}
	c.last++
	id := fmt.Sprint(c.last)
	answer := make(chan envelope, 1)
	c.mu.Lock()
	c.asked[id], c.wait[id] = method, answer
	c.mu.Unlock()
	c.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params))
	return answer
}

// await waits for a notification.
func (c *client) await(method string) {
	c.t.Helper()
	if !testkit.Eventually(func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, m := range c.sent {
			if m.method == method {
				return true
			}
		}
		return false
	}) {
		c.t.Fatalf("%s is not sent", method)
	}
}

func (c *client) write(text string) {
	if _, err := io.WriteString(c.out, text+"\n"); err != nil {
		c.t.Errorf("write: %v", err)
	}
}

// read records the server's messages and answers its requests.
func (c *client) read(in io.Reader) {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		text := lines.Text()
		var e envelope
		if err := json.Unmarshal([]byte(text), &e); err != nil {
			c.t.Errorf("%v: %s", err, text)
			continue
		}
		c.mu.Lock()
		m := message{text: text, method: e.Method}
		var answer chan envelope
		if e.Method == "" {
			m.asked = c.asked[string(e.ID)]
			answer = c.wait[string(e.ID)]
		}
		if !c.closed {
			c.sent = append(c.sent, m)
		}
		c.mu.Unlock()
		switch {
		case answer != nil:
			answer <- e
		case e.Method != "" && e.ID != nil:
			_, known := c.judge.methods[e.Method]
			if result, ok := answers[e.Method]; ok && known {
				c.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, e.ID, result))
			} else {
				c.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"method not found"}}`, e.ID))
			}
		}
	}
}
