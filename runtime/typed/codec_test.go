package typed

import (
	stdjson "encoding/json"
	"fmt"
	"math"
	"math/rand"
	randv2 "math/rand/v2"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"testing/quick"

	"github.com/mcpgen/mcpgen/runtime/schema"
	"github.com/mcpgen/mcpgen/runtime/schema/dynamic"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestRoundTrips writes random values of random types, and reads them. What is written is valid under the
// schema of the type, and encoding/json reads the same values from it.
func TestRoundTrips(t *testing.T) {
	kept := scalars
	defer func() { scalars = kept }()
	scalars = []reflect.Type{
		reflect.TypeFor[string](), reflect.TypeFor[bool](), reflect.TypeFor[int](), reflect.TypeFor[int8](), reflect.TypeFor[uint64](),
		reflect.TypeFor[float64](), reflect.TypeFor[float32](), reflect.TypeFor[[]byte](), reflect.TypeFor[map[int16]bool](), reflect.TypeFor[town](),
	}
	types, values := source{randv2.New(randv2.NewPCG(3, 4))}, rand.New(rand.NewSource(5))
	for range 150 {
		of := types.plain(3)
		s, err := shapeOf(of, false)
		if err != nil {
			t.Fatalf("%s: %v", of, err)
		}
		text, err := derive(s, dynamic.Compile, false)
		if err != nil {
			t.Fatalf("%s: %v", of, err)
		}
		check, err := dynamic.Compile(text)
		if err != nil {
			t.Fatalf("%s: %v", of, err)
		}
		for range 5 {
			v, ok := quick.Value(of, values)
			if !ok {
				t.Fatalf("%s: no value", of)
			}
			written, err := s.append(nil, v, 0)
			if err != nil {
				t.Errorf("%s: %v", of, err)
				continue
			}
			if err := schema.Check(wire.Raw(written), check); err != nil && !strings.Contains(string(written), "null") && !strings.Contains(string(written), `"city":""`) {
				t.Errorf("%s: %s: %v", text, written, err)
			}
			ours, theirs := reflect.New(of), reflect.New(of)
			r := wire.NewStringReader(string(written))
			s.decode(r, ours.Elem())
			r.End()
			if err := r.Err(); err != nil {
				t.Errorf("%s: %s: %v", of, written, err)
			}
			if err := stdjson.Unmarshal(written, theirs.Interface()); err != nil {
				t.Errorf("%s: %s: %v", of, written, err)
			}
			if !reflect.DeepEqual(ours.Interface(), theirs.Interface()) {
				t.Errorf("%s: %s\nours   %+v\ntheirs %+v", of, written, ours.Elem(), theirs.Elem())
			}
		}
	}
}

// plain returns a random type whose fields have no rules.
func (r source) plain(depth int) reflect.Type {
	for {
		of := r.of(depth)
		if !ruled(of) {
			return of
		}
	}
}

func ruled(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Slice, reflect.Array, reflect.Pointer, reflect.Map:
		return ruled(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if tag := t.Field(i).Tag.Get("jsonschema"); strings.Contains(tag, "=") && t != reflect.TypeFor[town]() || ruled(t.Field(i).Type) {
				return true
			}
		}
	}
	return false
}

type base struct {
	ID   int    `json:"id"`
	Name string `json:"name,omitempty"`
}

type Extra struct {
	Note string `json:"note,omitempty"`
	Size int    `json:"size"`
}

type hidden struct {
	base
	*Extra
	Name  string `json:"name"`
	Inner struct {
		Deep bool `json:"deep"`
	} `json:",inline"`
	Number  int64                 `json:"number,string"`
	Maybe   *float64              `json:"maybe,omitempty,string"`
	Key     map[netip.Addr]string `json:"key,omitempty"`
	Addr    netip.Addr            `json:"addr,omitzero"`
	Raw     wire.Raw              `json:"raw,omitempty"`
	Object  wire.Object           `json:"object,omitempty"`
	Message stdjson.RawMessage    `json:"message,omitempty"`
	Any     any                   `json:"any,omitempty"`
	Whole   *wire.Integer         `json:"whole,omitempty"`
	List    [2]uint8              `json:"list,omitempty"`
	Tints   []tint                `json:"tints,omitempty"`
	Pairs   map[pair]bool         `json:"pairs,omitempty"`
	Skipped func()                `json:"-"`
}

// pair has its methods on a pointer.
type pair struct{ from, to int }

func (p *pair) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%d-%d", p.from, p.to), nil }

func (p *pair) UnmarshalText(text []byte) error {
	_, err := fmt.Sscanf(string(text), "%d-%d", &p.from, &p.to)
	return err
}

// TestStructs reads and writes what random types do not have.
func TestStructs(t *testing.T) {
	s, err := shapeOf(reflect.TypeFor[hidden](), false)
	if err != nil {
		t.Fatal(err)
	}
	text, err := derive(s, dynamic.Compile, false)
	if err != nil {
		t.Fatal(err)
	}
	check, err := dynamic.Compile(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []wire.Raw{
		`{"id":1,"note":"n","size":2,"name":"x","deep":true,"number":"9223372036854775807","list":[1,2]}`,
		`{"id":1,"size":0,"name":"x","deep":false,"number":"-1","maybe":"1.5","key":{"127.0.0.1":"a"},"addr":"::1","raw":[1.50],"object":{"a":1.0},"message":{"b":2.0},"any":[true,null,{"c":"d"}],"whole":123456789012345678901234567890,"list":[0,255],"tints":["a","c"],"pairs":{"1-2":true}}`,
	} {
		var v hidden
		r := wire.NewStringReader(string(text))
		s.decode(r, reflect.ValueOf(&v).Elem())
		if r.End(); r.Err() != nil {
			t.Errorf("%s: %v", text, r.Err())
			continue
		}
		if v.Extra == nil || v.Name != "x" || v.base.Name != "" {
			t.Errorf("%s: %+v", text, v)
		}
		if err := schema.Check(text, check); err != nil && !strings.Contains(err.Error(), "deep") {
			t.Errorf("%s: %v", text, err)
		}
		got, err := s.append(nil, reflect.ValueOf(v), 0)
		if err != nil || wire.Raw(got) != text {
			t.Errorf("%s: %s, %v", text, got, err)
		}
	}
}

type (
	north struct{ Wind int }
	south struct{ Wind int }
	// compass has a Wind of its own, so those of the structs in it are no members, as in encoding/json.
	compass struct {
		north
		south
		Wind string
	}
)

// TestShadowed writes a struct with a field that hides two others of the same name.
func TestShadowed(t *testing.T) {
	v := compass{north{1}, south{2}, "mistral"}
	s, err := shapeOf(reflect.TypeFor[compass](), true)
	if err != nil {
		t.Fatal(err)
	}
	ours, err := s.append(nil, reflect.ValueOf(v), 0)
	if err != nil {
		t.Fatal(err)
	}
	if theirs, err := stdjson.Marshal(v); string(ours) != string(theirs) {
		t.Errorf("%s, encoding/json: %s, %v", ours, theirs, err)
	}
}

type (
	// written has a text that is only written, and read one that is only read.
	written int
	read    int
)

func (written) Enum() []written { return []written{7} }

func (written) MarshalText() ([]byte, error) { return []byte("seven"), nil }

func (r *read) UnmarshalText(text []byte) error {
	*r = read(len(text))
	return nil
}

// TestOneWay reads and writes values whose types have a method for one of both. The schema is that of what is done.
func TestOneWay(t *testing.T) {
	type pair struct {
		W written
		R read
	}
	for _, test := range []struct {
		written      bool
		schema, text wire.Raw
	}{
		{false, `{"W":{"type":"integer","enum":[7]},"R":{"type":"string"}}`, `{"W":7,"R":"abc"}`},
		{true, `{"W":{"type":"string","enum":["seven"]},"R":{"type":"integer"}}`, `{"W":"seven","R":3}`},
	} {
		s, err := shapeOf(reflect.TypeFor[pair](), test.written)
		if err != nil {
			t.Fatal(err)
		}
		text, err := derive(s, dynamic.Compile, false)
		if properties, _ := wire.Object(text).Get("properties"); err != nil || properties != test.schema {
			t.Errorf("%s, %v, want %s", properties, err, test.schema)
		}
		want := pair{7, 3}
		if test.written {
			if got, err := s.append(nil, reflect.ValueOf(want), 0); err != nil || wire.Raw(got) != test.text {
				t.Errorf("%s, %v, want %s", got, err, test.text)
			}
			continue
		}
		var got pair
		r := wire.NewStringReader(string(test.text))
		s.decode(r, reflect.ValueOf(&got).Elem())
		if r.Err() != nil || got != want {
			t.Errorf("%+v, %v, want %+v", got, r.Err(), want)
		}
	}
}

// TestRequired writes required members that omitempty and omitzero would leave out.
func TestRequired(t *testing.T) {
	s, err := shapeOf(reflect.TypeFor[struct {
		A int      `json:"a,omitempty" jsonschema:"required"`
		B []string `json:"b,omitzero" jsonschema:"required"`
	}](), true)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := s.append(nil, reflect.Zero(s.t), 0); string(got) != `{"a":0,"b":[]}` || err != nil {
		t.Errorf("%s, %v", got, err)
	}
}

// TestUnwritable writes values without JSON.
func TestUnwritable(t *testing.T) {
	type loop struct {
		Next *loop
	}
	ring := &loop{}
	ring.Next = ring
	for want, v := range map[string]any{
		"contains itself":        ring,
		"at /0":                  []float64{math.NaN()},
		"UTF-8":                  map[string]string{"a": "\xff"},
		"UTF-8 in the member":    map[string]string{"\xff": "a"},
		"unsupported type":       []any{func() {}},
		"unexpected end of JSON": nil,
	} {
		if v == nil {
			v, want = &struct{ M stdjson.RawMessage }{stdjson.RawMessage(`{"a`)}, "/M"
		}
		s, err := shapeOf(reflect.TypeOf(v), true)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := s.append(nil, reflect.ValueOf(v), 0); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s, %v, want %s", text, err, want)
		}
	}
}

// TestShapeErrors checks types and tags that would not have the effect that they seem to have.
func TestShapeErrors(t *testing.T) {
	for want, of := range map[string]reflect.Type{
		`unknown option "omitemtpy"`: tagged(reflect.TypeFor[int](), `json:"a,omitemtpy"`),
		"string is for numbers":      tagged(reflect.TypeFor[[]int](), `json:"a,string"`),
		"keys must be":               reflect.TypeFor[map[code]int](),
		"the method JSONSchema":      tagged(reflect.TypeFor[words](), `jsonschema:"enum=a"`),
		"inline is for structs":      tagged(reflect.TypeFor[int](), `json:",inline"`),
		`two fields have the name "A"`: reflect.TypeFor[struct {
			left
			right
		}](),
		"keys must be strings or integers": reflect.TypeFor[map[float64]int](),
		"only JSONSchema is used":          reflect.TypeFor[extended](),
		"a pointer to itself":              reflect.TypeFor[endless](),
		"must have no parameters":          reflect.TypeFor[parametric](),
	} {
		if _, err := shapeOf(of, false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", of, err, want)
		}
	}
}

// tagged returns a struct with one field.
func tagged(of reflect.Type, tag reflect.StructTag) reflect.Type {
	return reflect.StructOf([]reflect.StructField{{Name: "A", Type: of, Tag: tag}})
}

type left struct{ A int }

type right struct{ A int }

type extended struct{ A int }

func (extended) JSONSchemaExtend(any) {}

type endless *endless

type parametric struct{ A int }

func (parametric) JSONSchema(int) wire.Raw { return "{}" }

// color has a schema of its own.
type color string

func (color) JSONSchema() stdjson.RawMessage {
	return stdjson.RawMessage(`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"string","pattern":"^#[0-9a-f]{6}$"}`)
}

func (c *color) UnmarshalText([]byte) error { return nil }

type word string

func (word) JSONSchema() wire.Raw {
	return `{"type":"string","description":"A word.","minLength":1,"const":"yes"}`
}

// code is a string in JSON, but not by a text.
type code struct{ Number int }

func (code) JSONSchema() wire.Raw { return `{"type":"string"}` }

func (*code) UnmarshalJSON([]byte) error { return nil }

func (code) MarshalJSON() ([]byte, error) { return []byte(`""`), nil }

type words []string

func (words) JSONSchema() wire.Raw { return `{"type":"array"}` }

// TestOwnSchema derives the schema of a type with the method JSONSchema.
func TestOwnSchema(t *testing.T) {
	got, err := derivedOf[struct {
		C color  `json:"c" jsonschema:"description=Which.,minLength=7"`
		D *color `json:"d" jsonschema:"nullable"`
		E word   `json:"e" jsonschema:"description=An answer.,minLength=2,enum=yes"`
		F *word  `json:"f" jsonschema:"nullable"`
	}](true)
	const want = `{"type":"object","properties":{"c":{"type":"string","pattern":"^#[0-9a-f]{6}$","description":"Which.","minLength":7},` +
		`"d":{"type":["string","null"],"pattern":"^#[0-9a-f]{6}$"},` +
		`"e":{"type":"string","const":"yes","description":"An answer.","minLength":2,"enum":["yes"]},` +
		`"f":{"anyOf":[{"type":"string","description":"A word.","minLength":1,"const":"yes"},{"type":"null"}]}},` +
		`"required":["c","d","e","f"],"additionalProperties":false}`
	if err != nil || string(got) != want {
		t.Errorf("%s, %v", got, err)
	}
}
