package audit_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/audit"
	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/recording"
	"github.com/mcpgen/mcpgen/internal/testkit"
)

// TestBounded checks that an endless session needs bounded memory, with unanswered requests and
// new ids, tokens, cursors, subscriptions, names, tasks and events.
func TestBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	const count = 1_000_000
	judge := audit.NewRecording(audit.Options{})
	for _, said := range opening("2025-11-25", allOfClient, allOfServer) {
		judge.Entry(recording.Entry{Kind: recording.Message, From: map[byte]audit.Side{'c': client, 's': server}[said[0]], Text: strings.ReplaceAll(said[2:], `{"@`, `{"jsonrpc":"2.0","`)})
	}
	before := testkit.Live()
	pad := strings.Repeat("x", 100)
	for i := range count {
		text := fmt.Sprintf(`{"jsonrpc":"2.0","id":"request-%d","method":"tools/call","params":{"name":"t","arguments":{"pad":"%s"},"_meta":{"progressToken":"token-%d"}}}`, i, pad, i)
		from := client
		switch i % 10 {
		case 1:
			text = fmt.Sprintf(`{"jsonrpc":"2.0","id":"request-%d","method":"resources/subscribe","params":{"uri":"file:///%d"}}`, i, i)
		case 2:
			text = fmt.Sprintf(`{"jsonrpc":"2.0","id":"request-%d","method":"tools/list","params":{"cursor":"%d"}}`, i, i)
		case 3:
			from = server
			text = fmt.Sprintf(`{"jsonrpc":"2.0","id":"request-%d","method":"elicitation/create","params":{"mode":"url","message":"m","url":"https://a.b","elicitationId":"%d"}}`, i, i)
		}
		judge.Entry(recording.Entry{Kind: recording.Message, From: from, Text: text, Line: i})
	}
	const most = 64 << 20
	if grown := testkit.Live() - before; grown > most {
		t.Errorf("the heap has grown by %d MB", grown>>20)
	}
	left := 0
	for _, f := range judge.Close() {
		if f.Rule == "unanswered" {
			left++
		}
	}
	if left == 0 || left > 30 {
		t.Errorf("%d findings about unanswered requests", left)
	}
}

// TestBoundedExchanges checks that HTTP exchanges that never end share no memory with their
// messages.
func TestBoundedExchanges(t *testing.T) {
	judge := audit.NewRecording(audit.Options{})
	before := testkit.Live()
	pad := strings.Repeat("x", 1<<20)
	for i := range 40 {
		text := fmt.Sprintf(`{"jsonrpc":"2.0","id":"request-%d","method":"tools/call","params":{"name":"t","arguments":{"pad":"%s"}},"session":"session-%d"}`, i, pad, i)
		session := text[len(text)-len(fmt.Sprintf(`session-%d"}`, i)) : len(text)-2]
		judge.Entry(recording.Entry{
			Kind: recording.Request, From: client, Transport: recording.HTTP, Exchange: i + 1, Method: "POST", Text: text,
			Header: map[string]string{"Mcp-Session-Id": session, "Mcp-Protocol-Version": "2025-11-25"},
		})
	}
	if grown := testkit.Live() - before; grown > 20<<20 {
		t.Errorf("the heap has grown by %d MB", grown>>20)
	}
	runtime.KeepAlive(judge)
}

// TestForgotten checks that answers to forgotten requests are not reported.
func TestForgotten(t *testing.T) {
	judge := audit.NewSession(audit.Options{})
	for _, said := range opening("2025-11-25", allOfClient, allOfServer) {
		say(judge, said)
	}
	const count = 12_000
	for i := range count {
		say(judge, fmt.Sprintf(`c {"@id":%d,"method":"tools/call","params":{"name":"t","_meta":{"progressToken":%d}}}`, i+1, i+1))
	}
	for i := range count {
		found := say(judge, fmt.Sprintf(`s {"@method":"notifications/progress","params":{"progressToken":%d,"progress":1}}`, i+1))
		found = append(found, say(judge, fmt.Sprintf(`s {"@id":%d,"result":{"content":[]}}`, i+1))...)
		for _, f := range found {
			if !strings.HasPrefix(f, "note ") {
				t.Fatal(f)
			}
		}
	}
	if left := judge.Close(""); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// TestEventIDs checks that the ids of a stream's events need bounded memory even if they are
// large, and that a repeated id is reported as long as the ids are kept.
func TestEventIDs(t *testing.T) {
	const size = 1 << 20
	for _, test := range []struct {
		ids  int
		want bool
	}{
		{8, true},
		{64, false},
	} {
		judge := audit.NewRecording(audit.Options{Live: true})
		judge.Entry(recording.Entry{Kind: recording.Request, From: client, Transport: recording.HTTP, Exchange: 1, Method: "GET"})
		judge.Entry(recording.Entry{Kind: recording.Response, From: server, Transport: recording.HTTP, Exchange: 1, Status: 200, Header: map[string]string{"Content-Type": "text/event-stream"}})
		event := func(i int) []audit.Finding {
			id := fmt.Sprintf("%d-%s", i, strings.Repeat("x", size))
			text := fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":%d}}`, i)
			return judge.Entry(recording.Entry{Kind: recording.Event, From: server, Transport: recording.HTTP, Exchange: 1, EventID: id, Text: text})
		}
		before := testkit.Live()
		for i := range test.ids {
			event(i)
		}
		if grown := testkit.Live() - before; grown > 24<<20 {
			t.Errorf("%d ids of %d MB: the heap has grown by %d MB", test.ids, size>>20, grown>>20)
		}
		found := false
		for _, f := range event(0) {
			found = found || f.Rule == "http-event-id"
		}
		if found != test.want {
			t.Errorf("%d ids: the repetition of the first id is reported: %t, want %t", test.ids, found, test.want)
		}
	}
}
