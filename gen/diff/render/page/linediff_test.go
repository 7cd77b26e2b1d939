package page

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLineDiff(t *testing.T) {
	show := func(list []line) (shown []string) {
		for _, l := range list {
			text := l.text
			if l.to > l.from {
				text = l.text[:l.from] + "<" + l.text[l.from:l.to] + ">" + l.text[l.to:]
			}
			shown = append(shown, map[change]string{same: " ", gone: "-", come: "+"}[l.change]+text)
		}
		return shown
	}
	for _, c := range []struct {
		name, old, new string
		want           []string
	}{
		{"equal", "a\nb", "a\nb", []string{" a", " b"}},
		{"added", "a\nc", "a\nb\nc", []string{" a", "+b", " c"}},
		{"removed", "a\nb\nc", "a\nc", []string{" a", "-b", " c"}},
		{"moved", "a\nb\nc", "b\nc\na", []string{"-a", " b", " c", "+a"}},
		{"everything", "a", "b", []string{"-a", "+b"}},
		{"from nothing", "", "a", []string{"+a"}},
		{"a word", `"minimum": 10,`, `"minimum": 12,`, []string{`-"minimum": <10>,`, `+"minimum": <12>,`}},
		{"a word more", "reads a file", "reads a text file", []string{"-reads a file", "+reads a <text >file"}},
	} {
		if diff := cmp.Diff(c.want, show(lineDiff(c.old, c.new))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// TestLineDiffKeepsText checks that the lines of each side are those of its text,
// in their order, and that marks are within them.
func TestLineDiffKeepsText(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	text := func() string {
		list := make([]string, random.IntN(30))
		for i := range list {
			list[i] = strings.Repeat("é", random.IntN(3)) + string("abc"[random.IntN(3)])
		}
		return strings.Join(list, "\n")
	}
	for range 2000 {
		old, new := text(), text()
		var was, is []string
		for _, l := range lineDiff(old, new) {
			if l.change != come {
				was = append(was, l.text)
			}
			if l.change != gone {
				is = append(is, l.text)
			}
			if l.from > l.to || l.to > len(l.text) {
				t.Fatalf("%q: mark %d to %d", l.text, l.from, l.to)
			}
		}
		if strings.Join(was, "\n") != old || strings.Join(is, "\n") != new {
			t.Fatalf("%q and %q became %q and %q", old, new, was, is)
		}
	}
}

// TestLineDiffIsBounded checks that long texts with nothing in common are taken for
// replaced, without a table of all pairs of lines.
func TestLineDiffIsBounded(t *testing.T) {
	old, new := strings.Repeat("a\n", 20_000), strings.Repeat("b\n", 20_000)
	if list := lineDiff(old, new); len(list) != 40_001 {
		t.Errorf("%d lines", len(list))
	}
}

func TestLayout(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`1`, `1`},
		{`{}`, `{}`},
		{`{"type":"string"}`, "{\n  \"type\": \"string\"\n}"},
		{` { "a" : [ 1, 2 ], "b":{"c":"}\"]"} } `, "{\n  \"a\": [1, 2],\n  \"b\": { \"c\": \"}\\\"]\" }\n}"},
		{`[{"aaaaaaaaaaaaaaaaaaaa":1,"bbbbbbbbbbbbbbbbbbbb":[]}]`, "[\n  {\n    \"aaaaaaaaaaaaaaaaaaaa\": 1,\n    \"bbbbbbbbbbbbbbbbbbbb\": []\n  }\n]"},
	} {
		if got := layout(json.RawMessage(c.in)); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.in, got, c.want)
		}
	}
}

// FuzzLayout checks that a text that is laid out is the same JSON.
func FuzzLayout(f *testing.F) {
	f.Add(`{"a":[1,{"b":"\\\"","c":[[],{}]}],"long":"0123456789012345678901234567890123456789"}`)
	f.Fuzz(func(t *testing.T, text string) {
		if !json.Valid([]byte(text)) {
			return
		}
		compact := func(s string) string {
			var b strings.Builder
			quoted := false
			for i := 0; i < len(s); i++ {
				switch {
				case quoted && s[i] == '\\':
					b.WriteByte(s[i])
					i++
				case s[i] == '"':
					quoted = !quoted
				case !quoted && strings.IndexByte(" \t\r\n", s[i]) >= 0:
					continue
				}
				b.WriteByte(s[i])
			}
			return b.String()
		}
		if got := layout(json.RawMessage(text)); compact(got) != compact(text) {
			t.Errorf("%s became %s", text, got)
		}
	})
}

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"plain":           "plain",
		"a\u202eb":        "a\\u202eb",
		"a\nb\x1b":        "a\\u000ab\\u001b",
		"\U000e0041":      "\\ue0041",
		"👩\u200d💻 नमस्ते": "👩\u200d💻 नमस्ते",
	} {
		if got := visible(in); got != want {
			t.Errorf("%q became %q, not %q", in, got, want)
		}
	}
}

func TestIDs(t *testing.T) {
	taken := ids{}
	var got []string
	for _, id := range []string{"a", "a", "a-2", "a", "b"} {
		got = append(got, taken.take(id))
	}
	if diff := cmp.Diff([]string{"a", "a-2", "a-2-2", "a-3", "b"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
