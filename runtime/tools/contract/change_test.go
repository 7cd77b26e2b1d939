package contract

import (
	"testing"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

func TestChange(t *testing.T) {
	const sample = `{"a/b":[{"x":1,"y":2},3],"~":"text"}`
	for _, test := range []struct {
		change       refused
		want, string string
	}{
		{refused{pointer: "", wrong: `7`}, `7`, `the sample with 7 at ""`},
		{refused{pointer: "", member: "~"}, `{"a/b":[{"x":1,"y":2},3]}`, `the sample without the member "~" at ""`},
		{refused{pointer: "/~0", wrong: `[]`}, `{"a/b":[{"x":1,"y":2},3],"~":[]}`, `the sample with [] at "/~0"`},
		{refused{pointer: "/a~1b/1", wrong: `{}`}, `{"a/b":[{"x":1,"y":2},{}],"~":"text"}`, `the sample with {} at "/a~1b/1"`},
		{refused{pointer: "/a~1b/0/x", wrong: `null`}, `{"a/b":[{"x":null,"y":2},3],"~":"text"}`, `the sample with null at "/a~1b/0/x"`},
		{refused{pointer: "/a~1b/0", member: "x"}, `{"a/b":[{"y":2},3],"~":"text"}`, `the sample without the member "x" at "/a~1b/0"`},
	} {
		if got := test.change.of(t, sample); got != wire.Raw(test.want) {
			t.Errorf("%v is %s, want %s", test.change, got, test.want)
		}
		if got := test.change.String(); got != test.string {
			t.Errorf("described as %s, want %s", got, test.string)
		}
	}
}

// TestChangeOfNothing has pointers to values that the sample does not have.
func TestChangeOfNothing(t *testing.T) {
	for _, pointer := range []string{"/b", "/a/2", "/a/-1", "/a/x", "/a/0/x"} {
		_, err := change(`{"a":[1,2]}`, pointer, func(v wire.Raw) (wire.Raw, error) { return v, nil })
		if err == nil {
			t.Errorf("%s was found", pointer)
		}
	}
}
