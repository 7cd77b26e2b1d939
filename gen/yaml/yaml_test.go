package yaml_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/gen/yaml"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestDocuments reads what YAML has and JSON has not.
func TestDocuments(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"a: 1\nb: [x, 'y', \"z\"]\n", `{"a":1,"b":["x","y","z"]}`},
		{"b: 1\na: 2\n", `{"b":1,"a":2}`},
		{"", ""},
		{"# nothing\n", ""},
		{"---\n---\na: 1\n", `{"a":1}`},
		{"a: 1\n---\nb: 2\n", `{"a":1} {"b":2}`},
		// Block scalars, also those with an indentation indicator and nothing in them.
		{"a:\n  example: |2+\n\n  b: 1\n", `{"a":{"example":"\n","b":1}}`},
		{"a:\n  example: |2+\n  b: 1\n", `{"a":{"example":"","b":1}}`},
		{"example: |2+\n\nx: 1\n", `{"example":"\n","x":1}`},
		{"example: |2+\n", `{"example":""}`},
		{"example: >1-\n\n\nx: 1\n", `{"example":"","x":1}`},
		{"a: |\n  x\n   y\nb: >-\n  x\n  y\n", `{"a":"x\n y\n","b":"x y"}`},
		// Numbers keep their notation, if JSON has it.
		{"- [1e400, 123456789012345678901234567890, 0.10, -0, 12E03, 1.0]", `[[1e400,123456789012345678901234567890,0.10,-0,12E03,1.0]]`},
		{"[0x1F, 0o14, +5, .5, 1., 1_000]", `[31,12,5,0.5,1,1000]`},
		// Texts that look like something else.
		{"[2024-01-01, yes, off, 1:30, 1.2.3, '1', ~a]", `["2024-01-01","yes","off","1:30","1.2.3","1","~a"]`},
		{"[true, False, null, ~, '']", `[true,false,null,null,""]`},
		{"a:\nb: ~\n", `{"a":null,"b":null}`},
		// Tags.
		{"[!!str 5, !!str true, !!int '7', !thing 1, !thing x, !!binary aGk=]", `["5","true",7,1,"x","aGk="]`},
		// Names of members.
		{"1: a\ntrue: b\n? k\n: v\n\"q\": 1\n~: n\n", `{"1":"a","true":"b","k":"v","q":1,"~":"n"}`},
		{"a: 1\na: 2\n", `{"a":1,"a":2}`}, // package wire refuses it
		// Anchors, aliases and merge keys.
		{"a: &x {b: 1}\nc: *x\nd: [*x, &y z, *y]\n", `{"a":{"b":1},"c":{"b":1},"d":[{"b":1},"z","z"]}`},
		{"&k a: 1\nb: {*k : 2}\n", `{"a":1,"b":{"a":2}}`},
		{"a: &x {b: 1, c: 2}\nd: {b: 3, <<: *x, e: 4}\n", `{"a":{"b":1,"c":2},"d":{"b":3,"c":2,"e":4}}`},
		{"a: &x {b: 1}\nd: &y {b: 2, c: 3}\ne: {<<: [*x, *y], f: 4}\n", `{"a":{"b":1},"d":{"b":2,"c":3},"e":{"b":1,"c":3,"f":4}}`},
		{"a: &x {b: 1}\nd: {<<: {<<: *x, c: 2}}\ne: {'<<': 1}\n", `{"a":{"b":1},"d":{"b":1,"c":2},"e":{"<<":1}}`},
		// JSON, and YAML with strings of JSON.
		{"{\"a\":\t1,\n\t\"b\":[1,\t2]}", "{\"a\":\t1,\n\t\"b\":[1,\t2]}"},
		{"a: \"\\ud83d\\ude00\\/\"\n", `{"a":"😀/"}`},
		// Directives and line ends.
		{"%YAML 1.2\n---\na: 1\n...\n%YAML 1.1\n---\nb: |\n  %YAML 1.2\n", `{"a":1} {"b":"%YAML 1.2\n"}`},
		{"a: b\r\nc: d\r\n", `{"a":"b","c":"d"}`},
		{"\ufeffa: b\n", `{"a":"b"}`},
	} {
		docs, err := yaml.Documents([]byte(test.text))
		if err != nil {
			t.Errorf("%q: %v", test.text, err)
			continue
		}
		if got := string(bytes.Join(docs, []byte(" "))); got != test.want {
			t.Errorf("%q: %s, want %s", test.text, got, test.want)
		}
	}
}

// TestErrors checks the places and the words of errors.
func TestErrors(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"a: [1\nb: 2", "2:2: is not YAML: did not find expected ',' or ']', while parsing a flow sequence that begins at line 1, column 4"},
		{"a: 'x\n", "1:4: is not YAML: found unexpected end of stream, while scanning a quoted scalar"},
		{"a:\n  - [b\n", "2:5: is not YAML: did not find expected ',' or ']', while parsing a flow sequence"},
		{"a:\n \t- b", "2:2: is not YAML: the line begins with a tab, and only spaces can indent"},
		{"a: b: c", "1:5: is not YAML: mapping values are not allowed in this context"},
		{"a:\n  - *x", "2:5: is not YAML: unknown anchor 'x' referenced"},
		{"é: 1\né: \x01", "2:4: is not YAML: control characters are not allowed (value: 1)"},
		{"a: \"\\ud83d\"", "1:7: is not YAML: found invalid Unicode character escape code, while scanning a quoted scalar that begins at line 1, column 4"},
		{"a: [.inf]", "1:5: /a/0: .inf has no counterpart in JSON"},
		{"a:\n- {b: .nan}", "2:7: /a/0/b: .nan has no counterpart in JSON"},
		{"{a: 1}: 2", "1:1: the name of a member is a mapping; expected a text"},
		{"a: {<<: 1}", `1:9: a merge key (<<) has "1"; expected a mapping, or a list of mappings`},
		{"a: &x\n  b: *x", "2:6: the alias *x is within its own anchor"},
		{"a: &x [[*x]]", "1:9: the alias *x is within its own anchor"},
		{"a: &x {<<: *x}", "1:12: the alias *x is within its own anchor"},
		{"x: !!bool 7", `1:4: /x: "7" is neither true nor false`},
		{"# nothing\n", "is empty"},
		{"a: 1\n---\nb: 2\n", "must be a single YAML document"},
	} {
		_, err := yaml.ToJSON([]byte(test.text))
		if err == nil || err.Error() != test.want {
			t.Errorf("%q: %v, want %s", test.text, err, test.want)
		}
	}
	_, err := yaml.ToJSON([]byte("a:\n- {b: .nan}"))
	if e, ok := err.(*yaml.Error); !ok || e.Pointer != "/a/0/b" {
		t.Errorf("the pointer of %#v", err)
	}
}

// bomb returns a text of some levels, each of which has the level below several times.
func bomb(levels, times int, item, separator string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "l0: &l0 %s\n", item)
	for i := 1; i <= levels; i++ {
		alias := fmt.Sprintf("*l%d", i-1)
		fmt.Fprintf(&b, "l%d: &l%d [%s]\n", i, i, strings.Join(slicesOf(alias, times), separator))
	}
	return b.String()
}

func slicesOf(s string, n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = s
	}
	return all
}

// TestBombs checks that a text whose aliases make it much longer is refused before it is expanded: nothing could
// expand 60 levels.
func TestBombs(t *testing.T) {
	mappings := "a0: &a0 {x: y}\n"
	for i := 1; i < 30; i++ {
		mappings += fmt.Sprintf("a%d: &a%[1]d {p: *a%d, q: *a%[2]d}\n", i, i-1)
	}
	merges := "m0: &m0 {k0: [" + strings.Repeat("lol, ", 1000) + "]}\n"
	for i := 1; i < 3000; i++ {
		merges += fmt.Sprintf("m%d: {<<: *m0}\n", i)
	}
	deep := "d0: &d0 x\n"
	for i := 1; i < 2000; i++ {
		deep += fmt.Sprintf("d%d: &d%[1]d [*d%d]\n", i, i-1)
	}
	for name, text := range map[string]string{
		"8 levels of 9":         bomb(8, 9, "lol", ", "),
		"60 levels of 2":        bomb(60, 2, "lol", ", "),
		"a long text, repeated": bomb(1, 2000, strings.Repeat("lol ", 10000), ", "),
		"mappings":              mappings,
		"merge keys":            merges,
		"a chain of anchors":    deep,
		"nested brackets":       strings.Repeat("[", 5000) + strings.Repeat("]", 5000),
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := yaml.Parse([]byte(text)); err == nil {
				t.Fatal("Parse returns no error")
			}
		})
	}
	// Aliases that people write.
	shared := "$defs: &x {" + strings.Repeat("name: {type: string}, ", 100) + "}\n"
	for i := range 100 {
		shared += fmt.Sprintf("a%d: *x\n", i)
	}
	if _, err := yaml.Parse([]byte(shared)); err != nil {
		t.Errorf("a mapping of 2 KB that is used 100 times: %v", err)
	}
}

// TestMembers checks the lines and columns of members.
func TestMembers(t *testing.T) {
	docs, err := yaml.Parse([]byte("a: &x\n  b: 1\n\"é\": {c: *x, <<: *x}\n"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	var walk func(n *yaml.Node, at string)
	walk = func(n *yaml.Node, at string) {
		members, _ := yaml.Members(n)
		for _, m := range members {
			got = append(got, fmt.Sprintf("%s/%s %d:%d", at, m.Name, m.Key.Line, m.Key.Column))
			walk(m.Value, at+"/"+m.Name)
		}
	}
	walk(docs[0], "")
	want := "/a 1:1, /a/b 2:3, /é 3:1, /é/c 3:7, /é/c/b 2:3, /é/b 2:3"
	if text := strings.Join(got, ", "); text != want {
		t.Errorf("got %s, want %s", text, want)
	}
}

func FuzzDocuments(f *testing.F) {
	f.Add("a: &x {b: 1}\nc: {<<: *x, d: [*x]}\n")
	f.Add("a: |2+\n\n%YAML 1.2\n---\n? [a]\n: \"\\ud83d\\ude00\"")
	f.Add(bomb(3, 3, "lol", ", "))
	f.Fuzz(func(t *testing.T, text string) {
		docs, err := yaml.Documents([]byte(text))
		if err != nil {
			return
		}
		for _, doc := range docs {
			if !json.Valid(doc) {
				t.Errorf("%q became %s", text, doc)
			}
		}
	})
}

// TestWrite checks that a JSON text survives its form as YAML.
func TestWrite(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{`{"tools":[{"name":"a","description":"x: y # z","inputSchema":{"type":"object","properties":{},"required":["a","b"]}}]}`,
			"tools:\n  - name: a\n    description: 'x: y # z'\n    inputSchema:\n      type: object\n      properties: {}\n      required: [a, b]\n"},
		{`{"a":"two\nlines\n","b":"one line\n","c":" leading\nline","d":"trailing \nspace","e":"tab\tand\nline","f":"\n","g":""}`, ""},
		{`["true","null","1","1.5","yes","2024-01-01","~","<<","0x1F","1_000",".inf","- x","? x","&a","*a","!x","%x","@x","` + "`" + `x","#x","a: b","[","{",""," ","\\","\"","'"]`, ""},
		{`[1,-1,1.50,1e400,123456789012345678901234567890,0.1E-7,true,false,null,9223372036854775807,18446744073709551616]`, ""},
		{`{"1":1,"true":2,"null":3,"<<":4,"a b":5,"":6,"-":7,"é\u2028\ufeff\u0000\u007f":"é\u2028\ufeff\u0000\u007f\ud83d\ude00"}`, ""},
		{`{"a":[[],{},[[1],[]],[{"b":[]}]]}`, ""},
		{`"x"`, "x\n"},
	} {
		node := yaml.FromJSON(wire.Raw(test.text))
		if as := yaml.JSON(node); !wire.Equal(wire.Raw(test.text), as) {
			t.Errorf("%s became %s without being written", test.text, as)
		}
		written, err := yaml.Write(node, nil)
		if err != nil {
			t.Errorf("%s: %v", test.text, err)
			continue
		}
		if test.want != "" && string(written) != test.want {
			t.Errorf("%s became\n%swant\n%s", test.text, written, test.want)
		}
		again, err := yaml.ToJSON(written)
		if err != nil || !wire.Equal(wire.Raw(test.text), wire.Raw(again)) {
			t.Errorf("%s became %s, %v; written as\n%s", test.text, again, err, written)
		}
	}
}

func FuzzWrite(f *testing.F) {
	f.Add(`{"a":["two\nlines",{"b":1.50}],"x: y":" # "}`)
	f.Fuzz(func(t *testing.T, text string) {
		in := wire.NewStringReader(text)
		in.ReadRaw()
		if in.End(); in.Err() != nil {
			return
		}
		written, err := yaml.Write(yaml.FromJSON(wire.Raw(text)), nil)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if again, err := yaml.ToJSON(written); err != nil || !wire.Equal(wire.Raw(text), wire.Raw(again)) {
			t.Errorf("%q became %q, %v; written as\n%s", text, again, err, written)
		}
	})
}
