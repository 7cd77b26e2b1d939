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
		p := newCounter(&out, false, "file", "generated")
		if p.w != nil {
			t.Error("a buffer counts as a terminal")
		}
		p.start(&out)
		p.step()
		for _, step := range []struct {
			wait time.Duration
			want string
		}{
			{countAfter / 2, ""},
			{countAfter / 2, "\r\x1b[K2 files generated, 1 s"},
			{countEvery / 2, ""},
			{countEvery / 2, "\r\x1b[K4 files generated, 1 s"},
			{4 * countEvery, "\r\x1b[K5 files generated, 2 s"},
		} {
			time.Sleep(step.wait)
			synctest.Wait()
			got := out.String()
			if got = got[max(0, bytes.LastIndex(out.Bytes(), []byte("\r"))):]; got != step.want {
				t.Errorf("after %v: %q, want %q", step.wait, got, step.want)
			}
			out.Reset()
			p.step()
		}
		p.end()
		p.end()
		if got := out.String(); got != "\r\x1b[K" {
			t.Errorf("at the end: %q", got)
		}
	})
}

// TestCounterOfShortWork ends before anything is printed.
func TestCounterOfShortWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		p := newCounter(&out, false, "file", "generated")
		p.start(&out)
		p.step()
		p.end()
		time.Sleep(2 * countAfter)
		if out.Len() > 0 {
			t.Errorf("%q was printed", &out)
		}
	})
}
