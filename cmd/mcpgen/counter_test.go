package main

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"
)

func TestCounter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		p := newCounter(&out)
		if p.w != nil {
			t.Error("a buffer counts as a terminal")
		}
		p.w = &out
		for _, step := range []struct {
			wait time.Duration
			want string
		}{
			{countAfter / 2, ""},
			{countAfter / 2, "\r2 files generated"},
			{countEvery / 2, ""},
			{countEvery / 2, "\r4 files generated"},
		} {
			time.Sleep(step.wait)
			out.Reset()
			p.file()
			if got := out.String(); got != step.want {
				t.Errorf("after %v: %q, want %q", step.wait, got, step.want)
			}
		}
		out.Reset()
		p.end()
		if got := out.String(); got != "\r\x1b[K" {
			t.Errorf("at the end: %q", got)
		}
	})
}

// TestCounterOfShortWork ends before anything is printed.
func TestCounterOfShortWork(t *testing.T) {
	var out bytes.Buffer
	p := newCounter(&out)
	p.w = &out
	p.file()
	p.end()
	if out.Len() > 0 {
		t.Errorf("%q was printed", &out)
	}
}
