package jsonschema

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dave/jennifer/jen"
	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/gen/check"
	"github.com/mcpgen/mcpgen/runtime/schema"
	"github.com/mcpgen/mcpgen/runtime/schema/dynamic"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// group is a schema of the test suite with its values.
type group struct {
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
	Tests       []struct {
		Description string          `json:"description"`
		Data        json.RawMessage `json:"data"`
		Valid       bool            `json:"valid"`
	} `json:"tests"`

	draft, file string
	index       int // the index in the file
}

// name returns the position of the group, such as "draft7/ref#0".
func (g *group) name() string { return fmt.Sprintf("%s/%s#%d", g.draft, g.file, g.index) }

// dialects are the $schema URIs of the drafts.
var dialects = map[string]string{
	"draft4":       "http://json-schema.org/draft-04/schema#",
	"draft6":       "http://json-schema.org/draft-06/schema#",
	"draft7":       "http://json-schema.org/draft-07/schema#",
	"draft2019-09": "https://json-schema.org/draft/2019-09/schema",
	"draft2020-12": "https://json-schema.org/draft/2020-12/schema",
}

// module returns the folder of a module that go.mod requires. It downloads the module if
// necessary, because nothing imports its packages.
func module(t *testing.T, path string) string {
	t.Helper()
	out, err := exec.Command("go", "mod", "download", "-json", path).Output()
	if err != nil {
		t.Fatalf("go mod download %s: %v\n%s", path, err, out)
	}
	var downloaded struct{ Dir string }
	if err := json.Unmarshal(out, &downloaded); err != nil || downloaded.Dir == "" {
		t.Fatalf("go mod download %s: no folder in %s: %v", path, out, err)
	}
	return downloaded.Dir
}

// suite returns the groups of a draft from the files that match a pattern.
func suite(t *testing.T, draft, pattern string) []*group {
	t.Helper()
	dir := filepath.Join(module(t, "cuelang.org/go"), "encoding/jsonschema/testdata/external/tests", draft)
	files, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("no tests in %s: %v", dir, err)
	}
	var all []*group
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var groups []*group
		if err := json.Unmarshal(text, &groups); err != nil {
			t.Fatal(err)
		}
		for i, g := range groups {
			g.draft, g.index = draft, i
			g.file = strings.TrimSuffix(filepath.Base(file), ".json")
		}
		all = append(all, groups...)
	}
	return all
}

// wrapping makes a schema of the suite the property called value of a tool's input schema, or
// returns nil if its meaning would be another.
type wrapping struct {
	name string
	wrap func(g *group) json.RawMessage
}

var wrappings = []wrapping{
	{"with $schema in the property", func(g *group) json.RawMessage {
		return property("", with(g.Schema, "$schema", dialects[g.draft]))
	}},
	{"with $schema outside", func(g *group) json.RawMessage {
		if g.name() == "draft2019-09/recursiveRef#0" {
			return nil // "$recursiveRef": "#" leads to the root, wherever it is
		}
		return property(dialect(g), moved(without(g.Schema, "$schema")))
	}},
	{"with $schema and $id in the property", func(g *group) json.RawMessage {
		return property(dialect(g), with(with(g.Schema, "$id", "https://example.com/wrapped"), "$schema", dialects[g.draft]))
	}},
}

// dialect returns the $schema of a group.
func dialect(g *group) string {
	var schema struct {
		Dialect string `json:"$schema"`
	}
	if json.Unmarshal(g.Schema, &schema) == nil && schema.Dialect != "" {
		return schema.Dialect
	}
	return dialects[g.draft]
}

// property returns an input schema with one property.
func property(dialect string, schema json.RawMessage) json.RawMessage {
	if dialect != "" {
		dialect = fmt.Sprintf(`"$schema":%q,`, dialect)
	}
	return json.RawMessage(fmt.Sprintf(`{%s"type":"object","properties":{"value":%s},"required":["value"]}`, dialect, schema))
}

// with returns a schema with an added keyword, unless it has the keyword or is a boolean.
func with(schema json.RawMessage, keyword, value string) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(schema, &members) != nil {
		return schema
	}
	if _, ok := members[keyword]; ok {
		return schema
	}
	return json.RawMessage(fmt.Sprintf(`{%q:%q`, keyword, value) + strings.TrimSuffix(","+strings.TrimSpace(string(schema))[1:], ",}") + suffix(members))
}

// suffix returns the rest of the object after with.
func suffix(members map[string]json.RawMessage) string {
	if len(members) == 0 {
		return "}"
	}
	return ""
}

// without returns a schema without a keyword.
func without(schema json.RawMessage, keyword string) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(schema, &members) != nil {
		return schema
	}
	delete(members, keyword)
	text, err := json.Marshal(members)
	if err != nil {
		panic(err)
	}
	return text
}

// moved returns a schema whose references to the root point to the property value instead.
func moved(schema json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(schema, &members) == nil {
		if id, ok := members["$id"]; ok && !strings.HasPrefix(string(id), `"#`) {
			return schema
		}
		for name, value := range members {
			var ref string
			switch {
			case name == "enum" || name == "const" || name == "default":
			case (name == "$ref" || name == "$dynamicRef") && json.Unmarshal(value, &ref) == nil && (ref == "#" || strings.HasPrefix(ref, "#/")):
				members[name], _ = json.Marshal("#/properties/value" + ref[1:])
			default:
				members[name] = moved(value)
			}
		}
		text, _ := json.Marshal(members)
		return text
	}
	var elements []json.RawMessage
	if json.Unmarshal(schema, &elements) == nil {
		for i := range elements {
			elements[i] = moved(elements[i])
		}
		text, _ := json.Marshal(elements)
		return text
	}
	return schema
}

// TestSuite compares the verdicts on all values of the required groups, wrapped in each way,
// with the suite.
//
// B23, B24
func TestSuite(t *testing.T) {
	var groups []*group
	for draft := range dialects {
		groups = append(groups, suite(t, draft, "*.json")...)
	}
	refused := judge(t, groups, func(name, test, got string) {
		t.Errorf("%s: %s: %s", name, test, got)
	})
	if diff := cmp.Diff(remote(), refused); diff != "" {
		t.Errorf("refused groups (-want +got):\n%s", diff)
	}
}

// TestSuiteOptional does the same for some optional groups. One verdict differs: its pattern is
// an error with the u flag of ECMA-262, and mcpgen reads such a pattern without the flag.
func TestSuiteOptional(t *testing.T) {
	var groups []*group
	for _, draft := range []string{"draft2020-12", "draft7"} {
		for _, file := range []string{"bignum", "ecmascript-regex", "float-overflow", "non-bmp-regex", "anchor", "id", "refOfUnknownKeyword", "unknownKeyword", "no-schema"} {
			if draft == "draft7" && slices.Contains([]string{"anchor", "refOfUnknownKeyword", "no-schema"}, file) {
				continue
			}
			groups = append(groups, suite(t, draft, "optional/"+file+".json")...)
		}
	}
	var wrong []string
	judge(t, groups, func(name, test, got string) {
		group, _, _ := strings.Cut(name, ",")
		wrong = append(wrong, group)
	})
	if diff := cmp.Diff([]string{"draft2020-12/ecmascript-regex#14"}, slices.Compact(wrong)); diff != "" {
		t.Errorf("wrong verdicts (-want +got):\n%s", diff)
	}
}

// TestSuiteInOneTool does the same with the groups of each draft as the properties of one tool,
// where several schemas have the same $id. The groups that need the fallback are in another
// tool, because the fallback checks a tool as a whole.
func TestSuiteInOneTool(t *testing.T) {
	type subject struct {
		tool int
		name string
		*group
	}
	var subjects []subject
	properties := make([][]string, 4)
	for i, draft := range []string{"draft2020-12", "draft7"} {
		for _, g := range suite(t, draft, "*.json") {
			if slices.Contains(remote(), g.name()) {
				continue
			}
			schema := with(g.Schema, "$schema", dialects[draft])
			at := 2 * i
			if needsFallback(t, property("", schema)) {
				at++
			}
			name := fmt.Sprintf("p%d", len(properties[at]))
			properties[at] = append(properties[at], fmt.Sprintf("%q:%s", name, schema))
			subjects = append(subjects, subject{at, name, g})
		}
	}
	var definitions []string
	for i, all := range properties {
		t.Logf("tool %d: %d groups", i, len(all))
		input := `{"type":"object","properties":{` + strings.Join(all, ",") + `}}`
		definitions = append(definitions, tool(fmt.Sprintf("t%d", i), json.RawMessage(input)))
	}
	list, err := readTools(definitions...)
	if err != nil {
		t.Fatal(err)
	}
	p := newProgram(t, list)
	for _, s := range subjects {
		for _, test := range s.Tests {
			answer := p.ask(t, s.tool, json.RawMessage(fmt.Sprintf(`{%q:%s}`, s.name, test.Data)))
			if (answer == "") != test.Valid {
				t.Errorf("%s: %s: %.200s", s.group.name(), test.Description, answer)
			}
		}
	}
}

// needsFallback reports whether no code can be generated for an input schema.
func needsFallback(t *testing.T, input json.RawMessage) bool {
	t.Helper()
	list, err := readTools(tool("t", input))
	if err != nil {
		t.Fatal(err)
	}
	all, err := check.Declarations([]check.Root{{Func: "check", Schema: list.Tools[0].Input}})
	if err != nil {
		t.Fatal(err)
	}
	f := jen.NewFile("p")
	for _, d := range all {
		f.Line().Add(d)
	}
	return strings.Contains(f.GoString(), "fallback.MustCompile")
}

// judge asks one program for the verdicts on all values of groups. It calls complain for each
// wrong verdict and returns the refused groups.
func judge(t *testing.T, groups []*group, complain func(name, test, got string)) (refused []string) {
	t.Helper()
	type subject struct {
		group *group
		how   string
	}
	var subjects []subject
	var definitions []string
	for _, g := range groups {
		for _, w := range wrappings {
			input := w.wrap(g)
			if input == nil {
				continue
			}
			definition := tool(fmt.Sprintf("t%d", len(definitions)), input)
			if _, err := readTools(definition); err != nil {
				if !strings.Contains(err.Error(), "references are not fetched") && !strings.Contains(err.Error(), "unsupported draft") {
					t.Errorf("%s, %s: %v", g.name(), w.name, err)
				}
				refused = append(refused, g.name())
				continue
			}
			subjects = append(subjects, subject{g, w.name})
			definitions = append(definitions, definition)
		}
	}
	list, err := readTools(definitions...)
	if err != nil {
		t.Fatal(err)
	}
	p := newProgram(t, list)
	count, wrong, compared := 0, 0, 0
	for i, s := range subjects {
		for _, test := range s.group.Tests {
			value := json.RawMessage(`{"value":` + string(test.Data) + `}`)
			answer := p.ask(t, i, value)
			compared += compare(t, list.Tools[i].Input.Source, value, answer)
			count++
			if (answer == "") == test.Valid {
				continue
			}
			wrong++
			if answer == "" {
				answer = "was accepted"
			}
			complain(s.group.name()+", "+s.how, test.Description, answer)
		}
	}
	slices.Sort(refused)
	refused = slices.Compact(refused)
	t.Logf("%d groups, %d of them refused, %d verdicts, %d wrong, %d compared with compiled schemas", len(groups), len(refused), count, wrong, compared)
	return refused
}

// compare compares the problem that generated code finds in a value with that of the compiled schema, in
// the same words. It returns 0 if the schema is not covered.
func compare(t *testing.T, text wire.Raw, value json.RawMessage, generated string) int {
	t.Helper()
	check, err := dynamic.Compile(text)
	if errors.Is(err, dynamic.ErrNotCovered) {
		return 0
	}
	if err != nil {
		t.Errorf("%s: %v", text, err)
		return 0
	}
	compact, err := wire.Raw(value).AppendJSON(nil)
	if err != nil {
		return 0
	}
	compiled := ""
	if err := schema.Check(wire.Raw(compact), check); err != nil {
		compiled = err.Error()
	}
	if compiled != generated {
		t.Errorf("%s\n%s\ngenerated: %s\ncompiled: %s", text, value, generated, compiled)
	}
	return 1
}

// remote returns the groups with a $ref or $schema that refers to the network.
func remote() []string {
	var all []string
	for _, file := range []struct {
		name        string
		first, last int
	}{
		{"draft2020-12/dynamicRef", 13, 17},
		{"draft2020-12/refRemote", 0, 14},
		{"draft2020-12/vocabulary", 0, 1},
		{"draft2019-09/refRemote", 0, 14},
		{"draft2019-09/vocabulary", 0, 1},
		{"draft7/refRemote", 0, 10},
		{"draft6/refRemote", 0, 10},
		{"draft4/refRemote", 0, 7},
	} {
		for i := file.first; i <= file.last; i++ {
			all = append(all, fmt.Sprintf("%s#%d", file.name, i))
		}
	}
	slices.Sort(all)
	return all
}
