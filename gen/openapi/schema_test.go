package openapi

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// documentOf reads a document with a schema as the component "S", and others.
func documentOf(t *testing.T, version, schema, others string) *documents {
	t.Helper()
	if others != "" {
		others = "," + others
	}
	text := fmt.Sprintf(`{"openapi":%q,"paths":{},"components":{"schemas":{"S":%s%s}}}`, version, schema, others)
	d, err := read("api.json", []byte(text), nil, MostBytes)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// converted returns the schema "S" and its definitions.
func converted(t *testing.T, d *documents, response bool, limit int) string {
	t.Helper()
	c := d.converter(response, limit)
	text := string(withDefinitions(c, c.convert(d.at("/components/schemas/S"))))
	if _, problems := jsonschema.Read("", wire.Raw(text)); len(problems) > 0 {
		t.Errorf("%s: %v", text, problems)
	}
	return text
}

// TestConvert checks what becomes of each keyword.
func TestConvert(t *testing.T) {
	const old, current = "3.0.4", "3.1.1"
	for _, row := range []struct {
		version, schema, want string
		note                  string // a part of a note, or "" for none
	}{
		{old, `{"type":"string","nullable":true}`, `{"type":["string","null"]}`, ""},
		{old, `{"type":"string","nullable":true,"enum":["a"]}`, `{"type":["string","null"],"enum":["a",null]}`, ""},
		{old, `{"nullable":true,"allOf":[{"type":"object"}],"description":"d"}`, `{"anyOf":[{"allOf":[{"type":"object"}],"description":"d"},{"type":"null"}]}`, ""},
		{old, `{"type":"number","minimum":1,"exclusiveMinimum":true,"maximum":2.50,"exclusiveMaximum":false}`, `{"type":"number","exclusiveMinimum":1,"maximum":2.50}`, ""},
		{old, `{"type":"string","example":"x","xml":{},"x-own":1,"externalDocs":{},"discriminator":{"propertyName":"a"}}`, `{"type":"string","examples":["x"]}`, ""},
		{old, `{"type":"string","format":"byte"}`, `{"type":"string","format":"byte","contentEncoding":"base64"}`, ""},
		{old, `{"oneOf":[{"type":"string"},{"type":"integer"}]}`, `{"anyOf":[{"type":"string"},{"type":"integer"}]}`, ""},
		{old, `{"oneOf":[{"type":"string"}],"anyOf":[{"type":"string"}]}`, `{"oneOf":[{"type":"string"}],"anyOf":[{"type":"string"}]}`, ""},
		{old, `{"type":"object","additionalProperties":false,"properties":{}}`, `{"type":"object","additionalProperties":false,"properties":{}}`, ""},
		{old, `{"type":"string","enum":["a",1.0,true,"a"]}`, `{"type":"string","enum":["a","1.0","true"]}`, ""},
		{current, `{"type":["integer","null"],"exclusiveMinimum":1,"const":5,"examples":[5]}`, `{"type":["integer","null"],"exclusiveMinimum":1,"const":5}`, ""},
		{current, `{"prefixItems":[{"type":"string"}],"items":false}`, `{"prefixItems":[{"type":"string"}],"items":false}`, ""},
		{current, `true`, `true`, ""},
		{current, `{"type":"string","x-mcp-header":"Trace"}`, `{"type":"string"}`, "x-mcp-header is left out"},
		{current, `{"type":"integer","enum":[0,1],"x-enum-varnames":["Off","On"]}`, `{"type":"integer","enum":[0,1]}`, "x-enum-varnames is left out"},
		// Mistakes of real documents.
		{old, `{"type":"any"}`, `{}`, `type cannot be "any"`},
		{old, `{"type":"string","pattern":"(?i)["}`, `{"type":"string"}`, "is not a regular expression"},
		{old, `{"type":"string","minLength":-1,"maxLength":"5","required":true,"description":""}`, `{"type":"string"}`, "minLength cannot be -1"},
		{old, `{"type":"object","properties":{"a":1},"required":"a"}`, `{"type":"object","properties":{"a":{}}}`, "a schema must be an object, found a number"},
		{old, `{"type":"array","items":[{"type":"string"}],"uniqueItems":"no"}`, `{"type":"array","prefixItems":[{"type":"string"}]}`, "uniqueItems"},
		{old, `{"enum":[],"allOf":[],"multipleOf":0}`, `{}`, "enum cannot be []"},
	} {
		d := documentOf(t, row.version, row.schema, "")
		if diff := cmp.Diff(row.want, converted(t, d, false, 1000)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.schema, diff)
		}
		var notes []string
		for _, n := range d.notes {
			notes = append(notes, n.Error())
		}
		if all := strings.Join(notes, "\n"); row.note == "" && all != "" || !strings.Contains(all, row.note) {
			t.Errorf("%s: the notes are %q, want %q", row.schema, all, row.note)
		}
		if len(d.faults) > 0 {
			t.Errorf("%s: %v", row.schema, d.err())
		}
	}
}

// TestSides checks that requests have no read-only members, and that answers need not have write-only
// ones, also if another branch of an allOf requires them.
func TestSides(t *testing.T) {
	const schema = `{"type":"object","required":["id","secret","name"],"properties":{
		"id":{"type":"string","readOnly":true},"secret":{"type":"string","writeOnly":true},"name":{"type":"string"}}}`
	for _, row := range []struct {
		schema   string
		response bool
		want     string
	}{
		{schema, false, `{"type":"object","required":["secret","name"],"properties":{"secret":{"type":"string"},"name":{"type":"string"}}}`},
		{schema, true, `{"type":"object","required":["id","name"],"properties":{"id":{"type":"string"},"secret":{"type":"string"},"name":{"type":"string"}}}`},
		{`{"allOf":[{"properties":{"id":{"readOnly":true}}},{"required":["id","a"]}]}`, false, `{"allOf":[{"properties":{}},{"required":["a"]}]}`},
		// The flag of what a property refers to counts too.
		{`{"required":["a","b","c"],"properties":{"a":{"$ref":"#/components/schemas/ReadOnly"},"b":{"allOf":[{"$ref":"#/components/schemas/ReadOnly"}]},"c":{"type":"integer"}}}`, false,
			`{"required":["c"],"properties":{"c":{"type":"integer"}}}`},
	} {
		others := `"ReadOnly":{"type":"string","readOnly":true}`
		if diff := cmp.Diff(row.want, converted(t, documentOf(t, "3.0.3", row.schema, others), row.response, 1000)); diff != "" {
			t.Errorf("response %v (-want +got):\n%s", row.response, diff)
		}
	}
}

// TestReferences checks that a schema has the definitions that it reaches, and recursion.
func TestReferences(t *testing.T) {
	const others = `"A":{"type":"object","properties":{"b":{"$ref":"#/components/schemas/B%3CC%3E"}}},"B<C>":{"type":"array","items":{"$ref":"#/components/schemas/A"}},"Unused":{}`
	for _, row := range []struct{ version, want string }{
		{"3.0.0", `{"anyOf":[{"$ref":"#/$defs/A","description":"d"},{"$ref":"#/$defs/b"}],"$defs":{"A":{"type":"object","properties":{"b":{"$ref":"#/$defs/B_C"}}},"b":{"$ref":"#/$defs/B_C"},"B_C":{"type":"array","items":{"$ref":"#/$defs/A"}}}}`},
		{"3.1.0", `{"anyOf":[{"$ref":"#/$defs/A","description":"d","minProperties":1},{"$ref":"#/$defs/b"}],"$defs":{"A":{"type":"object","properties":{"b":{"$ref":"#/$defs/B_C"}}},"b":{"$ref":"#/$defs/B_C"},"B_C":{"type":"array","items":{"$ref":"#/$defs/A"}}}}`},
	} {
		d := documentOf(t, row.version, `{"anyOf":[{"$ref":"#/components/schemas/A","description":"d","minProperties":1},{"$ref":"#/components/schemas/A/properties/b"}]}`, others)
		if diff := cmp.Diff(row.want, converted(t, d, false, 1000)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.version, diff)
		}
	}
}

// TestAnchors checks that references by name lead to the schemas with the name, also those of a $dynamicRef: a document
// is one resource.
func TestAnchors(t *testing.T) {
	const others = `"Tree":{"$dynamicAnchor":"node","type":"object","properties":{"children":{"type":"array","items":{"$dynamicRef":"#node"}},"leaf":{"$ref":"#leaf"}}},"Leaf":{"$anchor":"leaf","type":"string"}`
	want := `{"$ref":"#/$defs/Tree","$defs":{"Tree":{"type":"object","properties":{"children":{"type":"array","items":{"$ref":"#/$defs/Tree"}},"leaf":{"$ref":"#/$defs/Leaf"}}},"Leaf":{"type":"string"}}}`
	if diff := cmp.Diff(want, converted(t, documentOf(t, "3.1.0", `{"$ref":"#/components/schemas/Tree"}`, others), false, 1000)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestDiscriminator checks that the branches of requests have the values that the discriminator gives them.
func TestDiscriminator(t *testing.T) {
	const others = `"Cat":{"type":"object","properties":{"kind":{"type":"string"}}},"Dog":{"allOf":[{"$ref":"#/components/schemas/Cat"}]},` +
		`"Own":{"allOf":[{"properties":{"kind":{"$ref":"#/components/schemas/Kind"}}}]},"Kind":{"enum":["own"]},"Fox":{"type":"object"}`
	const schema = `{"oneOf":[{"$ref":"#/components/schemas/Cat"},{"$ref":"#/components/schemas/Dog"},{"$ref":"#/components/schemas/Own"},{"$ref":"#/components/schemas/Fox"},{"type":"object"}],` +
		`"discriminator":{"propertyName":"kind","mapping":{"cat":"#/components/schemas/Cat","kitten":"Cat","dog":"Dog","own":"Own","none":"Other"}}}`
	const defs = `"$defs":{"Cat":{"type":"object","properties":{"kind":{"type":"string"}}},"Dog":{"allOf":[{"$ref":"#/$defs/Cat"}]},"Own":{"allOf":[{"properties":{"kind":{"$ref":"#/$defs/Kind"}}}]},"Fox":{"type":"object"},"Kind":{"enum":["own"]}}}`
	for _, row := range []struct {
		schema   string
		response bool
		want     string
	}{
		{schema, false, `{"anyOf":[{"$ref":"#/$defs/Cat","properties":{"kind":{"enum":["cat","kitten"]}}},{"$ref":"#/$defs/Dog","properties":{"kind":{"const":"dog"}}},{"$ref":"#/$defs/Own"},{"$ref":"#/$defs/Fox"},{"type":"object"}],` + defs},
		{schema, true, `{"anyOf":[{"$ref":"#/$defs/Cat"},{"$ref":"#/$defs/Dog"},{"$ref":"#/$defs/Own"},{"$ref":"#/$defs/Fox"},{"type":"object"}],` + defs},
		{`{"oneOf":[{"$ref":"#/components/schemas/Cat"},{"$ref":"#/components/schemas/Own"}],"discriminator":{"propertyName":"kind","mapping":{"own":"Own"}}}`, false,
			`{"anyOf":[{"$ref":"#/$defs/Cat","properties":{"kind":{"const":"Cat"}}},{"$ref":"#/$defs/Own"}],"$defs":{"Cat":{"type":"object","properties":{"kind":{"type":"string"}}},"Own":{"allOf":[{"properties":{"kind":{"$ref":"#/$defs/Kind"}}}]},"Kind":{"enum":["own"]}}}`},
		{`{"oneOf":[{"$ref":"#/components/schemas/Dog"}],"discriminator":{"propertyName":"kind"}}`, true, `{"anyOf":[{"$ref":"#/$defs/Dog"}],"$defs":{"Dog":{"allOf":[{"$ref":"#/$defs/Cat"}]},"Cat":{"type":"object","properties":{"kind":{"type":"string"}}}}}`},
		{`{"oneOf":[{"$ref":"#/components/schemas/Fox"}],"discriminator":{"propertyName":"kind"}}`, false, `{"anyOf":[{"$ref":"#/$defs/Fox"}],"$defs":{"Fox":{"type":"object"}}}`},
	} {
		if diff := cmp.Diff(row.want, converted(t, documentOf(t, "3.0.3", row.schema, others), row.response, 1000)); diff != "" {
			t.Errorf("response %v (-want +got):\n%s", row.response, diff)
		}
	}
}

// TestHeirs checks that a schema with a discriminator stands for those that extend it by allOf, and that these extend
// what it says itself.
func TestHeirs(t *testing.T) {
	const others = `"Pet":{"description":"A pet.","type":"object","required":["kind"],"properties":{"kind":{"type":"string"}},"discriminator":{"propertyName":"kind","mapping":{"cat":"Cat"}}},` +
		`"Cat":{"allOf":[{"$ref":"#/components/schemas/Pet"},{"type":"object","properties":{"lives":{"type":"integer"}}}]},` +
		`"Lion":{"allOf":[{"$ref":"#/components/schemas/Cat"},{"type":"object","properties":{"mane":{"type":"boolean"}}}]},` +
		`"Dog":{"allOf":[{"$ref":"#/components/schemas/Pet"}],"properties":{"bark":{"type":"string"}}},"Broken":{"$ref":"#/components/schemas/None"}`
	const defs = `"Cat":{"allOf":[{"$ref":"#/$defs/Pet_base"},{"type":"object","properties":{"lives":{"type":"integer"}}}]},` +
		`"Lion":{"allOf":[{"$ref":"#/$defs/Cat"},{"type":"object","properties":{"mane":{"type":"boolean"}}}]},` +
		`"Dog":{"allOf":[{"$ref":"#/$defs/Pet_base"}],"properties":{"bark":{"type":"string"}}},` +
		`"Pet_base":{"description":"A pet.","type":"object","required":["kind"],"properties":{"kind":{"type":"string"}}}}}`
	selected := func(name, value string) string {
		return `{"$ref":"#/$defs/` + name + `","properties":{"kind":{"const":"` + value + `"}}}`
	}
	request := `{"description":"A pet.","anyOf":[` + selected("Cat", "cat") + `,` + selected("Lion", "Lion") + `,` + selected("Dog", "Dog") + `,` + selected("Pet_base", "Pet") + `]}`
	const response = `{"description":"A pet.","anyOf":[{"$ref":"#/$defs/Cat"},{"$ref":"#/$defs/Lion"},{"$ref":"#/$defs/Dog"},{"$ref":"#/$defs/Pet_base"}]}`
	for _, row := range []struct {
		schema   string
		response bool
		want     string
	}{
		{`{"$ref":"#/components/schemas/Pet"}`, false, `{"$ref":"#/$defs/Pet","$defs":{"Pet":` + request + `,` + defs},
		{`{"$ref":"#/components/schemas/Pet"}`, true, `{"$ref":"#/$defs/Pet","$defs":{"Pet":` + response + `,` + defs},
		{`{"properties":{"pet":{"allOf":[{"$ref":"#/components/schemas/Pet"}],"description":"d"}}}`, true,
			`{"properties":{"pet":{"allOf":[{"$ref":"#/$defs/Pet"}],"description":"d"}},"$defs":{"Pet":` + response + `,` + defs},
		{`{"$ref":"#/components/schemas/Dog"}`, false, `{"$ref":"#/$defs/Dog","$defs":{"Dog":{"allOf":[{"$ref":"#/$defs/Pet_base"}],"properties":{"bark":{"type":"string"}}},` +
			`"Pet_base":{"description":"A pet.","type":"object","required":["kind"],"properties":{"kind":{"type":"string"}}}}}`},
	} {
		if diff := cmp.Diff(row.want, converted(t, documentOf(t, "3.0.3", row.schema, others), row.response, 10000)); diff != "" {
			t.Errorf("%s, response %v (-want +got):\n%s", row.schema, row.response, diff)
		}
	}
}

// TestUnionOfHeirs checks that a schema may have those that extend it as its alternatives, at any depth.
func TestUnionOfHeirs(t *testing.T) {
	const others = `"Pet":{"type":"object","properties":{"kind":{"type":"string"}},"oneOf":[{"$ref":"#/components/schemas/Cat"},{"$ref":"#/components/schemas/Dog"}],"discriminator":{"propertyName":"kind","mapping":{"cat":"Cat"}}},` +
		`"Cat":{"allOf":[{"$ref":"#/components/schemas/Pet"}],"properties":{"lives":{"type":"integer"}},"anyOf":[{"$ref":"#/components/schemas/Lion"},{"minProperties":2}]},` +
		`"Lion":{"allOf":[{"$ref":"#/components/schemas/Cat"},{"required":["lives"]}]},"Dog":{"allOf":[{"$ref":"#/components/schemas/Pet"},{"oneOf":[{"type":"object"}]}]}`
	want := `{"$ref":"#/$defs/Pet","$defs":{"Pet":{"type":"object","properties":{"kind":{"type":"string"}},"anyOf":[{"$ref":"#/$defs/Cat","properties":{"kind":{"const":"cat"}}},{"$ref":"#/$defs/Dog","properties":{"kind":{"const":"Dog"}}}]},` +
		`"Cat":{"allOf":[{"$ref":"#/$defs/Pet_base"}],"properties":{"lives":{"type":"integer"}},"anyOf":[{"$ref":"#/$defs/Lion"},{"minProperties":2}]},` +
		`"Dog":{"allOf":[{"$ref":"#/$defs/Pet_base"},{"anyOf":[{"type":"object"}]}]},"Pet_base":{"type":"object","properties":{"kind":{"type":"string"}}},` +
		`"Lion":{"allOf":[{"$ref":"#/$defs/Cat_base"},{"required":["lives"]}]},"Cat_base":{"allOf":[{"$ref":"#/$defs/Pet_base"}],"properties":{"lives":{"type":"integer"}}}}}`
	if diff := cmp.Diff(want, converted(t, documentOf(t, "3.0.3", `{"$ref":"#/components/schemas/Pet"}`, others), false, 10000)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestHeirsElsewhere checks that the schemas that extend a schema with a discriminator are found by its mapping,
// behind names that stand for others, in an allOf within one, and in another file, and that each has the value that
// selects it.
func TestHeirsElsewhere(t *testing.T) {
	const pet = `{"type":"object","properties":{"kind":{"type":"string"}},"discriminator":{"propertyName":"kind"%s}}`
	const base = `"Pet_base":{"type":"object","properties":{"kind":{"type":"string"}}}`
	for _, row := range []struct {
		name, schemas, file string
		want                string // the values that select, by the names of definitions
	}{
		{"an alias", `"Pet":` + fmt.Sprintf(pet, "") + `,"Alias":{"$ref":"#/components/schemas/Pet"},"Cat":{"allOf":[{"$ref":"#/components/schemas/Alias"},{"minProperties":2}]}`, "",
			"Cat=Cat Pet_base=Pet"},
		{"a nested allOf", `"Pet":` + fmt.Sprintf(pet, "") + `,"Cat":{"allOf":[{"allOf":[{"$ref":"#/components/schemas/Pet"}]},{"minProperties":2}]}`, "",
			"Cat=Cat Pet_base=Pet"},
		{"a mapping", `"Pet":` + fmt.Sprintf(pet, `,"mapping":{"cat":"Cat","rock":"#/components/schemas/Rock","none":"None","far":"https://example.com/x.json"}`) +
			`,"Cat":{"allOf":[{"$ref":"#/components/schemas/Pet"}]},"Rock":{"type":"object","properties":{"kind":{"type":"string"}}}`, "",
			"Cat=cat Rock=rock Pet_base=Pet"},
		{"a mapping to other files", `"Pet":` + fmt.Sprintf(pet, `,"mapping":{"cat":"more.json#/Cat","dog":"more.json#/Dog"}`) + `,"Hund":{"$ref":"more.json#/Dog"}`,
			`{"Cat":{"allOf":[{"$ref":"api.json#/components/schemas/Pet"}]},"Dog":{"allOf":[{"$ref":"#/Cat"},{"minProperties":2}]}}`,
			"Dog=dog Cat=cat Pet_base=Pet"},
		{"all in another file", `"Pet":{"$ref":"more.json#/components/schemas/Pet"},"Fox":{"allOf":[{"$ref":"#/components/schemas/Pet"},{"minProperties":2}]}`,
			`{"components":{"schemas":{"Pet":` + fmt.Sprintf(pet, `,"mapping":{"cat":"Cat"}`) + `,"Cat":{"allOf":[{"$ref":"#/components/schemas/Pet"}]},"Dog":{"allOf":[{"$ref":"#/components/schemas/Cat"}]}}}}`,
			"Fox=Fox Cat=cat Dog=Dog Pet_base=Pet"},
	} {
		t.Run(row.name, func(t *testing.T) {
			text := `{"openapi":"3.0.3","paths":{},"components":{"schemas":{"S":{"$ref":"#/components/schemas/Pet"},` + row.schemas + `}}}`
			folder := fstest.MapFS{"api.json": {Data: []byte(text)}, "more.json": {Data: []byte(row.file)}}
			d, err := read("api.json", []byte(text), folder.ReadFile, MostBytes)
			if err != nil {
				t.Fatal(err)
			}
			got := converted(t, d, false, 10000)
			if err := d.err(); err != nil {
				t.Fatal(err)
			}
			var selected []string
			for _, m := range regexp.MustCompile(`"#/\$defs/(\w+)","properties":\{"kind":\{"const":"(\w+)"`).FindAllStringSubmatch(got, -1) {
				selected = append(selected, m[1]+"="+m[2])
			}
			if all := strings.Join(selected, " "); all != row.want || !strings.Contains(got, base) || strings.Contains(got, "Alias") {
				t.Errorf("got %s, want %s, in\n%s", all, row.want, got)
			}
		})
	}
}

// TestLimit checks that references are cut once a schema is long, by the type of what they lead to, except
// for those to short schemas.
func TestLimit(t *testing.T) {
	enum := `{"type":"string","nullable":true,"enum":[` + strings.Repeat(`"abcdefgh",`, 50) + `"z"]}`
	d := documentOf(t, "3.0.3", `{"type":"object","properties":{"a":{"$ref":"#/components/schemas/A"}}}`,
		`"A":{"type":"object","properties":{"b":{"$ref":"#/components/schemas/B"},"c":{"$ref":"#/components/schemas/C"},"d":{"$ref":"#/components/schemas/D"},"e":{"$ref":"#/components/schemas/E"}}},`+
			`"B":`+enum+`,"C":{"$ref":"#/components/schemas/A"},"D":{"type":"string","description":"d","enum":["x","y"]},"E":{"description":"e","oneOf":[{"$ref":"#/components/schemas/A"},{"$ref":"#/components/schemas/C"}]}`)
	want := `{"type":"object","properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":{"type":"object","properties":{"b":{"$ref":"#/$defs/B"},"c":{"$ref":"#/$defs/C"},"d":{"$ref":"#/$defs/D"},"e":{"$ref":"#/$defs/E"}}},` +
		`"B":{"type":["string","null"]},"C":{"type":"object"},"D":{"type":"string","description":"d","enum":["x","y"]},"E":{"type":"object","description":"e"}}}`
	if diff := cmp.Diff(want, converted(t, d, false, 100)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestBrokenReferences checks that references without a target are faults with their places.
func TestBrokenReferences(t *testing.T) {
	for _, row := range []struct{ schema, want string }{
		{`{"$ref":"#/components/schemas/T"}`, `api.json:1:61: /components/schemas/S/$ref: "#/components/schemas/T" leads to nothing`},
		{`{"$ref":"#/components/schemas/S"}`, `the reference leads to itself`},
		{`{"items":{"$ref":"#T"}}`, `"#T" is not a JSON Pointer, such as #/components/schemas/Name`},
		{`{"items":{"$ref":"https://example.com/a.json"}}`, `references to other servers are not followed`},
		{`{"items":{"$ref":"../a.json"}}`, `is not in the folder of api.json`},
		{`{"items":{"$ref":"a.json#/x"}}`, `"a.json" is another file, to which only a file may refer`},
	} {
		d := documentOf(t, "3.1.0", row.schema, "")
		c := d.converter(false, 1000)
		withDefinitions(c, c.convert(d.at("/components/schemas/S")))
		if err := d.err(); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: got %v, want %s", row.schema, err, row.want)
		}
	}
}
