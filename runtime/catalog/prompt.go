package catalog

import (
	"context"
	"errors"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Prompt is a prompt that clients can get (server/prompts of every revision).
type Prompt struct {
	// Definition is the Prompt object in the list, such as a *mcp.Prompt or a wire.Object.
	// Its name identifies the prompt in requests.
	Definition wire.Appender

	// Get returns a GetPromptResult. Arguments that the definition requires are present.
	Get func(ctx context.Context, arguments map[string]string) (wire.Appender, error)

	// Completers propose values for arguments, by name.
	Completers map[string]Completer

	// Scopes are those that the access token of a caller must have, see [runtime.Authorize]. They
	// are not part of the definition, so clients do not see them.
	Scopes []string
}

// NewPrompt returns a prompt with a handler whose result has a type, such as
// *mcp.GetPromptResult.
func NewPrompt[R wire.Appender](definition wire.Appender, get func(ctx context.Context, arguments map[string]string) (R, error)) Prompt {
	if get == nil {
		return Prompt{Definition: definition}
	}
	return Prompt{Definition: definition, Get: func(ctx context.Context, arguments map[string]string) (wire.Appender, error) {
		return untyped(get(ctx, arguments))
	}}
}

// Complete returns a copy of the prompt with a Completer for one of its arguments.
func (p Prompt) Complete(argument string, completer Completer) Prompt {
	p.Completers = withCompleter(p.Completers, argument, completer)
	return p
}

// prompt is a Prompt in a catalog.
type prompt struct {
	get       func(ctx context.Context, arguments map[string]string) (wire.Appender, error)
	arguments []argument
	completers
}

// add implements Item.
func (p Prompt) add(a *addition, room int) error {
	d, err := kindPrompt.define(p.Definition)
	if err != nil {
		return err
	}
	if p.Get == nil {
		return kindPrompt.error(d.key, errors.New("no function Get"))
	}
	names := make([]string, len(d.arguments))
	for i, a := range d.arguments {
		names[i] = a.name
	}
	completers, err := newCompleters(names, p.Completers)
	if err != nil {
		return kindPrompt.error(d.key, err)
	}
	kept, err := a.prompts.add(kindPrompt, d, p.Scopes, room)
	if err == nil {
		*kept = prompt{p.Get, d.arguments, completers}
	}
	return err
}

// RemovePrompts removes the prompts with these names and returns how many there were.
func (c *Catalog) RemovePrompts(names ...string) int { return c.prompts.remove(names) }

// getPrompt handles prompts/get ("Error Handling" in server/prompts).
func (c *Catalog) getPrompt(ctx context.Context, p *promptParams) (wire.Appender, error) {
	found, ok := c.prompts.get(p.name)
	if !ok {
		return nil, unknownPrompt(p.name)
	}
	if err := runtime.Authorize(ctx, c.prompts.scopesOf(p.name)); err != nil {
		return nil, err
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
