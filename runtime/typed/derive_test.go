package typed

import (
	stdjson "encoding/json"
	"math/big"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

type town struct {
	City string `json:"city" jsonschema:"minLength=1" jsonschema_description:"A city."`
	Zip  string `json:"zip,omitempty"`
}

type node struct {
	Value int     `json:"value,omitempty" jsonschema:"default=3"`
	Next  *node   `json:"next,omitzero"`
	Many  []*node `json:"many,omitempty"`
	At    town    `json:"at,omitzero"`
}

type tree []tree

// route has a few values.
type route []string

func (route) Enum() []route { return []route{{"a"}, {"a", "b"}} }

type page[T any] struct {
	Items []T `json:"items"`
}

type timed struct{ time.Time }

type side string

func (side) Enum() []side { return []side{"left", "right"} }

// rank has its method on a pointer.
type rank int

func (*rank) Enum() []rank { return []rank{1, 2} }

// names has values of another type.
type names string

func (names) Enum() []string { return []string{"Ada"} }

// grade and level have methods Enum that are not for this package.
type grade string

func (grade) Enum() []any { return []any{grade("a")} }

type level string

func (level) JSONSchema() any { return map[string]string{"type": "string"} }
func (level) Enum() []string  { return []string{"low"} }

// day is an integer in Go and a text in JSON.
type day int

func (day) Enum() []day { return []day{0, 1} }

func (d day) MarshalText() ([]byte, error) { return []byte([]string{"mon", "tue"}[d]), nil }

func (d *day) UnmarshalText(text []byte) error {
	*d = day(strings.Index("mon tue", string(text)) / 4)
	return nil
}

// tint is an octet in Go and a text in JSON.
type tint uint8

func (c tint) MarshalText() ([]byte, error) { return []byte{'a' + byte(c)}, nil }

func (c *tint) UnmarshalText(text []byte) error {
	*c = tint(text[0] - 'a')
	return nil
}

// derivedOf returns the schema of a type.
func derivedOf[T any](objects bool) (wire.Raw, error) {
	t := new(described)
	t.schema(reflect.TypeFor[T](), "inputSchema", "arguments", objects)
	text, _ := t.Definition.Get("inputSchema")
	return text, t.err
}

func TestDerive(t *testing.T) {
	for _, test := range []struct {
		derive func(objects bool) (wire.Raw, error)
		want   string
	}{
		{derivedOf[struct{}], `{"properties":{},"additionalProperties":false,"type":"object"}`},
		{derivedOf[struct {
			A grade
			B level
		}], `{"type":"object","properties":{"A":{"type":"string"},"B":{"type":"string"}},"additionalProperties":false,"required":["A","B"]}`},
		{derivedOf[town], `{
			"properties":{"city":{"type":"string","minLength":1,"description":"A city."},"zip":{"type":"string"}},
			"additionalProperties":false,"type":"object","required":["city"]}`},
		{derivedOf[struct {
			Units string         `json:"units,omitempty" jsonschema:"enum=metric,enum=imperial,default=metric"`
			From  town           `json:"from" jsonschema_description:"Where to start."`
			To    *town          `json:"to" jsonschema:"nullable"`
			Any   any            `json:"any,omitempty"`
			Map   map[string]any `json:"map,omitempty"`
			Small map[string]int8
		}], `{
			"properties":{
				"units":{"type":"string","enum":["metric","imperial"],"default":"metric"},
				"from":{"properties":{"city":{"type":"string","minLength":1,"description":"A city."},"zip":{"type":"string"}},
					"additionalProperties":false,"type":"object","required":["city"],"description":"Where to start."},
				"to":{"properties":{"city":{"type":"string","minLength":1,"description":"A city."},"zip":{"type":"string"}},
					"additionalProperties":false,"type":["object","null"],"required":["city"]},
				"any":{},
				"map":{"type":"object"},
				"Small":{"additionalProperties":{"type":"integer","maximum":127,"minimum":-128},"type":"object"}},
			"additionalProperties":false,"type":"object","required":["from","to","Small"]}`},
		{derivedOf[struct {
			A time.Time          `json:"a"`
			B []byte             `json:"b"`
			C wire.Raw           `json:"c"`
			D wire.Object        `json:"d"`
			E stdjson.RawMessage `json:"e"`
			F big.Int            `json:"f"`
			G netip.Addr         `json:"g"`
			H uint               `json:"h"`
			I *timed             `json:"i,omitempty"`
			J []string           `json:"j" jsonschema:"minItems=1,uniqueItems=true"`
			k int
		}], `{
			"properties":{"a":{"type":"string","format":"date-time"},"b":{"type":"string","contentEncoding":"base64"},
				"c":{},"d":{"type":"object"},"e":{},"f":{},"g":{"type":"string"},"h":{"type":"integer","minimum":0},"i":{},
				"j":{"items":{"type":"string"},"type":"array","minItems":1,"uniqueItems":true}},
			"additionalProperties":false,"type":"object","required":["a","b","c","d","e","f","g","h","j"]}`},
		{derivedOf[node], `{
			"$defs":{"node":{"properties":{"value":{"type":"integer","default":3},"next":{"$ref":"#/$defs/node"},
				"many":{"items":{"$ref":"#/$defs/node"},"type":"array"},
				"at":{"properties":{"city":{"type":"string","minLength":1,"description":"A city."},"zip":{"type":"string"}},
					"additionalProperties":false,"type":"object","required":["city"]}},
				"additionalProperties":false,"type":"object"}},
			"properties":{"value":{"type":"integer","default":3},"next":{"$ref":"#/$defs/node"},
				"many":{"items":{"$ref":"#/$defs/node"},"type":"array"},
				"at":{"properties":{"city":{"type":"string","minLength":1,"description":"A city."},"zip":{"type":"string"}},
					"additionalProperties":false,"type":"object","required":["city"]}},
			"additionalProperties":false,"type":"object"}`},
		{derivedOf[page[node]], `{
			"$defs":{"node":{"properties":{"value":{"type":"integer","default":3},"next":{"$ref":"#/$defs/node"},
				"many":{"items":{"$ref":"#/$defs/node"},"type":"array"},
				"at":{"properties":{"city":{"type":"string","minLength":1,"description":"A city."},"zip":{"type":"string"}},
					"additionalProperties":false,"type":"object","required":["city"]}},
				"additionalProperties":false,"type":"object"}},
			"properties":{"items":{"items":{"$ref":"#/$defs/node"},"type":"array"}},
			"additionalProperties":false,"type":"object","required":["items"]}`},
		{derivedOf[struct {
			City string `json:"city" jsonschema:"where, e.g. Oslo (x=y)"`
			Days *int   `json:"days,omitempty" jsonschema:"how many"`
			Word string `json:"word,omitempty" jsonschema:"description=one\\,two,minLength=1"`
		}], `{
			"properties":{"city":{"type":"string","description":"where, e.g. Oslo (x=y)"},"days":{"type":"integer","description":"how many"},
				"word":{"type":"string","minLength":1,"description":"one,two"}},
			"additionalProperties":false,"type":"object","required":["city"]}`},
		{derivedOf[struct {
			A []int    `jsonschema:"default=1,default=2,maximum=9,maxItems=3"`
			B []string `json:",omitempty" jsonschema:"enum=x,enum=y,nullable"`
			C int      `json:"c,string"`
			D *string  `json:"d,omitempty" jsonschema:"nullable,enum=x,example=x,title=T"`
		}], `{
			"properties":{"A":{"type":"array","items":{"type":"integer","maximum":9},"maxItems":3,"default":[1,2]},
				"B":{"anyOf":[{"type":"array","items":{"type":"string","enum":["x","y"]}},{"type":"null"}]},
				"c":{"type":"string"},
				"d":{"anyOf":[{"type":"string","enum":["x"]},{"type":"null"}],"title":"T","examples":["x"]}},
			"additionalProperties":false,"type":"object","required":["c"]}`},
		{derivedOf[struct {
			A int   `json:"a,string" jsonschema:"enum=1,enum=2"`
			B *rank `json:"b,string" jsonschema:"nullable"`
			C *int  `json:"c,string" jsonschema:"nullable,maxLength=3"`
		}], `{
			"properties":{"a":{"type":"string","enum":["1","2"]},
				"b":{"anyOf":[{"type":"string","enum":["1","2"]},{"type":"null"}]},
				"c":{"type":["string","null"],"maxLength":3}},
			"additionalProperties":false,"type":"object","required":["a","b","c"]}`},
		{derivedOf[struct {
			A map[side]int          `json:"a"`
			B map[rank]int          `json:"b"`
			C map[netip.Addr]string `json:"c"`
			D stdjson.Number        `json:"d" jsonschema:"minimum=1"`
			E day                   `json:"e"`
			F map[day]int           `json:"f"`
			G []tint                `json:"g"`
		}], `{
			"properties":{"a":{"type":"object","propertyNames":{"enum":["left","right"]},"additionalProperties":{"type":"integer"}},
				"b":{"type":"object","propertyNames":{"enum":["1","2"]},"additionalProperties":{"type":"integer"}},
				"c":{"type":"object","additionalProperties":{"type":"string"}},
				"d":{"type":"number","minimum":1},
				"e":{"type":"string","enum":["mon","tue"]},
				"f":{"type":"object","propertyNames":{"enum":["mon","tue"]},"additionalProperties":{"type":"integer"}},
				"g":{"type":"array","items":{"type":"string"}}},
			"additionalProperties":false,"type":"object","required":["a","b","c","d","e","f","g"]}`},
		{derivedOf[struct {
			A []byte `json:"a" jsonschema:"enum=AAAA"`
			B route  `json:"b"`
		}], `{
			"properties":{"a":{"type":"string","contentEncoding":"base64","enum":["AAAA"]},
				"b":{"type":"array","items":{"type":"string"},"enum":[["a"],["a","b"]]}},
			"additionalProperties":false,"type":"object","required":["a","b"]}`},
		{derivedOf[struct {
			A tree `json:"a" jsonschema:"minItems=1,title=T"`
		}], `{
			"$defs":{"tree":{"type":"array","items":{"$ref":"#/$defs/tree"}}},
			"properties":{"a":{"$ref":"#/$defs/tree","title":"T","minItems":1}},
			"additionalProperties":false,"type":"object","required":["a"]}`},
		{derivedOf[map[string]int], `{"additionalProperties":{"type":"integer"},"type":"object"}`},
	} {
		got, err := test.derive(true)
		if err != nil {
			t.Errorf("%s: %v", test.want, err)
			continue
		}
		if !wire.Equal(got, wire.Raw(test.want)) {
			t.Errorf("got %s\nwant %s", got, test.want)
		}
	}
}

func TestDeriveErrors(t *testing.T) {
	for _, test := range []struct {
		derive func(objects bool) (wire.Raw, error)
		want   string
	}{
		{derivedOf[[]string], "must be a struct or a map"},
		{derivedOf[int], "must be a struct or a map"},
		{derivedOf[struct{ C chan int }], "chan int"},
		{derivedOf[struct{ F func() }], "func()"},
		{derivedOf[struct {
			A string `jsonschema:"pattern=(abc"`
		}], `.A: tag jsonschema: pattern=(abc: the pattern (abc is not a regular expression: missing closing )`},
		{derivedOf[struct{ D time.Duration }], "time.Duration"},
		{derivedOf[struct {
			A string `jsonschema:"minLenght=1"`
		}], `.A: tag jsonschema: minLenght=1: unknown key "minLenght"; the keys are default,`},
		{derivedOf[struct {
			A []struct {
				B *map[string]struct {
					C int `jsonschema:"minLength=1"`
				}
			}
		}], `.C: tag jsonschema: minLength=1: the key "minLength" is for values of type string; the field is of type integer`},
		{derivedOf[struct {
			A string `jsonschema:"minLength=-1"`
		}], `"-1" is not an integer of at least 0`},
		{derivedOf[struct {
			A int `jsonschema:"minimum=low"`
		}], `"low" is not a number`},
		{derivedOf[struct {
			A int `jsonschema:"default=1.5"`
		}], `"1.5" is not an integer`},
		{derivedOf[struct {
			A bool `jsonschema:"default=yes"`
		}], `"yes" is neither true nor false`},
		{derivedOf[struct {
			A []string `jsonschema:"uniqueItems=yes"`
		}], `"yes" is not true`},
		{derivedOf[struct {
			A struct{} `jsonschema:"default=x"`
		}], `the key "default" is for values of type string or integer or number or boolean; the field is of type object`},
		{derivedOf[struct {
			A string `json:"a,omitempty" jsonschema:"enum=x,enum=y,default=z"`
		}], `the default "z" of "a" is not valid: must be one of "x", "y", found "z"`},
		{derivedOf[struct {
			A int `json:"a,omitempty" jsonschema:"minimum=1,default=0"`
		}], `the default 0 of "a" is not valid: must be at least 1, found 0`},
		{derivedOf[struct {
			Next *node `json:"next,omitempty"`
			A    []int `json:"a,omitempty" jsonschema:"default=1,default=x"`
		}], `"x" is not a number`},
		{derivedOf[struct {
			A string `jsonschema:"some text,minLength=1"`
		}], `"minLength=1" follows a text without a key; beside other keys, write the description as description=some text`},
		{derivedOf[struct {
			A []int `jsonschema:"uniqueItems"`
		}], `the key "uniqueItems" has no value`},
		{derivedOf[struct {
			A int `jsonschema:"minimum=1,requird"`
		}], `"requird" has no value, and is none of required, nullable`},
		{derivedOf[timed], "typed.timed: must be a struct or a map, and neither a union nor a type with its own encoding"},
		{derivedOf[struct{ A names }], "typed.names: the method Enum must return []typed.names, not []string"},
		{derivedOf[struct {
			town `jsonschema:"minimum=1"`
		}], `.town: tag jsonschema: "minimum=1" is about no member, because the fields of the struct take its place`},
		{derivedOf[struct {
			town `jsonschema_description:"Where."`
		}], `.town: tag jsonschema_description: "Where." is about no member`},
		{derivedOf[struct {
			A int `jsonschema:"one text" jsonschema_description:"another"`
		}], "the tags jsonschema and jsonschema_description are both descriptions"},
	} {
		if got, err := test.derive(true); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", got, err, test.want)
		}
	}
}

func TestDefaults(t *testing.T) {
	type inner struct {
		N int `json:"n,omitempty" jsonschema:"default=7"`
	}
	type outer struct {
		S    string           `json:"s,omitempty" jsonschema:"default=x"`
		One  *inner           `json:"one,omitempty"`
		Some []inner          `json:"some,omitempty"`
		Map  map[string]inner `json:"map,omitempty"`
	}
	for _, test := range []struct {
		derive   func(objects bool) (wire.Raw, error)
		from, to string
	}{
		{derivedOf[outer], `{}`, `{"s":"x"}`},
		{derivedOf[outer], `{"s":"y","one":{},"some":[{},{"n":1}],"map":{"k":{}}}`, `{"s":"y","one":{"n":7},"some":[{"n":7},{"n":1}],"map":{"k":{"n":7}}}`},
		{derivedOf[node], `{"next":{"next":{}},"value":1}`, `{"next":{"next":{"value":3},"value":3},"value":1}`},
		{derivedOf[town], `{"city":"x"}`, `{"city":"x"}`},
	} {
		schema, err := test.derive(true)
		if err != nil {
			t.Fatal(err)
		}
		if got := fill(wire.Raw(test.from), wire.Object(schema), wire.Object(schema)); string(got) != test.to {
			t.Errorf("%s: %s, want %s", test.from, got, test.to)
		}
	}
	for schema, want := range map[wire.Object]string{
		`{"properties":{"a":true,"b":{"d\u0065fault":1}},"additionalProperties":false}`: `{"c":{},"b":1}`,
		`{"$ref":"#/$defs/x","$defs":{"x":{"$ref":"#/$defs/x"}}}`:                       `{"c":{}}`,
		`{"$ref":"#/$defs/none"}`: `{"c":{}}`,
		`{"$defs":{"x":{"properties":{"c":{"$ref":"#/$defs/y"}}},"y":{"properties":{"d":{"default":[{}]}}}},"$ref":"#/$defs/x"}`: `{"c":{"d":[{}]}}`,
	} {
		if got := fill(`{"c":{}}`, schema, schema); string(got) != want {
			t.Errorf("%s: %s, want %s", schema, got, want)
		}
	}
}

// score is zero if it is negative, which a method of its pointer says.
type score int

func (s *score) IsZero() bool { return *s < 0 }

// TestOmittedZeros encodes zeros that break the limits of their members: omitempty leaves them out.
func TestOmittedZeros(t *testing.T) {
	type result struct {
		Days  int     `json:"days,omitempty" jsonschema:"minimum=1"`
		Name  string  `json:"name,omitempty" jsonschema:"minLength=1"`
		Last  bool    `json:"last,omitempty"`
		Empty *string `json:"empty,omitempty"`
		Score score   `json:"score,omitzero"`
	}
	for _, test := range []struct {
		value result
		want  string
	}{
		{result{Score: -1}, `{}`},
		{result{Days: 1, Name: "x", Last: true, Empty: new("")}, `{"days":1,"name":"x","last":true,"empty":"","score":0}`},
	} {
		shape, err := shapeOf(reflect.TypeFor[result](), true)
		if err != nil {
			t.Fatal(err)
		}
		text, err := wire.MarshalString(&value{v: reflect.ValueOf(&test.value).Elem(), shape: shape})
		if err != nil {
			t.Fatal(err)
		}
		if text != test.want {
			t.Errorf("%+v: %s, want %s", test.value, text, test.want)
		}
	}
}
