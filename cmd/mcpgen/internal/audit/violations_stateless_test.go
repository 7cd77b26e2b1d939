package audit_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/audit"
)

const (
	metaVersion = `"io.modelcontextprotocol/protocolVersion":"2026-07-28"`
	allOfMeta   = metaVersion + `,"io.modelcontextprotocol/clientCapabilities":{"roots":{},"sampling":{"tools":{},"context":{}},"elicitation":{"form":{},"url":{}}}`
	complete    = `"resultType":"complete"`
	discovery   = `"supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"prompts":{"listChanged":true},"logging":{},"completions":{}},` + cacheable
	cacheable   = complete + `,"ttlMs":0,"cacheScope":"private"`
	ask         = `"roots":{"method":"roots/list"}`
)

// request is a stateless request of the client. More are members of its params.
func request(id any, method, more string) string { return requestAs(id, method, allOfMeta, more) }

func requestAs(id any, method, meta, more string) string {
	if more != "" {
		more += ","
	}
	return fmt.Sprintf(`c {"@id":%v,"method":%q,"params":{%s"_meta":{%s}}}`, id, method, more, meta)
}

func result(id any, members string) string {
	return fmt.Sprintf(`s {"@id":%v,"result":{%s}}`, id, members)
}

func failure(id any, code int, data string) string {
	return fmt.Sprintf(`s {"@id":%v,"error":{"code":%d,"message":"m"%s}}`, id, code, data)
}

// inputs is a result that asks for input.
func inputs(id any, state string, requests ...string) string {
	if state != "" {
		state = `,"requestState":"` + state + `"`
	}
	return result(id, `"resultType":"input_required","inputRequests":{`+strings.Join(requests, ",")+`}`+state)
}

// told is a notification of a subscription.
func told(id any, method, more string) string {
	if more != "" {
		more += ","
	}
	return fmt.Sprintf(`s {"@method":"notifications/%s","params":{%s"_meta":{"io.modelcontextprotocol/subscriptionId":%v}}}`, method, more, id)
}

// listing is a request for the list of tools and its answer, which is one tool with a description.
func listing(id any, description string) []string {
	return []string{request(id, "tools/list", ""), result(id, cacheable+`,"tools":[{"name":"t","description":"`+description+`","inputSchema":{"type":"object"}}]`)}
}

func statelessViolations() []violation {
	const (
		tool      = `"name":"t"`
		contents  = complete + `,"content":[]`
		answer    = `"inputResponses":{"roots":{"roots":[]}}`
		listening = `"notifications":{"toolsListChanged":true,"resourceSubscriptions":["a:b"]}`
		log       = `s {"@method":"notifications/message","params":{"level":"info","data":1}}`
	)
	discover, discovered := request(1, "server/discover", ""), result(1, discovery)
	acknowledged := told(2, "subscriptions/acknowledged", listening)
	open, opened, closed := request(2, "subscriptions/listen", listening), acknowledged, result(2, complete+`,"_meta":{"io.modelcontextprotocol/subscriptionId":2}`)
	call, asked := request(2, "tools/call", tool), inputs(2, "s", ask)
	retry, done := request(3, "tools/call", tool+`,"requestState":"s",`+answer), result(3, contents)
	logging := `,"io.modelcontextprotocol/logLevel":`
	logged := func(data string) []string {
		return []string{requestAs(2, "tools/call", allOfMeta+logging+`"info"`, tool), strings.Replace(log, `"data":1`, `"data":`+data, 1), result(2, contents)}
	}
	form := func(field string) []string {
		return []string{call, inputs(2, "", `"a":{"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{`+field+`}}}}`)}
	}
	visit := func(url string) []string {
		return []string{call, inputs(2, "", `"a":{"method":"elicitation/create","params":{"mode":"url","message":"m","url":"`+url+`"}}`)}
	}
	all := []violation{
		{rule: "schema", name: "V6 discover", lines: []string{discover, result(1, complete)}},
		{rule: "schema", name: "F1 F6 hints", lines: []string{request(2, "tools/list", ""), result(2, complete+`,"tools":[],"ttlMs":-1,"cacheScope":"private"`)}},
		{rule: "meta-terms", name: "B32 B33 no version", lines: []string{discover, discovered, `c {"@id":2,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/clientCapabilities":{}}}}`, failure(2, -32602, "")}},
		{rule: "meta-terms", name: "no params", lines: []string{discover, discovered, `c {"@id":2,"method":"tools/list"}`, failure(2, -32602, "")}},
		{rule: "meta-terms", name: "no capabilities", lines: []string{requestAs(2, "tools/list", metaVersion, ""), failure(2, -32602, "")}},
		{rule: "trace-context", name: "B38", lines: []string{requestAs(2, "tools/call", allOfMeta+`,"traceparent":"1"`, tool), result(2, contents)}},
		{rule: "id-in-use", name: "B4", lines: []string{call, call, result(2, contents), result(2, contents)}},
		{rule: "server-request", name: "P1 P2 S6", lines: []string{discover, discovered, `s {"@id":1,"method":"roots/list"}`, `c {"@id":1,"result":{"roots":[]}}`}, also: []audit.Rule{"client-response"}},
		{rule: "client-response", name: "S5 H8", lines: []string{discover, discovered, `s {"@id":1,"method":"roots/list"}`, `c {"@id":1,"result":{"roots":[]}}`}, also: []audit.Rule{"server-request"}},
		{rule: "server-request", name: "T2 without an answer", lines: []string{discover, discovered, `s {"@id":1,"method":"roots/list"}`}},
		{rule: "result-type", name: "B6", lines: []string{call, result(2, `"content":[]`)}},
		{rule: "result-type-unknown", name: "B7 B8", lines: []string{call, result(2, `"resultType":"task","taskId":"k"`)}},
		{rule: "error-code-retired", name: "B13", lines: []string{request(2, "resources/read", `"uri":"a:b"`), failure(2, -32002, "")}},
		{rule: "error-code-retired", name: "of URL elicitation", lines: []string{call, failure(2, -32042, `,"data":{"elicitations":[]}`)}},
		{rule: "error-code-undefined", name: "B12", lines: []string{call, failure(2, -32050, "")}},
		{rule: "error-code", name: "B15", lines: []string{call, failure(2, -32500, "")}},
		{rule: "error-data", name: "V1", lines: []string{call, failure(2, -32022, `,"data":{}`)}},
		{rule: "error-data", name: "B35", lines: []string{call, failure(2, -32021, "")}},
		{rule: "version-accepted", name: "V1", lines: []string{discover, discovered, strings.Replace(call, "2026-07-28", "2027-01-01", 1), result(2, contents)}},
		{rule: "discover-missing", name: "V3", lines: []string{discover, failure(1, -32601, ""), call, result(2, contents)}},
		{rule: "resource-not-found", name: "F32", lines: []string{request(2, "resources/read", `"uri":"a:b"`), strings.Replace(failure(2, -32603, ""), `"m"`, `"Resource not found"`, 1)}},

		{rule: "input-required-method", name: "P3", lines: []string{request(2, "tools/list", ""), inputs(2, "s", ask)}},
		{rule: "input-required-empty", name: "P12", lines: []string{call, result(2, `"resultType":"input_required"`)}},
		{rule: "schema", name: "P4 keys", lines: []string{call, inputs(2, "s", ask, ask)}},
		{rule: "input-request", name: "P5 method", lines: []string{call, inputs(2, "", `"a":{"method":"tools/list"}`)}, also: []audit.Rule{"schema"}},
		{rule: "input-request", name: "P5 id", lines: []string{call, inputs(2, "", `"a":{"id":1,"method":"roots/list"}`)}},
		{rule: "input-capability", name: "P13 B35", lines: []string{strings.Replace(call, `"roots":{},`, "", 1), asked}},
		{rule: "input-capability", name: "F47 mode", lines: []string{
			strings.Replace(call, `"elicitation":{"form":{},"url":{}}`, `"elicitation":{}`, 1), inputs(2, "", `"a":{"method":"elicitation/create","params":{"mode":"url","message":"m","url":"https://example.com/"}}`)}},
		{rule: "input-capability", name: "F55 tools", lines: []string{
			strings.Replace(call, `"tools":{},`, "", 1), inputs(2, "", `"a":{"method":"sampling/createMessage","params":{"maxTokens":1,"messages":[],"tools":[]}}`)}},
		{rule: "input-response", lines: []string{call, asked, strings.Replace(retry, `{"roots":[]}`, `{"action":"accept"}`, 1), done}},
		{rule: "root-uri", name: "F57", lines: []string{call, asked, strings.Replace(retry, `{"roots":[]}`, `{"roots":[{"uri":"https://a/"}]}`, 1), done}},
		{rule: "elicitation-content", name: "F52", lines: []string{
			call, inputs(2, "", `"a":{"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{"n":{"type":"integer"}}}}}`),
			request(3, "tools/call", tool+`,"inputResponses":{"a":{"action":"accept","content":{"n":"x"}}}`), done}},
		{rule: "elicitation-sensitive", name: "F49 by name", lines: form(`"apiKey":{"type":"string"}`)},
		{rule: "elicitation-sensitive", name: "F49 by title", lines: form(`"a":{"type":"string","title":"Password"}`)},
		{rule: "elicitation-url", name: "F50 not a URL", lines: visit("https:///nowhere"), also: []audit.Rule{"schema"}},
		{rule: "elicitation-url-https", name: "F50", lines: visit("http://example.com/")},
		{rule: "elicitation-url-secret", name: "F50 a password", lines: visit("https://ada:abcdef@example.com/")},
		{rule: "elicitation-url-secret", name: "F50 a token", lines: visit("https://example.com/?access_token=abcdef")},
		{rule: "retry-id", name: "P18", lines: []string{call, asked, strings.Replace(retry, `@id":3`, `@id":2`, 1), result(2, contents)}},
		{rule: "retry-state", name: "P16 another", lines: []string{call, asked, strings.Replace(retry, `"requestState":"s"`, `"requestState":"S"`, 1), done}},
		{rule: "retry-state", name: "P16 missing", lines: []string{call, asked, strings.Replace(retry, `"requestState":"s",`, ``, 1), done}},
		{rule: "retry-state", name: "P17 none given", lines: []string{call, inputs(2, "", ask), retry, done}},
		{rule: "retry-state", name: "of another request", lines: []string{call, asked, strings.Replace(retry, tool, `"name":"u"`, 1), done}},
		{rule: "retry-state", name: "of a request with other arguments", lines: []string{call, asked, strings.Replace(retry, tool, tool+`,"arguments":{"a":1}`, 1), done}},
		{rule: "retry-incomplete", name: "P15", lines: []string{call, inputs(2, "s", ask, strings.Replace(ask, "roots", "more", 1)), retry, done}},

		{rule: "subscription-id", name: "P29 B37", lines: []string{open, opened, `s {"@method":"notifications/tools/list_changed"}`, closed}},
		{rule: "subscription-id", name: "P33 of the result", lines: []string{open, opened, strings.Replace(closed, `Id":2`, `Id":3`, 1)}},
		{rule: "subscription-unknown", name: "P29", lines: []string{open, opened, told(3, "tools/list_changed", ""), closed}},
		{rule: "subscription-unknown", name: "P29 of another type", lines: []string{open, opened, told(`"2"`, "tools/list_changed", ""), closed}},
		{rule: "subscription-unknown", name: "after the end", lines: []string{open, opened, closed, told(2, "tools/list_changed", "")}},
		{rule: "list-changed-unannounced", name: "to a subscription", lines: slices.Concat([]string{discover, discovered, open, opened}, listing(3, "a"), listing(4, "b"), []string{closed})},
		{rule: "subscription-acknowledged", name: "P26", lines: []string{open, told(2, "tools/list_changed", ""), opened, closed}},
		{rule: "subscription-unasked", name: "P25", lines: []string{open, opened, told(2, "prompts/list_changed", ""), closed}},
		{rule: "subscription-unasked", name: "P25 another resource", lines: []string{open, opened, told(2, "resources/updated", `"uri":"a:c"`), closed}},
		{rule: "subscription-unasked", name: "P27", lines: []string{open, told(2, "subscriptions/acknowledged", `"notifications":{"promptsListChanged":true}`), closed}},
		{rule: "cancel-not-listen", name: "P39", lines: []string{call, `s {"@method":"notifications/cancelled","params":{"requestId":2}}`, result(2, contents)}},
		{rule: "log-unasked", name: "F42", lines: []string{call, log, result(2, contents)}},
		{rule: "log-unasked", name: "F43 after the answer", lines: []string{requestAs(2, "tools/call", allOfMeta+logging+`"info"`, tool), result(2, contents), log}},
		{rule: "log-level", name: "F43", lines: []string{requestAs(2, "tools/call", allOfMeta+logging+`"error"`, tool), log, result(2, contents)}},
		{rule: "log-level-invalid", name: "F44", lines: []string{requestAs(2, "tools/call", allOfMeta+logging+`"loud"`, tool), result(2, contents)}, also: []audit.Rule{"schema"}},
		{rule: "log-secret", name: "F45 a member", lines: logged(`{"user":{"apiKey":"12345678"}}`)},
		{rule: "log-secret", name: "F45 a text", lines: logged(`["connected with password=hunter22"]`)},
		{rule: "progress-not-increasing", name: "P53", lines: []string{requestAs(2, "tools/call", allOfMeta+`,"progressToken":"p"`, tool),
			`s {"@method":"notifications/progress","params":{"progressToken":"p","progress":1}}`, `s {"@method":"notifications/progress","params":{"progressToken":"p","progress":1}}`, result(2, contents)}},
		{rule: "progress-token-unknown", name: "P55", lines: []string{call, `s {"@method":"notifications/progress","params":{"progressToken":"p","progress":1}}`, result(2, contents)}},
		{rule: "progress-after-completion", name: "P57", lines: []string{requestAs(2, "tools/call", allOfMeta+`,"progressToken":"p"`, tool), result(2, contents), `s {"@method":"notifications/progress","params":{"progressToken":"p","progress":1}}`}},
		{rule: "cache-scope", name: "F12", lines: []string{
			request(2, "tools/list", ""), result(2, cacheable+`,"tools":[],"nextCursor":"n"`), request(3, "tools/list", `"cursor":"n"`), result(3, strings.Replace(cacheable, "private", "public", 1)+`,"tools":[]`)}},
		{rule: "cache-misplaced", name: "F2", lines: []string{request(2, "resources/read", `"uri":"a:b"`), strings.Replace(inputs(2, "s"), `"resultType"`, `"ttlMs":1,"resultType"`, 1)}},
	}
	all = append(all, extensionViolations()...)
	for i := range all {
		all[i].bare = true
	}
	return all
}

const (
	withTasks = metaVersion + `,"io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}`
	aTask     = `"taskId":"k","createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00Z","ttlMs":null,"status":`
	ofTask    = `"notifications":{"taskIds":["k"]}`
)

// extensionViolations break rules with messages of the tasks extension.
func extensionViolations() []violation {
	get := requestAs(2, "tasks/get", withTasks, `"taskId":"k"`)
	working := result(2, complete+","+aTask+`"working"`)
	open := func(meta string) []string {
		return []string{requestAs(2, "subscriptions/listen", meta, ofTask), told(2, "subscriptions/acknowledged", ofTask)}
	}
	closed := result(2, complete+`,"_meta":{"io.modelcontextprotocol/subscriptionId":2}`)
	return []violation{
		{rule: "result-type-unknown", name: "X1 of an extension that is not declared", lines: []string{request(2, "tools/call", `"name":"t"`), result(2, `"resultType":"task",`+aTask+`"working"`)}},
		{rule: "schema", name: "X5 of an extension", lines: []string{requestAs(2, "tools/call", withTasks, `"name":"t"`), result(2, `"resultType":"task","taskId":"k"`)}},
		{rule: "schema", name: "params of an extension", lines: []string{strings.Replace(get, `"k"`, `1`, 1), failure(2, -32602, "")}},
		{rule: "schema", name: "X10 result of an extension", lines: []string{get, result(2, complete+","+aTask+`"completed"`)}},
		{rule: "schema", name: "notification of an extension", lines: append(open(withTasks), told(2, "tasks", aTask+`"asleep"`), closed)},
		{rule: "schema", name: "settings of an extension", lines: []string{strings.Replace(get, `tasks":{}`, `tasks":{"depth":1}`, 1), working}},
		{rule: "extension-name", name: "no prefix, of the client", lines: []string{strings.Replace(get, `tasks":{}`, `tasks":{},"colors":{}`, 1), working}},
		{rule: "extension-name", name: "a prefix that is none", lines: []string{strings.Replace(get, `tasks":{}`, `tasks":{},"1.example/colors":{}`, 1), working}},
		{rule: "extension-name", name: "no prefix, of the server", lines: []string{request(1, "server/discover", ""), result(1, strings.Replace(discovery, `"capabilities":{`, `"capabilities":{"extensions":{"colors":{}},`, 1))}},
		{rule: "extension-undeclared", name: "X21", lines: []string{strings.Replace(get, `"io.modelcontextprotocol/tasks":{}`, "", 1), working}},
		{rule: "extension-undeclared", name: "X17", lines: append(open(metaVersion+`,"io.modelcontextprotocol/clientCapabilities":{}`), told(2, "tasks", aTask+`"working"`), closed)},
		{rule: "subscription-unasked", name: "another value of the filter of an extension", lines: append(open(withTasks), told(2, "tasks", strings.Replace(aTask, `"k"`, `"l"`, 1)+`"working"`), closed)},
		{rule: "subscription-id", name: "notification of an extension", lines: append(open(withTasks), `s {"@method":"notifications/tasks","params":{`+aTask+`"working"}}`, closed)},
	}
}

// cleanStateless is a correct recording without a session.
func cleanStateless() []string {
	form := `"a b":{"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{"n":{"type":"integer"}}}}}`
	sample := `"c":{"method":"sampling/createMessage","params":{"maxTokens":1,"messages":[{"role":"user","content":{"type":"text","text":"t"}}]}}`
	filter := `"notifications":{"toolsListChanged":true,"resourceSubscriptions":["a:b"]}`
	content := complete + `,"content":[{"type":"text","text":"t"}]`
	return []string{
		request(1, "server/discover", ""), result(1, discovery),
		request(2, "tools/list", ""), result(2, cacheable+`,"tools":[{"name":"t","inputSchema":{"type":"object","anyOf":[{"required":[]}]},"outputSchema":{"type":"array"}}],"nextCursor":"n"`),
		request(3, "tools/list", `"cursor":"n"`), result(3, cacheable+`,"tools":[]`),
		// An id may be used again once its request is answered.
		request(3, "prompts/list", ""), result(3, cacheable+`,"prompts":[]`),
		requestAs(4, "tools/call", allOfMeta+`,"progressToken":"p","io.modelcontextprotocol/logLevel":"info","traceparent":"00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01"`, `"name":"x"`),
		`s {"@method":"notifications/progress","params":{"progressToken":"p","progress":1}}`,
		`s {"@method":"notifications/message","params":{"level":"error","data":1}}`,
		`s {"@method":"notifications/progress","params":{"progressToken":"p","progress":1.5}}`,
		inputs(4, "first", form, sample),
		// A round without questions, after one with two.
		request(5, "tools/call", `"name":"x","requestState":"first","inputResponses":{"a b":{"action":"accept","content":{"n":1}},"c":{"role":"assistant","model":"m","content":{"type":"text","text":"t"}}}`),
		inputs(5, "second"),
		request(6, "tools/call", `"requestState":"second","name":"x"`), result(6, content),
		request(7, "resources/read", `"uri":"a:z"`), failure(7, -32602, `,"data":{"uri":"a:z"}`),
		request(`"l"`, "subscriptions/listen", filter),
		told(`"l"`, "subscriptions/acknowledged", filter),
		told(`"l"`, "tools/list_changed", ""),
		request(8, "tools/call", `"name":"t"`),
		told(`"l"`, "resources/updated", `"uri":"a:b/c"`),
		result(8, complete+`,"content":[{"type":"text","text":"[1]"}],"structuredContent":[1]`),
		result(`"l"`, complete+`,"_meta":{"io.modelcontextprotocol/subscriptionId":"l"}`),
		request(9, "subscriptions/listen", filter), told(9, "subscriptions/acknowledged", `"notifications":{}`),
		`s {"@method":"notifications/cancelled","params":{"requestId":9}}`,
		request(10, "tools/call", `"name":"x"`), `c {"@method":"notifications/cancelled","params":{"requestId":10}}`,
		strings.Replace(request(11, "tools/list", ""), "2026-07-28", "2099-01-01", 1), failure(11, -32022, `,"data":{"supported":["2026-07-28"],"requested":"2099-01-01"}`),
		requestAs(13, "tools/call", withTasks, `"name":"x"`), result(13, `"resultType":"task",`+aTask+`"working"`),
		requestAs(14, "subscriptions/listen", withTasks, ofTask), told(14, "subscriptions/acknowledged", ofTask),
		request(15, "prompts/list", ""), result(15, cacheable+`,"prompts":[]`),
		told(14, "tasks", aTask+`"input_required","inputRequests":{`+ask+`}`),
		requestAs(16, "tasks/update", withTasks, `"taskId":"k","inputResponses":{"roots":{"roots":[]}}`), result(16, complete),
		requestAs(17, "tasks/get", withTasks, `"taskId":"k"`), result(17, complete+","+aTask+`"completed","result":{"content":[]}`),
		requestAs(18, "tasks/cancel", withTasks, `"taskId":"k"`), result(18, complete+`,"_meta":{"io.modelcontextprotocol/tasks":1}`),
		request(19, "tasks/get", `"taskId":"k"`), failure(19, -32021, `,"data":{"requiredCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}`),
		strings.Replace(request(12, "tools/call", `"name":"x"`), `"roots":{},`, "", 1), failure(12, -32021, `,"data":{"requiredCapabilities":{"roots":{}}}`),
	}
}
