package contract

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/schema"
	"github.com/mcpgen/mcpgen/runtime/tools"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// lists compares the lists of the server that a caller calls with the items of a package. Checksum is the SHA-256, in
// hexadecimal digits, of the array of the definitions of tools, without white space between tokens.
func lists(t *testing.T, caller runtime.Caller, items []*tools.Item, checksum string) {
	if err := tools.Check(t.Context(), caller, items); err != nil {
		t.Errorf("the server's list differs from that of the package: %v", err)
	}
	for _, kind := range []string{"tool", "prompt", "resource", "template"} {
		var want []wire.Object
		for _, item := range items {
			if item.Kind == kind {
				want = append(want, item.Definition)
			}
		}
		live := want
		if want != nil { // otherwise the server does not have the method of the list
			var err error
			if live, err = tools.List(t.Context(), caller, kind); err != nil {
				t.Fatal(err)
			}
		}
		if kind != "tool" {
			if !slices.EqualFunc(live, want, func(a, b wire.Object) bool { return wire.Equal(wire.Raw(a), wire.Raw(b)) }) {
				t.Errorf("the server's list of the kind %q is %q, want %q", kind, live, want)
			}
			continue
		}
		if tools.Compare(want, live) != nil { // the revision of the session has no tasks
			live = want
		}
		text := []byte{'['}
		for _, definition := range live {
			var err error
			if text, err = definition.AppendJSON(wire.AppendComma(text)); err != nil {
				t.Fatal(err)
			}
		}
		sum := sha256.Sum256(append(text, ']'))
		if got := hex.EncodeToString(sum[:]); got != checksum {
			t.Errorf("the server's list differs from the one that the package was generated from: its checksum is %s, want %s", got, checksum)
		}
	}
}

// test is the test of an item.
type test struct {
	*testing.T
	caller runtime.Caller
	fake   *Fake
	item   *tools.Item
	samples
}

func (t *test) run() {
	if t.item.Input == nil {
		t.call("")
	} else if len(t.inputs) == 0 {
		t.Log("no valid sample of arguments was found when this test was generated")
	}
	for _, sample := range t.inputs {
		if err := schema.Check(sample, t.item.Input); err != nil {
			t.Errorf("%s is valid but was rejected: %v", sample, err)
		}
	}
	t.reject(t.item.Input, t.base(), t.refused)
	if t.item.Output != nil {
		t.outputs()
	}
	if t.item.Kind != "template" { // the URI of another template may be the same
		for _, r := range t.refused[:min(1, len(t.refused))] {
			if _, err := t.send(Fake{}, r.of(t.T, t.base())); err == nil || t.fake.called != "" {
				t.Errorf("the server accepted %s (%v)", r, err)
			}
		}
	}
	for i, sample := range t.inputs {
		t.call(sample)
		if i == 0 && t.item.Kind == "tool" {
			_, err := t.send(Fake{panics: true}, sample)
			if _, ok := errors.AsType[*tools.Error](err); !ok {
				t.Errorf("a panic of the handler: got %v", err)
			}
		}
	}
	for argument, values := range t.completes.All() {
		t.complete(argument, values)
	}
}

// reject checks that changes of a valid sample are rejected, with the right location.
func (t *test) reject(check func(*schema.Checker), sample wire.Raw, all []refused) {
	for _, r := range all {
		err := schema.Check(r.of(t.T, sample), check)
		if err == nil {
			t.Errorf("%s was accepted, want a problem at %q", r, r.pointer)
		} else if !r.named(err) {
			t.Errorf("%s was rejected, but without a problem at %q %s: %v", r, r.pointer, r.member, err)
		}
	}
}

// named reports whether an error mentions the expected problem.
func (r refused) named(err error) bool {
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
func (t *test) outputs() {
	t.reject(t.item.Output, t.output, t.badOutputs)
	if len(t.inputs) == 0 || t.output == "" {
		return
	}
	answer := func(result wire.Raw) error {
		fresh := func() *wire.Object { return new(wire.Object) }
		handler := func(context.Context, *wire.Object) (*wire.Raw, error) { return &result, nil }
		_, err := tools.Structured(t.item, tools.Options{}, fresh, handler).Call(t.Context(), wire.Object(t.inputs[0]))
		return err
	}
	if err := answer(t.output); err != nil {
		t.Errorf("the result %s is valid but was rejected: %v", t.output, err)
	}
	for _, bad := range t.badOutputs {
		if answer(bad.of(t.T, t.output)) == nil {
			t.Errorf("the server sent the invalid result: %s", bad)
		}
	}
}

// send uses the item with arguments or variables, and returns the result. The fake implementation answers as f says.
func (t *test) send(f Fake, in wire.Raw) (result wire.Object, err error) {
	*t.fake = f
	switch t.item.Kind {
	case "tool":
		return tools.CallRaw(t.Context(), t.caller, t.item.Key, in)
	case "prompt":
		_, err = tools.GetPrompt(t.Context(), t.caller, t.item, in, &result)
	case "resource", "template":
		_, err = tools.ReadResource(t.Context(), t.caller, t.item, in, &result)
	}
	return result, err
}

// call checks that a call reaches the method of the fake implementation, and that its answer and its error reach the
// client. The fake method of a tool has no other answer than an error.
func (t *test) call(in wire.Raw) {
	what, uri, fail := "a call with "+string(in), "", errors.New("fake error")
	switch t.item.Kind {
	case "resource", "template":
		var err error
		if uri, err = t.item.Expand(in); err != nil {
			t.Errorf("%s: %v", in, err)
			return
		}
	}
	if uri != "" {
		what, fail = uri, catalog.ErrNoResource
	}
	if t.item.Kind != "tool" {
		got, err := t.send(Fake{}, in)
		switch {
		case err != nil:
			t.Errorf("%s: %v", what, err)
			return
		case t.text != nil:
			t.static(got)
			return
		case t.fake.called != t.method && t.item.Kind == "template":
			t.Logf("%s is answered by %q, which comes first", uri, t.fake.called)
			return
		case t.fake.called != t.method:
			t.Errorf("%s: the call reached the method %q", what, t.fake.called)
		case t.fake.got != uri:
			t.Errorf("%s: the method received %s", what, t.fake.got)
		case !strings.Contains(string(got), `"text":"`+Text+`"`):
			t.Errorf("%s: the result is %s", what, got)
		}
	}
	_, err := t.send(Fake{fail: fail}, in)
	failed, ok := errors.AsType[*tools.Error](err)
	switch {
	case t.fake.called != t.method:
		t.Errorf("%s reached the method %q: %v", what, t.fake.called, err)
	case err == nil || t.item.Kind == "tool" && (!ok || failed.Content != fail.Error()):
		t.Errorf("%s: an error of the handler: got %v", what, err)
	}
}

// static checks the result of a resource with a text that never changes.
func (t *test) static(result wire.Object) {
	contents, _ := result.Get("contents")
	if len(contents.Elements()) != 1 {
		t.Fatalf("the result has %d contents", len(contents.Elements()))
	}
	content := wire.Object(contents.Elements()[0])
	if content.GetString("text") != *t.text || content.GetString("uri") != t.item.Key || content.GetString("mimeType") != t.item.Definition.GetString("mimeType") {
		t.Errorf("the content is %s, want the text %q", content, *t.text)
	}
}

// mostProposals is the maximum number of values in a result ("Completion Results" in
// server/utilities/completion of every revision).
const mostProposals = 100

// complete checks the values that the server proposes for an argument: those listed, or that of a method of the fake
// implementation.
func (t *test) complete(argument string, of wire.Raw) {
	method, called := of.Str()
	value, settled, want := "an", map[string]string{"other": "value"}, []string{Text}
	if !called {
		value, settled, want = "", nil, texts(of)
	}
	*t.fake = Fake{}
	var result wire.Object
	if _, err := tools.Complete(t.Context(), t.caller, t.item, argument, value, settled, &result); err != nil {
		t.Fatal(err)
	}
	expected := new(Fake)
	if called {
		_ = expected.Call(method, value, settled)
	}
	if *t.fake != *expected {
		t.Errorf("the call reached the method %q with %q", t.fake.called, t.fake.got)
	}
	completion, _ := result.Get("completion")
	values, _ := wire.Object(completion).Get("values")
	if got := texts(values); !slices.Equal(got, want[:min(len(want), mostProposals)]) {
		t.Errorf("the values of %q are %q, want %q", argument, got, want)
	}
}

// texts returns the elements of an array of strings.
func texts(array wire.Raw) []string {
	var all []string
	for _, element := range array.Elements() {
		text, _ := element.Str()
		all = append(all, text)
	}
	return all
}
