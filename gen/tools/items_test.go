package tools_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/gen/tools"
)

// TestReadItems reads prompts, resources and templates, and what servers send of them.
func TestReadItems(t *testing.T) {
	list, err := tools.Read([]byte(`{
		"prompts": [{"name":"report","description":"Asks.","x-go-name":"Ask","x-mcp-scopes":["read"],"arguments":[
			{"name":"city","required":true,"x-mcp-completion":true,"x-go-name":"Town"},{"name":"style","title":"Style","x-mcp-enum":["a","b"]}]},{"name":"plain"}],
		"resources": [{"uri":"weather://about","name":"about","mimeType":"text/plain","x-mcp-text":"A text."},{"uri":"weather://stations","name":"stations"}],
		"resourceTemplates": [{"uriTemplate":"weather://{city}/{+rest}{?units,day*}","name":"station","x-mcp-variables":[{"name":"units","x-mcp-enum":["m"]}]}]
	}`))
	if err != nil {
		t.Fatal(err)
	}
	report, plain, about, stations, template := list.Items[0], list.Items[1], list.Items[2], list.Items[3], list.Items[4]
	if report.GoName != "Ask" || len(report.Scopes) != 1 || report.Arguments[0].GoName != "Town" || !report.Arguments[0].Completion || len(report.Arguments[1].Enum) != 2 {
		t.Errorf("%+v %+v", report, report.Arguments[0])
	}
	if *about.Text != "A text." || stations.Text != nil {
		t.Errorf("%+v %+v", about, stations)
	}
	var sent []string
	for _, text := range []string{
		string(report.Definition), string(plain.Definition), string(about.Definition), string(template.Definition),
		string(report.Input.Source), string(template.Input.Source),
	} {
		sent = append(sent, strings.ReplaceAll(text, `"`, `'`))
	}
	want := []string{
		`{'name':'report','description':'Asks.','arguments':[{'name':'city','required':true},{'name':'style','title':'Style'}]}`,
		`{'name':'plain'}`,
		`{'uri':'weather://about','name':'about','mimeType':'text/plain'}`,
		`{'uriTemplate':'weather://{city}/{+rest}{?units,day*}','name':'station'}`,
		`{'type':'object','properties':{'city':{'type':'string','x-go-name':'Town'},'style':{'type':'string','title':'Style','enum':['a','b']}},'required':['city']}`,
		`{'type':'object','properties':{'city':{'type':'string'},'rest':{'type':'string'},'units':{'type':'string','enum':['m']},'day':{'type':'array','items':{'type':'string'}}},'required':['city','rest']}`,
	}
	if diff := cmp.Diff(want, sent); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for i, v := range template.Arguments {
		if v.List != (v.Name == "day") {
			t.Errorf("variable %d: %+v", i, v)
		}
	}
}

func TestReadItemErrors(t *testing.T) {
	prompt := func(members string) string { return `{"prompts":[{"name":"p",` + members + `}]}` }
	template := func(members string) string {
		return `{"resourceTemplates":[{"uriTemplate":"x://{a}","name":"t",` + members + `}]}`
	}
	for _, test := range []struct{ list, want string }{
		{`{"prompts":{}}`, `/prompts: must be an array, found an object`},
		{`{"prompts":[7]}`, `/prompts/0: must be an object, found a number`},
		{`{"prompts":[{"title":"x"}]}`, `/prompts/0: must have a "name"`},
		{`{"prompts":[{"name":"p"},{"name":"p"}]}`, `/prompts/1/name: the one at /prompts/0 has the same name, "p"`},
		{`{"resources":[{"uri":"x://a","name":"a"},{"uri":"x://a","name":"b"}]}`, `/resources/1/uri: the one at /resources/0 has the same uri, "x://a"`},
		{prompt(`"arguments":{}`), `prompt "p": /prompts/0/arguments: must be an array, found an object`},
		{prompt(`"arguments":[{}]`), `prompt "p": /prompts/0/arguments/0: must have a "name"`},
		{prompt(`"arguments":[{"name":"a"},{"name":"a"}]`), `prompt "p": /prompts/0/arguments/1/name: there are two with the name "a"`},
		{prompt(`"arguments":[{"name":"a","required":"yes"}]`), `prompt "p": /prompts/0/arguments/0/required: must be true or false, found a string`},
		{prompt(`"arguments":[{"name":"a","x-mcp-enum":[]}]`), `/arguments/0/x-mcp-enum: must be an array of one or more strings, found []`},
		{prompt(`"arguments":[{"name":"a","x-mcp-enum":["x",1,"x"]}]`), `/arguments/0/x-mcp-enum/1: must be a string, found a number`},
		{prompt(`"arguments":[{"name":"a","x-mcp-enum":["x",1,"x"]}]`), `/arguments/0/x-mcp-enum/2: there are two values "x"`},
		{prompt(`"arguments":[{"name":"a","x-mcp-completion":["x"]}]`), `/arguments/0/x-mcp-completion: must be true or false, found an array`},
		{prompt(`"x-mcp-scopes":[""]`), `prompt "p": /prompts/0/x-mcp-scopes/0: must be a scope`},
		{`{"resources":[{"uri":"a b","name":"r"}]}`, `resource "r": /resources/0/uri: "a b" is not a URI`},
		{`{"resources":[{"uri":"x://a","name":"r","x-mcp-text":1}]}`, `resource "r": /resources/0/x-mcp-text: must be a string, found a number`},
		{`{"resources":[{"name":"r"}]}`, `resource "r": /resources/0: must have a "uri"`},
		{`{"resourceTemplates":[{"uriTemplate":"x://{a","name":"t"}]}`, `resource template "t": /resourceTemplates/0/uriTemplate: "x://{a" is not a URI template (RFC 6570)`},
		{template(`"x-mcp-variables":[{"name":"b"}]`), `/x-mcp-variables/0/name: the URI template "x://{a}" has no variable "b"`},
		{template(`"x-mcp-variables":[{"name":"a","required":true}]`), `/x-mcp-variables/0/required: the URI template says which variables a URI must have`},
	} {
		_, err := tools.Read([]byte(test.list))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", test.list, err, test.want)
		}
	}
}
