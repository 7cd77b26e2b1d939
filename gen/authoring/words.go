package authoring

import (
	"slices"

	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
)

// shape is the kind of value of a member.
type shape int

const (
	anyValue shape = iota
	text
	flag
	number
	count // an integer of at least 0
	texts
	values
	object
	types     // a type of JSON Schema, or an array of them
	subschema // a JSON Schema
	schemas   // an array of schemas
	entries   // an array of objects, which are described elsewhere
	named     // an object of schemas by name
	elements  // a schema, or in draft 07 an array of schemas
	depends   // an object of schemas or arrays of names
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

// keywords are those of JSON Schema, drafts 07 and 2020-12, in which people write.
var keywords = []word{
	{"type", types, "The type of the values."},
	{"title", text, "A short name."},
	{"description", text, "What the value means, for the model."},
	{"properties", named, "The members of an object."},
	{"required", texts, "The members that an object must have."},
	{"additionalProperties", subschema, "The schema of members without a name here; false forbids them."},
	{"patternProperties", named, "The schemas of members whose names match a pattern."},
	{"propertyNames", subschema, "The schema of the names of members."},
	{"minProperties", count, "The least number of members."},
	{"maxProperties", count, "The greatest number of members."},
	{"unevaluatedProperties", subschema, "The schema of members that no other keyword describes."},
	{"dependentRequired", anyValue, "The members that are required if another is present."},
	{"dependentSchemas", named, "The schema of the object if a member is present."},
	{"dependencies", depends, "The members or the schema that a member requires (draft 07)."},
	{"items", elements, "The schema of the elements of an array."},
	{"prefixItems", schemas, "The schemas of the first elements of an array."},
	{"additionalItems", subschema, "The schema of the other elements of an array (draft 07)."},
	{"contains", subschema, "The schema of at least one element of an array."},
	{"minContains", count, "The least number of elements that contains describes."},
	{"maxContains", count, "The greatest number of elements that contains describes."},
	{"minItems", count, "The least number of elements."},
	{"maxItems", count, "The greatest number of elements."},
	{"uniqueItems", flag, "No two elements are the same."},
	{"unevaluatedItems", subschema, "The schema of elements that no other keyword describes."},
	{"enum", values, "The values."},
	{"const", anyValue, "The only value."},
	{"minLength", count, "The least number of characters."},
	{"maxLength", count, "The greatest number of characters."},
	{"pattern", text, "A regular expression (ECMA-262) that matches a part of the text."},
	{"format", text, "The format of the text, such as date-time."},
	{"minimum", number, "The least number."},
	{"maximum", number, "The greatest number."},
	{"exclusiveMinimum", number, "The number must be greater."},
	{"exclusiveMaximum", number, "The number must be less."},
	{"multipleOf", number, "The number must be a multiple of this."},
	{"allOf", schemas, "The value satisfies all schemas."},
	{"anyOf", schemas, "The value satisfies one or more schemas."},
	{"oneOf", schemas, "The value satisfies exactly one schema."},
	{"not", subschema, "The value does not satisfy the schema."},
	{"if", subschema, "If the value satisfies the schema, then applies, and otherwise else."},
	{"then", subschema, ""}, {"else", subschema, ""},
	{"default", anyValue, "The value if the member is absent."},
	{"examples", values, "Examples of values."},
	{"deprecated", flag, "The value should no longer be used."},
	{"readOnly", flag, "Only the server sets the value."},
	{"writeOnly", flag, "Only the client sets the value."},
	{"contentEncoding", text, "The encoding of the text, such as base64."},
	{"contentMediaType", text, "The media type of the text."},
	{"contentSchema", subschema, "The schema of the decoded text."},
	{"$ref", text, "The place of another schema: #/$defs/name, or a file and a place in it."},
	{"$defs", named, "Schemas to refer to."},
	{"definitions", named, "Schemas to refer to (draft 07)."},
	{"$schema", text, "The dialect of JSON Schema."},
	{"$id", text, "The URI of the schema."},
	{"$anchor", text, "A name of the schema."},
	{"$dynamicRef", text, ""}, {"$dynamicAnchor", text, ""}, {"$recursiveRef", text, ""}, {"$recursiveAnchor", flag, ""},
	{"$comment", text, "A comment."},
	{"$vocabulary", object, ""},
	{jsonschema.GoName, text, "The Go identifier of the member, or of the type if the schema is a definition."},
	{jsonschema.GoBigInteger, flag, "Whether the Go type of the integer holds values beyond an int64."},
}

// namesOf returns the names of words.
func namesOf(words []word) []string {
	names := make([]string, len(words))
	for i, w := range words {
		names[i] = w.name
	}
	return names
}

// find returns the word with a name.
func find(words []word, name string) (word, bool) {
	i := slices.IndexFunc(words, func(w word) bool { return w.name == name })
	if i < 0 {
		return word{}, false
	}
	return words[i], true
}
