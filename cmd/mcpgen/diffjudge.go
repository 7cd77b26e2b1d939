//go:build !bootstrap

package main

import (
	"fmt"

	"github.com/mcpgen/mcpgen/gen"
	"github.com/mcpgen/mcpgen/gen/diff"
	"github.com/mcpgen/mcpgen/generated"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// generatedJudge returns a judge that uses the generated code of a pinned revision, or nil for
// other sources.
func generatedJudge(src gen.Source) diff.Judge {
	revision, ok := generated.Lookup(src.Revision)
	if !ok || !src.Pinned {
		return nil
	}
	return codeJudge{revision}
}

// codeJudge judges values with a generated package.
type codeJudge struct{ revision generated.Revision }

// Accepts implements diff.Judge.
func (j codeJudge) Accepts(of string, text []byte) (bool, error) {
	v, ok := j.revision.New(of)
	if !ok {
		return false, fmt.Errorf("the generated code of %s has no definition %q", j.revision.ID, of)
	}
	return wire.UnmarshalString(string(text), v) == nil && wire.Validate(v) == nil, nil
}
