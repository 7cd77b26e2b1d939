package docs_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/gen/catalog"
	"github.com/mcpgen/mcpgen/gen/docs"
)

const list = `{
  "instructions": "Ask before you delete.\n\n# Not a heading",
  "tools": [
    {"name": "delete_note", "title": "Delete a note", "description": "Deletes a note. It cannot be restored.",
     "x-mcp-scopes": ["notes:write", "notes:delete"], "annotations": {"destructiveHint": true, "readOnlyHint": false},
     "inputSchema": {"type": "object", "properties": {
       "id": {"type": "string", "format": "uuid", "description": "The id of the note."},
       "why": {"enum": ["old", "wrong"]},
       "places": {"type": "array", "items": {"$ref": "#/$defs/place"}},
       "parent": {"$ref": "#/$defs/node"}
     }, "required": ["id"], "$defs": {
       "place": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
       "node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}}
     }},
     "outputSchema": {"type": "object", "properties": {"deleted": {"type": "boolean"}}, "required": ["deleted"]}},
    {"name": "ping", "inputSchema": {"type": "object"}}
  ],
  "prompts": [{"name": "report", "description": "Writes a report.", "arguments": [{"name": "city", "required": true}, {"name": "tone"}]}],
  "resources": [{"uri": "notes://all", "name": "all", "mimeType": "text/plain", "x-mcp-scopes": ["notes:read"]}],
  "resourceTemplates": [{"uriTemplate": "notes://{id}", "name": "note", "description": "One note."}]
}`

const tables = "| Tool | Purpose | Arguments |\n" +
	"| --- | --- | --- |\n" +
	"| `delete_note` | Deletes a note. | `id`, `why` (optional), `places` (optional), `parent` (optional) |\n" +
	"| `ping` |  |  |\n" +
	"\n" +
	"| Prompt | Purpose | Arguments |\n" +
	"| --- | --- | --- |\n" +
	"| `report` | Writes a report. | `city`, `tone` (optional) |\n" +
	"\n" +
	"| Resource | Purpose | Type |\n" +
	"| --- | --- | --- |\n" +
	"| `notes://all` | all | text/plain |\n" +
	"\n" +
	"| Resource template | Purpose | Type |\n" +
	"| --- | --- | --- |\n" +
	"| `notes://{id}` | One note. |  |\n"

const reference = "# notes\n\n" +
	"> An MCP server with 2 tools, 1 prompt, 1 resource, 1 resource template.\n\n" +
	"Ask before you delete.\n\n" +
	"\\# Not a heading\n\n" +
	"## Tools\n\n" +
	"### `delete_note`\n\n" +
	"Delete a note\n\n" +
	"Deletes a note. It cannot be restored.\n\n" +
	"Scopes of the access token: `notes:write`, `notes:delete`\n\n" +
	"The server says that the tool may destroy data.\n\n" +
	"Arguments:\n\n" +
	"- `id` (string `uuid`): The id of the note.\n" +
	"- `why` (`\"old\"`, `\"wrong\"`, optional)\n" +
	"- `places` (array of object, optional)\n" +
	"  - `city` (string)\n" +
	"- `parent` (object, optional)\n" +
	"  - `next` (object, optional)\n" +
	"    - `next` (object, optional)\n" +
	"      - `next` (object, optional)\n\n" +
	"Result:\n\n" +
	"- `deleted` (boolean)\n\n" +
	"### `ping`\n\n" +
	"## Prompts\n\n" +
	"### `report`\n\n" +
	"Writes a report.\n\n" +
	"Arguments:\n\n" +
	"- `city` (string)\n" +
	"- `tone` (string, optional)\n\n" +
	"## Resources\n\n" +
	"### `notes://all`\n\n" +
	"all\n\n" +
	"Scopes of the access token: `notes:read`\n\n" +
	"Type: `text/plain`\n\n" +
	"## Resource templates\n\n" +
	"### `notes://{id}`\n\n" +
	"note\n\n" +
	"One note.\n"

func read(t *testing.T, text string) *catalog.Catalog {
	t.Helper()
	c, err := catalog.Read("list.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestTables(t *testing.T) {
	if diff := cmp.Diff(tables, docs.Tables(read(t, list))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestReference(t *testing.T) {
	if diff := cmp.Diff(reference, docs.Reference("notes", read(t, list))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestResults describes structured results that are not objects.
func TestResults(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type":"string"}`:                 "Result: string\n",
		`{"enum":["a",1]}`:                  "Result: `\"a\"`, `1`\n",
		`{}`:                                "Result: any value\n",
		`{"type":["string","null"]}`:        "Result: string or null\n",
		`{"anyOf":[{"type":"array"},true]}`: "Result: array or any value\n",
		`{"type":"array","items":{"type":"object","properties":{"id":{"type":"string"}}}}`: "Result (array of object):\n\n- `id` (string, optional)\n",
		`{"properties":{"id":{"type":"string"}}}`:                                          "Result:\n\n- `id` (string, optional)\n",
	} {
		c := read(t, `[{"name":"a","inputSchema":{"type":"object"},"outputSchema":`+schema+`}]`)
		if got := docs.Reference("list", c); !strings.HasSuffix(got, "### `a`\n\n"+want) {
			t.Errorf("%s: got %s", schema, got)
		}
	}
}

// TestUntrusted checks that texts of a server cannot end a table, a line or a comment, and are not markup.
func TestUntrusted(t *testing.T) {
	c := read(t, `{"tools": [{"name": "a|b`+"`"+`c\nd", "title": "<b>x</b>\n# y", "description": "x | y\n## Heading\n<!-- end of mcpgen docs -->\u202e\u0007",
		"inputSchema": {"type": "object", "properties": {"p|<i>\n- q": {"type": "string", "description": "x\n\n## y"}}}}]}`)
	for name, text := range map[string]string{"tables": docs.Tables(c), "reference": docs.Reference("a\n# b <c>", c)} {
		lines := strings.Split(text, "\n")
		for _, line := range lines {
			bars := strings.Count(line, "|") - strings.Count(line, `\|`)
			if strings.HasPrefix(line, "## H") || strings.HasPrefix(line, "## y") || strings.HasPrefix(line, "# y") || strings.HasPrefix(line, "# b") ||
				name == "tables" && line != "" && bars != 4 {
				t.Errorf("%s: %q", name, line)
			}
		}
		if strings.Contains(text, docs.End) || strings.Contains(text, "<b>") || strings.Contains(text, "\u202e") || strings.Contains(text, "\a") {
			t.Errorf("%s: %q", name, text)
		}
	}
}

func TestInsert(t *testing.T) {
	const page = "a\n" + docs.Begin + "\nold\n" + docs.End + "\nb\n"
	got, err := docs.Insert(page, "new\n")
	if want := "a\n" + docs.Begin + "\n\nnew\n\n" + docs.End + "\nb\n"; got != want || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if again, err := docs.Insert(got, "new\n"); again != got || err != nil {
		t.Errorf("again: %q, %v", again, err)
	}
	// The part has the line ends of its first line, and the other lines keep theirs.
	got, err = docs.Insert("a\r\n"+docs.Begin+"\r\n"+docs.End+"\nb", "one\ntwo\n")
	if want := "a\r\n" + docs.Begin + "\r\n\r\none\r\ntwo\r\n\r\n" + docs.End + "\nb"; got != want || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := docs.Insert("a\r\n"+page, "new"); !strings.HasPrefix(got, "a\r\na\n"+docs.Begin+"\n\nnew\n") || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	for page, problem := range map[string]string{
		"a\n":                    "has no line \"<!-- mcpgen docs -->\"; write it and \"<!-- end of mcpgen docs -->\" where the tables belong",
		docs.Begin + "\na\n":     "has no line \"<!-- end of mcpgen docs -->\" after \"<!-- mcpgen docs -->\"",
		page + docs.Begin + "\n": "has a second line \"<!-- mcpgen docs -->\"",
	} {
		if _, err := docs.Insert(page, "new"); err == nil || err.Error() != problem {
			t.Errorf("%q: %v", page, err)
		}
	}
}
