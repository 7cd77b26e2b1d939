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

// said parses messages such as "c {...}", sent by the client, "s {...}", sent by the server, or
// "? {...}", from an unknown sender. The member jsonrpc is added.
func say(s *audit.Session, said string) []string {
	from := map[byte]audit.Side{'c': client, 's': server, '?': audit.Unknown}[said[0]]
	text := strings.ReplaceAll(said[2:], `{"@`, `{"jsonrpc":"2.0","`)
	var found []string
	for _, f := range s.Message(from, text) {
		kind := string(f.Rule)
		if f.Level == audit.Note {
			kind = "note"
		}
		found = append(found, fmt.Sprintf("%s %s: %s", kind, f.Pointer, f.Problem))
	}
	return found
}

// opening returns the handshake of a session with the given capabilities.
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

// TestSides checks messages without senders, most of which can be inferred.
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
		"response-unknown-id /id: no open request has the id 1: it was answered already",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestUnordered expects notes for what several streams may cause.
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
	if want := []string{"note /params/progressToken: the request with the token \"p\" was answered already"}; cmp.Diff(want, got) != "" {
		t.Errorf("got %q", got)
	}
}

// FuzzMessage checks arbitrary messages.
func FuzzMessage(f *testing.F) {
	for _, said := range opening("2025-06-18", everyClient, everyServer) {
		f.Add(said[2:])
	}
	f.Add("read: [{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}]\nwrite: {\"jsonrpc\":1}")
	f.Fuzz(func(t *testing.T, text string) {
		s := audit.NewSession(audit.Options{Roundtrip: true, Undeclared: true})
		for _, said := range opening("2025-06-18", everyClient, everyServer) {
			say(s, said)
		}
		for line := range strings.Lines(text) {
			s.Message(client, line)
			s.Message(server, line)
		}
		s.Close("")
	})
}

// TestLines checks that a finding has the line of its value in a message of several lines, whatever the rule.
func TestLines(t *testing.T) {
	s := audit.NewSession(audit.Options{})
	for _, said := range opening("2025-11-25", everyClient, everyServer) {
		say(s, said)
	}
	found := s.Message(server, "{\n \"jsonrpc\":\"2.0\",\n \"method\":\"notifications/resources/updated\",\n \"params\":{\n  \"uri\":\"file:///a\"\n }\n}")
	if len(found) != 1 || found[0].Rule != "subscribe" || found[0].Pointer != "/params/uri" || found[0].Line != 4 {
		t.Errorf("%+v", found)
	}
}
