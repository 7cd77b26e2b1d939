package diff

import (
	"fmt"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/gen"
	"github.com/mcpgen/mcpgen/gen/compat"
	"github.com/mcpgen/mcpgen/generated"
	"github.com/mcpgen/mcpgen/runtime/wire"
	"github.com/mcpgen/mcpgen/spec"
)

func loadSpec(t testing.TB) *spec.Spec {
	t.Helper()
	s, err := spec.Load(spec.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// pinned holds the revisions that have been lowered.
var pinned sync.Map

// lowered is a pinned revision.
func lowered(t testing.TB, revision string) *gen.Lowered {
	t.Helper()
	if have, ok := pinned.Load(revision); ok {
		return have.(*gen.Lowered)
	}
	s := loadSpec(t)
	src, err := gen.PinnedSource(s, revision)
	if err != nil {
		t.Fatal(err)
	}
	out, err := gen.Lower(s, src)
	if err != nil {
		t.Fatal(err)
	}
	pinned.Store(revision, out)
	return out
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
func side(t testing.TB, revision string) compat.Revision {
	t.Helper()
	r, ok := generated.Lookup(revision)
	if !ok {
		t.Fatalf("no generated code of %s", revision)
	}
	return compat.Revision{IR: lowered(t, revision).Revision, Judge: code{r}}
}
