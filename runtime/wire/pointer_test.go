package wire

import "testing"

// TestRawAt checks which values JSON Pointers lead to (RFC 6901).
func TestRawAt(t *testing.T) {
	const text = Raw(`{"a":[1,{"b/c":2,"~":3,"":4}],"0":5}`)
	for pointer, want := range map[string]Raw{
		"": text, "/a": `[1,{"b/c":2,"~":3,"":4}]`, "/a/0": "1", "/a/1/b~1c": "2", "/a/1/~0": "3", "/a/1/": "4", "/0": "5",
	} {
		if got, ok := text.At(pointer); got != want || !ok {
			t.Errorf("%q: %s, %t, want %s", pointer, got, ok, want)
		}
	}
	for _, pointer := range []string{"/", "a", "/b", "/a/2", "/a/-", "/a/01", "/a/+0", "/a/-1", "/a/x", "/a/", "/0/0", "/a/1/b", "/a/0/", "/a/99999999999999999999"} {
		if got, ok := text.At(pointer); ok || got != "" {
			t.Errorf("%q: %s, want nothing", pointer, got)
		}
	}
	if _, ok := Raw("").At("/a"); ok {
		t.Error("nothing has a member")
	}
}
