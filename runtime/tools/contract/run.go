package contract

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/schema"
	"github.com/mcpgen/mcpgen/runtime/tools"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// List compares the list of the server that a caller calls with the one that a package was
// generated from. Items are the tools of the package. Checksum is the SHA-256, in hexadecimal digits, of the array of
// definitions in the list, without white space between tokens.
func List(t *testing.T, caller runtime.Caller, items []catalog.Item, checksum string) {
	t.Helper()
	var definitions []wire.Object
	var want tools.Items
	for _, item := range items {
		text, err := wire.MarshalString(item.(catalog.Tool).Definition)
		if err != nil {
			t.Fatal(err)
		}
		definitions = append(definitions, wire.Object(text))
		want.Tools = append(want.Tools, &tools.Tool{Definition: wire.Object(text)})
	}
	live := definitions
	if len(items) > 0 { // otherwise the server has no tools/list
		listed, err := tools.List(t.Context(), caller)
		if err != nil {
			t.Fatal(err)
		}
		if err := tools.Check(t.Context(), caller, &want); err != nil {
			t.Errorf("the server's list differs from that of the package: %v", err)
		}
		if tools.Compare(definitions, listed) == nil { // otherwise the revision of the session has no tasks
			live = listed
		}
	}
	text := []byte{'['}
	for _, definition := range live {
		var err error
		if text, err = wire.AppendObject(wire.AppendComma(text), definition); err != nil {
			t.Fatal(err)
		}
	}
	sum := sha256.Sum256(append(text, ']'))
	if got := hex.EncodeToString(sum[:]); got != checksum {
		t.Errorf("the server's list differs from the one that the package was generated from: its checksum is %s, want %s", got, checksum)
	}
}

// Tool runs the contract tests of a tool. The caller calls the generated server, whose implementation is
// the fake one.
func Tool(t *testing.T, caller runtime.Caller, fake *Fake, tool *tools.Tool, samples Samples) {
	t.Helper()
	if len(samples.Inputs) == 0 {
		t.Log("no valid sample of arguments was found when this test was generated")
	}
	accepted(t, samples.Inputs, tool.Input)
	refused(t, tool.Input, samples.base(), samples.Refused)
	if tool.Output != nil {
		outputs(t, tool, samples)
	}
	calls(t, caller, fake, tool.Name, samples)
}

// accepted checks that samples are valid.
func accepted(t *testing.T, samples []wire.Raw, check func(*schema.Checker)) {
	t.Helper()
	for _, sample := range samples {
		if err := schema.Check(sample, check); err != nil {
			t.Errorf("%s is valid but was rejected: %v", sample, err)
		}
	}
}

// refused checks that changes of a valid sample are rejected, with the right location.
func refused(t *testing.T, check func(*schema.Checker), sample wire.Raw, all []Refused) {
	t.Helper()
	for _, r := range all {
		err := schema.Check(r.of(t, sample), check)
		if err == nil {
			t.Errorf("%s was accepted, want a problem at %q", r, r.Pointer)
		} else if !r.named(err) {
			t.Errorf("%s was rejected, but without a problem at %q %s: %v", r, r.Pointer, r.Member, err)
		}
	}
}

// named reports whether an error mentions the expected problem.
func (r Refused) named(err error) bool {
	problems, ok := errors.AsType[*wire.ValidationError](err)
	if !ok {
		return false
	}
	quoted := strconv.Quote(r.Member) // the form in which messages quote unusual names
	for _, p := range problems.Problems {
		if p.Pointer == r.Pointer && (strings.Contains(p.Message, r.Member) || strings.Contains(p.Message, quoted)) {
			return true
		}
	}
	return false
}

// outputs checks results against the output schema.
func outputs(t *testing.T, tool *tools.Tool, s Samples) {
	t.Helper()
	refused(t, tool.Output, s.Output, s.BadOutputs)
	if len(s.Inputs) == 0 || s.Output == "" {
		return
	}
	answer := func(result wire.Raw) error {
		fresh := func() *wire.Object { return new(wire.Object) }
		handler := func(context.Context, *wire.Object) (*wire.Raw, error) { return &result, nil }
		_, err := tools.Structured(tool, tools.Options{}, fresh, nil, handler).Call(t.Context(), wire.Object(s.Inputs[0]))
		return err
	}
	if err := answer(s.Output); err != nil {
		t.Errorf("the result %s is valid but was rejected: %v", s.Output, err)
	}
	for _, bad := range s.BadOutputs {
		if answer(bad.of(t, s.Output)) == nil {
			t.Errorf("the server sent the invalid result: %s", bad)
		}
	}
}

// calls calls the tool through the server.
func calls(t *testing.T, caller runtime.Caller, f *Fake, name string, samples Samples) {
	t.Helper()
	for _, r := range first(samples.Refused) {
		*f = Fake{}
		if _, err := tools.CallRaw(t.Context(), caller, name, r.of(t, samples.base())); err == nil || f.called != "" {
			t.Errorf("the server accepted %s (%v)", r, err)
		}
	}
	for _, sample := range samples.Inputs {
		*f = Fake{}
		_, err := tools.CallRaw(t.Context(), caller, name, sample)
		switch failed, ok := errors.AsType[*tools.Error](err); {
		case f.called != name:
			t.Errorf("a call with %s reached the method of %q: %v", sample, f.called, err)
		case !ok || failed.Content != errFake.Error():
			t.Errorf("an error of the handler: got %v", err)
		}
	}
	for _, sample := range samples.Inputs[:min(1, len(samples.Inputs))] {
		*f = Fake{panics: true}
		_, err := tools.CallRaw(t.Context(), caller, name, sample)
		if _, ok := errors.AsType[*tools.Error](err); !ok {
			t.Errorf("a panic of the handler: got %v", err)
		}
	}
}

// first returns the first change of a list, if there is one.
func first(all []Refused) []Refused { return all[:min(1, len(all))] }
