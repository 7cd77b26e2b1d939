package audit_test

import (
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/audit"
)

const (
	modern    = accept + `,"MCP-Protocol-Version":"2026-07-28"`
	toCall    = modern + `,"Mcp-Method":"tools/call","Mcp-Name":"t"`
	toList    = modern + `,"Mcp-Method":"tools/list"`
	annotated = `"tools":[{"name":"t","inputSchema":{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}}]`
)

// posted is an exchange of a stateless request with its answer as JSON.
func posted(exchange int, headers, request string, status int, answer string) []string {
	return []string{post(exchange, headers, request[2:]), respond(exchange, status, typeJSON, answer[2:])}
}

func streamed(exchange int, id, message string) string {
	return entry("event", exchange, `"event":{"id":"`+id+`"},"message":`+strings.ReplaceAll(message[2:], `{"@`, `{"jsonrpc":"2.0","`))
}

// cleanStatelessHTTP is a correct recording over HTTP without a session: two clients use the same id
// at the same time, and a third one has a session at the same URL.
func cleanStatelessHTTP() []string {
	const listening = `"notifications":{"toolsListChanged":true}`
	call := requestAs(2, "tools/call", allOfMeta+`,"progressToken":"p","io.modelcontextprotocol/logLevel":"info"`, `"name":"t","arguments":{"region":"日本"}`)
	other := request(2, "prompts/get", `"name":"q"`)
	lines := posted(1, toList, request(1, "tools/list", ""), 200, result(1, cacheable+","+annotated))
	lines = append(lines,
		post(2, modern+`,"Mcp-Method":"tools/call","Mcp-Name":"=?base64?dA==?=","Mcp-Param-Region":"=?base64?5pel5pys?="`, call[2:]), respond(2, 200, typeStream, ""),
		post(3, modern+`,"Mcp-Method":"prompts/get","Mcp-Name":"q"`, other[2:]),
		streamed(2, "", `s {"@method":"notifications/progress","params":{"progressToken":"p","progress":1}}`),
		streamed(2, "", `s {"@method":"notifications/message","params":{"level":"info","data":1}}`),
		respond(3, 200, typeJSON, result(2, complete+`,"messages":[]`)[2:]),
		streamed(2, "", result(2, complete+`,"content":[]`)), entry("end", 2, `"session":""`),
		post(4, modern+`,"Mcp-Method":"subscriptions/listen"`, request(4, "subscriptions/listen", listening)[2:]), respond(4, 200, typeStream, ""),
		streamed(4, "", told(4, "subscriptions/acknowledged", listening)), streamed(4, "", told(4, "tools/list_changed", "")),
		entry("end", 4, `"session":""`),
	)
	unknown := strings.Replace(request(5, "tools/list", ""), "2026-07-28", "2099-01-01", 1)
	lines = append(lines, posted(5, strings.Replace(toList, "2026-07-28", "2099-01-01", 1), unknown, 400, failure(5, -32022, `,"data":{"supported":["2026-07-28"],"requested":"2099-01-01"}`))...)
	// The client cancels by disconnecting, before the response and within it.
	disconnected := func(exchange int) string {
		return strings.Replace(entry("end", exchange, `"session":""`), "server->client", "client->server", 1)
	}
	lines = append(lines,
		post(6, toList, request(6, "tools/list", "")[2:]), disconnected(6),
		post(7, toList, request(7, "tools/list", "")[2:]), respond(7, 200, typeStream, ""), disconnected(7))
	for _, line := range handshake() {
		lines = append(lines, strings.NewReplacer(`"exchange":1`, `"exchange":11`, `"exchange":2`, `"exchange":12`).Replace(line))
	}
	return append(lines, post(13, accept+","+session+","+version, list[2:]), respond(13, 200, typeJSON, `{"@id":1,"result":{"tools":[]}}`))
}

// TestCleanStatelessHTTP expects no findings in a correct recording over HTTP without a session.
func TestCleanStatelessHTTP(t *testing.T) {
	t.Parallel()
	for _, f := range judged(t, audit.Options{}, cleanStatelessHTTP()) {
		if f.Rule != "revision-unknown" {
			t.Errorf("line %d: %s %s at %s: %s", f.Place, f.Level, f.Rule, f.Pointer, f.Problem)
		}
	}
}

func headerViolations() []violation {
	contents := complete + `,"content":[]`
	listed := posted(1, toList, request(1, "tools/list", ""), 200, result(1, cacheable+","+annotated))
	call := func(headers, arguments string) []string {
		refused := posted(2, headers, request(2, "tools/call", `"name":"t","arguments":`+arguments), 400, failure(2, -32020, ""))
		return append(listed[:2:2], refused...)
	}
	region := func(value string) string { return toCall + `,"Mcp-Param-Region":"` + value + `"` }
	annotation := func(schema string) []string {
		return posted(1, toList, request(1, "tools/list", ""), 200, result(1, cacheable+`,"tools":[{"name":"t","inputSchema":{"type":"object",`+schema+`}}]`))
	}
	progress := `s {"@method":"notifications/progress","params":{"progressToken":"p","progress":1}}`
	asked := requestAs(2, "tools/call", allOfMeta+`,"progressToken":"p"`, `"name":"x"`)
	toX := strings.Replace(toCall, `"t"`, `"x"`, 1)
	listen := []string{post(4, modern+`,"Mcp-Method":"subscriptions/listen"`, request(4, "subscriptions/listen", `"notifications":{}`)[2:]), respond(4, 200, typeStream, ""),
		streamed(4, "", told(4, "subscriptions/acknowledged", `"notifications":{}`))}
	all := []violation{
		{rule: "http-header-missing", name: "H27 method", lines: posted(1, modern, request(1, "tools/list", ""), 400, failure(1, -32020, ""))},
		{rule: "http-header-missing", name: "H22 version", lines: posted(1, strings.Replace(toList, `"MCP-Protocol-Version":"2026-07-28",`, "", 1), request(1, "tools/list", ""), 400, failure(1, -32020, ""))},
		{rule: "http-header-missing", name: "H28 name", lines: posted(1, modern+`,"Mcp-Method":"resources/read"`, request(1, "resources/read", `"uri":"a:b"`), 400, failure(1, -32020, ""))},
		{rule: "http-header-missing", name: "H49 parameter", lines: call(toCall, `{"region":"r"}`)},
		{rule: "http-header-mismatch", name: "H23 version", lines: posted(1, strings.Replace(toList, "2026-07-28", "2025-11-25", 1), request(1, "tools/list", ""), 400, failure(1, -32020, ""))},
		{rule: "http-header-mismatch", name: "H51 method", lines: posted(1, toList, request(1, "prompts/list", ""), 400, failure(1, -32020, ""))},
		{rule: "http-header-mismatch", name: "H47 parameter", lines: call(region("q"), `{"region":"r"}`)},
		{rule: "http-header-mismatch", name: "H48 no parameter", lines: call(region("q"), `{"region":null}`), also: []audit.Rule{"arguments-invalid"}},
		{rule: "http-header-mismatch", name: "H42 encoded", lines: call(region("=?base64?cQ==?="), `{"region":"r"}`)},
		{rule: "http-header-mismatch", name: "H46 encoding", lines: call(region("=?base64?!?="), `{"region":"r"}`)},
		{rule: "http-header-accepted", name: "H51 H53", lines: posted(1, toList, request(1, "prompts/list", ""), 200, result(1, cacheable+`,"prompts":[]`)), also: []audit.Rule{"http-header-mismatch"}},
		{rule: "http-status", name: "H53", lines: posted(1, toList, request(1, "prompts/list", ""), 200, failure(1, -32020, "")), also: []audit.Rule{"http-header-mismatch", "http-header-accepted"}},
		{rule: "http-status", name: "H25", lines: posted(1, modern+`,"Mcp-Method":"x/y"`, request(1, "x/y", ""), 200, failure(1, -32601, "")), also: []audit.Rule{"method-unknown"}},
		{rule: "http-status", name: "B35", lines: posted(1, toX, request(1, "tools/call", `"name":"x"`), 200, failure(1, -32021, `,"data":{"requiredCapabilities":{"roots":{}}}`))},
		{rule: "http-status", name: "B32", lines: posted(1, toList, requestAs(1, "tools/list", metaVersion, ""), 200, failure(1, -32602, "")), also: []audit.Rule{"meta-terms"}},
		{rule: "http-session-minted", name: "H60", lines: []string{post(1, toX, request(1, "tools/call", `"name":"x"`)[2:]), respond(1, 200, typeJSON+","+session, result(1, contents)[2:])}},
		{rule: "x-mcp-header", name: "H31 empty", lines: annotation(`"properties":{"a":{"type":"string","x-mcp-header":""}}`)},
		{rule: "x-mcp-header", name: "H32 no token", lines: annotation(`"properties":{"a":{"type":"string","x-mcp-header":"a b"}}`)},
		{rule: "x-mcp-header", name: "H33 twice", lines: annotation(`"properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}}`)},
		{rule: "x-mcp-header", name: "H34 number", lines: annotation(`"properties":{"a":{"type":"number","x-mcp-header":"A"}}`)},
		{rule: "x-mcp-header", name: "H35 items", lines: annotation(`"properties":{"a":{"type":"array","items":{"type":"string","x-mcp-header":"A"}}}`)},
		{rule: "http-stream-other", name: "H12 progress", lines: append([]string{post(2, toX, asked[2:]), respond(2, 200, typeStream, ""), post(3, toX, request(3, "tools/call", `"name":"x"`)[2:]), respond(3, 200, typeStream, ""),
			streamed(3, "", progress)}, streamed(3, "", result(3, contents)), streamed(2, "", result(2, contents)))},
		{rule: "http-stream-other", name: "P29 subscription", lines: append(listen[:3:3], post(5, modern+`,"Mcp-Method":"subscriptions/listen"`, request(5, "subscriptions/listen", `"notifications":{}`)[2:]), respond(5, 200, typeStream, ""),
			streamed(5, "", told(5, "subscriptions/acknowledged", `"notifications":{}`)), streamed(5, "", told(4, "subscriptions/acknowledged", `"notifications":{}`)))},
		{rule: "http-listen-stream", name: "H15 progress", lines: append([]string{post(2, toX, asked[2:]), respond(2, 200, typeStream, "")},
			append(listen[:3:3], streamed(4, "", progress), streamed(2, "", result(2, contents)))...)},
		{rule: "http-listen-stream", name: "H15 log", lines: append(listen[:3:3], streamed(4, "", `s {"@method":"notifications/message","params":{"level":"info","data":1}}`))},
		{rule: "log-unasked", name: "F43 another stream", lines: append([]string{post(2, toX, requestAs(2, "tools/call", allOfMeta+`,"io.modelcontextprotocol/logLevel":"info"`, `"name":"x"`)[2:]), respond(2, 200, typeStream, "")},
			post(3, toX, request(3, "tools/call", `"name":"x"`)[2:]), respond(3, 200, typeStream, ""), streamed(3, "", `s {"@method":"notifications/message","params":{"level":"info","data":1}}`),
			streamed(3, "", result(3, contents)), streamed(2, "", result(2, contents)))},
	}
	for i := range all {
		all[i].bare = true
	}
	return all
}
