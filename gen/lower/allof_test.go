package lower_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/spec"
)

// TestNarrower checks that a member which several branches of an allOf declare
// keeps what each of them demands.
func TestNarrower(t *testing.T) {
	for _, tt := range []struct{ name, a, b, want string }{
		{"bounds", `{"type": "number", "minimum": 5, "maximum": 7}`, `{"type": "number", "minimum": 1, "maximum": 9}`, "number[5..7]"},
		{"a bound each", `{"type": "integer", "minimum": 5}`, `{"type": "integer", "maximum": 9}`, "integer[5..9]"},
		{"an exclusive bound", `{"type": "integer", "exclusiveMinimum": 5}`, `{"type": "integer", "minimum": 5}`, "integer(5..]"},
		{"lengths", `{"type": "string", "minLength": 2, "maxLength": 9}`, `{"type": "string", "maxLength": 5, "pattern": "a"}`, "string/a/(min 2, max 5)"},
		{"a format", `{"type": "string", "format": "uri"}`, `{"type": "string"}`, "string:uri"},
		{"elements", `{"type": "array", "items": {"type": "string"}, "maxItems": 3}`, `{"type": "array", "maxItems": 4}`, "[]string(max 3)"},
		{"elements of both", `{"type": "array", "items": {}}`, `{"type": "array", "items": {"type": "boolean"}}`, "[]boolean"},
		{"an open object and a reference", `{"type": "object"}`, `{"$ref": "#/$defs/O"}`, "O"},
		{"a reference and less", `{"$ref": "#/$defs/O"}`, `{"type": "object", "properties": {"o": {}}}`, "O"},
		{"a reference and more", `{"$ref": "#/$defs/O"}`, `{"type": "object", "properties": {"p": {}}}`, "CX"},
	} {
		for _, order := range [][2]string{{tt.a, tt.b}, {tt.b, tt.a}} {
			out, err := lowerText(strings.NewReplacer("A?", order[0], "B?", order[1]).Replace(
				`"O": {"type": "object", "properties": {"o": {"type": "string"}}, "required": ["o"]},
				"C": {"allOf": [{"type": "object", "properties": {"x": A?}}, {"type": "object", "properties": {"x": B?}}]}`), nil, true)
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
				continue
			}
			var text strings.Builder
			if err := ir.Print(&text, out.Revision); err != nil {
				t.Fatal(err)
			}
			if want := "\t\"x\" X " + tt.want + " \n"; !strings.Contains(text.String(), want) {
				t.Errorf("%s: no %q in\n%s", tt.name, want, text.String())
			}
		}
	}
}

// TestMessagesOfParts takes messages that are made by allOf for what they are,
// with the _meta that their parts forget.
func TestMessagesOfParts(t *testing.T) {
	out, err := lowerText(`
		"Request": {"type": "object", "properties": {"method": {"type": "string"}, "params": {"type": "object"}}, "required": ["method"]},
		"AskParams": {"allOf": [{"type": "object", "properties": {"q": {"type": "string"}}}, {"type": "object", "required": ["q"]}]},
		"AskRequest": {"allOf": [{"$ref": "#/$defs/Request"}, {"type": "object", "properties": {"method": {"type": "string", "const": "ask"}, "params": {"$ref": "#/$defs/AskParams"}}, "required": ["params"]}]},
		"AskResult": {"allOf": [{"type": "object", "properties": {"a": {}}}, {"type": "object", "required": ["a"]}]},
		"ClientRequest": {"$ref": "#/$defs/AskRequest"}`, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Revision.Methods) != 1 {
		t.Fatalf("got %d methods", len(out.Revision.Methods))
	}
	m := out.Revision.Methods[0]
	if got := m.Wire + " " + m.Params.Name + " " + m.Result.Name; got != "ask AskParams AskResult" || !m.ParamsRequired {
		t.Errorf("got %s, params required: %t", got, m.ParamsRequired)
	}
	for _, d := range []*ir.Decl{m.Params, m.Result} {
		var names []string
		for _, f := range d.Type.(*ir.Object).Fields {
			names = append(names, f.Wire)
		}
		if !strings.Contains(strings.Join(names, " "), "_meta") {
			t.Errorf("%s has no _meta: %q", d.Name, names)
		}
	}
}

// TestResultsOfUnions adds a result to a method that has several already.
func TestResultsOfUnions(t *testing.T) {
	rows := &spec.Overlay{Results: []spec.ResultRow{{Method: "ping", Also: "Task", Name: "PingResponse"}}}
	out, err := lowerText(request+`, `+requests+`,
		"Pong": {"type": "object", "properties": {"pong": {}}, "required": ["pong"]},
		"PingResult": {"anyOf": [{"$ref": "#/$defs/Pong"}, {"type": "object", "properties": {"no": {}}, "required": ["no"]}]},
		"Task": {"type": "object", "properties": {"task": {}}, "required": ["task"]}`, rows, true)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, v := range out.Revision.Lookup("PingResponse").Type.(*ir.Union).Variants {
		names = append(names, v.Decl.Name)
	}
	if diff := cmp.Diff([]string{"Pong", "PingResultOption2", "Task"}, names); diff != "" {
		t.Error(diff)
	}
}

// TestKeywords checks the ir of keywords in odd places.
func TestKeywords(t *testing.T) {
	for _, tt := range []struct{ name, schema, want string }{
		{"a closed object", `{"type": "object", "properties": {"a": {}}, "additionalProperties": false}`, "type A object (in messages, checked)\n\t\"a\" A any \n\tno others\n"},
		{"typed members beside others", `{"type": "object", "properties": {"a": {}}, "additionalProperties": {"type": "string", "maxLength": 2}}`, "\tothers string(max 2)\n"},
		{"names that are any", `{"type": "object", "propertyNames": {"type": "string"}, "additionalProperties": {"type": "string"}}`, "type A {}string (in messages)\n"},
		{"names with a pattern", `{"type": "object", "propertyNames": {"pattern": "x"}, "additionalProperties": {"type": "string"}}`, "type A {}string (in messages, checked, by /$defs/A)\n"},
		{"constants that are an enum", `{"anyOf": [{"const": "x"}, {"type": "string", "const": "y"}]}`, "type A enum (in messages, checked)\n\t\"x\" AX\n\t\"y\" AY\n"},
		{"scalars", `{"anyOf": [{"type": "string"}, {"type": ["integer", "null"]}]}`, "type A string|integer|null (in messages, checked)\n"},
		{"a nullable bound", `{"type": "array", "items": {"type": ["integer", "null"], "exclusiveMaximum": 3}}`, "type A []nullable integer[..3) (in messages, checked)\n"},
		{"a choice of required members", `{"type": "object", "properties": {"a": {}, "b": {}}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}`, "type A object (in messages, checked, by /$defs/A)\n"},
		{"a nested definition", `{"type": "array", "items": {"$ref": "#/$defs/A/$defs/b"}, "$defs": {"b": {"type": "integer", "minimum": 1}}}`, "type AB integer[1..] (in messages, checked)\n"},
		{"no value", `{"type": "object", "properties": {"a": {"not": {}}}}`, "\t\"a\" A any \n"},
	} {
		out, err := lowerText(`"A": `+tt.schema, nil, true)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		var text strings.Builder
		if err := ir.Print(&text, out.Revision); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(text.String(), tt.want) {
			t.Errorf("%s: no %q in\n%s", tt.name, tt.want, text.String())
		}
	}
}
