package compat_test

import (
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/gen"
	"github.com/mcpgen/mcpgen/gen/compat"
	"github.com/mcpgen/mcpgen/spec"
)

func pinned(t *testing.T, revision string) compat.Revision {
	t.Helper()
	s, err := spec.Load(spec.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	src, err := gen.PinnedSource(s, revision)
	if err != nil {
		t.Fatal(err)
	}
	lowered, err := gen.Lower(s, src)
	if err != nil {
		t.Fatal(err)
	}
	return compat.Revision{IR: lowered.Revision}
}

// TestStaleException holds that an exception nobody needs is a problem of the
// comparison it is about, and that without exceptions the law says err.
func TestStaleException(t *testing.T) {
	old, new := pinned(t, "2025-06-18"), pinned(t, "2025-11-25")
	stale := compat.Exception{Old: "2025-06-18", New: "2025-11-25", Rule: "variant-added", Subject: "ContentBlock", Arg: "VideoContent", Guard: "asked-for", Reason: "none"}
	for _, sides := range [][2]compat.Revision{{old, new}, {new, old}} {
		r, err := compat.RevisionsExcept(sides[0], sides[1], append(compat.Exceptions(), stale))
		if err != nil || len(r.Problems) != 1 || !strings.Contains(r.Problems[0], "stale exception") {
			t.Errorf("%+v, %v, want a stale exception", r, err)
		}
		if r, err = compat.Revisions(sides[0], sides[1]); err != nil || len(r.Problems) > 0 {
			t.Error(err, r.Problems)
		}
	}
	with, err := compat.Revisions(old, new)
	if err != nil {
		t.Fatal(err)
	}
	bare, err := compat.RevisionsExcept(old, new, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := bare.Summary.Err - with.Summary.Err; got != 6 {
		t.Errorf("%d findings are err without the exceptions and not with them, want 6", got)
	}
	if got := len(bare.Findings) - len(with.Findings); got != 3 {
		t.Errorf("%d findings are none by an exception, want 3", got)
	}
	for _, e := range compat.Exceptions() {
		if e.Reason == "" {
			t.Errorf("%+v has no reason", e)
		}
	}
}

func TestAccept(t *testing.T) {
	report, err := compat.Revisions(pinned(t, "2024-11-05"), pinned(t, "2025-03-26"))
	if err != nil {
		t.Fatal(err)
	}
	before := report.Summary.Err
	rows := []compat.Acceptance{
		{Fingerprint: report.Findings[0].Fingerprint, Reason: "known", Until: "2026-01-31"},
		{Fingerprint: report.Findings[1].Fingerprint, Reason: "was known", Until: "2026-01-30"},
		{Fingerprint: "0123456789ab", Reason: "gone"},
	}
	report.Accept(rows, time.Date(2026, 1, 31, 23, 0, 0, 0, time.UTC))
	if got := report.Summary; got.Err != before-1 || got.Accepted != 1 {
		t.Errorf("%+v", got)
	}
	if got := strings.Join(report.Warnings, "\n"); len(report.Warnings) != 2 || !strings.Contains(got, "expired on 2026-01-30") || !strings.Contains(got, "0123456789ab is accepted and is no finding: gone") {
		t.Errorf("%s", got)
	}
	if !report.Fails(compat.LevelErr) {
		t.Error("what is not accepted does not fail")
	}
}

func TestParseConfig(t *testing.T) {
	for _, test := range []struct{ src, want string }{
		{"", ""},
		{"other: {x: 1}\n", ""},
		{"compat: {accept: [{fingerprint: a, reason: b}]}", ""},
		{"compat: {accept: [{fingerprint: a}]}", "row 1 (a): has no reason"},
		{"compat: {accept: [{reason: a}]}", "has no fingerprint"},
		{"compat: {accept: [{fingerprint: a, reason: b, until: soon}]}", `until is no date such as 2026-12-31: "soon"`},
		{"compat: {except: []}", "except"},
		{"compat: [", "mcpgen.yaml"},
	} {
		_, err := compat.ParseConfig("mcpgen.yaml", []byte(test.src))
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%q: %v, want %q", test.src, err, test.want)
		}
	}
}
