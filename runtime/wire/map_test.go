package wire_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

func TestMembers(t *testing.T) {
	var m wire.Members
	m.Delete("a")
	m.Set("a", "1")
	m.Set("b", "2")
	m.Set("c", "3")
	m.Set("b", "4")
	m.Set("a", "5")
	if got, ok := m.Get("a"); len(m) != 3 || got != "5" || !ok {
		t.Errorf("after setting the first one: %v", m)
	}
	m.Delete("a")
	if diff := cmp.Diff(wire.Members{{Name: "b", Value: "4"}, {Name: "c", Value: "3"}}, m); diff != "" {
		t.Error(diff)
	}
	if got, ok := m.Get("c"); got != "3" || !ok {
		t.Errorf("c: %q, %v", got, ok)
	}
	if got, ok := m.Get("a"); got != "" || ok {
		t.Errorf("a: %q, %v", got, ok)
	}
}

// TestMembersDuplicate puts a name twice into objects around the size at which
// names are looked up otherwise.
func TestMembersDuplicate(t *testing.T) {
	for n := 1; n < 70; n++ {
		text := "{"
		for i := range n {
			text += `"m` + strconv.Itoa(i) + `":{},`
		}
		for twice := range n {
			name := "m" + strconv.Itoa(twice)
			for _, spelled := range []string{name, `\u006d` + name[1:]} {
				bad := text + `"` + spelled + `":0}`
				want := "wire: at /" + name + ", byte " + strconv.Itoa(len(text)) + `: duplicate member "` + name + `"`
				wantError(t, bad, wire.UnmarshalString(bad, new(notes)), want)
				wantError(t, bad, wire.UnmarshalString(bad, new(wire.Raw)), want)
			}
		}
		good := text + `"x":0}`
		var x notes
		if err := wire.UnmarshalString(good, &x); err != nil || len(x.Extra) != n+1 {
			t.Errorf("%s: %d members, %v", good, len(x.Extra), err)
		}
	}
}

// TestMembersNested checks that the names of one object do not count in another.
func TestMembersNested(t *testing.T) {
	const many = 40
	var fields strings.Builder
	for i := range many {
		fields.WriteString(`"f` + strconv.Itoa(i) + `":1,`)
	}
	inner := "{" + fields.String() + `"z":1}`
	text := `{` + fields.String() + `"notes":` + inner + `,"type":"","text":"","more":` + inner + "}"
	var x sample
	if err := wire.UnmarshalString(text, &x); err != nil {
		t.Fatal(err)
	}
	if len(x.Extra) != many+1 || len(x.Notes.Extra) != many+1 {
		t.Errorf("%d and %d members", len(x.Extra), len(x.Notes.Extra))
	}
	n := 0
	r := wire.NewStringReader("[" + inner + "," + inner + "]")
	for r.BeginArray(); r.Element(); {
		var x notes
		x.DecodeJSON(r)
		n += len(x.Extra)
	}
	if n != 2*(many+1) || r.Err() != nil {
		t.Errorf("%d members in two objects, %v", n, r.Err())
	}
	bad := strings.Replace(text, `"more"`, `"f3"`, 1)
	if err := wire.UnmarshalString(bad, new(sample)); err == nil || !strings.Contains(err.Error(), `at /f3, `) {
		t.Errorf("f3 twice: %v", err)
	}
}

// TestManyMembers reads the worst text of four megabytes: comparing each name with all
// others would not come to an end in the time a test has.
func TestManyMembers(t *testing.T) {
	text := manyMembers(4 << 20)
	for _, v := range []wire.Value{new(notes), new(wire.Raw)} {
		if err := wire.UnmarshalString(text, v); err != nil {
			t.Error(err)
		}
	}
}

func TestMembersAppend(t *testing.T) {
	many := func(names ...string) wire.Members {
		var m wire.Members
		for i := range 40 {
			m = append(m, wire.Member{Name: "m" + strconv.Itoa(i), Value: "0"})
		}
		for _, name := range names {
			m = append(m, wire.Member{Name: name, Value: "0"})
		}
		return m
	}
	tests := []struct {
		dst     string
		members wire.Members
		want    string
		err     string
	}{
		{`{`, nil, `{`, ""},
		{`{`, wire.Members{{"a", "1"}}, `{"a":1`, ""},
		{`{"t":0`, wire.Members{{"a", " [ 1 ] "}, {"b\n\"", `{"x": "y z"}`}}, `{"t":0,"a":[1],"b\n\"":{"x":"y z"}`, ""},
		{`{"t":0`, wire.Members{{"", "null"}}, `{"t":0,"":null`, ""},
		{`{`, wire.Members{{"a", "1"}, {"b", "1"}, {"a", "1"}}, "", `wire: duplicate member "a"`},
		{`{`, wire.Members{{"t", "1"}}, "", `wire: duplicate member "t"`},
		{`{`, many("m7"), "", `wire: duplicate member "m7"`},
		{`{`, many("x", "u"), "", `wire: duplicate member "u"`},
		{`{`, wire.Members{{"a", ""}}, "", `wire: at /a: expected a value, found nothing`},
		{`{`, wire.Members{{"a/b", "[1,]"}}, "", `wire: at /a~1b/1: expected a value, found ']'`},
		{`{`, wire.Members{{"a", "1 2"}}, "", `wire: at /a: more than one value`},
		{`{`, wire.Members{{"\xff", "1"}}, "", `wire: invalid UTF-8 in the member name "\xff"`},
	}
	for _, tt := range tests {
		got, err := wire.AppendMembers([]byte(tt.dst), tt.members, "t", "u")
		if tt.err != "" {
			wantError(t, tt.err, err, tt.err)
		} else if string(got) != tt.want || err != nil {
			t.Errorf("got %s, %v, want %s", got, err, tt.want)
		}
	}
	if got, err := wire.AppendMembers([]byte("{"), many("x"), "t"); err != nil || !strings.HasSuffix(string(got), `"m39":0,"x":0`) {
		t.Errorf("got %s, %v", got, err)
	}
	if got := testing.AllocsPerRun(10, func() {
		var m wire.Members
		wire.AppendMembers(nil, m, "a", "b")
	}); got > 0 {
		t.Errorf("appending no members allocates %v times", got)
	}
}

// FuzzMap checks that a Map has the members of the object it was read from, in their
// order, that it is written as it was read, and that it refuses the same texts as an
// Object does.
func FuzzMap(f *testing.F) {
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
		var got wire.Map[wire.Raw]
		r := wire.NewStringReader(text)
		for r.BeginObject(); r.Member(); {
			*got.Entry(r) = r.ReadRaw()
		}
		r.End()
		var want wire.Object
		if err := wire.UnmarshalString(text, &want); (err == nil) != (r.Err() == nil) {
			t.Fatalf("as a Map: %v, as an Object: %v", r.Err(), err)
		} else if err != nil {
			return
		}
		n := 0
		for name, value := range want.All() {
			if n >= len(got) || got[n] != (wire.Member{Name: name, Value: value}) {
				t.Fatalf("member %d: got %v, want %q: %s", n, got, name, value)
			}
			n++
		}
		written, err := wire.AppendMembers([]byte("{"), got)
		if n != len(got) || err != nil {
			t.Fatalf("%d members, not %d: %v", len(got), n, err)
		}
		n = 0
		for name, value := range wire.Object(append(written, '}')).All() {
			compact, _ := got[n].Value.AppendJSON(nil)
			if got[n].Name != name || string(compact) != string(value) {
				t.Fatalf("member %d: wrote %q: %s, want %v", n, name, value, got[n])
			}
			n++
		}
		if n != len(got) {
			t.Errorf("wrote %d members of %d", n, len(got))
		}
	})
}

func TestMapDecode(t *testing.T) {
	m := wire.Map[wire.Scalar]{{Name: "name", Value: wire.ScalarOf("Ada")}, {Name: "age", Value: wire.ScalarOf(36)}}
	var form struct {
		Name string
		Age  int
	}
	if err := m.Decode(&form); err != nil || form.Name != "Ada" || form.Age != 36 {
		t.Errorf("got %+v, %v", form, err)
	}
	if err := append(m, m[0]).Decode(&form); err == nil {
		t.Error("a name twice: want an error")
	}
}
