package audit_test

import (
	"fmt"
	"strings"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/audit"
)

func clientViolations() []violation {
	ask := func(method, params, answer string) []string {
		return []string{`s {"@id":1,"method":"` + method + `","params":` + params + `}`, `c {"@id":1,` + answer + `}`}
	}
	form := func(properties, answer string) []string {
		return ask("elicitation/create", `{"message":"m","requestedSchema":{"type":"object","properties":{`+properties+`}}}`, answer)
	}
	visit := func(url string) []string {
		return ask("elicitation/create", `{"mode":"url","message":"m","elicitationId":"e","url":"`+url+`"}`, `"result":{"action":"accept"}`)
	}
	sample := func(more, answer string) []string {
		return ask("sampling/createMessage", `{"maxTokens":9,"messages":[`+more, `"result":{"role":"assistant","model":"m","content":`+answer+`}`)
	}
	const (
		text  = `{"type":"text","text":"t"}`
		use   = `{"type":"tool_use","id":"i","name":"t","input":{}}`
		given = `{"type":"tool_result","toolUseId":"i","content":[]}`
		tools = `],"tools":[{"name":"t","inputSchema":{"type":"object"}}]`
	)
	said := func(role, content string) string { return `{"role":"` + role + `","content":` + content + `}` }
	required := func(data string) []string {
		return []string{`c {"@id":1,"method":"tools/call","params":{"name":"x"}}`, `s {"@id":1,"error":{"code":-32042,"message":"m","data":` + data + `}}`}
	}
	return []violation{
		{rule: "root-uri", lines: ask("roots/list", "{}", `"result":{"roots":[{"uri":"https://example.com"}]}`), also: []audit.Rule{"schema"}},
		{rule: "roots-changed-unannounced", lines: append(ask("roots/list", "{}", `"result":{"roots":[]}`),
			`s {"@id":2,"method":"roots/list"}`, `c {"@id":2,"result":{"roots":[{"uri":"file:///a"}]}}`)},
		// F56
		{rule: "sampling-tool-result", name: "mixed", lines: sample(said("user", text)+","+said("assistant", use)+","+said("user", "["+given+","+text+"]")+tools+"}", text)},
		{rule: "sampling-tool-result", name: "twice", lines: sample(said("assistant", use)+","+said("user", "["+given+","+given+"]")+tools+"}", text)},
		{rule: "sampling-tool-result", name: "of the assistant", lines: sample(said("assistant", use)+","+said("assistant", given)+tools+"}", text)},
		{rule: "sampling-tool-result", name: "missing", lines: sample(said("assistant", use)+","+said("user", text)+tools+"}", text)},
		{rule: "sampling-tool-result", name: "of another", lines: sample(said("assistant", text)+","+said("user", given)+tools+"}", text)},
		{rule: "sampling-tool-choice", name: "none", lines: sample(said("user", text)+tools+`,"toolChoice":{"mode":"none"}}`, use)},
		{rule: "sampling-tool-choice", name: "required", lines: sample(said("user", text)+tools+`,"toolChoice":{"mode":"required"}}`, text)},
		{rule: "sampling-tool-choice", name: "no tools", lines: sample(said("user", text)+"]}", use)},
		{rule: "sampling-context", client: `{"sampling":{}}`, lines: sample(said("user", text)+`],"includeContext":"allServers"}`, text)},
		{rule: "elicitation-content", lines: form(`"a":{"type":"integer"}`, `"result":{"action":"accept","content":{"a":"x"}}`)},
		{rule: "elicitation-content", name: "enum", lines: form(`"a":{"type":"string","enum":["x"]}`, `"result":{"action":"accept","content":{"a":"y"}}`)},
		{rule: "elicitation-content", name: "format", lines: form(`"a":{"type":"string","format":"email"}`, `"result":{"action":"accept","content":{"a":"y"}}`)},
		{rule: "elicitation-content-missing", lines: form(`"a":{"type":"integer"}`, `"result":{"action":"accept"}`)},
		{rule: "elicitation-content-extra", lines: form(`"a":{"type":"integer"}`, `"result":{"action":"decline","content":{"a":1}}`)},
		{rule: "elicitation-sensitive", lines: form(`"userPassword":{"type":"string"}`, `"result":{"action":"decline"}`)},
		{rule: "elicitation-sensitive", name: "a token", lines: form(`"githubApiToken":{"type":"string"}`, `"result":{"action":"decline"}`)},
		{rule: "elicitation-sensitive", name: "a code", lines: form(`"one_time_code":{"type":"string"}`, `"result":{"action":"decline"}`)},
		{rule: "elicitation-form-url", lines: form(`"a":{"type":"string","description":"see https://example.com"}`, `"result":{"action":"decline"}`)},
		{rule: "elicitation-url", lines: visit("https:///nowhere")},
		{rule: "elicitation-url-secret", name: "in the query", lines: visit("https://example.com/?access_token=abcdef")},
		{rule: "elicitation-url-secret", name: "before the host", lines: visit("https://ada:abcdef@example.com/")},
		{rule: "elicitation-url-https", lines: visit("http://example.com/")},
		{rule: "elicitation-complete-unknown", lines: []string{`s {"@method":"notifications/elicitation/complete","params":{"elicitationId":"z"}}`}},
		{rule: "elicitation-required", name: "no list", lines: required("{}"), also: []audit.Rule{"schema"}},
		{rule: "elicitation-required", name: "a form", lines: required(`{"elicitations":[{"message":"m","requestedSchema":{"type":"object","properties":{}}}]}`), also: []audit.Rule{"schema", "elicitation-url"}},
		{rule: "elicitation-required", name: "undeclared", client: "{}", lines: required(`{"elicitations":[{"mode":"url","elicitationId":"e","url":"https://example.com","message":"m"}]}`)},
	}
}

// entry is a line of a recording over HTTP.
func entry(kind string, exchange int, rest string) string {
	direction := "server->client"
	if kind == "request" {
		direction = "client->server"
	}
	return fmt.Sprintf(`r {"kind":"%s","direction":"%s","transport":"http","exchange":%d,%s}`, kind, direction, exchange, rest)
}

const (
	accept  = `"Accept":"application/json, text/event-stream","Content-Type":"application/json"`
	session = `"Mcp-Session-Id":"sha256:1"`
	version = `"MCP-Protocol-Version":"2025-11-25"`
)

// post returns the recording of a POST with a message and headers.
func post(exchange int, headers, message string) string {
	return entry("request", exchange, `"http":{"method":"POST","path":"/mcp","headers":{`+headers+`}},"message":`+strings.ReplaceAll(message, `{"@`, `{"jsonrpc":"2.0","`))
}

func respond(exchange, status int, headers, message string) string {
	if message != "" {
		message = `,"message":` + strings.ReplaceAll(message, `{"@`, `{"jsonrpc":"2.0","`)
	}
	return entry("response", exchange, fmt.Sprintf(`"http":{"status":%d,"headers":{%s}}%s`, status, headers, message))
}

const typeJSON, typeStream = `"Content-Type":"application/json"`, `"Content-Type":"text/event-stream"`

// handshake returns the recording of the handshake over HTTP.
func handshake() []string {
	return []string{
		post(1, accept, started[2:]), respond(1, 200, typeJSON+","+session, replied[2:]),
		post(2, accept+","+session+","+version, ready[2:]), respond(2, 202, "", ""),
	}
}

func httpViolations() []violation {
	good := accept + "," + session + "," + version
	after := func(lines ...string) []string { return append(handshake(), lines...) }
	asked, answer := list[2:], `{"@id":1,"result":{"tools":[]}}`
	get := entry("request", 3, `"http":{"method":"GET","path":"/mcp","headers":{"Accept":"text/event-stream",`+session+`,`+version+`}}`)
	event := func(exchange int, id, message string) string {
		return entry("event", exchange, `"event":{"id":"`+id+`"},"message":`+strings.ReplaceAll(message, `{"@`, `{"jsonrpc":"2.0","`))
	}
	const note = `{"@method":"notifications/tools/list_changed"}`
	all := []violation{
		{rule: "stdout-text", lines: []string{"s Server is running"}},
		{rule: "stdin-text", lines: []string{"c hello"}},
		{rule: "embedded-newline", bare: true, lines: []string{`r {"kind":"message","direction":"client->server","transport":"stdio","message":"{\"jsonrpc\":\"2.0\",\n\"id\":0,\"method\":\"ping\"}"}`,
			`s {"@id":0,"result":{}}`}, also: []audit.Rule{"no-initialize"}},
		{rule: "http-accept", lines: after(post(3, strings.Replace(good, ", text/event-stream", "", 1), asked), respond(3, 200, typeJSON, answer))},
		{rule: "http-accept", name: "GET", lines: after(strings.Replace(get, "text/event-stream", "application/json", 1), respond(3, 405, "", ""))},
		{rule: "http-request-type", lines: after(post(3, strings.Replace(good, `"Content-Type":"application/json"`, `"Content-Type":"text/plain"`, 1), asked), respond(3, 200, typeJSON, answer))},
		{rule: "http-method", lines: after(strings.Replace(post(3, good, asked), "POST", "PUT", 1), respond(3, 200, typeJSON, answer))},
		{rule: "http-protocol-version", lines: after(post(3, accept+","+session, asked), respond(3, 200, typeJSON, answer))},
		{rule: "http-protocol-version-other", lines: after(post(3, strings.Replace(good, "2025-11-25", "2025-06-18", 1), asked), respond(3, 200, typeJSON, answer))},
		{rule: "http-protocol-version-accepted", lines: after(post(3, strings.Replace(good, "2025-11-25", "1999-01-01", 1), asked), respond(3, 200, typeJSON, answer)), also: []audit.Rule{"http-protocol-version-other"}},
		{rule: "http-session-missing", lines: after(strings.Replace(post(3, accept+","+version, asked), `"exchange"`, `"session":"sha256:1","exchange"`, 1), respond(3, 400, typeJSON, ""))},
		{rule: "http-session-missing", name: "of the only session", lines: after(post(3, accept+","+version, asked), respond(3, 400, typeJSON, ""))},
		{rule: "http-session-accepted", lines: after(post(3, accept+","+version, asked), respond(3, 200, typeJSON, answer)), also: []audit.Rule{"http-session-missing"}},
		{rule: "http-response-elsewhere", lines: after(post(3, good, asked), post(4, good, `{"@id":5,"method":"ping"}`), respond(4, 200, typeStream, ""), event(4, "", answer), event(4, "", `{"@id":5,"result":{}}`), respond(3, 200, typeStream, ""))},
		{rule: "http-session-id", lines: []string{post(1, accept, started[2:]), respond(1, 200, typeJSON+`,"Mcp-Session-Id":"sha256:1;invalid"`, replied[2:])}},
		{rule: "http-session-ended", lines: after(entry("request", 3, `"http":{"method":"DELETE","path":"/mcp","headers":{`+session+`,`+version+`}}`), respond(3, 200, "", ""),
			post(4, good, asked), respond(4, 200, typeJSON, answer))},
		{rule: "http-session-lost", lines: after(post(3, good, note), respond(3, 404, "", ""), post(4, good, `{"@id":9,"method":"ping"}`), respond(4, 200, typeJSON, `{"@id":9,"result":{}}`)), also: []audit.Rule{"method-side"}},
		{rule: "http-content-type", lines: after(post(3, good, asked), respond(3, 200, `"Content-Type":"text/html"`, "")), also: []audit.Rule{"unanswered"}},
		{rule: "http-content-type", name: "GET", lines: after(get, respond(3, 200, typeJSON, ""))},
		{rule: "http-accepted", lines: []string{handshake()[0], handshake()[1], handshake()[2], respond(2, 200, "", "")}},
		{rule: "http-get-response", lines: after(post(4, good, asked), get, respond(3, 200, typeStream, ""), event(3, "", answer), respond(4, 202, "", "")), also: []audit.Rule{"http-content-type"}},
		{rule: "http-stream-closed", lines: func() []string {
			var old []string
			for _, line := range after(post(3, good, asked), respond(3, 200, typeStream, ""), entry("end", 3, `"session":"sha256:1"`)) {
				old = append(old, strings.ReplaceAll(line, "2025-11-25", "2025-06-18"))
			}
			return old
		}(), also: []audit.Rule{"unanswered"}},
		{rule: "http-stream-after-response", lines: after(post(3, good, asked), respond(3, 200, typeStream, ""), event(3, "a", answer), event(3, "b", `{"@id":9,"method":"ping"}`),
			post(4, good, `{"@id":9,"result":{}}`), respond(4, 202, "", ""))},
		{rule: "http-event-id", lines: after(get, respond(3, 200, typeStream, ""), event(3, "a", `{"@id":8,"method":"ping"}`), event(3, "a", `{"@id":9,"method":"ping"}`),
			post(4, good, `{"@id":9,"result":{}}`), respond(4, 202, "", ""), post(5, good, `{"@id":8,"result":{}}`), respond(5, 202, "", ""))},
		{rule: "http-event-id", name: "of the same notification", lines: after(get, respond(3, 200, typeStream, ""), event(3, "a", note), event(3, "a", note)), also: []audit.Rule{"capability"}},
		{rule: "http-replay", name: "a notification", lines: after(post(3, good, asked), respond(3, 200, typeStream, ""), entry("event", 3, `"event":{"id":"a"}`), entry("end", 3, session),
			strings.Replace(get, `"exchange":3`, `"exchange":4`, 1), respond(4, 200, typeStream, ""), event(4, "b", note),
			strings.Replace(strings.Replace(get, `"exchange":3`, `"exchange":5`, 1), session, session+`,"Last-Event-ID":"a"`, 1), respond(5, 200, typeStream, ""), event(5, "b", note), event(5, "c", answer)), also: []audit.Rule{"capability"}},
		{rule: "http-replay", lines: after(post(3, good, asked), respond(3, 200, typeStream, ""), event(3, "a", answer), entry("end", 3, session),
			post(4, good, `{"@id":5,"method":"ping"}`), respond(4, 200, typeStream, ""), event(4, "b", `{"@id":5,"result":{}}`),
			strings.Replace(strings.Replace(get, `"exchange":3`, `"exchange":5`, 1), session, session+`,"Last-Event-ID":"a"`, 1), respond(5, 200, typeStream, ""), event(5, "c", `{"@id":5,"result":{}}`))},
		{rule: "http-authenticate", lines: []string{post(1, accept, started[2:]), respond(1, 401, "", "")}},
		{rule: "http-token-in-query", lines: []string{strings.Replace(post(1, accept, started[2:]), "/mcp", "/mcp?access_token=sha256:9", 1), respond(1, 200, typeJSON+","+session, replied[2:])}},
		{rule: "sse-endpoint", lines: []string{entry("request", 1, `"http":{"method":"GET","path":"/sse","headers":{"Accept":"text/event-stream"}}`), respond(1, 200, typeStream, ""), entry("event", 1, `"event":{"type":"message"},"message":`+note)}},
	}
	for i := range all {
		all[i].bare = all[i].bare || strings.HasPrefix(string(all[i].rule), "http-") || all[i].rule == "sse-endpoint"
	}
	return all
}
