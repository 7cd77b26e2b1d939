package recording

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStream(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     []string // line number and value
	}{
		{"nothing", "", nil},
		{"blank lines", "\n \r\n\t", nil},
		{"a line each", "{\"a\":1}\n\n{\"b\":2}\r\n3\n", []string{`1: {"a":1}`, `3: {"b":2}`, `4: 3`}},
		{"no last line end", "{}\n[]", []string{"1: {}", "2: []"}},
		{"a broken line among lines", "{\"a\":1}\n{\"b\":\n{\"c\":3}\n", []string{`1: {"a":1}`, `2: {"b":`, `3: {"c":3}`}},
		{"a broken first line", "{\"a\":\n{\"b\":2}\n", []string{`1: {"a":`, `2: {"b":2}`}},
		{"laid out", "{\n \"a\": 1\n}\n{\n}\n", []string{"1: {\n \"a\": 1\n}", "4: {\n}"}},
		{"laid out after a line", "{\"a\":1}\n{\n  \"b\": 2\n}\n{\"c\":3}\n", []string{`1: {"a":1}`, "2: {\n  \"b\": 2\n}", `5: {"c":3}`}},
		{"laid out flat after a line", "{\"a\":1}\n[\n\"b\"\n]\n", []string{`1: {"a":1}`, "2: [\n\"b\"\n]"}},
		{"a broken line after a laid out value and lines", "{\n}\n1\n{\"b\":\n{\"c\":3}\n", []string{"1: {\n}", "3: 1", `4: {"b":`, `5: {"c":3}`}},
		{"a broken string among lines", "\"a\"\n\"b\n\"c\"\n", []string{`1: "a"`, `2: "b`, `3: "c"`}},
		{"a broken last line", "1\n{\"b\":\n", []string{"1: 1", `2: {"b":`}},
		{"on one line", `{"a":1} {"b":2}[3] "x" 4 true`, []string{`1: {"a":1}`, `1: {"b":2}`, `1: [3]`, `1: "x"`, `1: 4`, `1: true`}},
		{"after a laid out one", "{\n} {\"b\":2}\n", []string{"1: {\n}", `2: {"b":2}`}},
		{"array of objects", "[\n{\"a\":1},\n{\"b\":2}\n]", []string{"1: [\n{\"a\":1},\n{\"b\":2}\n]"}},
		{"brackets in strings", `{"a":"}]\"{"}` + "\n" + `"\\"` + "\n", []string{`1: {"a":"}]\"{"}`, `2: "\\"`}},
		{"cut off", "[\n1,", []string{"1: [\n1,"}},
		{"stray brackets", "}\n]\n", []string{"1: }", "2: ]"}},
		{"text", "hello world\n", []string{"1: hello", "1: world"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := NewStream(strings.NewReader(tt.in))
			var got []string
			for {
				value, line, err := s.Next()
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, fmt.Sprintf("%d: %s", line, value))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// FuzzStream checks that splitting ends and loses nothing but white space.
func FuzzStream(f *testing.F) {
	f.Add("{\"a\":1}\n{\"b\":\n")
	f.Add("[\n{} ]\n]")
	f.Fuzz(func(t *testing.T, in string) {
		s := NewStream(strings.NewReader(in))
		var got strings.Builder
		last := 0
		for {
			value, line, err := s.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(value) == 0 || line < last {
				t.Fatalf("value %q in line %d after line %d", value, line, last)
			}
			last = line
			got.Write(value)
		}
		squeeze := strings.NewReplacer(" ", "", "\t", "", "\r", "", "\n", "")
		if squeeze.Replace(got.String()) != squeeze.Replace(in) {
			t.Errorf("split %q into %q", in, got.String())
		}
	})
}
