package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/generated/mcp20260728"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// rA is a stateless revision.
const rA = "2026-07-28"

// The members of _meta that a stateless request must have, and those that it may have.
const (
	metaRevision     = `"io.modelcontextprotocol/protocolVersion":"` + rA + `"`
	metaCapabilities = `"io.modelcontextprotocol/clientCapabilities":{}`
	metaClient       = `"io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"}`
	metaTerms        = metaRevision + "," + metaCapabilities
)

// request returns a request. Params is "" or begins with the members of params; meta are the members of
// _meta, "" for no _meta.
func request(id, method, params, meta string) string {
	if meta != "" {
		params = strings.TrimPrefix(params+`,"_meta":{`+meta+"}", ",")
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{%s}}`, id, method, params)
}

// call returns a stateless call of a tool without arguments.
func call(id, tool string) string {
	return request(id, "tools/call", `"name":"`+tool+`"`, metaTerms)
}

// in returns a binding of the stateless revision.
func (s side) in(revision string) runtime.Binding {
	b := s.bind(revision, runtime.ToServer)
	b.Methods = mcp20260728.Methods
	return b
}

// everyCapability declares what the methods of the tests need.
const everyCapability = wire.Object(`{"tools":{"listChanged":true},"logging":{},"resources":{"subscribe":true},"prompts":{}}`)

// newStateless returns a server of the stateless revision and of others, which have sessions.
func newStateless(t testing.TB, s side, opts runtime.ServerOptions, others ...string) *runtime.Server {
	if opts.Name == "" {
		opts.Name, opts.Version = "probe", "0.1"
	}
	if opts.Capabilities == nil {
		opts.Capabilities = everyCapability
	}
	bindings := []runtime.Binding{s.in(rA)}
	for _, r := range others {
		bindings = append(bindings, s.bind(r, runtime.ToServer))
	}
	server := runtime.NewServer(opts, bindings...)
	if err := server.Err(); err != nil {
		t.Fatal(err)
	}
	return server
}

// answers sends lines and checks how the server answers them.
func (c *conn) answers(lines []string, want ...string) {
	c.t.Helper()
	c.send(lines...)
	got := c.replies()
	if len(got) != len(want) {
		c.t.Fatalf("got %d lines %q, want %d %q", len(got), got, len(want), want)
	}
	for i := range got {
		if !wire.Equal(wire.Raw(got[i]), wire.Raw(want[i])) {
			c.t.Errorf("line %d:\n got %s\nwant %s", i, got[i], want[i])
		}
	}
}

// complete is the end of the results of the tests.
const complete = `"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"probe","version":"0.1"}}`

func result(id, members string) string {
	if members != "" {
		members += ","
	}
	return `{"jsonrpc":"2.0","id":` + id + `,"result":{` + members + complete + `}}`
}

// alone runs a test with a connection to a server of the stateless revision and of others.
func alone(t *testing.T, name string, s side, opts runtime.ServerOptions, others []string, test func(t *testing.T, c *conn)) {
	t.Run(name, func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := dial(t.Context(), t, newStateless(t, s, opts, others...))
			test(t, c)
			if err := c.hangUp(); err != nil {
				t.Errorf("Serve returned %v", err)
			}
		})
	})
}

// TestEras checks how messages of both eras share a connection.
//
// S8
func TestEras(t *testing.T) {
	who := side{"who": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
		c := runtime.CallOf(ctx)
		return wire.Raw(fmt.Sprintf(`{"revision":%q,"stateless":%t,"session":%t,"peer":%q}`,
			c.Revision(), c.Stateless(), c.Session() != nil, c.PeerInfo().GetString("name"))), nil
	}}
	ofSession := `{"jsonrpc":"2.0","id":%s,"result":{"revision":"` + r11 + `","stateless":false,"session":true,"peer":"test"}}`
	ofAlone := result("%s", `"revision":"`+rA+`","stateless":true,"session":false,"peer":%q`)
	both := []string{r11, r06}

	alone(t, "V12 V13 initialize and _meta on one connection", who, runtime.ServerOptions{}, both, func(t *testing.T, c *conn) {
		c.answers([]string{call("1", "who")}, fmt.Sprintf(ofAlone, "1", ""))
		c.send(fmt.Sprintf(initialize, r11), initialized)
		if got := c.replies(); len(got) != 1 || !strings.Contains(got[0], `"protocolVersion":"`+r11+`"`) {
			t.Fatalf("initialize: %s", got)
		}
		c.answers([]string{request("2", "tools/call", `"name":"who"`, "")}, fmt.Sprintf(ofSession, "2"))
		c.answers([]string{request("3", "tools/call", `"name":"who"`, metaTerms+","+metaClient)}, fmt.Sprintf(ofAlone, "3", "test"))
		c.answers([]string{request("4", "tools/call", `"name":"who"`, `"other":1`)}, fmt.Sprintf(ofSession, "4"))
	})
	alone(t, "V13 initialize never chooses a stateless revision", who, runtime.ServerOptions{}, both, func(t *testing.T, c *conn) {
		c.send(fmt.Sprintf(initialize, rA))
		if got := c.replies(); len(got) != 1 || !strings.Contains(got[0], `"protocolVersion":"`+r11+`"`) {
			t.Fatalf("initialize: %s", got)
		}
	})
	alone(t, "V16 initialize to a server without sessions names the revisions", who, runtime.ServerOptions{}, nil, func(t *testing.T, c *conn) {
		c.answers([]string{fmt.Sprintf(initialize, r11)}, `{"jsonrpc":"2.0","id":"i","error":{"code":-32022,
			"message":"unsupported protocol version \"2025-11-25\": this server speaks 2026-07-28",
			"data":{"supported":["2026-07-28"],"requested":"2025-11-25"}}}`)
		c.answers([]string{call("1", "who")}, fmt.Sprintf(ofAlone, "1", ""))
		c.answers([]string{initialized})
	})
	alone(t, "V1 an unknown revision", who, runtime.ServerOptions{}, both, func(t *testing.T, c *conn) {
		for revision, says := range map[string]string{
			"1900-01-01": `unsupported protocol version \"1900-01-01\": this server speaks 2026-07-28, 2025-11-25, 2025-06-18`,
			r11:          `unsupported protocol version \"2025-11-25\" without a session, which initialize opens: this server speaks 2026-07-28, 2025-11-25, 2025-06-18`,
		} {
			meta := strings.Replace(metaTerms, rA, revision, 1)
			c.answers([]string{request("1", "tools/call", `"name":"who"`, meta)}, `{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"`+says+`",
				"data":{"supported":["2026-07-28","2025-11-25","2025-06-18"],"requested":"`+revision+`"}}}`)
		}
	})
	alone(t, "B17 nothing is taken from earlier requests", who, runtime.ServerOptions{}, nil, func(t *testing.T, c *conn) {
		c.answers([]string{request("1", "tools/call", `"name":"who"`, metaTerms+","+metaClient)}, fmt.Sprintf(ofAlone, "1", "test"))
		c.answers([]string{call("2", "who")}, fmt.Sprintf(ofAlone, "2", ""))
		c.answers([]string{request("3", "tools/call", `"name":"who"`, "")},
			`{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"invalid params: /_meta: missing io.modelcontextprotocol/protocolVersion"}}`)
	})
}

// TestRequestMeta checks what _meta must be.
func TestRequestMeta(t *testing.T) {
	const info = `"io.modelcontextprotocol/clientInfo":`
	const level = `"io.modelcontextprotocol/logLevel":`
	for name, row := range map[string]struct{ meta, problem string }{
		"none":                     {"", "missing io.modelcontextprotocol/protocolVersion"},
		"no revision":              {metaCapabilities, "missing io.modelcontextprotocol/protocolVersion"},
		"no capabilities":          {metaRevision, "missing io.modelcontextprotocol/clientCapabilities"},
		"a number as revision":     {`"io.modelcontextprotocol/protocolVersion":1,` + metaCapabilities, "io.modelcontextprotocol/protocolVersion: not a string"},
		"a list of capabilities":   {metaRevision + `,"io.modelcontextprotocol/clientCapabilities":[]`, "io.modelcontextprotocol/clientCapabilities: not an object"},
		"null capabilities":        {metaRevision + `,"io.modelcontextprotocol/clientCapabilities":null`, "io.modelcontextprotocol/clientCapabilities: not an object"},
		"a client without version": {metaTerms + "," + info + `{"name":"x"}`, "io.modelcontextprotocol/clientInfo: version is not a string"},
		"a string as client":       {metaTerms + "," + info + `"x"`, "io.modelcontextprotocol/clientInfo: name is not a string"},
		"an unknown level":         {metaTerms + "," + level + `"loud"`, `io.modelcontextprotocol/logLevel: not a log level: "loud"`},
		"a number as level":        {metaTerms + "," + level + `5`, `io.modelcontextprotocol/logLevel: not a log level: 5`},
		"null client":              {metaTerms + "," + info + "null", ""},
		"null level":               {metaTerms + "," + level + "null", ""},
		"escaped names":            {strings.ReplaceAll(metaTerms, "io.", `\u0069o.`), ""},
	} {
		alone(t, "B32 B34 F44 "+name, tools, runtime.ServerOptions{}, nil, func(t *testing.T, c *conn) {
			want := result("1", "")
			if row.problem != "" {
				text, err := wire.AppendString(nil, "invalid params: /_meta: "+row.problem)
				if err != nil {
					t.Fatal(err)
				}
				want = `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":` + string(text) + `}}`
			}
			for range 2 { // the second is not decoded again
				c.answers([]string{request("1", "tools/call", `"name":"echo"`, row.meta)}, want)
			}
		})
	}
}

// TestRepeatedMeta checks what handlers know of requests whose _meta is that of a request before, at the end or
// at the beginning of their params, and of those whose _meta differs.
func TestRepeatedMeta(t *testing.T) {
	tell := func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
		c := runtime.CallOf(ctx)
		token, ok := c.ProgressToken()
		if !ok {
			return wire.Object(`{"meta":null}`).With("meta", wire.Raw(c.Meta()))
		}
		return wire.NewObject(wire.Member{Name: "token", Value: wire.Raw(token.String())}, wire.Member{Name: "meta", Value: wire.Raw(c.Meta())})
	}
	alone(t, "B32", side{"tell": tell}, runtime.ServerOptions{}, nil, func(t *testing.T, c *conn) {
		for _, token := range []string{`"a"`, `"a"`, "", "", "7", "7", "1.5", "1.5", `"a"`} {
			meta, want := metaTerms, ""
			if token != "" {
				meta += `,"progressToken":` + token
			}
			if token != "" && token != "1.5" { // which is no token
				want = `"token":` + token + ","
			}
			for _, params := range []string{`"name":"tell","_meta":{` + meta + `}`, `"_meta":{` + meta + `},"name":"tell"`} {
				c.answers([]string{request("1", "tools/call", params, "")}, result("1", want+`"meta":{`+meta+`}`))
			}
		}
	})
}

// TestHandlerErrors checks that no error has a code that stateless revisions forbid.
func TestHandlerErrors(t *testing.T) {
	failing := func(err error) func(context.Context, *runtime.Message) (wire.Appender, error) {
		return func(context.Context, *runtime.Message) (wire.Appender, error) { return nil, err }
	}
	s := side{
		"resources/read": failing(jsonrpc.Errorf(jsonrpc.CodeResourceNotFound, "resource not found")),
		"named":          failing(&jsonrpc.Error{Code: jsonrpc.CodeResourceNotFound, Message: "gone", Data: `{"uri":"x:2"}`}),
		"busy":           failing(fmt.Errorf("wrapped: %w", jsonrpc.Errorf(jsonrpc.CodeServerBusy, "busy"))),
		"secret":         failing(errors.New("secret")),
		"own":            failing(jsonrpc.Errorf(7, "mine")),
		"reserved":       failing(&jsonrpc.Error{Code: -32023, Message: "mine", Data: "1"}),
		"last":           failing(jsonrpc.Errorf(-32099, "mine")),
		"legacy":         failing(jsonrpc.Errorf(-32019, "mine")),
		"legacy too":     failing(jsonrpc.Errorf(-32001, "mine")),
		"JSON-RPC":       failing(jsonrpc.Errorf(-32768, "mine")),
		"below":          failing(jsonrpc.Errorf(-32769, "mine")),
		"defined":        failing(jsonrpc.Errorf(jsonrpc.CodeHeaderMismatch, "mine")),
		"capability":     failing(&runtime.CapabilityError{Method: "elicitation/create", Capability: "elicitation.url"}),
	}
	for name, row := range map[string]struct{ method, params, want string }{
		"F32 B13 a missing resource":     {"resources/read", `"uri":"x:1"`, `{"code":-32602,"message":"resource not found","data":{"uri":"x:1"}}`},
		"F32 a resource that was named":  {"tools/call", `"name":"named"`, `{"code":-32602,"message":"gone","data":{"uri":"x:2"}}`},
		"B11 B15 busy":                   {"tools/call", `"name":"busy"`, `{"code":503,"message":"busy"}`},
		"F32 an internal error":          {"tools/call", `"name":"secret"`, `{"code":-32603,"message":"internal error"}`},
		"B15 the handler's own code":     {"tools/call", `"name":"own"`, `{"code":7,"message":"mine"}`},
		"B12 a reserved code":            {"tools/call", `"name":"reserved"`, `{"code":-32603,"message":"mine","data":1}`},
		"B12 the last reserved code":     {"tools/call", `"name":"last"`, `{"code":-32603,"message":"mine"}`},
		"B11 a legacy code":              {"tools/call", `"name":"legacy"`, `{"code":-32603,"message":"mine"}`},
		"B11 another legacy code":        {"tools/call", `"name":"legacy too"`, `{"code":-32603,"message":"mine"}`},
		"B15 a code of JSON-RPC":         {"tools/call", `"name":"JSON-RPC"`, `{"code":-32603,"message":"mine"}`},
		"B15 a code below all ranges":    {"tools/call", `"name":"below"`, `{"code":-32769,"message":"mine"}`},
		"B12 a code of the revision":     {"tools/call", `"name":"defined"`, `{"code":-32020,"message":"mine"}`},
		"B35 an undeclared capability":   {"tools/call", `"name":"capability"`, `{"code":-32021,"message":"missing client capability: the request must declare {\"elicitation\":{\"url\":{}}}","data":{"requiredCapabilities":{"elicitation":{"url":{}}}}}`},
		"V13 a method of sessions":       {"logging/setLevel", `"level":"info"`, `{"code":-32601,"message":"method not found: \"logging/setLevel\""}`},
		"V13 ping":                       {"ping", ``, `{"code":-32601,"message":"method not found: \"ping\""}`},
		"V13 a request of the server":    {"roots/list", ``, `{"code":-32601,"message":"method not found: \"roots/list\""}`},
		"V7 a capability not declared":   {"completion/complete", ``, `{"code":-32601,"message":"method not found: \"completion/complete\""}`},
		"B10 a notification with an id":  {"notifications/cancelled", ``, `{"code":-32601,"message":"method not found: \"notifications/cancelled\""}`},
		"B10 a method that nobody knows": {"x/y", ``, `{"code":-32601,"message":"method not found: \"x/y\""}`},
	} {
		alone(t, name, s, runtime.ServerOptions{Logger: nil}, []string{r11}, func(t *testing.T, c *conn) {
			c.answers([]string{request(`"a"`, row.method, row.params, metaTerms)}, `{"jsonrpc":"2.0","id":"a","error":`+row.want+`}`)
		})
	}
}
