//go:build !bootstrap

package main

import (
	"errors"
	"strings"

	"github.com/mcpgen/mcpgen/gen/catalog"
	"github.com/mcpgen/mcpgen/gen/lint"
	"github.com/mcpgen/mcpgen/generated"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// definitionNames are the definitions of the entries of lists.
var definitionNames = map[catalog.Part]string{
	catalog.Tools: "Tool", catalog.Prompts: "Prompt", catalog.Resources: "Resource", catalog.Templates: "ResourceTemplate",
}

// validateDefinition reports what the newest revision does not allow in a definition. The
// schemas of a tool have rules of their own.
func validateDefinition(part catalog.Part, definition wire.Raw) []lint.Problem {
	revisions := generated.Revisions()
	value, ok := revisions[len(revisions)-1].New(definitionNames[part])
	if !ok {
		return nil
	}
	err := wire.UnmarshalString(string(definition), value)
	if err == nil {
		err = wire.Validate(value)
	}
	var problems []lint.Problem
	var syntax *wire.Error
	var invalid *wire.ValidationError
	switch {
	case errors.As(err, &invalid):
		for _, p := range invalid.Problems {
			problems = append(problems, lint.Problem{Pointer: p.Pointer, Message: p.Message})
		}
	case errors.As(err, &syntax):
		problems = append(problems, lint.Problem{Pointer: syntax.Pointer, Message: syntax.Problem})
	}
	kept := problems[:0]
	for _, p := range problems {
		if !strings.HasPrefix(p.Pointer, "/inputSchema") && !strings.HasPrefix(p.Pointer, "/outputSchema") && !strings.Contains(p.Message, `"inputSchema"`) {
			kept = append(kept, p)
		}
	}
	return kept
}
