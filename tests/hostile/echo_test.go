package hostile

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/streamable"
)

// TestLargeValues checks that a request with a large value is answered, and that no answer repeats the value: an error
// quotes its beginning at most.
func TestLargeValues(t *testing.T) {
	const mostAnswer = 8 << 10
	h := newTarget(t).serve(t, streamable.Options{StreamAfter: -1})
	session := open(t, h)
	for name, r := range map[string]*http.Request{
		"method":                post(t.Context(), request("#", `{}`), megabyte, "", "", session),
		"method alone":          post(t.Context(), alone("#", ``), megabyte, "x", "", ""),
		"id":                    post(t.Context(), requestAs(`"#"`, "ping", `{}`), megabyte, "", "", session),
		"id alone":              post(t.Context(), requestAs(`"#"`, "tools/list", `{"_meta":{`+terms+`}}`), megabyte, "tools/list", "", ""),
		"id of nine":            post(t.Context(), requestAs(strings.Repeat("9", megabyte), "ping", `{}`), 0, "", "", session),
		"id 1e400":              post(t.Context(), requestAs("1e400", "tools/list", `{"_meta":{`+terms+`}}`), 0, "tools/list", "", ""),
		"tool":                  post(t.Context(), request("tools/call", `{"name":"#"}`), megabyte, "", "", session),
		"tool alone":            post(t.Context(), alone("tools/call", `,"name":"#"`), megabyte, "tools/call", "x", ""),
		"prompt":                post(t.Context(), request("prompts/get", `{"name":"#"}`), megabyte, "", "", session),
		"URI":                   post(t.Context(), request("resources/read", `{"uri":"test://#"}`), megabyte, "", "", session),
		"URI to subscribe to":   post(t.Context(), request("resources/subscribe", `{"uri":"test://#"}`), megabyte, "", "", session),
		"cursor":                post(t.Context(), request("tools/list", `{"cursor":"#"}`), megabyte, "", "", session),
		"cursor alone":          post(t.Context(), alone("tools/list", `,"cursor":"#"`), megabyte, "tools/list", "", ""),
		"log level":             post(t.Context(), request("logging/setLevel", `{"level":"#"}`), megabyte, "", "", session),
		"log level alone":       post(t.Context(), request("tools/list", `{"_meta":{`+terms+`,"io.modelcontextprotocol/logLevel":"#"}}`), megabyte, "tools/list", "", ""),
		"revision":              post(t.Context(), request("initialize", `{"protocolVersion":"#","capabilities":{},"clientInfo":{"name":"c","version":"1"}}`), megabyte, "", "", session),
		"revision alone":        post(t.Context(), request("tools/list", `{"_meta":{"io.modelcontextprotocol/protocolVersion":"#","io.modelcontextprotocol/clientCapabilities":{}}}`), megabyte, "tools/list", "", ""),
		"clientInfo alone":      post(t.Context(), request("tools/list", `{"_meta":{`+terms+`,"io.modelcontextprotocol/clientInfo":{"name":"#","version":"1"}}}`), megabyte, "tools/list", "", ""),
		"capabilities alone":    post(t.Context(), request("tools/list", `{"_meta":{"io.modelcontextprotocol/protocolVersion":"`+r07+`","io.modelcontextprotocol/clientCapabilities":{"#":{}}}}`), megabyte, "tools/list", "", ""),
		"progress token":        post(t.Context(), request("tools/call", `{"_meta":{"progressToken":"#"},"name":"steps"}`), megabyte, "", "", session),
		"progress token alone":  post(t.Context(), request("tools/call", `{"_meta":{`+terms+`,"progressToken":"#"},"name":"steps"}`), megabyte, "tools/call", "steps", ""),
		"progress token nine":   post(t.Context(), request("tools/call", `{"_meta":{`+terms+`,"progressToken":`+strings.Repeat("9", megabyte)+`},"name":"steps"}`), 0, "tools/call", "steps", ""),
		"request state":         post(t.Context(), alone("tools/call", `,"name":"greet","requestState":"#"`), megabyte, "tools/call", "greet", ""),
		"input response":        post(t.Context(), alone("tools/call", `,"name":"greet","inputResponses":{"#":{}}`), megabyte, "tools/call", "greet", ""),
		"argument":              post(t.Context(), request("tools/call", `{"name":"large","arguments":{"size":"#"}}`), megabyte, "", "", session),
		"a member":              post(t.Context(), request("tools/call", `{"#":1,"name":1}`), megabyte, "", "", session),
		"a member twice":        post(t.Context(), request("tools/call", `{"#":1,"#":1}`), megabyte, "", "", session),
		"a kind of completion":  post(t.Context(), request("completion/complete", `{"ref":{"type":"#"},"argument":{"name":"a","value":""}}`), megabyte, "", "", session),
		"a name for completion": post(t.Context(), request("completion/complete", `{"ref":{"type":"ref/prompt","name":"#"},"argument":{"name":"a","value":""}}`), megabyte, "", "", session),
		"task":                  post(t.Context(), request("tasks/get", `{"taskId":"#"}`), megabyte, "", "", session),
		"no JSON":               post(t.Context(), "#", megabyte, "", "", session),
		"session":               header(post(t.Context(), request("ping", `{}`), 0, "", "", session), "Mcp-Session-Id"),
		"session of a GET":      header(get(session), "Mcp-Session-Id"),
		"event":                 header(get(session), "Last-Event-Id"),
		"revision in a header":  header(post(t.Context(), request("ping", `{}`), 0, "", "", session), "Mcp-Protocol-Version"),
		"revision of no one":    header(post(t.Context(), alone("tools/list", ``), 0, "tools/list", "", ""), "Mcp-Protocol-Version"),
		"method in a header":    header(post(t.Context(), alone("tools/list", ``), 0, "tools/list", "", ""), "Mcp-Method"),
		"name in a header":      header(post(t.Context(), alone("tools/call", `,"name":"greet"`), 0, "tools/call", "greet", ""), "Mcp-Name"),
		"parameter in a header": header(post(t.Context(), alone("tools/call", `,"name":"greet"`), 0, "tools/call", "greet", ""), "Mcp-Param-X"),
	} {
		w := answer(h, r)
		if n := w.Body.Len(); n > mostAnswer || n == 0 {
			t.Errorf("%s: %d, %d bytes: %.300s", name, w.Code, n, w.Body)
		}
		for header, values := range w.Header() {
			if len(strings.Join(values, "")) > mostAnswer {
				t.Errorf("%s: the header %s has %d bytes", name, header, len(strings.Join(values, "")))
			}
		}
	}
}

// get returns a request for the stream of the server's own messages.
func get(session string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Header.Set("Accept", "text/event-stream")
	r.Header.Set("Mcp-Session-Id", session)
	return r
}

// header gives a request a header of 60 KB, as streamable.NewServer still allows it.
func header(r *http.Request, name string) *http.Request {
	r.Header.Set(name, strings.Repeat("x", 60<<10))
	return r
}
