package diff_test

import (
	"fmt"
	"testing"

	"github.com/mcpgen/mcpgen/gen/catalog"
	"github.com/mcpgen/mcpgen/gen/diff"
)

// offerSide is a side that has all that a server offers.
func offerSide(t *testing.T, label, text string) diff.ToolList {
	t.Helper()
	c, err := catalog.Read("list.json", []byte(text))
	if err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	return diff.ToolList{Label: label, List: c.Tools, Catalog: c}
}

func offers(members string) string { return `{"tools":[],` + members + `}` }

func prompt(arguments string) string {
	return offers(`"prompts":[{"name":"p","arguments":[` + arguments + `]}]`)
}

func resource(members string) string {
	return offers(`"resources":[{"uri":"file:///a","name":"a"` + members + `}]`)
}

func template(uri string) string {
	return offers(`"resources":[],"resourceTemplates":[{"name":"t","uriTemplate":"` + uri + `"}]`)
}

func capabilities(c string) string { return offers(`"capabilities":{` + c + `}`) }

func header(name string) string {
	return input(`{"type":"object","properties":{"a":{"type":"string"` + name + `}}}`)
}

// renamed is a list with one tool.
func renamed(name, description, schema string) string {
	return fmt.Sprintf(`[{"name":%q,"description":%q,"inputSchema":%s}]`, name, description, schema)
}

const twoMembers = `{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer"}},"required":["city"]}`

// offerCases are changes of what a server offers, and of how its tools are called.
var offerCases = []toolCase{
	// Prompts.
	{prompt(``), offers(`"prompts":[]`), `prompt-removed prompts/p err ok`},
	{prompt(`{"name":"a","required":true}`), `{"tools":[]}`, `prompt-removed prompts/p err ok`},
	{offers(`"prompts":[]`), prompt(``), `prompt-added prompts/p ok info`},
	{prompt(``), prompt(`{"name":"a","required":true}`), `required-member-added prompts/p.arguments.a err ok`},
	{prompt(`{"name":"a","required":true}`), prompt(``), `required-member-removed prompts/p.arguments.a ok err`},
	{prompt(``), prompt(`{"name":"a"}`), `member-added prompts/p.arguments.a ok warn`},
	{prompt(`{"name":"a"}`), prompt(``), `member-removed prompts/p.arguments.a warn ok`},
	{prompt(`{"name":"a"}`), prompt(`{"name":"a","required":true}`), `member-became-required prompts/p.arguments.a err ok`},
	{prompt(`{"name":"a","required":true}`), prompt(`{"name":"a","required":false}`), `member-became-optional prompts/p.arguments.a ok err`},
	{prompt(`{"name":"a","required":false}`), prompt(`{"name":"a"}`), ``},
	{prompt(`{"name":"a","description":"x"}`), prompt(`{"name":"a","description":"y"}`), `prompt-changed prompts/p info info`},
	{offers(`"prompts":[{"name":"p","description":"x"}]`), offers(`"prompts":[{"name":"p","title":"P","description":"y"}]`),
		"prompt-changed prompts/p info info\nprompt-changed prompts/p info info"},
	{offers(`"prompts":[{"name":"p"},{"name":"q"}]`), offers(`"prompts":[{"name":"q"},{"name":"p"}]`), ``},
	{`[]`, prompt(``), ``},
	{prompt(``), `[]`, ``},

	// Resources and templates.
	{resource(``), offers(`"resources":[]`), `resource-removed resources/file:///a err ok`},
	{offers(`"resources":[]`), resource(``), `resource-added resources/file:///a ok info`},
	{resource(``), offers(`"resources":[],"resourceTemplates":[{"name":"f","uriTemplate":"file:///{name}"}]`), `resource-removed resources/file:///a info ok`},
	{resource(`,"mimeType":"text/plain"`), resource(`,"mimeType":"text/html"`), `resource-type-changed resources/file:///a warn warn`},
	{resource(`,"size":1`), resource(`,"size":2`), `resource-changed resources/file:///a info info`},
	{template(`x://{id}`), offers(`"resources":[],"resourceTemplates":[]`), `resource-template-removed templates/x://{id} err ok`},
	{offers(`"resources":[],"resourceTemplates":[]`), template(`x://{id}`), `resource-template-added templates/x://{id} ok info`},
	{template(`x://{id}`), template(`x://{user}`), `template-variables-renamed templates/x://{user} warn warn`},
	{template(`x://{id}`), template(`y://{id}`), `resource-template-changed templates/y://{id} err info`},
	{template(`x://{id}`), template(`x://{id}/{part}`), `resource-template-changed templates/x://{id}/{part} err info`},
	{template(`x://{+path}`), template(`x://{path}/a`), `resource-template-narrowed templates/x://{path}/a err ok`},
	{template(`x://{path}/a`), template(`x://{+path}`), `resource-template-widened templates/x://{+path} ok info`},
	{template(`x://{id}`), offers(`"resources":[],"resourceTemplates":[{"name":"u","uriTemplate":"x://{+any}"}]`),
		"resource-template-added templates/x://{+any} ok info\nresource-template-removed templates/x://{id} info ok"},
	{template(`x://{id`), template(`x://{id`), ``},

	// Capabilities and instructions.
	{capabilities(`"tools":{},"completions":{}`), capabilities(`"tools":{}`), `capability-removed capabilities.completions err ok`},
	{capabilities(`"tools":{}`), capabilities(`"tools":{},"logging":{}`), `capability-added capabilities.logging ok info`},
	{capabilities(`"resources":{"subscribe":true,"listChanged":true}`), capabilities(``), `capability-removed capabilities.resources err ok`},
	{capabilities(`"resources":{"subscribe":true}`), capabilities(`"resources":{"subscribe":false}`), `capability-removed capabilities.resources.subscribe err ok`},
	{capabilities(`"tools":{"listChanged":true}`), capabilities(`"tools":{}`), `capability-removed capabilities.tools.listChanged warn ok`},
	{capabilities(`"tools":{"listChanged":false}`), capabilities(`"tools":{}`), ``},
	{capabilities(`"experimental":{"x":{"version":1}}`), capabilities(`"experimental":{"x":{"version":2}}`), `capability-changed capabilities.experimental.x.version warn warn`},
	{offers(`"instructions":"a"`), offers(`"instructions":"b"`), `instructions-changed instructions warn warn`},
	{offers(`"instructions":"a"`), `{"tools":[]}`, `instructions-changed instructions warn warn`},

	// How tools are called.
	{with(``), with(`,"execution":{"taskSupport":"optional"}`), `task-call-added t ok info`},
	{with(`,"execution":{"taskSupport":"optional"}`), with(``), `task-call-removed t err ok`},
	{with(`,"execution":{"taskSupport":"optional"}`), with(`,"execution":{"taskSupport":"required"}`), `plain-call-removed t err ok`},
	{with(`,"execution":{"taskSupport":"required"}`), with(`,"execution":{"taskSupport":"forbidden"}`), "plain-call-added t ok info\ntask-call-removed t err ok"},
	{with(`,"execution":{"taskSupport":"forbidden"}`), with(`,"execution":{}`), ``},
	{input(`{"type":"object"}`), input(`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object"}`), `schema-dialect-named t info info`},
	{input(`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object"}`), input(`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object"}`),
		`schema-dialect-changed t warn warn`},
	{input(`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object"}`), input(`{"$schema":"https://json-schema.org/draft-07/schema","type":"object"}`), ``},
	{header(`,"title":"x"`), header(`,"title":"y"`), `parameter-title-changed t.input.a info info`},
	{with(`,"annotations":{"title":"x"}`), with(`,"title":"x"`), ``},
	{with(`,"annotations":{"title":"x"}`), with(`,"annotations":{"title":"y"}`), `tool-title-changed t info info`},
	{with(`,"annotations":{"readOnlyHint":true,"destructiveHint":false}`), with(`,"annotations":{"readOnlyHint":true}`), ``},

	// Headers of 2026-07-28.
	{header(``), header(`,"x-mcp-header":"Region"`), `header-added t.input.a warn ok`},
	{header(`,"x-mcp-header":"Region"`), header(``), `header-removed t.input.a ok warn`},
	{header(`,"x-mcp-header":"Region"`), header(`,"x-mcp-header":"Zone"`), `header-changed t.input.a warn warn`},
	{header(`,"x-mcp-header":"Region"`), header(`,"x-mcp-header":"region"`), ``},
	{header(``), header(`,"x-mcp-header":"a b"`), `header-broken t.input.a warn ok`},
	{header(`,"x-mcp-header":""`), header(`,"x-mcp-header":"R"`), `header-repaired t.input.a ok warn`},
	{input(`{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"R"},"b":{"type":"string"}}}`),
		input(`{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"R"},"b":{"type":"string","x-mcp-header":"r"}}}`), `header-broken t.input.b warn ok`},
	{input(`{"type":"object","properties":{"a":{"type":"number"}}}`), input(`{"type":"object","properties":{"a":{"type":"number","x-mcp-header":"R"}}}`), `header-broken t.input.a warn ok`},
	// A header repeats a value that may be null, but no element of an array.
	{input(`{"type":"object","properties":{"a":{"type":["string","null"]}}}`), input(`{"type":"object","properties":{"a":{"type":["string","null"],"x-mcp-header":"R"}}}`), `header-added t.input.a warn ok`},
	{input(`{"type":"object","properties":{"a":{"items":{"type":"string"}}}}`), input(`{"type":"object","properties":{"a":{"items":{"type":"string","x-mcp-header":"R"}}}}`), `header-broken t.input/properties/a/items warn ok`},

	// Renames.
	{renamed("get_weather", "Tells the weather.", twoMembers), renamed("weather", "Tells the weather.", twoMembers), `tool-renamed weather err info`},
	{renamed("get_weather", "", twoMembers), renamed("forecast", "", twoMembers), `tool-renamed forecast err info`},
	{renamed("get_weather", "Tells the weather.", twoMembers),
		renamed("weather", "Tells the weather.", `{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer"},"unit":{"type":"string"}},"required":["city","unit"]}`),
		"required-member-added weather.input.unit err ok\ntool-renamed weather err info"},
	{renamed("list_issues", "Lists the issues.", twoMembers), renamed("list_pulls", "Finds pull requests.", twoMembers),
		"tool-added list_pulls ok info\ntool-removed list_issues err ok"},
	{renamed("ping", "Pings.", `{"type":"object"}`), renamed("reset", "Resets all.", `{"type":"object"}`), "tool-added reset ok info\ntool-removed ping err ok"},
	{renamed("get_weather", "Tells the weather.", twoMembers), renamed("mail", "Sends mail.", `{"type":"object","properties":{"to":{"type":"string"}}}`),
		"tool-added mail ok info\ntool-removed get_weather err ok"},
}

func TestOffers(t *testing.T) {
	for _, test := range offerCases {
		test.check(t, offerSide)
		for _, side := range []string{test.old, test.new} {
			report, err := diff.Tools(offerSide(t, "old", side), offerSide(t, "new", side))
			if err != nil || len(report.Findings) > 0 || len(report.Skipped) > 0 {
				t.Errorf("%s differs from itself: %v, %+v", side, err, report)
			}
		}
	}
}

// TestOffersSkipped checks that a part that only one side says something about is not
// compared in silence.
func TestOffersSkipped(t *testing.T) {
	for _, test := range []struct{ old, new, side, why string }{
		{prompt(``), `[]`, "new", "has no prompts: the prompts of the old side are not compared"},
		{`[]`, prompt(``), "old", "has no prompts: the prompts of the new side are not compared"},
		{`{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}`, `{"jsonrpc":"2.0","id":1,"result":{"prompts":[]}}`, "new", "has no tools: the tools of the old side are not compared"},
	} {
		report, err := diff.Tools(offerSide(t, "old", test.old), offerSide(t, "new", test.new))
		if err != nil {
			t.Fatal(err)
		}
		if len(report.Findings) != 0 || len(report.Skipped) != 1 || report.Skipped[0].Side != test.side || report.Skipped[0].Why != test.why {
			t.Errorf("%s\n%s\n%+v %+v", test.old, test.new, report.Findings, report.Skipped)
		}
	}
	// A list that is kept in a file has no capabilities, and the server that it came from has.
	kept, served := `{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}`, `{"tools":[{"name":"t","inputSchema":{"type":"object"}}],"capabilities":{"tools":{}}}`
	for _, pair := range [][2]string{{kept, served}, {served, kept}} {
		report, err := diff.Tools(offerSide(t, "old", pair[0]), offerSide(t, "new", pair[1]))
		if err != nil || len(report.Findings)+len(report.Skipped) > 0 {
			t.Errorf("capabilities on one side only: %v, %+v", err, report)
		}
	}
}

// TestResourceTypeMessage checks that a message has the MIME types in quotes, and not as code in addition.
func TestResourceTypeMessage(t *testing.T) {
	report, err := diff.Tools(offerSide(t, "old", resource(`,"mimeType":"text/plain"`)), offerSide(t, "new", resource(``)))
	if err != nil || len(report.Findings) != 1 {
		t.Fatal(err, report)
	}
	if got, want := report.Findings[0].Message, `MIME type is none, was "text/plain"`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
