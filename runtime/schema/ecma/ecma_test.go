package ecma_test

import (
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/schema/ecma"
)

func TestMatch(t *testing.T) {
	for _, test := range []struct {
		source, text string
		want         bool
	}{
		{`^(?=.*\d)[a-z\d]+$`, "ab1", true},
		{`^(?=.*\d)[a-z\d]+$`, "abc", false},
		{`^(?!\s*$)`, "\u00a0", false},
		{`(a)\1`, "aa", true},
		{`^.$`, "🐲", true},
		{`^\p{Letter}+$`, "äb", true},
		{`^\d$`, "٣", false},
		{`\_`, "_", true}, // invalid with the u flag
	} {
		if got, err := ecma.MustPattern(test.source).MatchString(test.text); got != test.want || err != nil {
			t.Errorf("%s, %q: %v, %v", test.source, test.text, got, err)
		}
	}
	if _, err := ecma.Compile("("); err == nil {
		t.Error("no error for an invalid pattern")
	}
}

// TestGivenUp checks that a pattern that takes too many steps is given up.
func TestGivenUp(t *testing.T) {
	p := ecma.MustPattern(`^(?=a)(a|a)*(a|a)*(a|a)*b\1$`)
	if matched, err := p.MatchString(strings.Repeat("a", 5000)); matched || err == nil {
		t.Errorf("%v, %v", matched, err)
	}
}
