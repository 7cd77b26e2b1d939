package catalog

import (
	"context"
	"fmt"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Prompt is a prompt that clients can get (server/prompts of every revision).
type Prompt struct {
	// Definition is the Prompt object in the list. Its name is how the prompt is got.
	// Arguments that it requires are there when Get is called.
	Definition wire.Object

	// Get returns a GetPromptResult.
	Get func(ctx context.Context, arguments map[string]string) (wire.Appender, error)

	// Complete proposes values for arguments, by their names.
	Complete map[string]Completer
}

// prompt is a Prompt as it is kept.
type prompt struct {
	get       func(ctx context.Context, arguments map[string]string) (wire.Appender, error)
	arguments []argument
	completers
}

// AddPrompts adds prompts; one whose name is taken replaces the other in its place. An
// error is about a definition, and then none is added.
func (c *Catalog) AddPrompts(prompts ...Prompt) error {
	if len(prompts) == 0 {
		return nil
	}
	err := add(c.prompts, prompts, func(p Prompt) (definition, *prompt, error) {
		d, err := kindPrompt.define(p.Definition)
		if err != nil {
			return d, nil, err
		}
		if p.Get == nil {
			return d, nil, fmt.Errorf("catalog: prompt %.100q: no Get", d.key)
		}
		names := make([]string, len(d.arguments))
		for i, a := range d.arguments {
			names[i] = a.name
		}
		completers, err := newCompleters(names, p.Complete)
		if err != nil {
			return d, nil, fmt.Errorf("catalog: prompt %.100q: %w", d.key, err)
		}
		return d, &prompt{p.Get, d.arguments, completers}, nil
	})
	if err == nil {
		c.announce(promptsChanged)
	}
	return err
}

// RemovePrompts removes the prompts of these names and returns how many there were.
func (c *Catalog) RemovePrompts(names ...string) int {
	n := c.prompts.remove(names)
	if n > 0 {
		c.announce(promptsChanged)
	}
	return n
}

// getPrompt answers prompts/get ("Error Handling" in server/prompts).
func (c *Catalog) getPrompt(ctx context.Context, p *promptParams) (wire.Appender, error) {
	found, ok := c.prompts.get(p.name)
	if !ok {
		return nil, unknownPrompt(p.name)
	}
	for _, a := range found.arguments {
		if _, given := p.arguments[a.name]; a.required && !given {
			return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "invalid params: /arguments: missing argument %.100q", a.name)
		}
	}
	return found.get(ctx, p.arguments)
}

func unknownPrompt(name string) error {
	return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "unknown prompt: %.100q", name)
}
