package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/runtime/catalog"
)

//go:generate go run github.com/mcpgen/mcpgen/cmd/mcpgen server --tools tools.yaml --out .

// handlers implements the tools, prompts and resources.
type handlers struct {
	mu    sync.Mutex
	notes []note // the id of a note is its index
}

type note struct{ topic, text string }

var _ Tools = (*handlers)(nil)

// AddNote implements the tool "add_note".
func (h *handlers) AddNote(ctx context.Context, in *AddNoteInput) (*AddNoteOutput, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.notes = append(h.notes, note{in.Topic, in.Text})
	return &AddNoteOutput{ID: strconv.Itoa(len(h.notes) - 1)}, nil
}

// FindNotes implements the tool "find_notes".
func (h *handlers) FindNotes(ctx context.Context, in *FindNotesInput) (*FindNotesOutput, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := &FindNotesOutput{IDs: []string{}}
	for i, n := range h.notes {
		if strings.Contains(n.text, in.Word) {
			out.IDs = append(out.IDs, strconv.Itoa(i))
		}
	}
	return out, nil
}

// Summary implements the prompt "summary".
func (h *handlers) Summary(ctx context.Context, in *SummaryArgs) (*mcp.GetPromptResult, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	text := "Summarize these notes about " + in.Topic
	if in.Length != nil && *in.Length == SummaryArgsLengthShort {
		text += " in one sentence"
	}
	text += ":\n"
	for _, n := range h.notes {
		if n.topic == in.Topic {
			text += "\n" + n.text
		}
	}
	message := mcp.PromptMessage{Role: mcp.RoleUser, Content: &mcp.TextContent{Text: text}}
	return &mcp.GetPromptResult{Messages: []mcp.PromptMessage{message}}, nil
}

// CompleteSummaryTopic proposes values of the argument "topic" of the prompt "summary".
func (h *handlers) CompleteSummaryTopic(ctx context.Context, value string, settled map[string]string) (catalog.Completion, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	topics := map[string]bool{}
	for _, n := range h.notes {
		if strings.HasPrefix(n.topic, value) {
			topics[n.topic] = true
		}
	}
	return catalog.Completion{Values: slices.Sorted(maps.Keys(topics))}, nil
}

// ReadNote implements the template "notes://notes/{id}".
func (h *handlers) ReadNote(ctx context.Context, uri string, in *NoteVariables) (*mcp.ReadResourceResult, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	id, err := strconv.Atoi(in.ID)
	if err != nil || id < 0 || id >= len(h.notes) {
		return nil, fmt.Errorf("note %q: %w", in.ID, catalog.ErrNoResource)
	}
	contents := &mcp.TextResourceContents{URI: uri, MIMEType: new("text/plain"), Text: h.notes[id].text}
	return &mcp.ReadResourceResult{Contents: []mcp.ResourceContentsUnion{contents}}, nil
}

// CompleteNoteID proposes values of the variable "id" of the template "notes://notes/{id}".
func (h *handlers) CompleteNoteID(ctx context.Context, value string, settled map[string]string) (catalog.Completion, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var c catalog.Completion
	for i := range h.notes {
		if id := strconv.Itoa(i); strings.HasPrefix(id, value) {
			c.Values = append(c.Values, id)
		}
	}
	return c, nil
}
