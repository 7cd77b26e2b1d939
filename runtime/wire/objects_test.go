package wire_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// FuzzObjects holds that maps of objects are read and written as those of any other type,
// for which there is a loop in generated code.
func FuzzObjects(f *testing.F) {
	addTexts(f)
	var many strings.Builder
	for i := range 40 {
		many.WriteString(`"property_` + strconv.Itoa(i) + `":{"type":"object"},`)
	}
	for _, text := range []string{
		`{}`, `{"b":{},"a":{"type":"string"},"":{ }}`, `{"a":{},"b":1}`, `{"a":{}`, `{"a":{"x":1,"x":2}}`,
		`{"a":{},"a":{}}`, `{"a":{},"\u0061":{}}`, `{"\u0061":{},"a":{}}`, `{"é":{},"日本":{},"é":{}}`, `{"a":{},"a":[}`,
		`{"a_long_name_1":{},"a_long_name_2":{},"a_long_name_1":{}}`, `{"a":{"type":"string"},"b":{}, "a" : {}}`,
		`{` + many.String() + `"last":{}}`, `{` + many.String() + `"property_3":{}}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r := wire.NewStringReader(text)
		got := r.ReadObjects()
		s := wire.NewStringReader(text)
		want := map[string]wire.Object{}
		for s.BeginObject(); s.Member(); {
			name := s.Name()
			if _, ok := want[name]; ok {
				s.Duplicate()
			}
			want[name] = s.ReadObject()
		}
		if diff := cmp.Diff(want, got); diff != "" || r.Offset() != s.Offset() {
			t.Errorf("read up to %d, not %d:\n%s", r.Offset(), s.Offset(), diff)
		}
		if s.Err() != nil {
			wantError(t, text, r.Err(), s.Err().Error())
			return
		}
		if r.Err() != nil {
			t.Fatal(r.Err())
		}
		text = ""
		for _, name := range wire.Names(want) {
			key, _ := wire.AppendString(nil, name)
			value, _ := wire.AppendObject(nil, want[name])
			text += "," + string(key) + ":" + string(value)
		}
		text = "{" + strings.TrimPrefix(text, ",") + "}"
		if dst, err := wire.AppendObjects([]byte("x"), got); string(dst) != "x"+text || err != nil {
			t.Errorf("got %s, %v, want x%s", dst, err, text)
		}
	})
}

func TestAppendObjectsError(t *testing.T) {
	_, err := wire.AppendObjects(nil, map[string]wire.Object{"a": "{}", "b": `{"c":[1,2}`})
	wantError(t, "a value", err, "wire: at /b/c: expected ',' or ']', found '}'")
	_, err = wire.AppendObjects(nil, map[string]wire.Object{"\xff": "{}"})
	wantError(t, "a name", err, "wire: at /\xff: invalid UTF-8 in a string")
}

// TestExtend holds that an array does not get many times the room that it needs, also
// where its last element is nearly all of the text, and that it seldom grows.
func TestExtend(t *testing.T) {
	type wide struct{ _ [30]int64 }
	for _, tt := range []struct {
		text             string
		most, allocation int
	}{
		{"[" + strings.Repeat("{},", 4) + `"` + strings.Repeat("x", 50_000) + `"]`, 16 + 50_000/240, 2},
		{"[" + strings.Repeat(`"`+strings.Repeat("x", 500)+`",`, 99) + `""]`, 120, 2},
		{"[" + strings.Repeat(`0,`, 999) + `0]`, 1500, 6},
	} {
		r := wire.NewStringReader(tt.text)
		var all []wide
		grown, before := 0, 0
		for r.BeginArray(); r.Element(); r.Skip() {
			wire.Extend(r, &all)
			if cap(all) != before {
				grown, before = grown+1, cap(all)
			}
		}
		if r.Err() != nil || before > tt.most || grown > tt.allocation {
			t.Errorf("%.20s...: %v, room for %d, grown %d times", tt.text, r.Err(), before, grown)
		}
	}

	// Of many arrays, each has only a part of what comes after it.
	list := `{"list":[` + strings.Repeat(`{"of":[0,0,0,0,0,0,0]},`, 299) + `{"of":[]}]}`
	r := wire.NewStringReader(list)
	room := 0
	for r.BeginObject(); r.Member(); {
		for r.BeginArray(); r.Element(); {
			for r.BeginObject(); r.Member(); {
				var all []int64
				for r.BeginArray(); r.Element(); r.Skip() {
					wire.Extend(r, &all)
				}
				room += cap(all)
			}
		}
	}
	if r.Err() != nil || room > 2*7*299 {
		t.Errorf("%v, room for %d in arrays of 7", r.Err(), room)
	}
}
