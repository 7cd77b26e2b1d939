package wire_test

import (
	"errors"
	"io"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

func TestError(t *testing.T) {
	for want, e := range map[string]*wire.Error{
		"wire: at /content/0/text, byte 34: expected a string, found a number": {Offset: 34, Pointer: "/content/0/text", Problem: "expected a string, found a number"},
		"wire: at byte 0: p": {Problem: "p"},
		"wire: at /a: p":     {Offset: -1, Pointer: "/a", Problem: "p"},
		"wire: p":            {Offset: -1, Problem: "p"},
	} {
		if got := e.Error(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestIn(t *testing.T) {
	if wire.In(nil, "a") != nil || wire.In(nil, strconv.Itoa(0)) != nil {
		t.Error("nil is an error")
	}
	inner := &wire.Error{Offset: -1, Pointer: "/c", Problem: "p"}
	err := wire.In(wire.In(wire.In(inner, "b~/"), strconv.Itoa(12)), "")
	wantError(t, "Error", err, "wire: at //12/b~0~1/c: p")
	if inner.Pointer != "/c" || !errors.Is(err, inner) {
		t.Error("the inner error is changed, or lost")
	}

	err = wire.In(wire.In(io.ErrUnexpectedEOF, strconv.Itoa(1)), "a")
	wantError(t, "any error", err, "wire: at /a/1: unexpected EOF")
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error("the cause is lost")
	}

	err = wire.In(wire.ErrMissing, "content")
	wantError(t, "missing", err, "wire: at /content: a required value is missing")
	if !errors.Is(err, wire.ErrMissing) {
		t.Error("ErrMissing is lost")
	}

	broken := &wire.ValidationError{Problems: []wire.Problem{{Message: "m"}, {Pointer: "/b", Message: "n"}}}
	err = wire.In(wire.In(broken, "a"), strconv.Itoa(3))
	want := []wire.Problem{{Pointer: "/3/a", Message: "m"}, {Pointer: "/3/a/b", Message: "n"}}
	var got *wire.ValidationError
	if !errors.As(err, &got) {
		t.Fatalf("%T", err)
	}
	if diff := cmp.Diff(want, got.Problems); diff != "" {
		t.Error(diff)
	}
	if broken.Problems[0].Pointer != "" {
		t.Error("the inner error is changed")
	}
}
