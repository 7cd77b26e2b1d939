// Package examples holds the examples, each run by a test, and the tests of what the README
// files show.
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

	// What cmd/mcpgen is made of: changes of it are to be tested again.
	_ "github.com/mcpgen/mcpgen/gen"
	_ "github.com/mcpgen/mcpgen/gen/skeleton"
	_ "github.com/mcpgen/mcpgen/generated"
)

const root = "../.."

// pages are the README files whose code and commands are tested.
var pages = []string{"README.md", "cmd/mcpgen/README.md", "generated/README.md", "runtime/README.md"}

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
		t.Fatalf("no page has a block of %s", language)
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

// TestReadmeCommands runs the commands of the README files, one after the other in one folder, and
// compares what they print. Numbers may differ, because they change with the schemas.
func TestReadmeCommands(t *testing.T) {
	bin, dir := t.TempDir(), t.TempDir()
	// What a test opens decides, together with the imports, whether its result is cached.
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
			got, _ := cmd.CombinedOutput() // the exit code is printed where it matters
			if diff := cmp.Diff(comparable(want), comparable(string(got))); diff != "" {
				t.Errorf("$ %s (-README.md +printed):\n%s\nprinted:\n%s", command, diff, got)
			}
		}
	}
}

// comparable returns the lines of an output without what may differ.
func comparable(text string) []string {
	text = regexp.MustCompile(`[0-9a-f]{64}`).ReplaceAllString(text, "SUM")
	text = regexp.MustCompile(`[0-9]+`).ReplaceAllString(text, "N")
	text = regexp.MustCompile(` +`).ReplaceAllString(text, " ")
	return strings.Split(strings.TrimRight(text, "\n"), "\n")
}

// writeNext makes next.json: the schema of a revision to come, with a union whose variants
// its schema does not tell apart.
func writeNext(t *testing.T, dir string) {
	t.Helper()
	facts, err := os.ReadFile(filepath.Join(dir, "spec", "2025-11-25", "schema.json"))
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
