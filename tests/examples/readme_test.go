// Package examples contains the example programs, with tests that run them, and tests of the
// code and commands in the README files.
package examples

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/tests/internal/pinned"

	// The tests build cmd/mcpgen from these packages, so go test must not cache results across
	// their changes.
	_ "github.com/mcpgen/mcpgen/gen"
	_ "github.com/mcpgen/mcpgen/gen/skeleton"
	_ "github.com/mcpgen/mcpgen/generated"
)

const root = "../.."

// pages are the tested README files.
var pages = []string{"README.md", "cmd/mcpgen/README.md", "cmd/mcpgen/lists.md", "cmd/mcpgen/sessions.md", "cmd/mcpgen/diff.md", "cmd/mcpgen/revisions.md", "generated/README.md", "runtime/README.md", "runtime/auth/README.md", "runtime/auth/client/README.md", "runtime/migration.md", "runtime/tasks/README.md"}

// blocks returns the code blocks of the pages in a language.
func blocks(t *testing.T, language string) []string {
	t.Helper()
	var found []string
	for _, page := range pages {
		text, err := os.ReadFile(filepath.Join(root, page))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```$").FindAllSubmatch(text, -1) {
			found = append(found, string(m[1]))
		}
	}
	if len(found) == 0 {
		t.Fatalf("no page has a block in the language %s", language)
	}
	return found
}

// build builds a program in the module.
func build(t *testing.T, out, what string) {
	t.Helper()
	cmd := exec.Command("go", "build", "-o", out, what)
	cmd.Dir = root
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, text)
	}
}

// TestReadmeCommands runs the commands of the README files in one folder and compares their
// output. Numbers may differ because they change with the schemas.
func TestReadmeCommands(t *testing.T) {
	bin, dir := t.TempDir(), t.TempDir()
	// go test caches a result by the imports and the files that the test opens.
	if err := os.CopyFS(t.TempDir(), os.DirFS(filepath.Join(root, "cmd", "mcpgen"))); err != nil {
		t.Fatal(err)
	}
	build(t, filepath.Join(bin, "mcpgen"), "./cmd/mcpgen")
	if err := os.CopyFS(filepath.Join(dir, "spec"), os.DirFS(filepath.Join(root, "spec"))); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, os.DirFS("testdata")); err != nil {
		t.Fatal(err)
	}
	writeNext(t, dir)
	for _, block := range blocks(t, "console") {
		for _, entry := range strings.Split("\n"+block, "\n$ ")[1:] {
			command, want, _ := strings.Cut(entry, "\n")
			cmd := exec.Command("sh", "-c", command)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
			got, _ := cmd.CombinedOutput() // the block prints the exit code where it matters
			if diff := cmp.Diff(comparable(want), comparable(string(got))); diff != "" {
				t.Errorf("$ %s (-README.md +printed):\n%s\nprinted:\n%s", command, diff, got)
			}
		}
	}
}

// comparable returns the lines of an output without the parts that may differ.
func comparable(text string) []string {
	text = regexp.MustCompile(`[0-9a-f]{64}`).ReplaceAllString(text, "SUM")
	text = regexp.MustCompile(`[0-9]+`).ReplaceAllString(text, "N")
	text = regexp.MustCompile(` +`).ReplaceAllString(text, " ")
	return strings.Split(strings.TrimRight(text, "\n"), "\n")
}

// writeNext writes next.json, the schema of a future revision, with a union whose variants the
// schema does not distinguish.
func writeNext(t *testing.T, dir string) {
	t.Helper()
	revisions := pinned.Spec(t).Revisions()
	facts, err := os.ReadFile(filepath.Join(dir, "spec", revisions[len(revisions)-1], "schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(facts, &schema); err != nil {
		t.Fatal(err)
	}
	definitions := schema["$defs"].(map[string]any)
	properties := func(definition string) map[string]any {
		return definitions[definition].(map[string]any)["properties"].(map[string]any)
	}
	properties("Tool")["deprecated"] = map[string]any{"type": "boolean"}
	properties("Implementation")["contact"] = map[string]any{"$ref": "#/$defs/Contact"}
	additions := `{
		"Contact": {"anyOf": [{"$ref": "#/$defs/EmailContact"}, {"$ref": "#/$defs/PhoneContact"}]},
		"EmailContact": {"type": "object", "properties": {"address": {"type": "string"}}},
		"PhoneContact": {"type": "object", "properties": {"number": {"type": "string"}}}
	}`
	if err := json.Unmarshal([]byte(additions), &definitions); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "next.json"), text, 0o666); err != nil {
		t.Fatal(err)
	}
}
