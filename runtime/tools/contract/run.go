package contract

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/schema"
	"github.com/mcpgen/mcpgen/runtime/tools"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// List compares the list of the server that a caller calls with the one that a package was
// generated from. Checksum is the SHA-256, in hexadecimal digits, of the array of definitions
// in that list, without white space between tokens; definitions are those in the package.
func List(t *testing.T, caller runtime.Caller, definitions []wire.Object, checksum string) {
	live, err := tools.List(t.Context(), caller)
	if err != nil {
		t.Fatal(err)
	}
	if err := tools.Check(t.Context(), caller, definitions); err != nil {
		t.Errorf("the server's list differs from that of the package: %v", err)
	}
	if tools.Compare(definitions, live) != nil { // the revision of the session has no tasks
		live = definitions
	}
	text := []byte{'['}
	for _, definition := range live {
		if text, err = wire.AppendObject(wire.AppendComma(text), definition); err != nil {
			t.Fatal(err)
		}
	}
	sum := sha256.Sum256(append(text, ']'))
	if got := hex.EncodeToString(sum[:]); got != checksum {
		t.Errorf("the server's list differs from the one that the package was generated from: its checksum is %s, want %s", got, checksum)
	}
}

// Run runs the contract tests of a tool. The caller calls the generated server, whose
// implementation of the tool answers with fake.
func Run(t *testing.T, caller runtime.Caller, fake *Fake, tool Tool) {
	if len(tool.samples.Inputs) == 0 {
		t.Log("no valid sample of arguments was found when this test was generated")
	}
	inputs(t, tool.samples.Inputs, tool.tool.Input, tool.round)
	refused(t, tool.tool.Input, tool.samples.base(), tool.samples.Refused)
	tool.outputs(t)
	tool.calls(t, caller, fake)
}

// inputs validates, decodes and encodes samples of arguments.
func inputs(t *testing.T, samples []wire.Raw, check func(*schema.Checker), round func(wire.Raw) (wire.Raw, error)) {
	t.Helper()
	for _, sample := range samples {
		if err := schema.Check(sample, check); err != nil {
			t.Errorf("%s is valid but was rejected: %v", sample, err)
			continue
		}
		again, err := round(sample)
		if err != nil {
			t.Errorf("%s: %v", sample, err)
		} else if !same(sample, again) {
			t.Errorf("%s was decoded and encoded as %s", sample, again)
		}
	}
}

// refused checks that changes of a valid sample are rejected, with the right location.
func refused(t *testing.T, check func(*schema.Checker), sample wire.Raw, all []Refused) {
	t.Helper()
	for _, r := range all {
		err := schema.Check(r.of(t, sample), check)
		if err == nil {
			t.Errorf("%s was accepted, want a problem at %q", r, r.pointer)
		} else if !r.named(err) {
			t.Errorf("%s was rejected, but without a problem at %q %s: %v", r, r.pointer, r.member, err)
		}
	}
}

// named reports whether an error mentions the expected problem.
func (r Refused) named(err error) bool {
	problems, ok := errors.AsType[*wire.ValidationError](err)
	if !ok {
		return false
	}
	quoted := strconv.Quote(r.member) // the form in which messages quote unusual names
	for _, p := range problems.Problems {
		if p.Pointer == r.pointer && (strings.Contains(p.Message, r.member) || strings.Contains(p.Message, quoted)) {
			return true
		}
	}
	return false
}

// outputs checks results against the output schema.
func (tool *Tool) outputs(t *testing.T) {
	s := tool.samples
	if tool.tool.Output == nil {
		return
	}
	refused(t, tool.tool.Output, s.Output, s.BadOutputs)
	if len(s.Inputs) == 0 || s.Output == "" {
		return
	}
	if err := schema.Check(s.Output, tool.tool.Output); err != nil {
		t.Errorf("the result %s is valid but was rejected: %v", s.Output, err)
	}
	for _, bad := range s.BadOutputs {
		if tool.answer(t.Context(), wire.Object(s.Inputs[0]), bad.of(t, s.Output)) == nil {
			t.Errorf("the server sent the invalid result: %s", bad)
		}
	}
}

// calls calls the tool through the client and the server.
func (tool *Tool) calls(t *testing.T, caller runtime.Caller, f *Fake) {
	samples := tool.samples
	for _, r := range samples.Refused[:min(1, len(samples.Refused))] {
		*f = Fake{}
		// The client's types may be unable to represent these arguments.
		if _, err := tools.CallRaw(t.Context(), caller, tool.tool.Name, r.of(t, samples.base())); err == nil || f.called != "" {
			t.Errorf("the server accepted %s (%v)", r, err)
		}
	}
	if len(samples.Inputs) == 0 || tool.tool.Output != nil && samples.Output == "" {
		return
	}
	want := wire.Raw(`[{"type":"text","text":"` + Text + `"}]`)
	if tool.tool.Output != nil {
		want = samples.Output
	}
	for _, sample := range samples.Inputs {
		*f = Fake{output: samples.Output}
		got, err := tool.call(t.Context(), sample)
		switch {
		case err != nil:
			t.Errorf("call with %s: %v", sample, err)
		case f.called != tool.tool.Name:
			t.Errorf("the call reached the method of %q", f.called)
		case !covers(sample, f.arguments):
			t.Errorf("the method received %s as %s", sample, f.arguments)
		case !same(got, want):
			t.Errorf("the result is %s, want %s", got, want)
		}
	}
	sample := samples.Inputs[0]
	*f = Fake{fail: errFake}
	_, err := tool.call(t.Context(), sample)
	if failed, ok := errors.AsType[*tools.Error](err); !ok || failed.Content != errFake.Error() {
		t.Errorf("an error of the handler: got %v", err)
	}
	*f = Fake{panics: true}
	_, err = tool.call(t.Context(), sample)
	if _, ok := errors.AsType[*tools.Error](err); !ok {
		t.Errorf("a panic of the handler: got %v", err)
	}
}

// covers reports whether a value is the same as a sample, except for members that the sample
// lacks: the handler receives absent members as their defaults.
func covers(sample, value wire.Raw) bool {
	switch {
	case sample.Kind() != value.Kind():
		return false
	case sample.Kind() == wire.KindObject:
		for name, member := range wire.Object(sample).All() {
			received, ok := wire.Object(value).Get(name)
			if !ok || !covers(member, received) {
				return false
			}
		}
		return true
	case sample.Kind() == wire.KindArray:
		return slices.EqualFunc(sample.Elements(), value.Elements(), covers)
	}
	return wire.Equal(sample, value) || sameTime(sample, value)
}

// same reports whether two values are the same. A time.Time does not keep how its text was written.
func same(a, b wire.Raw) bool { return covers(a, b) && covers(b, a) }

// sameTime reports whether two strings are one time with one offset.
func sameTime(a, b wire.Raw) bool {
	read := func(v wire.Raw) (time.Time, error) {
		text, _ := v.Str()
		return wire.ParseTime(text)
	}
	s, err := read(a)
	t, errOther := read(b)
	return err == nil && errOther == nil && s.Format(time.RFC3339Nano) == t.Format(time.RFC3339Nano)
}
