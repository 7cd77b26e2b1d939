package convert

import (
	"hash/fnv"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The policy: what becomes of a feature that the older revision does not have, where
// leaving a member out is not the answer. The table in gen/convert says which value is
// restated by which function, and what is refused outright; see the reasons there.
//
// A function gets the text of a value of the newer revision and returns that of one that
// says the same in words which the older revision has too, as far as it goes. It has no
// types, because it must not know those of any revision. What is decoded by the same
// revision's type is well formed, so reading needs no second look.

// AudioAsResource makes an embedded resource of a piece of audio: content of tools and
// prompts could always be a resource, and a resource of any type. The URI leads nowhere;
// it is made of the data so that two clips do not have the same one.
func AudioAsResource(c *Conversion, audio wire.Raw) wire.Raw {
	c.Lose("the older revision has no audio: it goes as an embedded resource")
	o := wire.Object(audio)
	data, _ := o.Get("data")
	mimeType, _ := o.Get("mimeType")
	sum := fnv.New64a()
	sum.Write([]byte(data))
	resource := Open(c, wire.Members{
		{Name: "uri", Value: quote(c, "urn:mcp:audio:"+strconv.FormatUint(sum.Sum64(), 16))},
		{Name: "mimeType", Value: mimeType},
		{Name: "blob", Value: data},
	})
	rest := without(o, "type", "data", "mimeType", "resource")
	return object(c, append(wire.Members{{Name: "type", Value: `"resource"`}, {Name: "resource", Value: wire.Raw(resource)}}, rest...))
}

// LinkAsText makes text of a link to a resource: a model can still read what there is and
// where, and ask for it.
func LinkAsText(c *Conversion, link wire.Raw) wire.Raw {
	c.Lose("the older revision has no links to resources: it goes as text")
	o := wire.Object(link)
	var text strings.Builder
	text.WriteString(o.GetString("name") + " <" + o.GetString("uri") + ">")
	if mimeType := o.GetString("mimeType"); mimeType != "" {
		text.WriteString(" (" + mimeType + ")")
	}
	if description := o.GetString("description"); description != "" {
		text.WriteString(" - " + description)
	}
	rest := without(o, "type", "name", "uri", "mimeType", "description", "title", "size", "icons", "text")
	return object(c, append(wire.Members{{Name: "type", Value: `"text"`}, {Name: "text", Value: quote(c, text.String())}}, rest...))
}

// StructuredAsText makes text of a tool's structured result unless there is text
// already: servers should say the same in a text block, for clients that read nothing
// else ("Structured Content" in server/tools of 2025-06-18), and then it is there.
func StructuredAsText(c *Conversion, result wire.Raw) wire.Raw {
	o := wire.Object(result)
	structured, _ := o.Get("structuredContent")
	content, _ := o.Get("content")
	blocks := content.Elements()
	reason := "the older revision has no structured content: the text says it"
	if !hasText(blocks) {
		reason = "the older revision has no structured content: it goes as text"
		block := object(c, wire.Members{{Name: "type", Value: `"text"`}, {Name: "text", Value: quote(c, string(structured))}})
		blocks = append(blocks, block)
	}
	c.Lose(reason, "structuredContent")
	return replace(c, without(o, "structuredContent"), "content", array(blocks))
}

func hasText(blocks []wire.Raw) bool {
	for _, b := range blocks {
		if wire.Object(b).GetString("type") == "text" {
			return true
		}
	}
	return false
}

// TitleAsHint moves the title of a tool to its annotations, where a client looks for it
// that knows of no other title.
func TitleAsHint(c *Conversion, tool wire.Raw) wire.Raw {
	o := wire.Object(tool)
	title, _ := o.Get("title")
	annotations, _ := o.Get("annotations")
	rest := without(o, "title")
	if _, ok := wire.Object(annotations).Get("title"); ok {
		c.Lose("the older revision has no title but that in the annotations, which is there", "title")
		return object(c, rest)
	}
	c.Lose("the older revision has no title but that in the annotations: it goes there", "title")
	titled, err := wire.Object(annotations).With("title", title)
	if err != nil {
		c.Refuse(err.Error(), "annotations")
	}
	return replace(c, rest, "annotations", wire.Raw(titled))
}

// PiecesAsTurns makes of a turn in several pieces as many turns of the same role.
func PiecesAsTurns(c *Conversion, params wire.Raw) wire.Raw {
	o := wire.Object(params)
	messages, _ := o.Get("messages")
	var turns []wire.Raw
	split := false
	for i, turn := range messages.Elements() {
		content, _ := wire.Object(turn).Get("content")
		if content.Kind() != wire.KindArray {
			turns = append(turns, turn)
			continue
		}
		pieces := content.Elements()
		if len(pieces) == 1 {
			c.Lose("a turn of the older revision is one piece: it goes without its array", "messages", strconv.Itoa(i), "content")
		}
		split = split || len(pieces) != 1
		for _, piece := range pieces {
			turns = append(turns, replace(c, Members(wire.Object(turn)), "content", piece))
		}
	}
	if !split {
		return replace(c, Members(o), "messages", array(turns))
	}
	c.Lose("a turn of the older revision is one piece: one in several goes as several turns", "messages")
	return replace(c, Members(o), "messages", array(turns))
}

// PiecesAsOne makes one piece of several, which can be done if there is one or all are
// text.
func PiecesAsOne(c *Conversion, content wire.Raw) wire.Raw {
	pieces := content.Elements()
	if len(pieces) == 1 {
		c.Lose("a turn of the older revision is one piece: it goes without its array")
		return pieces[0]
	}
	var text []string
	for _, p := range pieces {
		if wire.Object(p).GetString("type") != "text" {
			c.Refuse("a turn of the older revision is one piece, and of these not all are text")
			return content
		}
		text = append(text, wire.Object(p).GetString("text"))
	}
	c.Lose("a turn of the older revision is one piece: the texts go as one")
	return object(c, wire.Members{{Name: "type", Value: `"text"`}, {Name: "text", Value: quote(c, strings.Join(text, "\n"))}})
}

// NoSamplingTools refuses to ask for an answer with tools: a model that does not get them
// gives another answer. That there are none is what the older revision takes for granted.
func NoSamplingTools(c *Conversion, params wire.Raw) wire.Raw {
	tools, _ := wire.Object(params).Get("tools")
	if len(tools.Elements()) > 0 {
		c.Refuse("sampling in the older revision has no tools", "tools")
		return params
	}
	c.Lose("sampling in the older revision has no tools, and these are none", "tools")
	return object(c, without(wire.Object(params), "tools"))
}

// TitlesAsNames makes an enum with a list of names of one whose values have titles.
func TitlesAsNames(c *Conversion, schema wire.Raw) wire.Raw {
	o := wire.Object(schema)
	options, _ := o.Get("oneOf")
	var values, names []wire.Raw
	for _, option := range options.Elements() {
		value, _ := wire.Object(option).Get("const")
		name, _ := wire.Object(option).Get("title")
		values, names = append(values, value), append(names, name)
	}
	c.Lose("the older revision has no options with titles: they go as enum and enumNames", "oneOf")
	for _, name := range []string{"enum", "enumNames"} {
		_, there := o.Get(name)
		c.Drop(name, there, "the options take its place")
	}
	rest := without(o, "oneOf", "enum", "enumNames")
	return object(c, append(rest, wire.Member{Name: "enum", Value: array(values)}, wire.Member{Name: "enumNames", Value: array(names)}))
}

// FormsOnly leaves out the capability of elicitation where it is for web pages alone: to
// the older revision its presence means forms.
func FormsOnly(c *Conversion, capabilities wire.Raw) wire.Raw {
	o := wire.Object(capabilities)
	modes, _ := o.Get("elicitation")
	_, form := wire.Object(modes).Get("form")
	_, url := wire.Object(modes).Get("url")
	if form || !url {
		return capabilities
	}
	c.Lose("elicitation in the older revision means forms, and these are not offered", "elicitation")
	return object(c, without(o, "elicitation"))
}

// TaskOnly refuses a tool that can only be called as a task: no call of it would succeed.
func TaskOnly(c *Conversion, tool wire.Raw) wire.Raw {
	execution, _ := wire.Object(tool).Get("execution")
	if wire.Object(execution).GetString("taskSupport") == "required" {
		c.Refuse("the older revision has no tasks, and the tool can only be called as one", "execution", "taskSupport")
	}
	return tool
}

// without are the members of an object but for those with these names.
func without(o wire.Object, names ...string) wire.Members {
	members := o.Members()
	for _, name := range names {
		members.Delete(name)
	}
	return members
}

// replace is an object of members, one of which gets another value.
func replace(c *Conversion, members wire.Members, name string, value wire.Raw) wire.Raw {
	members.Set(name, value)
	return object(c, members)
}

func object(c *Conversion, members wire.Members) wire.Raw { return wire.Raw(Open(c, members)) }

func quote(c *Conversion, s string) wire.Raw {
	text, err := wire.AppendString(nil, s)
	if err != nil {
		c.Refuse(err.Error())
	}
	return wire.Raw(text)
}

func array(list []wire.Raw) wire.Raw {
	var text strings.Builder
	text.WriteByte('[')
	for i, e := range list {
		if i > 0 {
			text.WriteByte(',')
		}
		text.WriteString(string(e))
	}
	text.WriteByte(']')
	return wire.Raw(text.String())
}
