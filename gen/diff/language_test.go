package diff

import (
	"regexp"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// inFormat reports whether a string has a format, with the same result as generated code.
func inFormat(name, s string) bool {
	switch name {
	case "":
		return true
	case "regex":
		_, err := regexp.Compile(s)
		return err == nil
	}
	var c wire.Collector
	c.Format(name, s)
	return c.Err() == nil
}

// TestFormats checks the tables of formats against strings: what is in a format matches
// its pattern and is in every wider format.
func TestFormats(t *testing.T) {
	samples := formatted()
	for _, s := range []string{"https://example.com/a?b#c", "mailto:a@b.co", "2024-02-29", "2024-02-29t10:00:00.5+01:00", "10:00:00.123-23:59", "P1Y2M3DT4H5M6S", "PT1S", "P1W",
		"0123456789abcdefABCDEF", "123e4567-e89b-12d3-a456-426614174000", "255.255.255.255", "2001:db8::1", "::ffff:1.2.3.4", "a-b.example.com", "xn--bcher-kva.ch", "/a~1b/0", "12/a", "0#",
		"1.2.3-rc.1+build", "\"a b\"@example.com", "a@[127.0.0.1]", "^a+$", "urn:x:y", "//host/x", "?q", "#f", "a%20b", "{x}", "10:00:00Z"} {
		samples = append(samples, s)
	}
	for _, sample := range samples {
		s := sample.(string)
		for format := range formats {
			if !inFormat(format, s) {
				continue
			}
			if pattern := formats[format].pattern; !regexp.MustCompile(pattern).MatchString(s) {
				t.Errorf("%q is a %s and does not match %s", s, format, pattern)
			}
			for _, other := range formats[format].wider {
				if !inFormat(other, s) {
					t.Errorf("%q is a %s and no %s", s, format, other)
				}
			}
		}
	}
	for name, f := range formats {
		if !inFormat(name, f.example) {
			t.Errorf("%q is no %s", f.example, name)
		}
	}
}

// TestSearch compares what is found of patterns with package regexp, over all short
// strings of a few characters.
func TestSearch(t *testing.T) {
	patterns := []string{"", "a", "^a", "b$", "^a|b$", "^[ab]*$", "^(ab)+$", "a.b", "^a?b{1,2}$", "^$", "^.{2,3}$", "^[^a]+$", "aa|bb", "^(a|ab)(c|bcd)?$", "^a*?b$", "(?i)^A"}
	var texts []string
	level := []string{""}
	for range 5 {
		texts = append(texts, level...)
		var next []string
		for _, s := range level {
			for _, c := range "abcd" {
				next = append(next, s+string(c))
			}
		}
		level = next
	}
	p := newEngine()
	for _, in := range patterns {
		for _, out := range patterns {
			is, isNot := regexp.MustCompile(in), regexp.MustCompile(out)
			s, found, known := p.matching([]string{in}, []string{out}, span{})
			if !known {
				t.Errorf("%q without %q is not known", in, out)
				continue
			}
			if found && (!is.MatchString(s) || isNot.MatchString(s)) {
				t.Errorf("%q is said to match %q and not %q", s, in, out)
			}
			for _, other := range texts {
				if is.MatchString(other) && !isNot.MatchString(other) {
					if !found || len([]rune(other)) < len([]rune(s)) {
						t.Errorf("%q matches %q and not %q; found %q, %t", other, in, out, s, found)
					}
					break
				}
			}
		}
	}
	for _, pattern := range []string{"^(?=a)", `(a)\1`, `\bx`} {
		if _, _, known := p.matching([]string{pattern}, nil, span{}); known {
			t.Errorf("%q is taken for a pattern that automata know", pattern)
		}
	}
}
