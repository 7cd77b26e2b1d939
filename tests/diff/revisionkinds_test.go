package diff

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/gen/diff"
)

// revisionKind is a change of one schema of a revision. At is the path of the schema
// below the definitions, patch what its members become; null removes one.
type revisionKind struct{ name, at, patch, effect string }

var revisionKinds = []revisionKind{
	{"optional member added", "Tool/properties", `{"another":{"type":"string"}}`, "none"},
	{"optional member removed", "Tool/properties", `{"title":null}`, "none"},
	{"member became required", "Tool", `{"required":["inputSchema","name","description"]}`, "narrows"},
	{"member became optional", "Tool", `{"required":["name"]}`, "widens"},
	{"required member added", "Implementation", `{"properties":{"name":{"type":"string"},"version":{"type":"string"},"vendor":{"type":"string"}},"required":["name","vendor","version"]}`, "narrows"},
	{"required member removed", "Implementation", `{"properties":{"name":{"type":"string"}},"required":["name"]}`, "widens"},
	{"member retyped", "Tool/properties/description", `{"type":"integer"}`, "both"},
	{"type added", "Tool/properties/description", `{"type":["string","null"]}`, "widens"},
	{"type removed", "ProgressToken", `{"type":"string"}`, "narrows"},
	{"integer to number", "ProgressToken", `{"type":["string","number"]}`, "widens"},
	{"any value to a type", "LoggingMessageNotificationParams/properties/data", `{"type":"string"}`, "narrows"},
	{"enum value added", "Role", `{"enum":["assistant","user","system"]}`, "widens"},
	{"enum value removed", "LoggingLevel", `{"enum":["alert","critical","debug","emergency","error","info","notice"]}`, "narrows"},
	{"enum value replaced", "Role", `{"enum":["assistant","human"]}`, "both"},
	{"enum opened", "Role", `{"enum":null}`, "widens"},
	{"enum in another order", "Role", `{"enum":["user","assistant"]}`, "none"},
	{"enum as anyOf", "Role", `{"enum":null,"type":null,"anyOf":[{"const":"user"},{"const":"assistant"}]}`, "none"},
	{"const changed", "TextContent/properties/type", `{"const":"plain"}`, "both"},
	{"const as enum", "TextContent/properties/type", `{"const":null,"enum":["text"]}`, "none"},
	{"format added", "Tool/properties/name", `{"format":"uri"}`, "narrows"},
	{"format removed", "Resource/properties/uri", `{"format":null}`, "widens"},
	{"format replaced", "Resource/properties/uri", `{"format":"email"}`, "both"},
	{"format nobody checks", "Tool/properties/name", `{"format":"color"}`, "none"},
	{"minimum raised", "Annotations/properties/priority", `{"minimum":0.5}`, "narrows"},
	{"maximum raised", "Annotations/properties/priority", `{"maximum":2}`, "widens"},
	{"minimum removed", "ModelPreferences/properties/costPriority", `{"minimum":null}`, "widens"},
	{"items retyped", "Icon/properties/sizes", `{"items":{"type":"integer"}}`, "both"},
	{"maxItems added", "CompleteResult/properties/completion/properties/values", `{"maxItems":100}`, "narrows"},
	{"minItems added", "ListToolsResult/properties/tools", `{"minItems":1}`, "narrows"},
	{"uniqueItems added", "Icon/properties/sizes", `{"uniqueItems":true}`, "narrows"},
	{"variant added", "ContentBlock", `{"anyOf":[{"$ref":"#/$defs/TextContent"},{"$ref":"#/$defs/ImageContent"},{"$ref":"#/$defs/AudioContent"},{"$ref":"#/$defs/ResourceLink"},{"$ref":"#/$defs/EmbeddedResource"},{"type":"object","required":["type","video"],"properties":{"type":{"const":"video"},"video":{"type":"string"}}}]}`, "widens"},
	{"variant removed", "ContentBlock", `{"anyOf":[{"$ref":"#/$defs/TextContent"},{"$ref":"#/$defs/ImageContent"},{"$ref":"#/$defs/AudioContent"},{"$ref":"#/$defs/ResourceLink"}]}`, "narrows"},
	{"variants in another order", "ContentBlock", `{"anyOf":[{"$ref":"#/$defs/EmbeddedResource"},{"$ref":"#/$defs/ResourceLink"},{"$ref":"#/$defs/AudioContent"},{"$ref":"#/$defs/ImageContent"},{"$ref":"#/$defs/TextContent"}]}`, "none"},
	{"variants that exclude each other", "ContentBlock", `{"anyOf":null,"oneOf":[{"$ref":"#/$defs/TextContent"},{"$ref":"#/$defs/ImageContent"},{"$ref":"#/$defs/AudioContent"},{"$ref":"#/$defs/ResourceLink"},{"$ref":"#/$defs/EmbeddedResource"}]}`, "none"},
	{"pattern added", "Tool/properties/name", `{"pattern":"^[a-z]+$"}`, "narrows"},
	{"minLength added", "Tool/properties/name", `{"minLength":1}`, "narrows"},
	{"maxLength added", "Tool/properties/name", `{"maxLength":64}`, "narrows"},
	{"multipleOf added", "Resource/properties/size", `{"multipleOf":2}`, "narrows"},
	{"multipleOf 1", "Resource/properties/size", `{"multipleOf":1}`, "none"},
	{"integer as multiples of 1", "Resource/properties/size", `{"type":"number","multipleOf":1}`, "none"},
	{"not added", "Tool/properties/name", `{"not":{"const":"x"}}`, "narrows"},
	{"default added", "Resource/properties/size", `{"default":0}`, "none"},
	{"no required members", "Annotations", `{"required":[]}`, "none"},
	{"prose", "Tool", `{"title":"A tool","description":"Something else."}`, "none"},
	{"reference replaced by its target", "Annotations/properties/audience/items", `{"$ref":null,"enum":["assistant","user"],"type":"string"}`, "none"},
	{"type as a list", "Tool/properties/name", `{"type":["string"]}`, "none"},
	{"allOf around a reference", "Tool/properties/annotations", `{"$ref":null,"allOf":[{"$ref":"#/$defs/ToolAnnotations"}]}`, "none"},
	{"values of a map retyped", "ElicitResult/properties/content", `{"additionalProperties":{"type":"string"}}`, "narrows"},
	{"values of a map wider", "ElicitResult/properties/content/additionalProperties", `{"anyOf":[{"items":{"type":"string"},"type":"array"},{"type":["string","number","boolean","null"]}]}`, "widens"},
	{"dependentRequired added", "CompleteResult/properties/completion", `{"dependentRequired":{"total":["hasMore"]}}`, "narrows"},
	{"if then added", "CompleteResult/properties/completion", `{"if":{"required":["total"]},"then":{"required":["hasMore"]}}`, "narrows"},
	{"params became required", "ListToolsRequest", `{"required":["id","jsonrpc","method","params"]}`, "narrows"},
	{"minProperties added", "ModelPreferences", `{"minProperties":1}`, "narrows"},
	{"propertyNames added", "ElicitResult/properties/content", `{"propertyNames":{"pattern":"^[a-z]+$"}}`, "narrows"},
	{"boolean closed", "ToolAnnotations/properties/readOnlyHint", `{"const":true}`, "narrows"},
	{"boolean as enum", "ToolAnnotations/properties/readOnlyHint", `{"type":null,"enum":[true,false]}`, "none"},
}

// TestRevisionKinds checks each kind of change of a revision, both ways, against what it
// does to the messages that are accepted.
func TestRevisionKinds(t *testing.T) {
	const revision = "2025-11-25"
	old := lenient(t, "old", decoded(t, revision))
	for _, row := range revisionKinds {
		t.Run(row.name, func(t *testing.T) {
			root := decoded(t, revision)
			row.apply(t, root)
			new := lenient(t, "new", root)
			narrows, widens := row.effect == "narrows" || row.effect == "both", row.effect == "widens" || row.effect == "both"
			holdRevisions(t, "", old, new, narrows, widens)
			holdRevisions(t, "back", new, old, widens, narrows)
			holdRevisions(t, "itself", new, new, false, false)
		})
	}
	if len(revisionKinds) < 47 {
		t.Errorf("%d kinds", len(revisionKinds))
	}
}

func (k revisionKind) apply(t *testing.T, root map[string]any) {
	t.Helper()
	at := root["$defs"].(map[string]any)
	for name := range strings.SplitSeq(k.at, "/") {
		at = at[name].(map[string]any)
	}
	var patch map[string]any
	if err := json.Unmarshal([]byte(k.patch), &patch); err != nil {
		t.Fatal(err)
	}
	for name, v := range patch {
		if at[name] = v; v == nil {
			delete(at, name)
		}
	}
}

// holdRevisions compares two revisions and holds the report against what is expected.
func holdRevisions(t *testing.T, name string, old, new diff.Revision, narrows, widens bool) {
	t.Helper()
	report, err := diff.Revisions(old, new)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	receiver, sender := false, false
	lines := report.Problems
	for _, f := range report.Findings {
		receiver = receiver || f.Verdicts.ReceiverFirst == diff.LevelErr
		sender = sender || f.Verdicts.SenderFirst == diff.LevelErr
		lines = append(lines, fmt.Sprintf("%s at %s: %s (%s, %s) %s", f.Rule, f.Subject, f.Message, f.Verdicts.ReceiverFirst, f.Verdicts.SenderFirst, f.Unproven))
	}
	if receiver != narrows || sender != widens || len(report.Problems) > 0 {
		t.Errorf("%s: narrows %t, widens %t, want %t and %t\n\t%s", name, receiver, sender, narrows, widens, strings.Join(lines, "\n\t"))
	}
}
