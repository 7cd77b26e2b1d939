package typed

import (
	stdjson "encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/invopop/jsonschema"

	"github.com/mcpgen/mcpgen/runtime/schema/dynamic"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// source makes random types.
type source struct{ *rand.Rand }

var scalars = []reflect.Type{
	reflect.TypeFor[string](), reflect.TypeFor[bool](), reflect.TypeFor[int](), reflect.TypeFor[int64](), reflect.TypeFor[float64](),
	reflect.TypeFor[float32](), reflect.TypeFor[time.Time](), reflect.TypeFor[[]byte](), reflect.TypeFor[any](), reflect.TypeFor[town](),
}

func (r source) of(depth int) reflect.Type {
	if depth == 0 {
		return scalars[r.IntN(len(scalars))]
	}
	switch r.IntN(7) {
	case 0:
		return reflect.SliceOf(r.of(depth - 1))
	case 1:
		return reflect.MapOf(reflect.TypeFor[string](), r.of(depth-1))
	case 2:
		return reflect.PointerTo(r.of(depth - 1))
	case 3:
		return reflect.ArrayOf(1+r.IntN(3), r.of(depth-1))
	case 4:
		return r.structure(depth - 1)
	}
	return r.of(0)
}

func (r source) structure(depth int) reflect.Type {
	fields := make([]reflect.StructField, r.IntN(5))
	for i := range fields {
		t := r.of(depth)
		name := fmt.Sprintf("F%d", i)
		if r.IntN(2) == 0 {
			name = fmt.Sprintf("f_%d", i)
		}
		if r.IntN(2) == 0 {
			name += ",omitempty"
		}
		fields[i] = reflect.StructField{Name: fmt.Sprintf("F%d", i), Type: t, Tag: reflect.StructTag(fmt.Sprintf(`json:%q jsonschema:%q`, name, r.tag(t, strings.Contains(name, ","))))}
	}
	return reflect.StructOf(fields)
}

// tag returns keys that apply to the values of a type. Optional means that there may be a default.
func (r source) tag(t reflect.Type, optional bool) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	var keys []string
	if r.IntN(3) == 0 {
		keys = append(keys, "title=A title")
	}
	if r.IntN(3) == 0 {
		keys = append(keys, `description=One\, two=2.`)
	}
	switch t.Kind() {
	case reflect.String:
		keys = append(keys, r.some("minLength=1", "maxLength=9", "pattern=^[a-z]+$", "enum=a,enum=b", "example=a,example=b")...)
		if optional {
			keys = append(keys, r.some("default=a")...)
		}
	case reflect.Int, reflect.Int64, reflect.Float64, reflect.Float32:
		keys = append(keys, r.some("minimum=-5", "maximum=50", "exclusiveMaximum=60", "multipleOf=2", "enum=2,enum=4")...)
		if optional {
			keys = append(keys, r.some("default=4")...)
		}
	case reflect.Slice:
		if t.Elem().Kind() != reflect.Uint8 {
			keys = append(keys, r.some("minItems=1", "maxItems=3", "uniqueItems=true")...)
		}
	}
	return strings.Join(keys, ",")
}

func (r source) some(all ...string) (kept []string) {
	for _, one := range all {
		if r.IntN(3) == 0 {
			kept = append(kept, one)
		}
	}
	return kept
}

// TestInvopop compares the schemas of random types with those that github.com/invopop/jsonschema derives.
// That package writes true, or additionalProperties, also for values that may be anything.
func TestInvopop(t *testing.T) {
	r := source{rand.New(rand.NewPCG(1, 2))}
	reflector := &jsonschema.Reflector{Anonymous: true, DoNotReference: true}
	for range 500 {
		of := r.structure(3)
		s, err := shapeOf(of, false)
		if err != nil {
			t.Errorf("%s: %v", of, err)
			continue
		}
		ours, err := derive(s, dynamic.Compile, false)
		if err != nil {
			t.Errorf("%s: %v", of, err)
			continue
		}
		derived := reflector.ReflectFromType(of)
		derived.Version = ""
		text, err := stdjson.Marshal(derived)
		if err != nil {
			t.Fatal(err)
		}
		theirs := strings.ReplaceAll(string(text), ":true", ":{}")
		theirs = strings.ReplaceAll(theirs, `"uniqueItems":{}`, `"uniqueItems":true`)
		theirs = strings.ReplaceAll(theirs, `"additionalProperties":{},`, "")
		if !wire.Equal(ours, wire.Raw(theirs)) {
			t.Errorf("%s:\nours   %s\ntheirs %s", of, ours, theirs)
		}
	}
}
