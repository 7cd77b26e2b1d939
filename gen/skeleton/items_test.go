package skeleton_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/gen/skeleton"
	"github.com/mcpgen/mcpgen/gen/tools"
)

// items is a list in which a tool, a prompt, a resource and a template have the same name.
const items = `{
	"tools": [{"name":"note","inputSchema":{"type":"object"}}],
	"prompts": [
		{"name":"note","arguments":[{"name":"topic","required":true,"x-mcp-completion":true}],"x-mcp-scopes":["notes"]},
		{"name":"plain","x-go-name":"Simple"}],
	"resources": [{"uri":"x://help","name":"help","x-mcp-text":"Help"},{"uri":"x://note","name":"note"}],
	"resourceTemplates": [{"uriTemplate":"x://notes/{id}{?lang}","name":"note","x-mcp-variables":[{"name":"lang","x-mcp-enum":["de","en"]}]},
		{"uriTemplate":"x://lists/{+path*}{?tag*}","name":"lists","x-mcp-variables":[{"name":"tag","title":"Tag","x-mcp-enum":["a","b"]}]}]
}`

// TestItems looks at the names and the signatures that users see.
func TestItems(t *testing.T) {
	made, err := skeleton.Server(skeleton.Options{List: readList(t, items), Source: "tools.json", Package: "p", Implementations: []string{"a"}})
	if err != nil {
		t.Fatal(err)
	}
	client, err := skeleton.Client(skeleton.Options{List: readList(t, items), Source: "tools.json", Package: "p"})
	if err != nil {
		t.Fatal(err)
	}
	all := content(made.Files) + content(client.Files)
	for _, want := range []string{
		"\tNote(ctx context.Context, in *NoteInput) ([]mcp.ContentBlock, error)\n",
		"\tNotePrompt(ctx context.Context, in *NotePromptArgs) (*mcp.GetPromptResult, error)\n",
		"\tSimple(ctx context.Context, in *SimpleArgs) (*mcp.GetPromptResult, error)\n",
		"\tCompleteNotePromptTopic(ctx context.Context, value string, settled map[string]string) (catalog.Completion, error)\n",
		"\tReadNote(ctx context.Context, uri string) (*mcp.ReadResourceResult, error)\n",
		"\tReadNoteTemplate(ctx context.Context, uri string, in *NoteTemplateVariables) (*mcp.ReadResourceResult, error)\n",
		"func (c *Client) ReadHelp(ctx context.Context) (*mcp.ReadResourceResult, error) {",
		"func (c *Client) ReadNoteTemplate(ctx context.Context, in *NoteTemplateVariables) (*mcp.ReadResourceResult, error) {",
		"tools.ServeText(resourceHelp, textHelp),",
		`h.ReadNoteTemplate).Complete("lang", catalog.OneOf("de", "en")),`,
		`h.NotePrompt).Complete("topic", h.CompleteNotePromptTopic),`,
		"func NewServer(s Service, options runtime.ServerOptions, items ...catalog.Item) (*runtime.Server, error) {",
		"= (*a).ReadNoteTemplate\n",
		"\tTopic string `json:\"topic\"`\n",
		"\tLang *NoteTemplateVariablesLang `json:\"lang,omitzero\"`\n",
		`Scopes:     []string{"notes"}`,
		" []string `json:\"path,omitzero\"`\n",
		" []ListsVariablesTagItem `json:\"tag,omitzero\"`\n",
		`Exploded:    []string{"path", "tag"}`,
		`h.ReadLists).Complete("tag", catalog.OneOf("a", "b")),`,
	} {
		if spaces := regexp.MustCompile(` +`); !strings.Contains(spaces.ReplaceAllString(all, " "), spaces.ReplaceAllString(want, " ")) {
			t.Errorf("nothing generated has %q", want)
		}
	}
	for _, ours := range []string{tools.MemberCompletion, tools.MemberEnum, tools.MemberScopes, tools.MemberText, tools.MemberVariables, "x-go-name"} {
		if strings.Contains(all, ours) {
			t.Errorf("clients would see %s", ours)
		}
	}
	if strings.Contains(all, "\tReadHelp(ctx context.Context, uri string)") {
		t.Error("a resource with a text needs no method")
	}
}

// TestMissingItems prints the methods that the user's files do not have.
func TestMissingItems(t *testing.T) {
	made, err := skeleton.Server(skeleton.Options{List: readList(t, items), Source: "tools.json", Package: "main"})
	if err != nil {
		t.Fatal(err)
	}
	survey := &skeleton.Survey{Methods: map[string]map[string]bool{"handlers": {"Note": true, "NotePrompt": true, "ReadLists": true, "ReadNote": true, "Simple": true}}}
	source, names := skeleton.Missing(survey, "main", made.Package)
	const want = `// CompleteNotePromptTopic proposes values of the argument "topic" of the prompt "note".
func (h *handlers) CompleteNotePromptTopic(ctx context.Context, value string, settled map[string]string) (catalog.Completion, error) {
	return catalog.Completion{}, nil
}

// ReadNoteTemplate implements the template "x://notes/{id}{?lang}".
func (h *handlers) ReadNoteTemplate(ctx context.Context, uri string, in *NoteTemplateVariables) (*mcp.ReadResourceResult, error) {
	return nil, errors.New("the template x://notes/{id}{?lang} is not implemented")
}`
	if diff := cmp.Diff(want, source); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"CompleteNotePromptTopic", "x://notes/{id}{?lang}"}, names); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestItemNames gives items names that cannot be told apart.
func TestItemNames(t *testing.T) {
	for _, test := range []struct{ list, want string }{
		{`{"prompts":[{"name":"a b"},{"name":"a-b"}]}`, `prompt "a-b": /prompts/1/name: the prompt would have the Go name AB, as the prompt "a b" (/prompts/0) has; x-go-name gives it another`},
		{`{"resources":[{"uri":"x://1","name":"a"},{"uri":"x://2","name":"a"}]}`, `resource "a": /resources/1/name: the resource would have the Go name ReadA`},
		{`{"prompts":[{"name":"a","x-go-name":"b"}]}`, `/prompts/0/x-go-name: "b" cannot be the Go name of a prompt`},
		{`{"prompts":[{"name":"a","x-go-name":"Check"}]}`, `/prompts/0/x-go-name: "Check" cannot be the Go name of a prompt`},
		{`{"prompts":[{"name":"a","arguments":[{"name":"x","x-go-name":"y"}]}]}`, `prompt "a": /prompts/0/arguments/0/x-go-name: "y" cannot be the Go name of the member "x"`},
		{`{"tools":[{"name":"complete_a_x","inputSchema":{"type":"object"}}],"prompts":[{"name":"a","arguments":[{"name":"x","x-mcp-completion":true}]}]}`,
			`the prompt would have the Go name CompleteAX, as the tool "complete_a_x" (/tools/0) has`},
	} {
		_, err := skeleton.Server(skeleton.Options{List: readList(t, test.list), Source: "tools.json", Package: "p"})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", test.list, err, test.want)
		}
	}
}

// TestInsertedPrompt inserts a prompt at the front of a list: nothing but its own files and those
// that list all items change.
func TestInsertedPrompt(t *testing.T) {
	texts := map[string]string{}
	for i, list := range []string{items, strings.Replace(items, `"prompts": [`, `"prompts": [{"name":"first","arguments":[{"name":"x","x-mcp-enum":["a"]}]},`, 1)} {
		made, err := skeleton.Server(skeleton.Options{List: readList(t, list), Source: "tools.json", Package: "p", Implementations: []string{"Handlers"}})
		if err != nil {
			t.Fatal(err)
		}
		var changed []string
		for _, f := range made.Files {
			if texts[f.Path] != string(f.Content) {
				changed = append(changed, f.Path)
			}
			texts[f.Path] = string(f.Content)
		}
		slices.Sort(changed)
		want := []string{"contract.gen.txt", "contract.gen_test.go", "definitions.gen.txt", "first_prompt.gen.go", "server.gen.go"}
		if diff := cmp.Diff(want, changed); i == 1 && diff != "" {
			t.Errorf("changed files (-want +got):\n%s", diff)
		}
	}
}

// TestNothingToImplement makes a server whose list needs no method.
func TestNothingToImplement(t *testing.T) {
	list := readList(t, `{"resources":[{"uri":"x://help","name":"help","x-mcp-text":"Help"}]}`)
	made, err := skeleton.Server(skeleton.Options{List: list, Source: "tools.json", Package: "main"})
	if err != nil {
		t.Fatal(err)
	}
	users, err := skeleton.User(skeleton.UserOptions{Name: "p", Package: "main", Source: "tools.json", Types: made.Package, Survey: &skeleton.Survey{}})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range users {
		if f.Path == "handlers.go" && strings.Contains(string(f.Content), "import") {
			t.Errorf("handlers.go imports what it does not use:\n%s", f.Content)
		}
	}
}
