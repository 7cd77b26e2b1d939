package convert

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The functions in this file are the policy for features that the older revision of a step
// does not have, where dropping a member is not enough. Rows of spec/convert.yaml say where
// each one applies. They work on text, because they must not depend on the types of a
// revision.

// policies returns the functions by the names that rows and tables use. A function expresses a value of the newer
// revision in terms that the older revision has too. It records losses and refusals in c.
var policies = sync.OnceValue(func() map[string]func(c *Conversion, value wire.Raw) wire.Raw {
	return map[string]func(*Conversion, wire.Raw) wire.Raw{
		"AudioAsResource":       audioAsResource,
		"DropURLElicitation":    dropURLElicitation,
		"FirstValues":           firstValues,
		"JoinBlocks":            joinBlocks,
		"LinkAsText":            linkAsText,
		"NameElicitation":       nameElicitation,
		"OptionsAsEnumNames":    optionsAsEnumNames,
		"PlainSchemas":          PlainSchemas,
		"RefuseTaskTool":        refuseTaskTool,
		"RefuseTools":           refuseTools,
		"SplitMessages":         splitMessages,
		"StructuredAsText":      structuredAsText,
		"StructuredValueAsText": StructuredValueAsText,
		"TitleAsAnnotation":     titleAsAnnotation,
	}
})

// Policies returns the names of the functions that rewrite values, sorted.
func Policies() []string { return slices.Sorted(maps.Keys(policies())) }

// unknownFunction is the problem of a table that names a function which this package does not have.
func unknownFunction(name string) string {
	return fmt.Sprintf("the table names the function %q, which this version of the runtime does not have", name)
}

// audioAsResource turns audio content into an embedded resource, which tools and prompts may return
// in every revision. The URI is not readable. It is derived from the data, so that two clips have
// different URIs.
func audioAsResource(c *Conversion, audio wire.Raw) wire.Raw {
	c.Lose("the older revision has no audio content: sent as an embedded resource")
	data, _ := wire.Object(audio).Get("data")
	mimeType, _ := wire.Object(audio).Get("mimeType")
	resource := object(c, wire.Members{
		{Name: "uri", Value: quote(c, "urn:mcp:audio:"+digest(data))},
		{Name: "mimeType", Value: mimeType},
		{Name: "blob", Value: data},
	})
	rest := without(audio, "type", "data", "mimeType", "resource")
	return object(c, append(wire.Members{{Name: "type", Value: `"resource"`}, {Name: "resource", Value: resource}}, wire.Object(rest).Members()...))
}

// linkAsText turns a resource link into text, from which a model can still read the URI.
func linkAsText(c *Conversion, link wire.Raw) wire.Raw {
	c.Lose("the older revision has no resource links: sent as text")
	text := wire.Object(link).GetString("name") + " <" + wire.Object(link).GetString("uri") + ">"
	if mimeType := wire.Object(link).GetString("mimeType"); mimeType != "" {
		text += " (" + mimeType + ")"
	}
	if description := wire.Object(link).GetString("description"); description != "" {
		text += " - " + description
	}
	rest := without(link, "type", "name", "uri", "mimeType", "description", "title", "size", "icons", "text")
	return object(c, append(textBlock(c, text), wire.Object(rest).Members()...))
}

// structuredAsText removes structuredContent from a tool result. If the content has no
// text block, it adds one with the JSON of structuredContent. Servers should send such a
// block themselves ("Structured Content" in server/tools of 2025-06-18).
func structuredAsText(c *Conversion, result wire.Raw) wire.Raw {
	return withoutStructured(c, result, "the older revision has no structured content")
}

// withoutStructured is structuredAsText for a reason.
func withoutStructured(c *Conversion, result wire.Raw, why string) wire.Raw {
	structured, _ := wire.Object(result).Get("structuredContent")
	content, _ := wire.Object(result).Get("content")
	blocks := content.Elements()
	reason := why + ": the text block remains"
	if !hasText(blocks) {
		reason = why + ": sent as text"
		blocks = append(blocks, object(c, textBlock(c, string(structured))))
	}
	c.Lose(reason, "structuredContent")
	return set(c, without(result, "structuredContent"), "content", wire.ArrayOf(blocks))
}

// StructuredValueAsText does the same as structuredAsText for structuredContent that is not
// an object.
func StructuredValueAsText(c *Conversion, result wire.Raw) wire.Raw {
	if structured, _ := wire.Object(result).Get("structuredContent"); structured.Kind() == wire.KindObject {
		return result
	}
	return withoutStructured(c, result, "structured content is an object in the older revision")
}

func hasText(blocks []wire.Raw) bool {
	for _, b := range blocks {
		if wire.Object(b).GetString("type") == "text" {
			return true
		}
	}
	return false
}

// titleAsAnnotation moves the title of a tool to its annotations, unless these have a
// title.
func titleAsAnnotation(c *Conversion, tool wire.Raw) wire.Raw {
	title, _ := wire.Object(tool).Get("title")
	annotations, _ := wire.Object(tool).Get("annotations")
	rest := without(tool, "title")
	if has(annotations, "title") {
		c.Lose("the older revision has a title only in the annotations, which have one", "title")
		return rest
	}
	c.Lose("the older revision has a title only in the annotations: moved there", "title")
	return set(c, rest, "annotations", set(c, annotations, "title", title))
}

// splitMessages splits each message of several content blocks into messages of one block
// and the same role.
func splitMessages(c *Conversion, params wire.Raw) wire.Raw {
	messages, _ := wire.Object(params).Get("messages")
	var split []wire.Raw
	several := false
	for i, message := range messages.Elements() {
		content, _ := wire.Object(message).Get("content")
		if content.Kind() != wire.KindArray {
			split = append(split, message)
			continue
		}
		blocks := content.Elements()
		if len(blocks) == 1 {
			c.Lose("a message of the older revision has one content block: sent without the array", "messages", strconv.Itoa(i), "content")
		}
		several = several || len(blocks) != 1
		for _, block := range blocks {
			split = append(split, set(c, message, "content", block))
		}
	}
	if several {
		c.Lose("a message of the older revision has one content block: messages with several blocks are split", "messages")
	}
	return set(c, params, "messages", wire.ArrayOf(split))
}

// joinBlocks turns a list of content blocks into one block. It refuses several blocks that
// are not all text.
func joinBlocks(c *Conversion, content wire.Raw) wire.Raw {
	blocks := content.Elements()
	if len(blocks) == 1 {
		c.Lose("a message of the older revision has one content block: sent without the array")
		return blocks[0]
	}
	var text []string
	for _, b := range blocks {
		if wire.Object(b).GetString("type") != "text" {
			c.Refuse("a message of the older revision has one content block, and these are not all text")
			return content
		}
		text = append(text, wire.Object(b).GetString("text"))
	}
	c.Lose("a message of the older revision has one content block: the texts are joined")
	return object(c, textBlock(c, strings.Join(text, "\n")))
}

// refuseTools refuses a sampling request with tools, because a model without them would
// give another answer. It drops an empty list of tools.
func refuseTools(c *Conversion, params wire.Raw) wire.Raw {
	tools, _ := wire.Object(params).Get("tools")
	if len(tools.Elements()) > 0 {
		c.Refuse("sampling has no tools in the older revision", "tools")
		return params
	}
	c.Lose("sampling has no tools in the older revision, and the list is empty", "tools")
	return without(params, "tools")
}

// optionsAsEnumNames turns an enum with titled options into one with enumNames. An option without a title is named by
// its value, so that both lists have the same length. An option without a value is refused.
func optionsAsEnumNames(c *Conversion, schema wire.Raw) wire.Raw {
	options, _ := wire.Object(schema).Get("oneOf")
	var values, names []wire.Raw
	for i, option := range options.Elements() {
		value, _ := wire.Object(option).Get("const")
		if value.Kind() != wire.KindString {
			c.Refuse("the const of an option is not a string", "oneOf", strconv.Itoa(i))
			return schema
		}
		name, titled := wire.Object(option).Get("title")
		if !titled {
			name = value
		}
		values, names = append(values, value), append(names, name)
	}
	c.Lose("the older revision has no titled options: sent as enum and enumNames", "oneOf")
	for _, name := range []string{"enum", "enumNames"} {
		if has(schema, name) {
			c.Lose("replaced by the titled options", name)
		}
	}
	rest := without(schema, "oneOf", "enum", "enumNames")
	return set(c, set(c, rest, "enum", wire.ArrayOf(values)), "enumNames", wire.ArrayOf(names))
}

// dropURLElicitation drops the elicitation capability of a client that supports only URLs,
// because in the older revision the capability means forms.
func dropURLElicitation(c *Conversion, capabilities wire.Raw) wire.Raw {
	modes, _ := wire.Object(capabilities).Get("elicitation")
	if has(modes, "form") || !has(modes, "url") {
		return capabilities
	}
	c.Lose("elicitation means forms in the older revision, which the client does not support", "elicitation")
	return without(capabilities, "elicitation")
}

// refuseTaskTool refuses a tool that can only be called as a task, because every call of
// it would fail.
func refuseTaskTool(c *Conversion, tool wire.Raw) wire.Raw {
	execution, _ := wire.Object(tool).Get("execution")
	if wire.Object(execution).GetString("taskSupport") == "required" {
		c.Refuse("the other revision has no tasks, and the tool can only be called as one", "execution", "taskSupport")
	}
	return tool
}

// PlainSchemas changes the schemas of a tool to the form that they have in 2025-11-25. A
// schema of a property that is true or false becomes an object with the same meaning. An
// output schema is dropped unless it is for objects, because other output is sent as text.
func PlainSchemas(c *Conversion, tool wire.Raw) wire.Raw {
	if output, ok := wire.Object(tool).Get("outputSchema"); ok && wire.Object(output).GetString("type") != "object" {
		c.Lose("the output of a tool is an object in the older revision", "outputSchema")
		tool = without(tool, "outputSchema")
	}
	for _, name := range []string{"inputSchema", "outputSchema"} {
		schema, _ := wire.Object(tool).Get(name)
		properties, _ := wire.Object(schema).Get("properties")
		if properties.Kind() != wire.KindObject {
			continue
		}
		members, changed := wire.Object(properties).Members(), false
		for i, m := range members {
			if m.Value.Kind() == wire.KindBool {
				members[i].Value, changed = "{}", true
				if m.Value == "false" {
					members[i].Value = `{"not":{}}`
				}
			}
		}
		if changed {
			schema = set(c, schema, "properties", object(c, members))
			tool = set(c, tool, name, schema)
		}
	}
	return tool
}

// nameElicitation gives an elicitation by URL the ID that the older revision requires. It is
// derived from the URL.
func nameElicitation(c *Conversion, params wire.Raw) wire.Raw {
	if has(params, "elicitationId") {
		return params
	}
	url, _ := wire.Object(params).Get("url")
	return set(c, params, "elicitationId", quote(c, "url-"+digest(url)))
}

// firstValues keeps the first 100 values of a completion, which is the limit of every
// revision.
func firstValues(c *Conversion, completion wire.Raw) wire.Raw {
	const limit = 100
	values, _ := wire.Object(completion).Get("values")
	all := values.Elements()
	if len(all) <= limit {
		return completion
	}
	c.Lose("a completion has at most 100 values: the others are left out", "values")
	return set(c, set(c, completion, "hasMore", "true"), "values", wire.ArrayOf(all[:limit]))
}

// digest returns a short text that differs for different values.
func digest(v wire.Raw) string {
	sum := fnv.New64a()
	sum.Write([]byte(v))
	return strconv.FormatUint(sum.Sum64(), 16)
}

// without returns an object without the members with the given names.
func without(o wire.Raw, names ...string) wire.Raw { return wire.Raw(wire.Object(o).Without(names...)) }

// set returns an object with another value for one of its members.
func set(c *Conversion, o wire.Raw, name string, value wire.Raw) wire.Raw {
	with, err := wire.Object(o).With(name, value)
	if err != nil {
		c.Refuse(err.Error())
	}
	return wire.Raw(with)
}

func object(c *Conversion, members wire.Members) wire.Raw {
	o, err := wire.NewObject(members...)
	if err != nil {
		c.Refuse(err.Error())
	}
	return wire.Raw(o)
}

// textBlock returns the members of a text content block.
func textBlock(c *Conversion, text string) wire.Members {
	return wire.Members{{Name: "type", Value: `"text"`}, {Name: "text", Value: quote(c, text)}}
}

func quote(c *Conversion, s string) wire.Raw {
	text, err := wire.AppendString(nil, s)
	if err != nil {
		c.Refuse(err.Error())
	}
	return wire.Raw(text)
}
