package interop

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestCheck checks that the validation of transcripts finds errors.
func TestCheck(t *testing.T) {
	t.Parallel()
	opening := []message{
		{fromClient, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`},
		{fromServer, `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}`},
		{fromClient, `{"jsonrpc":"2.0","method":"notifications/initialized"}`},
	}
	for _, row := range []struct {
		name     string
		messages []message
		problem  string // "" for no finding
		leaves   bool   // checked only by the validator, because mcpgen verify does not know the sender
	}{
		{"good", []message{
			{fromClient, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`},
			{fromServer, `{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}`},
		}, "", false},
		{"params", []message{
			{fromClient, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":7}}`},
		}, "not a CallToolRequest", false},
		{"result", []message{
			{fromClient, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`},
			{fromServer, `{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"t"}]}}`},
		}, "not a ListToolsResult", false},
		{"envelope", []message{
			{fromServer, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"without an id"}}`},
		}, "not a JSONRPCMessage", false},
		{"format", []message{
			{fromServer, `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"no URI"}}`},
		}, "not a ResourceUpdatedNotification", false},
		{"side", []message{
			{fromClient, `{"jsonrpc":"2.0","id":2,"method":"ping"}`},
			{fromClient, `{"jsonrpc":"2.0","id":2,"result":{}}`},
		}, "response without a request", true},
	} {
		t.Run(row.name, func(t *testing.T) {
			j := newJudge(t, "2025-06-18")
			var found, text strings.Builder
			for _, m := range append(opening[:len(opening):len(opening)], row.messages...) {
				for _, problem := range j.message(m) {
					found.WriteString(problem + "\n")
				}
				text.WriteString(m.text + "\n")
			}
			if (found.Len() > 0) != (row.problem != "") || !strings.Contains(found.String(), row.problem) {
				t.Errorf("the validator found %q, want %q", found.String(), row.problem)
			}
			file := filepath.Join(t.TempDir(), "transcript.jsonl")
			if err := os.WriteFile(file, []byte(text.String()), 0o666); err != nil {
				t.Fatal(err)
			}
			out, err := exec.Command(program(t, "mcpgen"), "verify", "--revision", "2025-06-18", file).CombinedOutput()
			if fails := row.problem != "" && !row.leaves; fails != (err != nil) {
				t.Errorf("mcpgen verify: %v\n%s", err, out)
			}
		})
	}
}
