package agreement

import (
	"cmp"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/mcpgen/mcpgen/gen"
	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/gen/schema"
	"github.com/mcpgen/mcpgen/generated"
	"github.com/mcpgen/mcpgen/runtime/wire"
	"github.com/mcpgen/mcpgen/spec"
	"github.com/mcpgen/mcpgen/tests/internal/pinned"
	"github.com/mcpgen/mcpgen/tests/kitchensink/mcp20990101"
)

// subject is a revision with its sources and its generated code.
type subject struct {
	id       string
	spec     *spec.Spec
	pinned   bool
	document *schema.Document
	ir       *ir.Revision
	// facts is the pinned schema.json.
	facts []byte
	new   func(definition string) (wire.Value, bool)
}

// eachSubject runs a test in parallel for every pinned revision and for the kitchen-sink
// schema, which has every construct.
func eachSubject(t *testing.T, test func(t *testing.T, s *subject)) {
	eachPinned(t, test)
	t.Run("kitchensink", func(t *testing.T) {
		t.Parallel()
		src, err := os.ReadFile(filepath.Join("..", "kitchensink", "schema.json"))
		if err != nil {
			t.Fatal(err)
		}
		test(t, newSubject(t, pinned.Spec(t), gen.Source{Revision: mcp20990101.Revision, Schema: src}, mcp20990101.New))
	})
}

// eachPinned runs a test in parallel for every pinned revision.
func eachPinned(t *testing.T, test func(t *testing.T, s *subject)) {
	facts := pinned.Spec(t)
	for _, revision := range facts.Revisions() {
		src, err := gen.PinnedSource(facts, revision)
		if err != nil {
			t.Fatal(err)
		}
		code, ok := generated.Lookup(revision)
		if !ok {
			t.Fatalf("there is no generated code for %s", revision)
		}
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			test(t, newSubject(t, facts, src, code.New))
		})
	}
}

func newSubject(t *testing.T, s *spec.Spec, src gen.Source, fresh func(string) (wire.Value, bool)) *subject {
	t.Helper()
	lowered, err := gen.Lower(s, src)
	if err != nil {
		t.Fatal(err)
	}
	return &subject{src.Revision, s, src.Pinned, lowered.Document, lowered.Revision, src.Schema, fresh}
}

// fresh returns an empty value of a declaration.
func (s *subject) fresh(t *testing.T, d *ir.Decl) wire.Value {
	t.Helper()
	v, ok := s.new(key(d))
	if !ok {
		t.Fatalf("New has no type %s", key(d))
	}
	return v
}

// key is the name of a declaration for New.
func key(d *ir.Decl) string {
	if d.Definition {
		return d.Path
	}
	return d.Name
}

// targets are the declarations to generate values for: every definition, and the unions of the
// results of requests, which the schema does not define.
func (s *subject) targets() []*ir.Decl {
	var decls []*ir.Decl
	for _, d := range s.ir.Decls {
		if d.Definition {
			decls = append(decls, d)
		}
	}
	for _, m := range s.ir.Methods {
		if m.Result != nil && !m.Result.Definition {
			decls = append(decls, m.Result)
		}
	}
	return decls
}

// sharedFolder returns the folder with the upstream files, which may not exist.
func sharedFolder(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	shared := cmp.Or(os.Getenv("MCPGEN_SHARED"), filepath.Join(root, "..", "shared"))
	if !filepath.IsAbs(shared) {
		shared = filepath.Join(root, shared)
	}
	return shared
}

// upstream reads the upstream file if it is available.
func (s *subject) upstream(t *testing.T) ([]byte, bool) {
	t.Helper()
	src, err := os.ReadFile(filepath.Join(sharedFolder(t), "upstream", s.id, "schema.json"))
	return src, err == nil
}

// errata are the corrections to the subject's schema.
func (s *subject) errata() []spec.Erratum {
	if !s.pinned {
		return nil
	}
	return s.spec.Errata
}

// documentTree is the checked document as a schema.json.
func (s *subject) documentTree(t *testing.T) map[string]any {
	t.Helper()
	src, err := s.document.JSON()
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, src)
}

// upstreamTree is the upstream's schema.json with the errata applied, the forgotten members
// added, and the values of members fixed. The generator changes nothing else in it.
func (s *subject) upstreamTree(t *testing.T, deviations *ledger) map[string]any {
	t.Helper()
	src, ok := s.upstream(t)
	if !ok {
		src = s.facts
		if s.pinned {
			t.Log("no upstream file: using the pinned facts instead")
		}
	}
	root := parse(t, src)
	for _, e := range s.errata() {
		if e.Contains(s.id) {
			put(t, root, e.Pointer, e.New)
		}
	}
	deviations.addForgotten(root, s.documentTree(t), s.ir)
	deviations.fixValues(root, s.ir)
	return root
}

// setting reads a number from an environment variable.
func setting(t *testing.T, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}
