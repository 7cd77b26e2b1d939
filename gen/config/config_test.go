package config

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/gen/yaml"
)

func TestSuggestion(t *testing.T) {
	for _, test := range []struct {
		word  string
		known []string
		want  string
	}{
		{"ulr", []string{"all", "url"}, ` (did you mean "url"?)`},
		{"minLenght", []string{"minItems", "minLength", "maxLength"}, ` (did you mean "minLength"?)`},
		{"x", []string{"server", "client"}, `; expected one of server, client`},
		{"nothing", []string{"a", "b", "c", "d", "e", "f", "g", "h", "i"}, ""},
	} {
		if got := Suggestion(test.word, test.known); got != test.want {
			t.Errorf("%s: %q, want %q", test.word, got, test.want)
		}
	}
}

// TestRead reads each kind of value and each kind of mistake.
func TestRead(t *testing.T) {
	for _, test := range []struct{ src, want string }{
		{"name: x\nlist: [a, b]\non: true\n", "x [a b] true"},
		{"anchor: &a x\nname: *a\n", `f.yaml:1:1: unknown key "anchor"; expected one of list, name, on`},
		{"nmae: x\n", `f.yaml:1:1: unknown key "nmae" (did you mean "name"?)`},
		{"name: x\non: 7\n", `f.yaml:2:5: on: expected true or false, found "7"`},
		{"name: x\nname: y\n", `f.yaml:2:1: the key "name" occurs twice`},
		{"list: {}\n", `f.yaml:1:7: list: expected a list, found a mapping`},
		{"- 1\n", `f.yaml:1:1: expected a mapping, found a list`},
		{"name: 'x\n", `f.yaml:1:7: is not YAML: found unexpected end of stream, while scanning a quoted scalar`},
		{"name: x\n---\nname: y\n", `f.yaml:3:1: the file has a second document; it must have one`},
		{"", " [] false"},
	} {
		var name string
		var list []string
		var on bool
		err := Read("f.yaml", []byte(test.src), func(f *File) map[string]Reader {
			return map[string]Reader{
				"name": func(n *yaml.Node) { name = f.Text(n, "name") },
				"list": func(n *yaml.Node) {
					f.Sequence(n, "list", func(n *yaml.Node) { list = append(list, f.Text(n, "list")) })
				},
				"on": func(n *yaml.Node) { on = f.Bool(n, "on") },
			}
		})
		got := fmt.Sprint(name, " ", list, " ", on)
		if err != nil {
			got = err.Error()
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%q: -want +got:\n%s", test.src, diff)
		}
	}
}
