package dynamic_test

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/schema/dynamic"
	"github.com/mcpgen/mcpgen/runtime/schema/ecma"
)

func TestTranslate(t *testing.T) {
	for _, test := range []struct{ source, want string }{ // "" means no translation
		{`^[a-zA-Z0-9_-]+$`, `^[a-zA-Z0-9_\-]+$`},
		{`^\d{4}-\d{2}-\d{2}$`, `^\d{4}-\d{2}-\d{2}$`},
		{`a.b`, `a[^\n\r\x{2028}\x{2029}]b`},
		{`^\s`, `^[\t\n\v\f\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}]`},
		{`[\w.-]`, `[\w\.\-]`},
		{`[[:a]`, `[\[:a]`},
		{`\/\u00e4\x41\cJ\u{1F432}\ud83d\udc32`, `/äA\x{a}🐲🐲`},
		{`(?:a|b)*?`, `(?:a|b)*?`},
		{`\p{Lu}\P{L}`, `[\p{Lu}][\P{L}]`},
		{`^(?!a)`, ""},
		{`(a)\1`, ""},
		{`(?<n>a)`, ""},
		{`[^]`, ""},
		{`[]`, ""},
		{`[^\S]`, ""},
		{`a{,5}`, ""},
		{`a{1001}`, ""},
		{`\Z`, ""},
		{`\p{Letter}`, ""},
		{`\ud83d`, ""},
		{`(`, ""},
	} {
		got, ok := dynamic.Translate(test.source)
		if got != test.want || ok != (test.want != "") {
			t.Errorf("%s: %q, %v, want %q", test.source, got, ok, test.want)
		}
	}
}

// TestTranslateAgrees compares the matches of a translation with those of the pattern, for
// random patterns.
func TestTranslateAgrees(t *testing.T) {
	pieces := []string{
		"a", "-", ".", `\d`, `\D`, `\w`, `\W`, `\s`, `\S`, `\b`, `\B`, "^", "$", "[a-c]", "[^a-c]", `[\s-]`, `[\w-]`, `[^\d]`, "[.]", "[-a]",
		"(a|b)", "(?:ab)?", "a*", "b+?", `\.`, `\/`, `\u2028`, "{2}", "|", `\t`, `[\b]`, "ä", "🐲", `\p{L}`, `[\]^]`, "_", `\$`,
	}
	texts := []string{"", "a", "b", "ab", "abc", "-", "a-b", "1", "a1", " ", "\t", "\n", "\u00a0", "\ufeff", "\u2028", "\v", ".", "/", "ä", "🐲", "_", "$", "\b", "]", "^", "aa", "A"}
	r := rand.New(rand.NewPCG(1, 2))
	compared := 0
	for range 3000 {
		var source strings.Builder
		for range 1 + r.IntN(4) {
			source.WriteString(pieces[r.IntN(len(pieces))])
		}
		re2, ok := dynamic.Translate(source.String())
		if !ok {
			continue
		}
		theirs, err := ecma.Compile(source.String())
		if err != nil {
			continue // such as ^*, which only package regexp accepts
		}
		ours := regexp.MustCompile(re2)
		for range 20 {
			text := texts[r.IntN(len(texts))] + texts[r.IntN(len(texts))]
			want, err := theirs.MatchString(text)
			if err != nil {
				t.Fatal(err)
			}
			compared++
			if got := ours.MatchString(text); got != want {
				t.Errorf("%s, translated %s: %q: %v, want %v", source.String(), re2, text, got, want)
			}
		}
	}
	t.Logf("%d comparisons", compared)
}
