package typescript_test

import (
	"path"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/gen/typescript"
)

// TestLongNames checks that the names of files are short and differ, however long those of tools are.
func TestLongNames(t *testing.T) {
	name := strings.Repeat("ä", 300)
	list, err := tools.Read([]byte(`{"tools":[{"name":"` + name + `1","inputSchema":{"type":"object"}},{"name":"` + name + `2","inputSchema":{"type":"object"}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	index := ""
	for _, f := range typescript.Files(list, "tools.json") {
		if len(path.Base(f.Path)) > 120 || seen[f.Path] {
			t.Errorf("file %s", f.Path)
		}
		seen[f.Path] = true
		index = string(f.Content)
	}
	for file := range seen {
		if module := strings.TrimSuffix(file, ".ts"); module != "index" && !strings.Contains(index, "'./"+module+".js'") {
			t.Errorf("the index lacks %s", file)
		}
	}
}

// TestDefinitions has a definition in the arguments and in the result. It is one type, unless a definition that it
// refers to differs.
func TestDefinitions(t *testing.T) {
	schema := func(leaf string) string {
		return `{"type":"object","properties":{"tree":{"$ref":"#/$defs/tree"}},"$defs":{"leaf":{"type":"` + leaf + `"},
			"tree":{"type":"object","properties":{"leaf":{"$ref":"#/$defs/leaf"},"below":{"$ref":"#/$defs/tree"}}}}}`
	}
	for leaf, want := range map[string]int{"string": 4, "number": 6} {
		list, err := tools.Read([]byte(`{"tools":[{"name":"a","inputSchema":` + schema("string") + `,"outputSchema":` + schema(leaf) + `}]}`))
		if err != nil {
			t.Fatal(err)
		}
		count := 0
		for _, f := range typescript.Files(list, "tools.json") {
			count += strings.Count(string(f.Content), "export type A")
		}
		if count != want {
			t.Errorf("a leaf of the result is a %s: %d types, want %d", leaf, count, want)
		}
	}
}

// TestEqualDefinitions has two definitions of one document that say the same. Each keeps its name.
func TestEqualDefinitions(t *testing.T) {
	list, err := tools.Read([]byte(`{"tools":[{"name":"a","inputSchema":{"type":"object","properties":{"start":{"$ref":"#/$defs/start"},"end":{"$ref":"#/$defs/end"}},
		"$defs":{"start":{"type":"string"},"end":{"type":"string"}}}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, f := range typescript.Files(list, "tools.json") {
		text += string(f.Content)
	}
	for _, want := range []string{"start?: AStart", "end?: AEnd"} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %s in\n%s", want, text)
		}
	}
}
