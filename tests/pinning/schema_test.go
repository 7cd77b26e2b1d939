package pinning

import (
	"encoding/json"
	"strings"
	"testing"
)

// object is a JSON object of a schema.
type object = map[string]any

// madeUp returns the schema of a revision with every kind of change, derived from the newest
// pinned one.
func madeUp(t *testing.T, facts []byte) []byte {
	t.Helper()
	// A definition renamed.
	text := strings.NewReplacer(`"Icon":`, `"Picture":`, `"#/$defs/Icon"`, `"#/$defs/Picture"`).Replace(string(facts))
	var schema object
	if err := json.Unmarshal([]byte(text), &schema); err != nil {
		t.Fatal(err)
	}
	s := editor{t, schema["$defs"].(object)}

	// A content block added.
	s.define("VideoContent", `{"type":"object","required":["type","data","mimeType"],"properties":{
		"type":{"type":"string","const":"video"},"data":{"type":"string","format":"byte"},"mimeType":{"type":"string"}}}`)
	s.variant("ContentBlock", "VideoContent", true)

	// A request and its definitions removed, and a request added.
	s.remove("CompleteRequest", "CompleteRequestParams", "CompleteResult", "CompleteResultResponse")
	s.variant("ClientRequest", "CompleteRequest", false)
	s.variant("ServerResult", "CompleteResult", false)
	s.define("RateToolRequest", `{"type":"object","required":["id","jsonrpc","method","params"],"properties":{
		"id":{"$ref":"#/$defs/RequestId"},"jsonrpc":{"type":"string","const":"2.0"},"method":{"type":"string","const":"tools/rate"},
		"params":{"$ref":"#/$defs/RateToolRequestParams"}}}`)
	s.define("RateToolRequestParams", `{"type":"object","required":["_meta","name","stars"],"properties":{
		"_meta":{"$ref":"#/$defs/RequestMetaObject"},"name":{"type":"string"},"stars":{"type":"integer","minimum":1,"maximum":5}}}`)
	s.define("RateToolResult", `{"type":"object","required":["resultType"],"properties":{"_meta":{"$ref":"#/$defs/ResultMetaObject"},"resultType":{"type":"string"}}}`)
	s.variant("ClientRequest", "RateToolRequest", true)
	s.variant("ServerResult", "RateToolResult", true)

	// A notification removed and one added.
	s.remove("LoggingMessageNotification", "LoggingMessageNotificationParams")
	s.variant("ServerNotification", "LoggingMessageNotification", false)
	s.define("ToolUsedNotification", `{"type":"object","required":["jsonrpc","method","params"],"properties":{
		"jsonrpc":{"type":"string","const":"2.0"},"method":{"type":"string","const":"notifications/tools/used"},
		"params":{"type":"object","required":["name"],"properties":{"_meta":{"$ref":"#/$defs/NotificationMetaObject"},"name":{"type":"string"}}}}}`)
	s.variant("ServerNotification", "ToolUsedNotification", true)

	// A notification that clients ask for.
	s.definition("SubscriptionFilter")["properties"].(object)["toolsUsed"] = s.parse(`{"type":"boolean"}`)

	// Members that become required, optional, nullable and bounded, and a number that becomes an
	// integer.
	s.require("Prompt", "title", true)
	s.require("ImageContent", "mimeType", false)
	s.property("Resource", "size", `{"type":["integer","null"]}`)
	s.require("Resource", "size", true)
	s.property("CreateMessageRequestParams", "maxTokens", `{"type":"integer","minimum":1}`)
	s.property("ProgressNotificationParams", "total", `{"type":"integer"}`)

	// A member with another name.
	preferences := s.definition("ModelPreferences")["properties"].(object)
	preferences["priceWeight"] = preferences["costPriority"]
	delete(preferences, "costPriority")

	// An enum that grows, and one whose values are no words.
	s.define("Role", `{"type":"string","enum":["assistant","system","user"]}`)

	s.define("LoggingLevel", `{"type":"string","enum":["alert","critical","debug","emergency","error","info","notice","trace","warning"]}`)

	// A pattern, a definition with more values, and a keyword that converters do not check.
	s.property("Prompt", "name", `{"type":"string","pattern":"^[a-z]+$"}`)
	s.define("Cursor", `{"type":["string","integer"]}`)
	s.definition("Root")["dependentRequired"] = object{"name": []any{"_meta"}}

	s.definition("ToolAnnotations")["properties"].(object)["cost"] = s.parse(`{"type":"string","enum":["$","$$","per-use","per_use"]}`)

	// Definitions whose names are taken in Go, one of which refers to itself.
	s.define("Server", `{"type":"object","required":["url"],"properties":{"url":{"type":"string","format":"uri"},"mirror":{"$ref":"#/$defs/Server"}},
		"if":{"required":["mirror"]},"then":{"properties":{"url":{"pattern":"^https:"}}},"patternProperties":{"^x-":{"type":"integer"}}}`)
	s.define("error", `{"type":"array","prefixItems":[{"type":"integer"},{"type":"string"}],"items":false}`)
	s.definition("Implementation")["properties"].(object)["server"] = s.parse(`{"$ref":"#/$defs/Server"}`)
	s.definition("Implementation")["properties"].(object)["problem"] = s.parse(`{"$ref":"#/$defs/error"}`)

	// A union that becomes a struct.
	s.property("EmbeddedResource", "resource", `{"type":"object","required":["uri"],"properties":{
		"uri":{"type":"string","format":"uri"},"mimeType":{"type":"string"},"text":{"type":"string"},"blob":{"type":"string","format":"byte"}}}`)

	// A result told apart by resultType.
	s.define("DeferredResult", `{"type":"object","required":["resultType","until"],"properties":{
		"_meta":{"$ref":"#/$defs/ResultMetaObject"},"resultType":{"type":"string"},"until":{"type":"string"}}}`)
	call := s.defs["CallToolResultResponse"].(object)["properties"].(object)["result"].(object)
	call["anyOf"] = append(call["anyOf"].([]any), object{"$ref": "#/$defs/DeferredResult"})

	// An error with a code of its own.
	s.define("SlowDownError", `{"type":"object","required":["error","jsonrpc"],"properties":{"id":{"$ref":"#/$defs/RequestId"},"jsonrpc":{"type":"string","const":"2.0"},
		"error":{"allOf":[{"$ref":"#/$defs/Error"},{"type":"object","required":["code","data"],"properties":{"code":{"type":"integer","const":-32023},
			"data":{"type":"object","required":["after"],"properties":{"after":{"type":"integer","minimum":0}}}}}]}}}`)

	// Any value that becomes an object, and the reverse.
	s.property("CallToolResult", "structuredContent", `{"type":"object","additionalProperties":{}}`)
	s.property("ToolUseContent", "input", `{}`)

	out, err := json.MarshalIndent(schema, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// editor edits the definitions of a schema. What it edits must exist.
type editor struct {
	t    *testing.T
	defs object
}

func (e editor) parse(text string) object {
	e.t.Helper()
	var o object
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		e.t.Fatal(err)
	}
	return o
}

func (e editor) definition(name string) object {
	e.t.Helper()
	d, ok := e.defs[name].(object)
	if !ok {
		e.t.Fatalf("the newest revision has no %s", name)
	}
	return d
}

func (e editor) define(name, text string) { e.defs[name] = e.parse(text) }

func (e editor) remove(names ...string) {
	for _, name := range names {
		e.definition(name)
		delete(e.defs, name)
	}
}

// variant adds a variant to a union, or removes it.
func (e editor) variant(union, name string, add bool) {
	e.t.Helper()
	u := e.definition(union)
	var kept []any
	for _, v := range u["anyOf"].([]any) {
		if v.(object)["$ref"] != "#/$defs/"+name {
			kept = append(kept, v)
		}
	}
	if add {
		kept = append(kept, object{"$ref": "#/$defs/" + name})
	} else if len(kept) == len(u["anyOf"].([]any)) {
		e.t.Fatalf("%s has no variant %s", union, name)
	}
	u["anyOf"] = kept
}

// property replaces the schema of a member.
func (e editor) property(definition, name, text string) {
	e.t.Helper()
	properties := e.definition(definition)["properties"].(object)
	if properties[name] == nil {
		e.t.Fatalf("%s has no member %s", definition, name)
	}
	properties[name] = e.parse(text)
}

// require makes a member required, or optional.
func (e editor) require(definition, name string, required bool) {
	e.t.Helper()
	d := e.definition(definition)
	var names []any
	for _, n := range d["required"].([]any) {
		if n != name {
			names = append(names, n)
		}
	}
	if required {
		names = append(names, name)
	}
	d["required"] = names
}
