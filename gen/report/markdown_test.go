package report

import "testing"

func TestCodes(t *testing.T) {
	for want, list := range map[string][]string{
		"`a`, `b`":       {"a", "b"},
		"`` a`b ``, `c`": {"a`b", "c"},
		"``` a``b`c ```": {"a``b`c"},
		"`` a`, `b ``":   {"a`, `b"},
		"`a\\|b`":        {"a|b"},
	} {
		if got := Codes(list); got != want {
			t.Errorf("%q: %s, expected %s", list, got, want)
		}
	}
}
