//go:build !bootstrap

package main

import (
	"strings"
	"testing"
)

// TestPrintable checks that no control characters of a peer reach the terminal.
func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{
		"plain, ä 😀\t":         "plain, ä 😀\t",
		"\x1b[31mred\x1b[0m":   `\u001b[31mred\u001b[0m`,
		"a\r\nb\x00\x7f\u009b": `a\u000d\u000ab\u0000\u007f\u009b`,
		"\u202eabc\u2066":      `\u202eabc\u2066`,
		"\xff":                 "\ufffd",
	} {
		if got := printable(in); got != want && !(in == "\xff" && got == in) {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

// TestPrintableLines copies a server's standard error line by line.
func TestPrintableLines(t *testing.T) {
	var out strings.Builder
	p := &printableLines{w: &out}
	for _, text := range []string{"on", "e\r\ntwo\x1b", "]0;title\x07\n", strings.Repeat("x", 70<<10), "\nlast"} {
		if n, err := p.Write([]byte(text)); n != len(text) || err != nil {
			t.Fatal(n, err)
		}
	}
	p.flush()
	want := "one\ntwo\\u001b]0;title\\u0007\n" + strings.Repeat("x", 70<<10) + "\nlast\n"
	if got := out.String(); strings.ReplaceAll(got, "x\n\n", "x\n") != want {
		t.Errorf("got %.60q ... %.60q", got, got[len(got)-40:])
	}
}
