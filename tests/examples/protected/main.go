// Command protected is a server over HTTP that lets in whom an authorization server has let in, with three
// tools, a prompt and a resource template. Its tools that change notes need a scope of their own.
package main

import (
	"context"
	"fmt"
	"log"
	"sync"

	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/runtime/auth"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/typed"
)

type Note struct {
	Text string `json:"text" jsonschema:"minLength=1"`
	Kind string `json:"kind,omitempty" jsonschema:"enum=idea,enum=task,default=idea"`
}

type NoteID struct {
	ID int `json:"id" jsonschema:"minimum=1"`
}

type Written struct {
	ID int    `json:"id"`
	By string `json:"by"`
}

type Kind struct {
	Kind string `json:"kind,omitempty" jsonschema:"enum=idea,enum=task,description=all kinds unless it is set"`
}

type Found struct {
	Notes map[int]Note `json:"notes"`
}

type Length struct {
	Words int `json:"words,omitempty" jsonschema:"minimum=10,default=100"`
}

type notes struct {
	mu   sync.Mutex
	last int
	all  map[int]Note
}

func (n *notes) write(ctx context.Context, in *Note) (*Written, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.last++
	n.all[n.last] = *in
	return &Written{ID: n.last, By: auth.CallerOf(ctx).Subject}, nil
}

func (n *notes) find(_ context.Context, in *Kind) (*Found, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	found := map[int]Note{}
	for id, note := range n.all {
		if in.Kind == "" || in.Kind == note.Kind {
			found[id] = note
		}
	}
	return &Found{found}, nil
}

func (n *notes) remove(_ context.Context, in *NoteID) (*Note, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	note, ok := n.all[in.ID]
	if !ok {
		return nil, fmt.Errorf("there is no note %d", in.ID)
	}
	delete(n.all, in.ID)
	return &note, nil
}

func (n *notes) read(_ context.Context, uri string, in *NoteID) (*mcp.ReadResourceResult, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	note, ok := n.all[in.ID]
	if !ok {
		return nil, catalog.ErrNoResource
	}
	text := &mcp.TextResourceContents{URI: uri, Text: note.Text}
	return &mcp.ReadResourceResult{Contents: []mcp.ResourceContentsUnion{text}}, nil
}

func summarize(_ context.Context, in *Length) (*mcp.GetPromptResult, error) {
	text := &mcp.TextContent{Text: fmt.Sprintf("Summarize my notes in %d words.", in.Words)}
	return &mcp.GetPromptResult{Messages: []mcp.PromptMessage{{Role: mcp.RoleUser, Content: text}}}, nil
}

func serve(ctx context.Context, address, issuer string) error {
	n := &notes{all: map[int]Note{}}
	server, err := mcp.NewServer(mcp.ServerOptions{Name: "notes", Version: "1.0.0"},
		typed.Tool(&mcp.Tool{Name: "write_note"}, n.write).Require("notes:write"),
		typed.Tool(&mcp.Tool{Name: "find_notes"}, n.find),
		typed.Tool(&mcp.Tool{Name: "delete_note"}, n.remove).Require("notes:write"),
		typed.Prompt(&mcp.Prompt{Name: "summarize"}, summarize),
		typed.Template(&mcp.ResourceTemplate{Name: "note", URITemplate: "notes://{id}"}, n.read))
	if err != nil {
		return err
	}
	guard, err := auth.NewGuard(auth.Options{
		Resource: "http://" + address + "/mcp",
		Issuers:  []auth.Issuer{{URL: issuer}},
	})
	if err != nil {
		return err
	}
	handler := streamable.NewHandler(server, streamable.Options{})
	return streamable.ListenAndServe(ctx, address, "/mcp", guard.Protect(handler))
}

func main() {
	log.Fatal(serve(context.Background(), "localhost:8000", "http://localhost:8080/realms/mcp"))
}
