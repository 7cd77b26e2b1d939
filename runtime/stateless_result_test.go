package runtime_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generated/mcp20260728"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/stdio"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestDiscover checks the answers to server/discover.
func TestDiscover(t *testing.T) {
	const hints = `"ttlMs":0,"cacheScope":"private"`
	discover := []string{request("1", "server/discover", "", metaTerms)}
	alone(t, "V3 V4 V6 F1 the first message of a connection", tools, runtime.ServerOptions{Capabilities: wire.Raw(`{"tools":{}}`)}, nil,
		func(t *testing.T, c *conn) {
			c.answers(discover, result("1", `"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},`+hints))
		})
	alone(t, "V6 V12 with sessions and instructions", tools,
		runtime.ServerOptions{Capabilities: wire.Raw(`{"tools":{}}`), Instructions: "Read <this>.", Title: "A probe",
			Cache: runtime.CacheHints{Methods: map[string]runtime.CacheHint{"server/discover": {TTL: time.Hour, Public: true}}}},
		[]string{r06, r11}, func(t *testing.T, c *conn) {
			c.answers(discover, strings.Replace(result("1", `"supportedVersions":["2026-07-28","2025-11-25","2025-06-18"],"capabilities":{"tools":{}},
				"instructions":"Read <this>.","ttlMs":3600000,"cacheScope":"public"`), `"name":"probe"`, `"name":"probe","title":"A probe"`, 1))
		})
	alone(t, "V4 the handler of the program", tools.with(side{"server/discover": func(context.Context, *runtime.Message) (wire.Appender, error) {
		return &mcp20260728.DiscoverResult{SupportedVersions: []string{"x"}, CacheScope: mcp20260728.CacheScopePublic, TTLMs: 7}, nil
	}}), runtime.ServerOptions{}, nil, func(t *testing.T, c *conn) {
		c.answers(discover, result("1", `"supportedVersions":["x"],"capabilities":{},"ttlMs":7,"cacheScope":"public"`))
	})
	alone(t, "V1 of an unknown revision", tools, runtime.ServerOptions{}, nil, func(t *testing.T, c *conn) {
		c.send(request("1", "server/discover", "", strings.Replace(metaTerms, rA, "2030-01-01", 1)))
		if got := c.replies(); len(got) != 1 || !strings.Contains(got[0], `"code":-32022`) {
			t.Errorf("got %s", got)
		}
	})
}

// TestOffers checks that a request needs the capabilities that the server declares at that time.
func TestOffers(t *testing.T) {
	declared := `{}`
	b := tools.in(rA)
	b.Capabilities = func(wire.Appender) (wire.Appender, error) { return wire.Raw(declared), nil }
	t.Run("V7 F14 F31 F34", func(t *testing.T) {
		s := runtime.NewServer(runtime.ServerOptions{Name: "probe", Version: "0.1"}, b)
		ask := func(line, want string) {
			t.Helper()
			if got := exchange(t, s, line); !strings.Contains(got, want) {
				t.Errorf("with %s: got %s, want %s", declared, got, want)
			}
		}
		discover := request("1", "server/discover", "", metaTerms)
		ask(call("1", "echo"), `"code":-32601`)
		ask(discover, `"capabilities":{}`)
		declared = `{"tools":{}}`
		ask(call("1", "echo"), `"resultType":"complete"`)
		ask(discover, `"capabilities":{"tools":{}}`)
		declared = `{}`
		ask(call("1", "echo"), `"resultType":"complete"`) // what was declared once remains
		ask(discover, `"capabilities":{}`)
	})
}

// exchange sends a line to a server and returns the line that it answers.
func exchange(t testing.TB, s *runtime.Server, line string) string {
	t.Helper()
	var out strings.Builder
	if err := s.Serve(t.Context(), &stdio.Transport{In: strings.NewReader(line + "\n"), Out: &out}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestStamp checks what is added to results.
func TestStamp(t *testing.T) {
	const self = `"io.modelcontextprotocol/serverInfo":{"name":"probe","version":"0.1"}`
	s := side{}
	returns := func(text string) func(context.Context, *runtime.Message) (wire.Appender, error) {
		return func(context.Context, *runtime.Message) (wire.Appender, error) { return wire.Raw(text), nil }
	}
	for name, row := range map[string]struct {
		opts              runtime.ServerOptions
		method, have, all string
	}{
		"B6 B36 an empty result":          {method: "tools/call", have: `{}`, all: `{"resultType":"complete","_meta":{` + self + `}}`},
		"B6 B36 space":                    {method: "tools/call", have: "{ }", all: `{"resultType":"complete","_meta":{` + self + `}}`},
		"B36 an empty _meta":              {method: "tools/call", have: `{"_meta":{ },"a":1}`, all: `{"_meta":{` + self + `},"a":1,"resultType":"complete"}`},
		"B36 a _meta":                     {method: "tools/call", have: `{"_meta":{"x":{"y":[1]}},"resultType":"complete"}`, all: `{"_meta":{"x":{"y":[1]},` + self + `},"resultType":"complete"}`},
		"B36 the handler's serverInfo":    {method: "tools/call", have: `{"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"z"}}}`, all: `{"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"z"}},"resultType":"complete"}`},
		"B36 an escaped _meta":            {method: "tools/call", have: `{"\u005fmeta":{}}`, all: `{"_meta":{` + self + `},"resultType":"complete"}`},
		"B36 unnamed":                     {runtime.ServerOptions{Unnamed: true}, "tools/call", `{}`, `{"resultType":"complete"}`},
		"B6 nested members do not count":  {method: "tools/call", have: `{"structuredContent":{"resultType":"x","_meta":{},"ttlMs":1}}`, all: `{"structuredContent":{"resultType":"x","_meta":{},"ttlMs":1},"resultType":"complete","_meta":{` + self + `}}`},
		"B6 B7 a result of an extension":  {method: "resources/read", have: `{"resultType":"task","taskId":"s"}`, all: `{"resultType":"task","taskId":"s","_meta":{` + self + `}}`},
		"F1 tools/list":                   {method: "tools/list", have: `{"tools":[]}`, all: `{"tools":[],"resultType":"complete","ttlMs":0,"cacheScope":"private","_meta":{` + self + `}}`},
		"F1 prompts/list":                 {method: "prompts/list", have: `{}`, all: `{"resultType":"complete","ttlMs":0,"cacheScope":"private","_meta":{` + self + `}}`},
		"F1 resources/list":               {method: "resources/list", have: `{}`, all: `{"resultType":"complete","ttlMs":0,"cacheScope":"private","_meta":{` + self + `}}`},
		"F1 resources/templates/list":     {method: "resources/templates/list", have: `{}`, all: `{"resultType":"complete","ttlMs":0,"cacheScope":"private","_meta":{` + self + `}}`},
		"F1 resources/read":               {method: "resources/read", have: `{"contents":[]}`, all: `{"contents":[],"resultType":"complete","ttlMs":0,"cacheScope":"private","_meta":{` + self + `}}`},
		"F1 hints of the result":          {method: "tools/list", have: `{"cacheScope":"public","ttlMs":5}`, all: `{"cacheScope":"public","ttlMs":5,"resultType":"complete","_meta":{` + self + `}}`},
		"F1 one hint of the result":       {method: "tools/list", have: `{"cacheScope":"public"}`, all: `{"cacheScope":"public","ttlMs":0,"resultType":"complete","_meta":{` + self + `}}`},
		"F1 hints of the options":         {runtime.ServerOptions{Cache: runtime.CacheHints{CacheHint: runtime.CacheHint{TTL: 1500 * time.Microsecond, Public: true}}}, "prompts/list", `{}`, `{"resultType":"complete","ttlMs":1,"cacheScope":"public","_meta":{` + self + `}}`},
		"F1 hints of the options for one": {runtime.ServerOptions{Cache: runtime.CacheHints{CacheHint: runtime.CacheHint{Public: true}, Methods: map[string]runtime.CacheHint{"prompts/list": {TTL: time.Second}}}}, "prompts/list", `{}`, `{"resultType":"complete","ttlMs":1000,"cacheScope":"private","_meta":{` + self + `}}`},
		"F1 results that are not kept":    {runtime.ServerOptions{Cache: runtime.CacheHints{CacheHint: runtime.CacheHint{Public: true}}}, "tools/call", `{}`, `{"resultType":"complete","_meta":{` + self + `}}`},
	} {
		s[row.method] = returns(row.have)
		alone(t, name, s.with(side{"echo": returns(row.have)}), row.opts, nil, func(t *testing.T, c *conn) {
			c.answers([]string{request("1", row.method, `"name":"echo","uri":"x:1"`, metaTerms)}, `{"jsonrpc":"2.0","id":1,"result":`+row.all+`}`)
		})
	}
	alone(t, "F1 the hint of a call", side{"resources/read": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
		runtime.CallOf(ctx).Cache(runtime.CacheHint{TTL: time.Minute, Public: true})
		return wire.Raw(`{}`), nil
	}}, runtime.ServerOptions{}, []string{r11}, func(t *testing.T, c *conn) {
		c.answers([]string{request("1", "resources/read", "", metaTerms)}, result("1", `"ttlMs":60000,"cacheScope":"public"`))
	})
	for _, text := range []string{
		`{"resultType":"input_required","requestState":"s","_meta":{"a":1}}`,
		`{"_meta":{"a":1},"resultType":"input_required","requestState":"s"}`,
		`{"resultType":"input_required","requestState":"` + strings.Repeat("s", 1000) + `","_meta":{"a":1}}`,
	} {
		alone(t, "an interim result with _meta", side{"echo": returns(text)}, runtime.ServerOptions{}, nil, func(t *testing.T, c *conn) {
			c.send(call("1", "echo"))
			if got := c.replies(); len(got) != 1 || !strings.Contains(got[0], `"_meta":{"a":1,`+self+`}`) || !json.Valid([]byte(got[0])) {
				t.Errorf("%s: got %s", text, got)
			}
		})
	}
	alone(t, "F2 an interim result", side{"resources/read": returns(`{"resultType":"input_required","requestState":"s"}`)}, runtime.ServerOptions{}, nil, func(t *testing.T, c *conn) {
		c.send(request("1", "resources/read", `"uri":"x:1"`, metaTerms))
		if got := c.replies(); len(got) != 1 || !strings.Contains(got[0], `"resultType":"input_required"`) || strings.Contains(got[0], "ttlMs") || strings.Contains(got[0], "cacheScope") {
			t.Errorf("got %s", got)
		}
	})
	t.Run("F6 a negative TTL", func(t *testing.T) {
		for _, hints := range []runtime.CacheHints{{CacheHint: runtime.CacheHint{TTL: -1}}, {Methods: map[string]runtime.CacheHint{"tools/list": {TTL: -time.Second}}}} {
			if err := runtime.NewServer(runtime.ServerOptions{Cache: hints}, tools.in(rA)).Err(); err == nil || !strings.Contains(err.Error(), "negative") {
				t.Errorf("%v: got %v, want an error", hints, err)
			}
		}
	})
	t.Run("B6 a result of a session gets nothing", func(t *testing.T) {
		s := newStateless(t, side{"tools/list": returns(`{"tools":[]}`)}, runtime.ServerOptions{}, r11)
		got := exchange(t, s, strings.ReplaceAll(initialize, "%s", r11)+"\n"+request("1", "tools/list", "", ""))
		if !strings.Contains(got, `"id":1,"result":{"tools":[]}}`) {
			t.Errorf("got %s", got)
		}
	})
}

// TestResultOrder checks the texts of results: of the members that all results have, those that the handler has not
// written come first.
func TestResultOrder(t *testing.T) {
	const (
		complete = `"resultType":"complete"`
		self     = `"io.modelcontextprotocol/serverInfo":{"name":"probe","version":"0.1"}`
		named    = `"_meta":{` + self + `}`
		first    = complete + "," + named
	)
	for _, row := range []struct{ name, method, have, want string }{
		{"B6 nothing", "tools/call", `{}`, `{` + first + `}`},
		{"B6 other members", "tools/call", `{"content":[]}`, `{` + first + `,"content":[]}`},
		{"B6 the type last", "tools/call", `{"content":[],"resultType":"complete"}`, `{` + named + `,"content":[],` + complete + `}`},
		{"B6 the type last in a member", "tools/call", `{"a":{"b":1,"resultType":"complete"}}`, `{` + first + `,"a":{"b":1,"resultType":"complete"}}`},
		{"B6 the type alone", "tools/call", `{"resultType":"complete"}`, `{` + named + `,` + complete + `}`},
		{"B6 white space", "tools/call", "{ \n}", `{` + first + `}`},
		{"B6 an escape that stands for no letter", "tools/call", `{"a":"\\\""}`, `{` + first + `,"a":"\\\""}`},
		{"B6 an escaped name", "tools/call", `{"a":1,"result\u0054ype":"complete"}`, `{` + named + `,"a":1,"result\u0054ype":"complete"}`},
		{"F1 hints", "tools/list", `{"tools":[]}`, `{` + first + `,"ttlMs":0,"cacheScope":"private","tools":[]}`},
		{"F1 hints beside _meta", "tools/list", `{"_meta":{"a":1},"resultType":"complete"}`, `{"ttlMs":0,"cacheScope":"private","_meta":{"a":1,` + self + `},"resultType":"complete"}`},
		{"F1 a hint", "tools/list", `{"ttlMs":1}`, `{` + first + `,"cacheScope":"private","ttlMs":1}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			returns := func(context.Context, *runtime.Message) (wire.Appender, error) { return wire.Raw(row.have), nil }
			s := newStateless(t, side{"echo": returns, "tools/list": returns}, runtime.ServerOptions{})
			got := exchange(t, s, request("1", row.method, `"name":"echo"`, metaTerms))
			if want := `{"jsonrpc":"2.0","id":1,"result":` + row.want + "}\n"; got != want {
				t.Errorf("%s:\ngot  %swant %s", row.have, got, want)
			}
		})
	}
}

// spaced is a result whose text begins with white space.
type spaced string

func (s spaced) AppendJSON(dst []byte) ([]byte, error) {
	return append(append(dst, "\n "...), s...), nil
}

// TestSpacedResult checks that the answer is valid when a handler's type writes white space around the result.
func TestSpacedResult(t *testing.T) {
	for _, text := range []string{`{}`, `{"content":[]}`, `{ "_meta" : {} , "resultType" : "complete" } `} {
		returns := func(context.Context, *runtime.Message) (wire.Appender, error) { return spaced(text), nil }
		got := exchange(t, newStateless(t, side{"echo": returns}, runtime.ServerOptions{}), request("1", "tools/call", `"name":"echo"`, metaTerms))
		if !json.Valid([]byte(got)) || !strings.Contains(got, `"resultType"`) || !strings.Contains(got, "serverInfo") {
			t.Errorf("%q: got %s", text, got)
		}
	}
}
