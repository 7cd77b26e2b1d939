package audit_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/audit"
)

const (
	client = audit.Client
	server = audit.Server
)

// said is a message, written as "c {...}" or "s {...}", of which the member jsonrpc is
// left out, or "? {...}" when who sent it is not known.
func say(s *audit.Session, said string) []string {
	from := map[byte]audit.Side{'c': client, 's': server, '?': audit.Unknown}[said[0]]
	text := strings.ReplaceAll(said[2:], `{"@`, `{"jsonrpc":"2.0","`)
	var found []string
	for _, f := range s.Message(from, text) {
		kind := string(f.Rule)
		if f.Note {
			kind = "note"
		}
		found = append(found, fmt.Sprintf("%s %s: %s", kind, f.Pointer, f.Problem))
	}
	return found
}

// opening is that of a session whose sides have declared these capabilities.
func opening(revision, ofClient, ofServer string) []string {
	return []string{
		`c {"@id":0,"method":"initialize","params":{"protocolVersion":"` + revision + `","capabilities":` + ofClient + `,"clientInfo":{"name":"c","version":"1"}}}`,
		`s {"@id":0,"result":{"protocolVersion":"` + revision + `","capabilities":` + ofServer + `,"serverInfo":{"name":"s","version":"1"}}}`,
		`c {"@method":"notifications/initialized"}`,
	}
}

const (
	everyClient = `{"roots":{"listChanged":true},"sampling":{},"elicitation":{}}`
	everyServer = `{"tools":{"listChanged":true},"resources":{"subscribe":true},"prompts":{},"logging":{},"completions":{}}`
)

func TestRules(t *testing.T) {
	for _, test := range []struct {
		name string
		said []string
		want []string
	}{
		{name: "good", said: []string{
			`c {"@id":1,"method":"tools/list"}`,
			`s {"@id":1,"method":"roots/list"}`,
			`c {"@id":1,"result":{"roots":[]}}`,
			`s {"@id":1,"result":{"tools":[]}}`,
			`s {"@method":"notifications/tools/list_changed"}`,
			`c {"@id":"1","method":"ping"}`,
			`s {"@id":"1","result":{}}`,
		}},
		{name: "initialize again", said: []string{
			strings.Replace(opening("2025-06-18", "{}", "{}")[0], `"@id":0`, `"@id":9`, 1),
		}, want: []string{"lifecycle : initialize is sent once, and first"}},
		{name: "initialized again", said: []string{`c {"@method":"notifications/initialized"}`},
			want: []string{"lifecycle : notifications/initialized is sent once"}},
		{name: "id again", said: []string{
			`c {"@id":1,"method":"ping"}`, `s {"@id":1,"result":{}}`, `c {"@id":1.0,"method":"ping"}`,
		}, want: []string{"id /id: the client has used the id 1.0 before"}},
		{name: "answered twice", said: []string{
			`c {"@id":1,"method":"ping"}`, `s {"@id":1,"result":{}}`, `s {"@id":1,"result":{}}`,
		}, want: []string{"id /id: no request that is open has the id 1"}},
		{name: "answer to itself", said: []string{`c {"@id":1,"method":"ping"}`, `c {"@id":1,"result":{}}`},
			want: []string{"id /id: no request that is open has the id 1"}},
		{name: "wrong side", said: []string{`s {"@id":1,"method":"tools/list"}`},
			want: []string{"method /method: tools/list is sent by the client, not by the server"}},
		{name: "method of another revision", said: []string{`c {"@id":1,"method":"tasks/list"}`},
			want: []string{`method /method: revision 2025-06-18 has no method "tasks/list"`}},
		{name: "method of none", said: []string{`c {"@id":1,"method":"own/dance"}`},
			want: []string{`note /method: the revision has no method "own/dance"`}},
		{name: "result", said: []string{`c {"@id":1,"method":"tools/list"}`, `s {"@id":1,"result":{"tools":7}}`},
			want: []string{"schema /result/tools: expected an array, found a number"}},
		{name: "undeclared", said: []string{
			`s {"@method":"notifications/prompts/list_changed"}`,
			`s {"@id":1,"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{}}}}`,
		}, want: []string{"capability : notifications/prompts/list_changed needs the capability prompts.listChanged, which the server has not declared"}},
		{name: "progress", said: []string{
			`c {"@id":1,"method":"tools/call","params":{"name":"t","_meta":{"progressToken":1}}}`,
			`s {"@method":"notifications/progress","params":{"progressToken":1,"progress":1}}`,
			`s {"@method":"notifications/progress","params":{"progressToken":1,"progress":0.5}}`,
			`c {"@method":"notifications/progress","params":{"progressToken":1,"progress":3}}`,
			`c {"@id":2,"method":"tools/call","params":{"name":"t","_meta":{"progressToken":1}}}`,
			`s {"@id":2,"result":{"content":[]}}`,
			`s {"@method":"notifications/progress","params":{"progressToken":1,"progress":4}}`,
		}, want: []string{
			"progress /params/progress: progress increases, and was 1 already",
			"progress /params/progressToken: no request under way has the token 1",
			"progress /params/_meta/progressToken: the token 1 is that of another request of the client",
			"progress /params/progressToken: no request under way has the token 1",
		}},
		{name: "cancel", said: []string{
			`c {"@id":1,"method":"tools/list"}`,
			`c {"@method":"notifications/cancelled","params":{"requestId":1}}`,
			`s {"@method":"notifications/cancelled","params":{"requestId":1}}`,
		}, want: []string{"cancel /params/requestId: the server has sent no request with the id 1"}},
		{name: "logging", said: []string{
			`s {"@method":"notifications/message","params":{"level":"debug","data":1}}`,
			`c {"@id":1,"method":"logging/setLevel","params":{"level":"warning"}}`,
			`s {"@method":"notifications/message","params":{"level":"info","data":1}}`,
			`s {"@id":1,"result":{}}`,
			`s {"@method":"notifications/message","params":{"level":"warning","data":1}}`,
			`s {"@method":"notifications/message","params":{"level":"info","data":1}}`,
		}, want: []string{"logging /params/level: the client has asked for messages from warning on"}},
		{name: "subscriptions", said: []string{
			`s {"@method":"notifications/resources/updated","params":{"uri":"a:b"}}`,
			`c {"@id":1,"method":"resources/subscribe","params":{"uri":"a:b"}}`,
			`s {"@id":1,"result":{}}`,
			`s {"@method":"notifications/resources/updated","params":{"uri":"a:b"}}`,
			`s {"@method":"notifications/resources/updated","params":{"uri":"a:b/c"}}`,
		}, want: []string{
			"subscribe /params/uri: the client has subscribed to no resource",
			"note /params/uri: the client has not subscribed to this resource, unless it is part of one",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := audit.NewSession(audit.Options{})
			var got []string
			for _, said := range append(opening("2025-06-18", everyClient, everyServer), test.said...) {
				got = append(got, say(s, said)...)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestSides leaves out who sent what: the messages tell most of it.
func TestSides(t *testing.T) {
	s := audit.NewSession(audit.Options{})
	var got []string
	for _, said := range append(opening("2025-11-25", `{"elicitation":{"url":{}}}`, `{"tools":{}}`),
		`c {"@id":1,"method":"tools/call","params":{"name":"t"}}`,
		`s {"@id":1,"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{}}}}`,
		`c {"@id":1,"result":{"action":"accept"}}`,
		`s {"@id":1,"result":{"content":[]}}`,
		`s {"@id":1,"result":{"content":[]}}`,
	) {
		got = append(got, say(s, "?"+said[1:])...)
	}
	want := []string{
		"capability : elicitation/create needs the capability elicitation.form, which the client has not declared",
		"id /id: no request that is open has the id 1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestUnordered makes notes of what may come of several streams.
func TestUnordered(t *testing.T) {
	s := audit.NewSession(audit.Options{Unordered: true})
	var got []string
	for _, said := range append(opening("2025-06-18", "{}", `{"tools":{}}`),
		`c {"@id":1,"method":"tools/call","params":{"name":"t","_meta":{"progressToken":"p"}}}`,
		`s {"@id":1,"result":{"content":[]}}`,
		`s {"@method":"notifications/progress","params":{"progressToken":"p","progress":1}}`,
	) {
		got = append(got, say(s, said)...)
	}
	if want := []string{"note /params/progressToken: the request with the token has been answered"}; cmp.Diff(want, got) != "" {
		t.Errorf("got %q", got)
	}
}

func TestTranscript(t *testing.T) {
	const message = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for line, want := range map[string]audit.Side{
		message:             audit.Unknown,
		"[" + message + "]": audit.Unknown,
		`{"direction":"client->server","time":1,"message":` + message + `}`:       client,
		`{"dir":"s2c","msg":` + message + `}`:                                     server,
		`{"from":"server","message":"{\"jsonrpc\":\"2.0\"}"}`:                     server,
		`2025-06-18T12:00:00Z [x] [info] Message from client: ` + message + ` {}`: client,
		`2025-06-18T12:00:00Z [x] [info] Message from server: ` + message + ` {}`: server,
		`client → server: ` + message:                                             client,
		`client <- server: ` + message:                                            server,
		`[sse] SSE → Child: ` + message:                                           client,
		`to server ` + message:                                                    client,
	} {
		from, text := (&audit.Transcript{}).Message(line)
		if from != want || !strings.Contains(text, `"jsonrpc"`) || !audit.IsValue(text) {
			t.Errorf("%s: %q said %s", line, from, text)
		}
	}
	if _, text := (&audit.Transcript{}).Message(`listening on port 80 {"port":80}`); text != "" {
		t.Errorf("a line of something else: %q", text)
	}

	// Who reads and who writes is known once initialize has been said.
	for first, sides := range map[string][2]audit.Side{"read": {client, server}, "write": {client, client}} {
		var log audit.Transcript
		from, _ := log.Message(first + `: {"jsonrpc":"2.0","id":0,"method":"initialize"}`)
		next, _ := log.Message("write: " + message)
		if from != sides[0] || next != sides[1] {
			t.Errorf("%s: %q, then %q", first, from, next)
		}
	}
}

// FuzzMessage has sessions take anything.
func FuzzMessage(f *testing.F) {
	for _, said := range opening("2025-06-18", everyClient, everyServer) {
		f.Add(said[2:])
	}
	f.Add("read: [{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}]\nwrite: {\"jsonrpc\":1}")
	f.Fuzz(func(t *testing.T, text string) {
		s, log := audit.NewSession(audit.Options{Roundtrip: true}), audit.Transcript{}
		for _, said := range opening("2025-06-18", everyClient, everyServer) {
			say(s, said)
		}
		for line := range strings.Lines(text) {
			if from, message := log.Message(line); message != "" {
				s.Message(from, message)
			}
		}
	})
}
