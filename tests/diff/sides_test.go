package diff

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/mcpgen/mcpgen/gen/diff"
	"github.com/mcpgen/mcpgen/generated"
	"github.com/mcpgen/mcpgen/runtime/wire"
	"github.com/mcpgen/mcpgen/tests/internal/pinned"
)

// decoded is the schema of a pinned revision as JSON has it, for the caller to change.
func decoded(t testing.TB, revision string) map[string]any {
	t.Helper()
	var root map[string]any
	if err := json.Unmarshal(pinned.Schema(t, revision), &root); err != nil {
		t.Fatal(err)
	}
	return root
}

// code judges by the generated package of a revision.
type code struct{ generated.Revision }

func (c code) Accepts(of string, text []byte) (bool, error) {
	v, ok := c.New(of)
	if !ok {
		return false, fmt.Errorf("no definition %s in %s", of, c.ID)
	}
	return wire.UnmarshalString(string(text), v) == nil && wire.Validate(v) == nil, nil
}

// side is a pinned revision, judged by its generated code.
func side(t testing.TB, revision string) diff.Revision {
	t.Helper()
	r, ok := generated.Lookup(revision)
	if !ok {
		t.Fatalf("no generated code of %s", revision)
	}
	lowered := pinned.Lower(t, revision)
	return diff.Revision{IR: lowered.Revision, Document: lowered.Document, Judge: code{r}}
}
