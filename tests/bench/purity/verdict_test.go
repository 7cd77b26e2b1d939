package purity

import (
	"slices"
	"testing"
)

// TestJudge checks which messages the judge counts.
func TestJudge(t *testing.T) {
	all := judges(t)
	for _, c := range []struct {
		name, revision, asked, text string
		invalid                     bool
		undefined                   []string
	}{
		{name: "a message of the revision", revision: "2024-11-05", asked: "tools/call",
			text: `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"a","annotations":{"priority":1}}],"_meta":{"a":1}}}`},
		{name: "members that are data", revision: "2025-11-25", asked: "tools/call",
			text: `{"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":{"a":{"b":1}}}}`},
		{name: "JSON Schema", revision: "2024-11-05", asked: "tools/list",
			text: `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"t","inputSchema":{"type":"object","additionalProperties":false}}]}}`},
		{name: "an empty result", revision: "2025-06-18", asked: "ping", text: `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{name: "an error", revision: "2025-06-18", asked: "ping", text: `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}`},
		{name: "a request of the revision", revision: "2025-11-25",
			text: `{"jsonrpc":"2.0","id":1,"method":"roots/list"}`},
		{name: "members of a later one", revision: "2025-03-26", asked: "tools/call",
			text:      `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"a","_meta":{}}],"structuredContent":{}}}`,
			undefined: []string{"CallToolResult.structuredContent", "TextContent._meta"}},
		{name: "a variant of a later one", revision: "2024-11-05", asked: "tools/call", invalid: true,
			text:      `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"audio","data":"YQ==","mimeType":"audio/wav"}]}}`,
			undefined: []string{"CallToolResult.content that is audio"}},
		{name: "a variant with a mistake", revision: "2024-11-05", asked: "tools/call", invalid: true,
			text: `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text"}]}}`},
		{name: "a method of a later one", revision: "2025-03-26",
			text:      `{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{}}`,
			undefined: []string{"the method elicitation/create"}},
		{name: "no message", revision: "2025-03-26", text: `{"id":1}`, invalid: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			i := slices.IndexFunc(all, func(j *judge) bool { return j.revision == c.revision })
			undefined, invalid := all[i].message(c.text, c.asked)
			if (invalid != nil) != c.invalid || !slices.Equal(undefined, c.undefined) {
				t.Errorf("%v, %q", invalid, undefined)
			}
		})
	}
}

// TestUnconverted checks that the zeros in the table are due to conversion: messages to a
// client of the newest revision are invalid in every other revision.
func TestUnconverted(t *testing.T) {
	all := judges(t)
	sent, _ := visit(t, all[len(all)-1], onMcpgen)
	for _, j := range all[:len(all)-1] {
		if c := judged(t, j, sent); c.invalid == 0 || c.foreign <= c.invalid {
			t.Errorf("%s: %d messages are invalid, %d contain undefined parts", j.revision, c.invalid, c.foreign)
		}
	}
}
