// Package editors tests the schema for editors with the language server that they run for YAML.
package editors

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/textproto"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/gen/authoring"
	"github.com/mcpgen/mcpgen/tests/internal/npm"
)

// message is a message of the Language Server Protocol.
type message struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      *int            `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
}

// session is a connection with the language server.
type session struct {
	t   *testing.T
	in  io.Writer
	out *textproto.Reader
}

func (s *session) send(m message) {
	s.t.Helper()
	m.JSONRPC = "2.0"
	text, err := json.Marshal(m)
	if err != nil {
		s.t.Fatal(err)
	}
	if _, err := fmt.Fprintf(s.in, "Content-Length: %d\r\n\r\n%s", len(text), text); err != nil {
		s.t.Fatal(err)
	}
}

// receive returns the next message that is not a request of the server, which it answers.
func (s *session) receive() message {
	s.t.Helper()
	for {
		header, err := s.out.ReadMIMEHeader()
		if err != nil {
			s.t.Fatal(err)
		}
		length, err := strconv.Atoi(header.Get("Content-Length"))
		if err != nil {
			s.t.Fatal(err)
		}
		text := make([]byte, length)
		if _, err := io.ReadFull(s.out.R, text); err != nil {
			s.t.Fatal(err)
		}
		var m message
		if err := json.Unmarshal(text, &m); err != nil {
			s.t.Fatal(err)
		}
		if m.ID == nil || m.Method == "" {
			return m
		}
		result := json.RawMessage("null")
		if m.Method == "workspace/configuration" {
			result = json.RawMessage(`[{"validate":true},{},{},{},{}]`)
		}
		s.send(message{ID: m.ID, Result: result})
	}
}

// TestDiagnostics opens a list with mistakes in the language server, which finds the schema by
// the first line of the list.
func TestDiagnostics(t *testing.T) {
	npm.Need(t, ".")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "tools.schema.json"), authoring.Schema(), 0o666); err != nil {
		t.Fatal(err)
	}
	const list = `# yaml-language-server: $schema=tools.schema.json
$defs:
  place: {type: object, properties: {lat: {type: number}}}
tools:
- name: good
  x-go-name: Good
  inputSchema:
    type: object
    properties:
      at: {$ref: '#/$defs/place', x-order: 1}
      city: {type: [string, "null"], minLength: 1, default: Oslo}
    required: [city]
  annotations: {readOnlyHint: true}
- name: bad name
  inputSchema: {type: object}
- name: bad
  desciption: misspelled
  inputSchema:
    type: object
    properties:
      a: {type: text}
      b: {minLenght: 1}
prompts:
- name: ask
  arguments:
  - {name: a, required: true, x-mcp-enum: [x]}
  - {name: b, requierd: true}
resources:
- {uri: 'x://a'}
`
	cmd := exec.Command("node", "node_modules/yaml-language-server/bin/yaml-language-server", "--stdio")
	cmd.Stderr = t.Output()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	s := &session{t, in, textproto.NewReader(bufio.NewReader(out))}
	uri := "file://" + filepath.ToSlash(dir)
	s.send(message{ID: new(1), Method: "initialize", Params: json.RawMessage(`{"processId":null,"rootUri":"` + uri + `","capabilities":{"workspace":{"configuration":true}}}`)})
	for m := s.receive(); m.ID == nil || *m.ID != 1; m = s.receive() {
	}
	s.send(message{Method: "initialized", Params: json.RawMessage(`{}`)})
	text, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	s.send(message{Method: "textDocument/didOpen", Params: json.RawMessage(`{"textDocument":{"uri":"` + uri + `/tools.yaml","languageId":"yaml","version":1,"text":` + string(text) + `}}`)})
	var published struct {
		Diagnostics []struct {
			Range struct {
				Start struct{ Line int }
			}
		}
	}
	m := s.receive()
	for ; m.Method != "textDocument/publishDiagnostics"; m = s.receive() {
	}
	if err := json.Unmarshal(m.Params, &published); err != nil {
		t.Fatal(err)
	}
	found := map[int]bool{}
	for _, d := range published.Diagnostics {
		found[d.Range.Start.Line+1] = true
	}
	if diff := cmp.Diff(map[int]bool{14: true, 17: true, 21: true, 22: true, 27: true, 29: true}, found); diff != "" {
		t.Errorf("lines with mistakes (-want +got):\n%s\n%s", diff, m.Params)
	}
}
