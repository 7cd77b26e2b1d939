package audit_test

import (
	"strings"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/audit"
)

func violations() []violation {
	var all []violation
	for _, some := range [][]violation{baseViolations(), utilityViolations(), serverViolations(), clientViolations(), httpViolations(), statelessViolations(), headerViolations()} {
		all = append(all, some...)
	}
	return all
}

const (
	started  = `c {"@id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
	replied  = `s {"@id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}`
	ready    = `c {"@method":"notifications/initialized"}`
	list     = `c {"@id":1,"method":"tools/list"}`
	listed   = `s {"@id":1,"result":{"tools":[{"name":"t","inputSchema":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]},"outputSchema":{"type":"object","properties":{"m":{"type":"integer"}},"required":["m"]}},{"name":"u","inputSchema":{"type":"object"},"execution":{"taskSupport":"required"}},{"name":"v","inputSchema":{"type":"object"},"execution":{"taskSupport":"optional"}}]}}`
	call     = `c {"@id":2,"method":"tools/call","params":{"name":"t","arguments":{"n":1}}}`
	token    = `c {"@id":2,"method":"tools/call","params":{"name":"x","_meta":{"progressToken":"p"}}}`
	done     = `s {"@id":2,"result":{"content":[]}}`
	taskCall = `c {"@id":3,"method":"tools/call","params":{"name":"v","task":{}}}`
	created  = `s {"@id":3,"result":{"task":{"taskId":"k","status":"working","ttl":null,"createdAt":"2025-11-25T10:00:00Z","lastUpdatedAt":"2025-11-25T10:00:00Z"}}}`
)

// taskState is a task in a result or in params.
func taskState(id, status string) string {
	return `"taskId":"` + id + `","status":"` + status + `","ttl":null,"createdAt":"2025-11-25T10:00:00Z","lastUpdatedAt":"2025-11-25T10:00:00Z"`
}

func baseViolations() []violation {
	return []violation{
		{rule: "schema", name: "result", lines: []string{list, `s {"@id":1,"result":{"tools":7}}`}},
		{rule: "schema", name: "both result and error", lines: []string{list, `s {"@id":1,"result":{},"error":{"code":1,"message":"m"}}`}},
		{rule: "schema", name: "code that is not an integer", lines: []string{list, `s {"@id":1,"error":{"code":1.5,"message":"m"}}`}},
		{rule: "schema", name: "id null", lines: []string{`c {"@id":null,"method":"ping"}`}},
		{rule: "schema", name: "version of JSON-RPC", lines: []string{`c {"jsonrpc":"1.0","id":1,"method":"ping"}`}},
		{rule: "schema", name: "batch", lines: []string{`c [{"@id":1,"method":"ping"}]`, `s {"@id":1,"result":{}}`}},
		{rule: "schema", name: "token that is neither a string nor an integer", lines: []string{`c {"@id":1,"method":"ping","params":{"_meta":{"progressToken":true}}}`, `s {"@id":1,"result":{}}`}},
		{rule: "not-a-message", name: "text among messages", bare: true, lines: []string{
			`r ` + started[2:], `r ` + replied[2:], `r ` + ready[2:], `r server is listening`, `r ` + list[2:], `r ` + listed[2:],
		}},
		{rule: "method-side", name: "tools/list of the server", lines: []string{`s {"@id":1,"method":"tools/list"}`, `c {"@id":1,"error":{"code":-32601,"message":"m"}}`}},
		{rule: "method-revision", name: "elicitation in 2025-03-26", revision: "2025-03-26", lines: []string{
			`s {"@id":1,"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{}}}}`, `c {"@id":1,"error":{"code":-32601,"message":"m"}}`,
		}},
		{rule: "method-reserved", lines: []string{`c {"@id":1,"method":"rpc.list"}`, `s {"@id":1,"error":{"code":-32601,"message":"m"}}`}},
		{rule: "request-without-id", lines: []string{`c {"@method":"tools/list"}`}, from: client},
		{rule: "notification-with-id", lines: []string{`c {"@id":7,"method":"notifications/roots/list_changed"}`}},
		{rule: "id-reused", lines: []string{`c {"@id":1,"method":"ping"}`, `s {"@id":1,"result":{}}`, `c {"@id":1,"method":"ping"}`, `s {"@id":1,"result":{}}`}},
		{rule: "response-unknown-id", name: "never asked", lines: []string{`s {"@id":99,"result":{}}`}},
		{rule: "response-unknown-id", name: "twice", lines: []string{list, listed, listed}},
		{rule: "response-unknown-id", name: "another type", lines: []string{list, `s {"@id":"1","result":{"tools":[]}}`}, also: []audit.Rule{"unanswered"}},
		{rule: "unanswered", name: "by the server", lines: []string{list, `c {"@id":2,"method":"ping"}`, `s {"@id":2,"result":{}}`}, from: server},
		{rule: "unanswered", name: "by the client", lines: []string{`s {"@id":1,"method":"roots/list"}`}, from: client},
		{rule: "error-code", lines: []string{list, `s {"@id":1,"error":{"code":-32500,"message":"m"}}`}},
		{rule: "batch-initialize", bare: true, lines: []string{
			`c [` + strings.ReplaceAll(started[2:], "2025-11-25", "2025-03-26") + `]`, strings.ReplaceAll(replied, "2025-11-25", "2025-03-26"), ready,
		}, also: []audit.Rule{"schema"}},
		{rule: "before-initialize", bare: true, lines: []string{list, listed, started, replied, ready}, also: []audit.Rule{"capability"}},
		{rule: "initialize-twice", lines: []string{strings.Replace(started, `@id":0`, `@id":5`, 1), strings.Replace(replied, `@id":0`, `@id":5`, 1)}},
		{rule: "initialized-missing", name: "after a ping", bare: true, lines: []string{started, replied, `c {"@id":1,"method":"ping"}`, `s {"@id":1,"result":{}}`}},
		{rule: "initialized-missing", bare: true, lines: []string{started, replied, list, listed}},
		{rule: "initialized-early", bare: true, lines: []string{started, ready, replied}},
		{rule: "initialized-twice", lines: []string{ready}},
		{rule: "client-request-early", bare: true, lines: []string{started, list, replied, ready, listed}},
		{rule: "server-request-early", bare: true, lines: []string{
			strings.Replace(started, `"capabilities":{}`, `"capabilities":{"roots":{}}`, 1), replied, `s {"@id":1,"method":"roots/list"}`, ready, `c {"@id":1,"result":{"roots":[]}}`,
		}},
		{rule: "version-form", bare: true, lines: []string{started, strings.Replace(replied, "2025-11-25", "1.0", 1), ready}},
		{rule: "version-newer", bare: true, lines: []string{strings.ReplaceAll(started, "2025-11-25", "2025-03-26"), replied, ready}},
		{rule: "capability", name: "of the server", server: "{}", lines: []string{list, `s {"@id":1,"error":{"code":-32601,"message":"m"}}`}},
		{rule: "capability", name: "of the client", client: "{}", lines: []string{`s {"@id":1,"method":"roots/list"}`, `c {"@id":1,"error":{"code":-32601,"message":"m"}}`}},
		{rule: "capability", name: "listChanged", server: `{"tools":{}}`, lines: []string{`s {"@method":"notifications/tools/list_changed"}`}},
		{rule: "capability", name: "logging", server: `{"tools":{}}`, lines: []string{`s {"@method":"notifications/message","params":{"level":"info","data":1}}`}},
		{rule: "capability", name: "subscribe", server: `{"resources":{}}`, lines: []string{`c {"@id":1,"method":"resources/subscribe","params":{"uri":"a:b"}}`, `s {"@id":1,"error":{"code":-32601,"message":"m"}}`}},
		{rule: "capability", name: "tools in sampling", client: `{"sampling":{}}`, lines: []string{
			`s {"@id":1,"method":"sampling/createMessage","params":{"maxTokens":1,"messages":[],"tools":[]}}`, `c {"@id":1,"error":{"code":-32601,"message":"m"}}`,
		}},
		{rule: "capability-unserved", lines: []string{list, `s {"@id":1,"error":{"code":-32601,"message":"m"}}`}},
		{rule: "method-not-found", client: "{}", lines: []string{`s {"@id":1,"method":"roots/list"}`, `c {"@id":1,"error":{"code":-32000,"message":"m"}}`}, also: []audit.Rule{"capability"}},
		// B31
		{rule: "meta-key", lines: []string{`c {"@id":1,"method":"ping","params":{"_meta":{"1a.b/c":1}}}`, `s {"@id":1,"result":{}}`}},
		{rule: "meta-reserved", name: "of the protocol itself", lines: []string{`c {"@id":1,"method":"ping","params":{"_meta":{"io.modelcontextprotocol/mine":1}}}`, `s {"@id":1,"result":{}}`}},
		{rule: "meta-reserved", lines: []string{`c {"@id":1,"method":"ping","params":{"_meta":{"dev.mcp/c":1}}}`, `s {"@id":1,"result":{}}`}},
		{rule: "icon-source", lines: []string{list, `s {"@id":1,"result":{"tools":[{"name":"t","inputSchema":{"type":"object"},"icons":[{"src":"javascript:alert(1)"}]}]}}`}},
	}
}

func utilityViolations() []violation {
	progress := func(value string) string {
		return `s {"@method":"notifications/progress","params":{"progressToken":"p","progress":` + value + `}}`
	}
	return []violation{
		{rule: "cancel-unknown", lines: []string{`c {"@method":"notifications/cancelled","params":{"requestId":9}}`}},
		{rule: "cancel-unknown", name: "of the other side", lines: []string{list, `s {"@method":"notifications/cancelled","params":{"requestId":1}}`, listed}},
		{rule: "cancel-unknown", name: "no id", lines: []string{`c {"@method":"notifications/cancelled","params":{"reason":"r"}}`}},
		{rule: "cancel-completed", lines: []string{list, listed, `c {"@method":"notifications/cancelled","params":{"requestId":1}}`}},
		{rule: "cancel-initialize", bare: true, lines: []string{started, `c {"@method":"notifications/cancelled","params":{"requestId":0}}`}},
		{rule: "cancel-answered", lines: []string{list, `c {"@method":"notifications/cancelled","params":{"requestId":1}}`, listed}},
		{rule: "cancel-task", lines: []string{list, listed, taskCall, `c {"@method":"notifications/cancelled","params":{"requestId":3}}`}},
		{rule: "ping-result", lines: []string{`c {"@id":1,"method":"ping"}`, `s {"@id":1,"result":{"pong":true}}`}},
		{rule: "progress-token-reused", lines: []string{token, strings.Replace(token, `@id":2`, `@id":3`, 1), done, strings.Replace(done, `@id":2`, `@id":3`, 1)}},
		{rule: "progress-token-unknown", lines: []string{progress("1")}},
		{rule: "progress-not-increasing", lines: []string{token, progress("1"), progress("1"), done}},
		{rule: "progress-after-completion", lines: []string{token, done, progress("1")}},
		{rule: "task-status", name: "after the end", lines: []string{list, listed, taskCall, created,
			`s {"@method":"notifications/tasks/status","params":{` + taskState("k", "completed") + `}}`, `s {"@method":"notifications/tasks/status","params":{` + taskState("k", "working") + `}}`}},
		{rule: "task-status", name: "at the beginning", lines: []string{list, listed, taskCall, strings.Replace(created, "working", "completed", 1)}},
		{rule: "ping-result", name: "an error", lines: []string{`c {"@id":1,"method":"ping"}`, `s {"@id":1,"error":{"code":-32601,"message":"m"}}`}},
		{rule: "task-status", name: "after the result", lines: []string{list, listed, taskCall, created,
			`c {"@id":4,"method":"tasks/result","params":{"taskId":"k"}}`, `s {"@id":4,"result":{"content":[],"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"k"}}}}`,
			`c {"@id":5,"method":"tasks/get","params":{"taskId":"k"}}`, `s {"@id":5,"result":{` + taskState("k", "working") + `}}`}},
		{rule: "task-unasked", lines: []string{list, listed, strings.Replace(taskCall, `,"task":{}`, "", 1), created}},
		{rule: "task-other", lines: []string{list, listed, taskCall, created, `c {"@id":4,"method":"tasks/get","params":{"taskId":"k"}}`, `s {"@id":4,"result":{` + taskState("j", "working") + `}}`}},
		{rule: "task-error", lines: []string{`c {"@id":1,"method":"tasks/get","params":{"taskId":"z"}}`, `s {"@id":1,"error":{"code":-32603,"message":"Task not found"}}`}, also: []audit.Rule{"task-unknown"}, from: server},
		{rule: "task-ignored", lines: []string{list, listed, taskCall, `s {"@id":3,"result":{"content":[]}}`}},
		{rule: "task-id-reused", lines: []string{list, listed, taskCall, created, strings.Replace(taskCall, `@id":3`, `@id":4`, 1), strings.Replace(created, `@id":3`, `@id":4`, 1)}},
		{rule: "task-unknown", lines: []string{`c {"@id":1,"method":"tasks/get","params":{"taskId":"z"}}`, `s {"@id":1,"error":{"code":-32602,"message":"m"}}`}},
		{rule: "task-cancel-terminal", lines: []string{list, listed, taskCall, created, `s {"@method":"notifications/tasks/status","params":{` + taskState("k", "cancelled") + `}}`,
			`c {"@id":4,"method":"tasks/cancel","params":{"taskId":"k"}}`, `s {"@id":4,"result":{` + taskState("k", "cancelled") + `}}`}},
		{rule: "task-cancel-terminal", name: "another code", lines: []string{list, listed, taskCall, created, `s {"@method":"notifications/tasks/status","params":{` + taskState("k", "completed") + `}}`,
			`c {"@id":4,"method":"tasks/cancel","params":{"taskId":"k"}}`, `s {"@id":4,"error":{"code":-32603,"message":"m"}}`}},
		{rule: "task-related", lines: []string{list, listed, taskCall, created, `c {"@id":4,"method":"tasks/result","params":{"taskId":"k"}}`, `s {"@id":4,"result":{"content":[]}}`}},
		{rule: "task-time", lines: []string{list, listed, taskCall, strings.Replace(created, `"createdAt":"2025-11-25T10:00:00Z"`, `"createdAt":"today"`, 1)}},
		{rule: "task-forbidden", lines: []string{list, listed, `c {"@id":2,"method":"tools/call","params":{"name":"t","arguments":{"n":1},"task":{}}}`, `s {"@id":2,"error":{"code":-32601,"message":"m"}}`}},
		{rule: "task-required", lines: []string{list, listed, `c {"@id":2,"method":"tools/call","params":{"name":"u"}}`, `s {"@id":2,"error":{"code":-32601,"message":"m"}}`}, also: []audit.Rule{"capability-unserved"}},
	}
}

func serverViolations() []violation {
	result := func(text string) []string { return []string{list, listed, call, `s {"@id":2,"result":` + text + `}`} }
	content := func(block string) []string {
		return []string{`c {"@id":1,"method":"tools/call","params":{"name":"x"}}`, `s {"@id":1,"result":{"content":[` + block + `]}}`}
	}
	ask := func(method, params, answer string) []string {
		return []string{`c {"@id":1,"method":"` + method + `","params":` + params + `}`, `s {"@id":1,` + answer + `}`}
	}
	prompts := []string{`c {"@id":5,"method":"prompts/list"}`, `s {"@id":5,"result":{"prompts":[{"name":"p","arguments":[{"name":"a","required":true}]}]}}`}
	return []violation{
		{rule: "duplicate-name", name: "tools", lines: ask("tools/list", "{}", `"result":{"tools":[{"name":"t","inputSchema":{"type":"object"}},{"name":"t","inputSchema":{"type":"object"}}]}`)},
		{rule: "duplicate-name", name: "resources on two pages", lines: []string{
			`c {"@id":1,"method":"resources/list"}`, `s {"@id":1,"result":{"resources":[{"name":"a","uri":"a:b"}],"nextCursor":"n"}}`,
			`c {"@id":2,"method":"resources/list","params":{"cursor":"n"}}`, `s {"@id":2,"result":{"resources":[{"name":"b","uri":"a:b"}]}}`}},
		{rule: "duplicate-name", name: "prompts", lines: ask("prompts/list", "{}", `"result":{"prompts":[{"name":"p"},{"name":"p"}]}`)},
		{rule: "list-changed-unannounced", lines: []string{list, listed, `c {"@id":5,"method":"tools/list"}`, `s {"@id":5,"result":{"tools":[]}}`}},
		{rule: "cursor-unknown", lines: ask("tools/list", `{"cursor":"mine"}`, `"error":{"code":-32602,"message":"m"}`)},
		{rule: "cursor-accepted", name: "a result", lines: ask("tools/list", `{"cursor":"mine"}`, `"result":{"tools":[]}`), also: []audit.Rule{"cursor-unknown"}},
		{rule: "cursor-accepted", name: "another code", lines: ask("tools/list", `{"cursor":"mine"}`, `"error":{"code":-32603,"message":"m"}`), also: []audit.Rule{"cursor-unknown"}},
		{rule: "tool-name", lines: ask("tools/list", "{}", `"result":{"tools":[{"name":"a b","inputSchema":{"type":"object"}}]}`)},
		{rule: "tool-schema", name: "inside", lines: ask("tools/list", "{}", `"result":{"tools":[{"name":"t","inputSchema":{"type":"object","properties":{"a":{"type":"text"}}}}]}`)},
		{rule: "tool-unknown", name: "another code", lines: []string{list, listed, `c {"@id":2,"method":"tools/call","params":{"name":"z"}}`, `s {"@id":2,"error":{"code":-32000,"message":"m"}}`}},
		{rule: "tool-unknown", name: "a result", lines: []string{list, listed, `c {"@id":2,"method":"tools/call","params":{"name":"z"}}`, `s {"@id":2,"result":{"content":[],"isError":true}}`}},
		{rule: "arguments-invalid", lines: []string{list, listed, `c {"@id":2,"method":"tools/call","params":{"name":"t","arguments":{"n":"x"}}}`, `s {"@id":2,"error":{"code":-32602,"message":"m"}}`}, from: client},
		{rule: "arguments-accepted", lines: []string{list, listed, `c {"@id":2,"method":"tools/call","params":{"name":"t"}}`,
			`s {"@id":2,"result":{"content":[{"type":"text","text":"{\"m\":1}"}],"structuredContent":{"m":1}}}`}, also: []audit.Rule{"arguments-invalid"}, from: server},
		{rule: "structured-content-missing", lines: result(`{"content":[]}`)},
		{rule: "structured-content-missing", name: "2025-06-18", revision: "2025-06-18", lines: result(`{"content":[]}`)},
		{rule: "structured-content-invalid", lines: result(`{"content":[{"type":"text","text":"{\"m\":\"x\"}"}],"structuredContent":{"m":"x"}}`)},
		// F23
		{rule: "structured-content-text", lines: result(`{"content":[{"type":"text","text":"fine"}],"structuredContent":{"m":1}}`)},
		{rule: "base64", name: "image", lines: content(`{"type":"image","data":"@@@","mimeType":"image/png"}`)},
		{rule: "base64", name: "without padding", lines: content(`{"type":"audio","data":"YQ","mimeType":"audio/wav"}`)},
		{rule: "base64", name: "blob", lines: ask("resources/read", `{"uri":"a:b"}`, `"result":{"contents":[{"uri":"a:b","blob":"not base64"}]}`)},
		{rule: "mime-type", lines: content(`{"type":"image","data":"YWJj","mimeType":"png"}`)},
		{rule: "last-modified", lines: content(`{"type":"text","text":"t","annotations":{"lastModified":"yesterday"}}`)},
		{rule: "embedded-resource", server: `{"tools":{}}`, lines: content(`{"type":"resource","resource":{"uri":"a:b","text":"t"}}`)},
		{rule: "prompt-arguments", lines: append(prompts[:2:2], ask("prompts/get", `{"name":"p"}`, `"error":{"code":-32602,"message":"m"}`)...)},
		{rule: "prompt-error", lines: append(prompts[:2:2], ask("prompts/get", `{"name":"z"}`, `"error":{"code":-32603,"message":"m"}`)...)},
		{rule: "resource-not-found", lines: ask("resources/read", `{"uri":"a:b"}`, `"error":{"code":-32603,"message":"Resource not found"}`)},
		{rule: "subscribe", lines: []string{`s {"@method":"notifications/resources/updated","params":{"uri":"a:b"}}`}},
		{rule: "subscribe-part", lines: append(ask("resources/subscribe", `{"uri":"a:b"}`, `"result":{}`), `s {"@method":"notifications/resources/updated","params":{"uri":"a:c"}}`)},
		{rule: "log-level", lines: append(ask("logging/setLevel", `{"level":"error"}`, `"result":{}`), `s {"@method":"notifications/message","params":{"level":"info","data":1}}`)},
		{rule: "log-level-invalid", lines: ask("logging/setLevel", `{"level":"loud"}`, `"error":{"code":-32603,"message":"m"}`), also: []audit.Rule{"schema"}},
		{rule: "log-secret", name: "a member", lines: []string{`s {"@method":"notifications/message","params":{"level":"info","data":{"user":"ada","apiKey":"12345678"}}}`}},
		{rule: "log-secret", name: "a text", lines: []string{`s {"@method":"notifications/message","params":{"level":"info","data":"connected with password=hunter22"}}`}},
		{rule: "completion-values", lines: ask("completion/complete", `{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":""}}`,
			`"result":{"completion":{"values":["`+strings.Repeat(`a","`, 100)+`a"]}}`), also: []audit.Rule{"schema"}},
	}
}
