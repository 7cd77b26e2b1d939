package headers_test

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/headers"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestAnnotations checks the constraints on x-mcp-header.
func TestAnnotations(t *testing.T) {
	property := func(schema string) string {
		return `{"type":"object","properties":{"p":` + schema + `}}`
	}
	for _, c := range []struct {
		name, schema string
		wrong        string // the pointers of the problems, with a space between them
	}{
		{"no annotation", property(`{"type":"string"}`), ""},
		{"no schema", `{}`, ""},
		{"H31 empty", property(`{"type":"string","x-mcp-header":""}`), "/properties/p/x-mcp-header"},
		{"H31 a number", property(`{"type":"string","x-mcp-header":1}`), "/properties/p/x-mcp-header"},
		{"H31 null", property(`{"type":"string","x-mcp-header":null}`), "/properties/p/x-mcp-header"},
		{"H32 all characters of a token", property(`{"type":"string","x-mcp-header":"!#$%&'*+-.^_` + "`" + `|~09azAZ"}`), ""},
		{"H32 space", property(`{"type":"string","x-mcp-header":"My Region"}`), "/properties/p/x-mcp-header"},
		{"H32 colon", property(`{"type":"string","x-mcp-header":"a:b"}`), "/properties/p/x-mcp-header"},
		{"H32 slash", property(`{"type":"string","x-mcp-header":"a/b"}`), "/properties/p/x-mcp-header"},
		{"H32 not ASCII", property(`{"type":"string","x-mcp-header":"Région"}`), "/properties/p/x-mcp-header"},
		{"H32 line end", property(`{"type":"string","x-mcp-header":"a\r\nX-Evil"}`), "/properties/p/x-mcp-header"},
		{"H32 control character", property(`{"type":"string","x-mcp-header":"a\u0001"}`), "/properties/p/x-mcp-header"},
		{"H33 twice", `{"properties":{"a":{"type":"string","x-mcp-header":"R"},"b":{"type":"string","x-mcp-header":"R"}}}`, "/properties/b/x-mcp-header"},
		{"H33 twice in another case", `{"properties":{"a":{"type":"string","x-mcp-header":"Region"},"b":{"type":"integer","x-mcp-header":"rEGION"}}}`, "/properties/b/x-mcp-header"},
		{"H33 twice at other depths", `{"properties":{"a":{"properties":{"b":{"type":"string","x-mcp-header":"R"}}},"b":{"type":"string","x-mcp-header":"r"}}}`, "/properties/b/x-mcp-header"},
		{"H34 string, integer, boolean", `{"properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"integer","x-mcp-header":"B"},"c":{"type":"boolean","x-mcp-header":"C"}}}`, ""},
		{"H34 the type comes later", property(`{"x-mcp-header":"R","description":"d","type":"string"}`), ""},
		{"H34 string or null", property(`{"type":["string","null"],"x-mcp-header":"R"}`), ""},
		{"H34 number", property(`{"type":"number","x-mcp-header":"R"}`), "/properties/p/x-mcp-header"},
		{"H34 string or number", property(`{"type":["string","number"],"x-mcp-header":"R"}`), "/properties/p/x-mcp-header"},
		{"H34 object", property(`{"type":"object","x-mcp-header":"R"}`), "/properties/p/x-mcp-header"},
		{"H34 array", property(`{"type":"array","x-mcp-header":"R"}`), "/properties/p/x-mcp-header"},
		{"H34 null", property(`{"type":"null","x-mcp-header":"R"}`), "/properties/p/x-mcp-header"},
		{"H34 no type", property(`{"x-mcp-header":"R"}`), "/properties/p/x-mcp-header"},
		{"H34 no type but a reference", `{"$defs":{"d":{"type":"string"}},"properties":{"p":{"$ref":"#/$defs/d","x-mcp-header":"R"}}}`, "/properties/p/x-mcp-header"},
		{"H34 an empty list of types", property(`{"type":[],"x-mcp-header":"R"}`), "/properties/p/x-mcp-header"},
		{"H35 nested properties", property(`{"type":"object","properties":{"q":{"properties":{"r":{"type":"string","x-mcp-header":"R"}}}}}`), ""},
		{"H35 the root", `{"type":"string","x-mcp-header":"R"}`, "/x-mcp-header"},
		{"H35 items", property(`{"type":"array","items":{"type":"string","x-mcp-header":"R"}}`), "/properties/p/items/x-mcp-header"},
		{"H35 properties within items", property(`{"items":{"properties":{"q":{"type":"string","x-mcp-header":"R"}}}}`), "/properties/p/items/properties/q/x-mcp-header"},
		{"H35 an array of items", property(`{"items":[{"type":"string"},{"type":"string","x-mcp-header":"R"}]}`), "/properties/p/items/1/x-mcp-header"},
		{"H35 additionalProperties", property(`{"additionalProperties":{"type":"string","x-mcp-header":"R"}}`), "/properties/p/additionalProperties/x-mcp-header"},
		{"H35 patternProperties", `{"patternProperties":{"^a":{"type":"string","x-mcp-header":"R"}}}`, "/patternProperties/^a/x-mcp-header"},
		{"H35 a definition", `{"$defs":{"d":{"type":"string","x-mcp-header":"R"}},"properties":{"p":{"$ref":"#/$defs/d"}}}`, "/$defs/d/x-mcp-header"},
		{"H35 a schema that depends on a property", `{"dependentSchemas":{"a":{"properties":{"b":{"type":"string","x-mcp-header":"R"}}}}}`, "/dependentSchemas/a/properties/b/x-mcp-header"},
		{"H35 every place is reported", `{"allOf":[{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}],"not":{"properties":{"b":{"type":"string","x-mcp-header":"B"}}}}`, "/allOf/0/properties/a/x-mcp-header /not/properties/b/x-mcp-header"},
		{"a property with the name of the annotation", `{"properties":{"x-mcp-header":{"type":"string"}}}`, ""},
		{"an annotated property with the name of the annotation", `{"properties":{"x-mcp-header":{"type":"string","x-mcp-header":"R"}}}`, ""},
		{"an annotation in data", property(`{"type":"object","default":{"x-mcp-header":1},"enum":[{"x-mcp-header":""}],"const":{"x-mcp-header":""},"examples":[{"x-mcp-header":""}]}`), ""},
		{"an escaped annotation", property(`{"type":"string","x\u002dmcp-header":""}`), "/properties/p/x-mcp-header"},
		{"schemas that are booleans", `{"properties":{"a":true,"x-mcp-header":false},"items":false}`, ""},
		{"properties that are no object", `{"properties":["x-mcp-header"]}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			_, err := headers.NewTable(wire.Raw(c.schema))
			if invalid, ok := errors.AsType[*wire.ValidationError](err); ok {
				for _, p := range invalid.Problems {
					got = append(got, p.Pointer)
				}
			} else if err != nil {
				t.Fatal(err)
			}
			if strings.Join(got, " ") != c.wrong {
				t.Errorf("problems %v (%v), want %q", got, err, c.wrong)
			}
		})
	}
	for _, keyword := range []string{"oneOf", "anyOf", "allOf"} {
		t.Run("H35 "+keyword, func(t *testing.T) {
			_, err := headers.NewTable(wire.Raw(property(`{"` + keyword + `":[{"type":"string","x-mcp-header":"R"}]}`)))
			if err == nil {
				t.Error("no error")
			}
		})
	}
	for _, keyword := range []string{"not", "if", "then", "else", "contains", "propertyNames", "unevaluatedItems", "unevaluatedProperties", "contentSchema", "additionalItems"} {
		t.Run("H35 "+keyword, func(t *testing.T) {
			_, err := headers.NewTable(wire.Raw(property(`{"` + keyword + `":{"type":"string","x-mcp-header":"R"}}`)))
			if err == nil {
				t.Error("no error")
			}
		})
	}
	if _, err := headers.NewTable(`{"properties":{"x-mcp-header"`); err == nil {
		t.Error("text that is not JSON: no error")
	}
}

const schema = `{"type":"object","properties":{
	"region":{"type":"string","x-mcp-header":"Region"},
	"count":{"type":"integer","x-mcp-header":"x-COUNT"},
	"dry":{"type":["boolean","null"],"x-mcp-header":"Dry"},
	"where":{"type":"object","properties":{"tenant/id":{"type":"string","x-mcp-header":"Tenant"}}},
	"query":{"type":"string"}}}`

func tableOf(t testing.TB, schema string) *headers.Table {
	table, err := headers.NewTable(wire.Raw(schema))
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// TestSet checks which headers a client sends (H30, H36, H39, H43, H48).
func TestSet(t *testing.T) {
	const refused = "an error"
	table := tableOf(t, schema)
	if table.Len() != 4 {
		t.Errorf("%d headers", table.Len())
	}
	for _, c := range []struct{ name, arguments, want string }{
		{"H30 H43 all", `{"region":"us-west1","count":42,"dry":true,"where":{"tenant/id":"t"},"query":"q"}`,
			"Mcp-Param-Dry: true, Mcp-Param-Region: us-west1, Mcp-Param-Tenant: t, Mcp-Param-X-Count: 42"},
		{"H36 none", `{"query":"q"}`, ""},
		{"H36 no arguments", "", ""},
		{"H36 the path ends early", `{"where":{}}`, ""},
		{"H36 the path leads through another kind", `{"where":"x"}`, ""},
		{"H36 the name at another path", `{"tenant/id":"t","where":{"region":"r"}}`, ""},
		{"H36 the name in another case", `{"Region":"r"}`, ""},
		{"H48 null", `{"region":null,"dry":null,"where":null}`, ""},
		{"H39 empty string", `{"region":""}`, "Mcp-Param-Region: "},
		{"H39 false", `{"dry":false}`, "Mcp-Param-Dry: false"},
		{"H39 negative", `{"count":-7}`, "Mcp-Param-X-Count: -7"},
		{"H39 zero", `{"count":-0}`, "Mcp-Param-X-Count: 0"},
		{"H39 an integer with a fraction of zero", `{"count":42.0}`, "Mcp-Param-X-Count: 42"},
		{"H39 an integer with an exponent", `{"count":1e2}`, "Mcp-Param-X-Count: 100"},
		{"H39 an escaped string", `{"region":"\u0061\/b"}`, "Mcp-Param-Region: a/b"},
		{"H40 encoded", `{"region":"a\nb"}`, "Mcp-Param-Region: =?base64?YQpi?="},
		{"H34 the largest integer", `{"count":9007199254740991}`, "Mcp-Param-X-Count: 9007199254740991"},
		{"H34 the smallest integer", `{"count":-9007199254740991}`, "Mcp-Param-X-Count: -9007199254740991"},
		{"H34 too large", `{"count":9007199254740992}`, refused},
		{"H34 too small", `{"count":-9007199254740992}`, refused},
		{"H34 huge", `{"count":1e400}`, refused},
		{"H34 a fraction", `{"count":1.5}`, refused},
		{"H34 an object", `{"region":{}}`, refused},
		{"H34 an array", `{"region":["a"]}`, refused},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := http.Header{}
			err := table.Set(h, wire.Object(c.arguments))
			if c.want == refused {
				if err == nil {
					t.Errorf("%v, want an error", h)
				}
				return
			}
			var lines []string
			for _, name := range slices.Sorted(maps.Keys(h)) {
				lines = append(lines, name+": "+strings.Join(h[name], " and "))
			}
			if got := strings.Join(lines, ", "); err != nil || got != c.want {
				t.Errorf("%s, %v, want %s", got, err, c.want)
			}
			check(t, table.Check(h, wire.Object(c.arguments)), "")
		})
	}
}

// TestCheckCase checks which arguments a server that ignores case could read in place of one with a header.
func TestCheckCase(t *testing.T) {
	const both = `{"properties":{"id":{"type":"string","x-mcp-header":"A"},"ID":{"type":"string","x-mcp-header":"B"}}}`
	for _, c := range []struct {
		schema, arguments string
		wrong             bool
	}{
		{schema, `{"region":"r","REGION":"s"}`, true},
		{schema, `{"Region":"r"}`, true},
		{schema, `{"region":"r","query":"q","Query":"r"}`, false},
		{schema, `{"Where":{"tenant/id":"t"}}`, true},
		{schema, `{"where":{"tenant/id":"t","Tenant/ID":"u"}}`, true},
		{schema, `{"where":{"tenant/id":"t","region":"r","Count":1}}`, false},
		{schema, `{"where":["Tenant/ID"]}`, false},
		{schema, "", false},
		{both, `{"id":"a","ID":"b"}`, false},
		{both, `{"id":"a","Id":"b"}`, true},
	} {
		if err := tableOf(t, c.schema).CheckCase(wire.Object(c.arguments)); (err != nil) != c.wrong {
			t.Errorf("%s: %v", c.arguments, err)
		}
	}
	if err := (*headers.Table)(nil).CheckCase(`{"A":1,"a":2}`); err != nil {
		t.Error(err)
	}
}

// TestCheck checks which headers a server refuses.
//
// T3
func TestCheck(t *testing.T) {
	const region, count, dry, tenant = "Mcp-Param-Region", "Mcp-Param-X-Count", "Mcp-Param-Dry", "Mcp-Param-Tenant"
	table := tableOf(t, schema)
	for _, c := range []struct{ name, arguments, lines, wrong string }{
		{"H47 equal", `{"region":"us-west1"}`, "Mcp-Param-Region: us-west1", ""},
		{"H47 different", `{"region":"us-west1"}`, "Mcp-Param-Region: eu", region},
		{"H47 nested", `{"where":{"tenant/id":"t"}}`, "Mcp-Param-Tenant: u", tenant},
		{"H47 boolean", `{"dry":false}`, "Mcp-Param-Dry: true", dry},
		{"H50 the case of the name", `{"region":"r"}`, "MCP-PARAM-REGION: r", ""},
		{"H50 the case of the value", `{"region":"r"}`, "Mcp-Param-Region: R", region},
		{"H50 the case of a boolean", `{"dry":true}`, "Mcp-Param-Dry: True", dry},
		{"H42 encoded", `{"region":"Hello"}`, "Mcp-Param-Region: =?base64?SGVsbG8=?=", ""},
		{"H42 encoded and different", `{"region":"Hello"}`, "Mcp-Param-Region: =?base64?SGVsbG9v?=", region},
		{"H42 an argument like an encoded value", `{"region":"=?base64?SGVsbG8=?="}`, "Mcp-Param-Region: =?base64?SGVsbG8=?=", region},
		{"H42 an encoded integer", `{"count":42}`, "Mcp-Param-X-Count: =?base64?NDI=?=", ""},
		{"H46 bad base64", `{"region":"Hello"}`, "Mcp-Param-Region: =?base64?SGVsbG8?=", region},
		{"H46 invalid characters", `{"region":"é"}`, "Mcp-Param-Region: é", region},
		{"H48 absent", `{}`, "", ""},
		{"H48 null", `{"region":null,"dry":null}`, "", ""},
		{"H48 no arguments", "", "", ""},
		{"H48 a header for an absent argument", `{}`, "Mcp-Param-Region: r", region},
		{"H48 a header for null", `{"region":null}`, "Mcp-Param-Region: null", region},
		{"H49 missing", `{"region":"r"}`, "", region},
		{"H49 missing for an empty string", `{"region":""}`, "", region},
		{"H49 empty for an empty string", `{"region":""}`, "Mcp-Param-Region:", ""},
		{"H49 missing for false", `{"dry":false}`, "", dry},
		{"H51 twice", `{"region":"r"}`, "Mcp-Param-Region: r\nMcp-Param-Region: r", region},
		{"H52 a fraction of zero in the header", `{"count":42}`, "Mcp-Param-X-Count: 42.0", ""},
		{"H52 a fraction of zero in the message", `{"count":42.0}`, "Mcp-Param-X-Count: 42", ""},
		{"H52 exponents", `{"count":4200e-2}`, "Mcp-Param-X-Count: 4.2e1", ""},
		{"H52 zero", `{"count":-0}`, "Mcp-Param-X-Count: 0", ""},
		{"H52 different integers", `{"count":42}`, "Mcp-Param-X-Count: 43", count},
		{"H52 not JSON", `{"count":42}`, "Mcp-Param-X-Count: +42", count},
		{"H52 leading zero", `{"count":42}`, "Mcp-Param-X-Count: 042", count},
		{"H52 hexadecimal", `{"count":42}`, "Mcp-Param-X-Count: 0x2a", count},
		{"H52 a string is not a number", `{"region":"42"}`, "Mcp-Param-Region: 42.0", region},
		{"H34 an integer that is too large", `{"count":9007199254740992}`, "Mcp-Param-X-Count: 9007199254740992", count},
		{"H34 a fraction", `{"count":1.5}`, "Mcp-Param-X-Count: 1.5", count},
		{"H34 an object", `{"region":{}}`, "Mcp-Param-Region: {}", region},
		{"H34 an object without a header", `{"region":{}}`, "", region},
		{"H45 an unknown header is ignored", `{"query":"q"}`, "Mcp-Param-Query: other\nMcp-Param-Unknown: x", ""},
		{"H64 white space", `{"region":"r"}`, "Mcp-Param-Region:  r\t", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			check(t, table.Check(parse(c.lines), wire.Object(c.arguments)), c.wrong)
		})
	}
	var none *headers.Table
	if err := none.Check(parse("Mcp-Param-A: 1"), `{"a":2}`); err != nil || none.Set(nil, `{"a":2}`) != nil || none.Len() != 0 {
		t.Errorf("no table: %v", err)
	}
}

// TestTableDepth checks a schema that is nearly as deep as a message can be.
func TestTableDepth(t *testing.T) {
	const depth = 400
	deep := strings.Repeat(`{"properties":{"p":`, depth) + `{"type":"string","x-mcp-header":"R"}` + strings.Repeat(`}}`, depth)
	table := tableOf(t, deep)
	h := http.Header{}
	arguments := strings.Repeat(`{"p":`, depth) + `"v"` + strings.Repeat(`}`, depth)
	if err := table.Set(h, wire.Object(arguments)); err != nil || h.Get("Mcp-Param-R") != "v" {
		t.Errorf("%v, %v", h, err)
	}
}

// FuzzTable checks that any schema has an answer, and that the headers that a client sets pass the
// check of a server.
func FuzzTable(f *testing.F) {
	f.Add(schema, `{"region":"us-west1","count":42,"dry":true,"where":{"tenant/id":"é"}}`)
	f.Add(`{"properties":{"":{"type":"integer","x-mcp-header":"A"}}}`, `{"":1e3}`)
	f.Add(`{"items":{"x-mcp-header":"A"}}`, `{}`)
	f.Fuzz(func(t *testing.T, schema, arguments string) {
		table, err := headers.NewTable(wire.Raw(schema))
		var o wire.Object
		if err != nil || wire.UnmarshalString(arguments, &o) != nil {
			return
		}
		h := http.Header{}
		if table.Set(h, o) != nil {
			if err := table.Check(h, o); err == nil {
				t.Error("a server accepts arguments that a client cannot send")
			}
			return
		}
		if len(h) > table.Len() {
			t.Errorf("%d headers of %d", len(h), table.Len())
		}
		for name := range h {
			if name != http.CanonicalHeaderKey(name) {
				t.Errorf("header %q is not in the canonical form", name)
			}
		}
		if err := table.Check(h, o); err != nil {
			t.Error(err)
		}
	})
}

// ExampleTable mirrors an argument of a call.
func ExampleTable() {
	table, err := headers.NewTable(`{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}`)
	if err != nil {
		fmt.Println(err)
		return
	}
	h := http.Header{}
	headers.Standard{Revision: "2026-07-28", Method: "tools/call", Name: "execute_sql", Named: true}.Set(h)
	if err := table.Set(h, `{"region":"us-west1"}`); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(h.Get("Mcp-Name"), h.Get("Mcp-Param-Region"))
	// Output: execute_sql us-west1
}

// TestTools checks which tools have tables, and that a table is replaced or forgotten with the tool's definition.
func TestTools(t *testing.T) {
	with := wire.Object(`{"name":"a","inputSchema":{"type":"object","properties":{"x":{"type":"string","x-mcp-header":"X"}}}}`)
	var tools headers.Tools
	for _, step := range []struct {
		definition wire.Object
		tables     int // of tool a
		fails      bool
	}{
		{`{"name":"a","inputSchema":{"type":"object"}}`, 0, false},
		{with, 1, false},
		{`{"name":"b"}`, 1, false},
		{`{"name":"a","inputSchema":{"properties":{"x":{"type":"string","x-mcp-header":"no name"}}}}`, 0, true},
		{with, 1, false},
		{`{"name":"a"}`, 0, false},
	} {
		if err := tools.Read(step.definition); (err != nil) != step.fails {
			t.Errorf("%s: %v", step.definition, err)
		}
		if n := tools.Table("a").Len(); n != step.tables || tools.Table("b") != nil {
			t.Errorf("%s: the table of a has %d headers, want %d", step.definition, n, step.tables)
		}
	}
}
