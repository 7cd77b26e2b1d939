package agreement

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/gen"
	"github.com/mcpgen/mcpgen/spec"
	"github.com/mcpgen/mcpgen/tests/internal/npm"
	"github.com/mcpgen/mcpgen/tests/internal/pinned"
)

// TestExtensions generates the packages of extensions, builds a program of each, and compares its
// verdicts on random values with those of a JSON Schema validator. It knows nothing of an extension but
// its schema and, in the YAML file beside it, its rows. The extensions are the pinned ones, those of
// testdata/extensions, the schema with every construct, MCP Apps as npm installs it, and the files that
// MCPGEN_EXTENSIONS lists.
func TestExtensions(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	facts := withoutValues(t)
	deviations := newLedger(t, facts.Deviations)
	test := func(name string, source func(t *testing.T) gen.ExtensionSource) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := source(t)
			lowered, err := gen.LowerExtension(facts, x)
			if err != nil {
				t.Fatal(err)
			}
			plan, err := gen.Extension(facts, x)
			if err != nil {
				t.Fatal(err)
			}
			newProgram(t, lowered, plan).compare(t, deviations)
		})
	}
	for _, pin := range facts.Extensions {
		test(pin.Name, func(t *testing.T) gen.ExtensionSource {
			x, err := gen.PinnedExtension(facts, pin.Name)
			if err != nil {
				t.Fatal(err)
			}
			return x
		})
	}
	list, err := filepath.Glob("testdata/extensions/*.json")
	if err != nil || len(list) == 0 {
		t.Fatal("no extensions", err)
	}
	list = append(list, filepath.Join("..", "kitchensink", "schema.json"))
	for _, file := range append(list, filepath.SplitList(os.Getenv("MCPGEN_EXTENSIONS"))...) {
		test(strings.ReplaceAll(strings.TrimSuffix(file, ".json"), "/", "_"), func(t *testing.T) gen.ExtensionSource { return readExtension(t, file) })
	}
	test("apps", func(t *testing.T) gen.ExtensionSource {
		npm.Need(t, ".")
		return readExtension(t, filepath.Join("node_modules", "@modelcontextprotocol", "ext-apps", "dist", "src", "generated", "schema.json"))
	})
}

// readExtension reads the schema of an extension and the rows beside it, if there are any.
func readExtension(t *testing.T, file string) gen.ExtensionSource {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	revisions := pinned.Spec(t).Revisions()
	x := gen.ExtensionSource{
		Name:     "com.example/" + strings.TrimSuffix(filepath.Base(file), ".json"),
		Revision: revisions[len(revisions)-1], Schema: src,
	}
	rows := strings.TrimSuffix(file, ".json") + ".yaml"
	if text, err := os.ReadFile(rows); err == nil {
		if x.Overlay, err = spec.ParseOverlay(rows, text); err != nil {
			t.Fatal(err)
		}
	}
	if !json.Valid(src) {
		t.Fatalf("%s is no JSON", file)
	}
	return x
}
