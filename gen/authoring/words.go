package authoring

import (
	"slices"

	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
)

// shape is the form of the value of a member.
type shape = jsonschema.Form

// The forms of the members of items.
const (
	anyValue  = jsonschema.AnyForm
	text      = jsonschema.TextForm
	flag      = jsonschema.FlagForm
	number    = jsonschema.NumberForm
	count     = jsonschema.CountForm
	texts     = jsonschema.TextsForm
	values    = jsonschema.ValuesForm
	object    = jsonschema.ObjectForm
	subschema = jsonschema.SchemaForm
	named     = jsonschema.NamedForm
	entries   = shape(-1) // an array of objects, which are described elsewhere
)

// word is a member that the reader knows.
type word struct {
	name  string
	shape shape
	about string // for editors
}

// offered is the number of members at the beginning of topLevel that say what a server offers.
const offered = 6

// topLevel are the members of a file. Those after $schema are of answers to tools/list and are
// ignored.
var topLevel = []word{
	{"tools", entries, "The tools of the server."},
	{"prompts", entries, "The prompts of the server."},
	{"resources", entries, "The resources of the server."},
	{"resourceTemplates", entries, "The resource templates of the server."},
	{"instructions", text, "What a model should know about the server."},
	{"capabilities", object, "The capabilities of the server."},
	{"$defs", named, "Schemas that any tool may refer to, as in #/$defs/name."},
	{"$schema", text, "The schema of this file, for editors."},
	{"_meta", object, "Metadata."},
	{"nextCursor", anyValue, "The cursor of the next page of a list."},
	{"resultType", text, "The type of an answer."},
	{"ttlMs", number, "How long an answer may be cached, in milliseconds."},
	{"cacheScope", text, "Who may cache an answer."},
	{"jsonrpc", text, ""}, {"id", anyValue, ""}, {"result", object, ""},
	{"serverInfo", object, ""}, {"protocolVersion", text, ""},
}

// ofTool are the members of a tool.
var ofTool = []word{
	{"name", text, "The name of the tool: letters, digits, _, . and -, at most 128."},
	{"title", text, "The name of the tool for people."},
	{"description", text, "What the tool does, for the model."},
	{"inputSchema", subschema, "The JSON Schema of the arguments, an object."},
	{"outputSchema", subschema, "The JSON Schema of the structured result. Sessions of revisions before 2026-07-28 get a result that is not an object as text."},
	{"annotations", object, "Hints about what the tool does."},
	{"icons", values, "Icons of the tool."},
	{"execution", object, "How the tool can be executed."},
	{"_meta", object, "Metadata."},
	{jsonschema.GoName, text, "The Go identifier of the tool."},
	scopes,
}

// scopes is a member of all items.
var scopes = word{tools.MemberScopes, texts, "The scopes that the access token of a caller must have."}

// ofPrompt are the members of a prompt.
var ofPrompt = []word{
	{"name", text, "The name of the prompt."},
	{"title", text, "The name of the prompt for people."},
	{"description", text, "What the prompt is for."},
	{"arguments", entries, "The arguments of the prompt. All values are strings."},
	{"icons", values, "Icons of the prompt."},
	{"_meta", object, "Metadata."},
	{jsonschema.GoName, text, "The Go identifier of the prompt."},
	scopes,
}

// ofArgument are the members of an argument of a prompt.
var ofArgument = append([]word{{"required", flag, "Whether clients must send the argument."}}, ofVariable...)

// ofVariable are the members of a variable of a URI template.
var ofVariable = []word{
	{"name", text, "The name."},
	{"title", text, "The name for people."},
	{"description", text, "What the value means."},
	{tools.MemberEnum, texts, "The only values, which the server also proposes."},
	{tools.MemberCompletion, flag, "Whether a method proposes values."},
	{jsonschema.GoName, text, "The Go identifier of the field."},
}

// ofResource are the members of a resource.
var ofResource = []word{
	{"uri", text, "The URI of the resource."},
	{"name", text, "The name of the resource."},
	{"title", text, "The name of the resource for people."},
	{"description", text, "What the resource is."},
	{"mimeType", text, "The MIME type of the content."},
	{"size", count, "The size of the content in bytes."},
	{"annotations", object, "Hints about who the resource is for."},
	{"icons", values, "Icons of the resource."},
	{"_meta", object, "Metadata."},
	{jsonschema.GoName, text, "The Go identifier of the resource, without Read."},
	{tools.MemberText, text, "The content, if it is a text that never changes. Without it, a method reads the resource."},
	scopes,
}

// ofTemplate are the members of a resource template.
var ofTemplate = []word{
	{"uriTemplate", text, "The URI template (RFC 6570), such as file:///{path}."},
	{"name", text, "The name of the template."},
	{"title", text, "The name of the template for people."},
	{"description", text, "What the resources are."},
	{"mimeType", text, "The MIME type of the contents, if all have the same."},
	{"annotations", object, "Hints about who the resources are for."},
	{"icons", values, "Icons of the template."},
	{"_meta", object, "Metadata."},
	{jsonschema.GoName, text, "The Go identifier of the template, without Read."},
	{tools.MemberVariables, entries, "Descriptions of variables of the URI template."},
	scopes,
}

// tables are the members of the items in each list of a file.
var tables = map[string]struct {
	words []word
	noun  string
}{
	"tools":             {ofTool, "a tool"},
	"prompts":           {ofPrompt, "a prompt"},
	"resources":         {ofResource, "a resource"},
	"resourceTemplates": {ofTemplate, "a resource template"},
}

// ofResourceAnnotations are the members of the annotations of a resource or template.
var ofResourceAnnotations = []word{
	{"audience", texts, "Who the resource is for: user, assistant or both."},
	{"priority", number, "How important the resource is, from 0 to 1."},
	{"lastModified", text, "When the resource last changed (ISO 8601)."},
}

// ofAnnotations are the members of the annotations of a tool.
var ofAnnotations = []word{
	{"title", text, "The name of the tool for people."},
	{"readOnlyHint", flag, "The tool does not change anything."},
	{"destructiveHint", flag, "The tool may destroy something."},
	{"idempotentHint", flag, "A second call with the same arguments changes nothing."},
	{"openWorldHint", flag, "The tool uses things outside of the server, such as the web."},
}

// ofExecution are the members of the execution of a tool.
var ofExecution = []word{{"taskSupport", text, "Whether the tool can be called as a task: forbidden, optional or required."}}

// keywords are those of JSON Schema, and those of schemas that are for the generator.
var keywords = func() (all []word) {
	for _, k := range jsonschema.Keywords {
		all = append(all, word{k.Name, k.Form, k.About})
	}
	return append(all,
		word{jsonschema.GoName, text, "The Go identifier of the member, or of the type if the schema is a definition."},
		word{jsonschema.GoBigInteger, flag, "Whether the Go type of the integer holds values beyond an int64."},
	)
}()

// namesOf returns the names of words.
func namesOf(words []word) []string {
	names := make([]string, len(words))
	for i, w := range words {
		names[i] = w.name
	}
	return names
}

// known reports whether a word has a name.
func known(words []word, name string) bool {
	return slices.ContainsFunc(words, func(w word) bool { return w.name == name })
}
