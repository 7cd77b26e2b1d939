package contract

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/tools"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Items compares the prompts, resources and templates of the server that a caller calls, and their
// order, with those that a package was generated from.
func Items(t *testing.T, caller runtime.Caller, want *tools.Items) {
	for _, l := range want.Listings() {
		live, err := l.Live(t.Context(), caller)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.EqualFunc(live, l.Definitions, func(a, b wire.Object) bool { return wire.Equal(wire.Raw(a), wire.Raw(b)) }) {
			t.Errorf("%s: the server has %q, want %q", l.Method, live, l.Definitions)
		}
	}
}

// Prompt runs the contract tests of a prompt. Method is the name of the server's method. The caller calls
// the generated server, whose implementation is the fake one.
func Prompt(t *testing.T, caller runtime.Caller, fake *Fake, p *tools.Prompt, method string, s Samples) {
	t.Helper()
	accepted(t, s.Inputs, p.Arguments)
	refused(t, p.Arguments, s.base(), s.Refused)
	get := func(arguments wire.Raw) (*wire.Object, error) {
		return tools.GetPrompt(t.Context(), caller, p, arguments, new(wire.Object))
	}
	for _, r := range first(s.Refused) {
		*fake = Fake{}
		if _, err := get(r.of(t, s.base())); err == nil || fake.called != "" {
			t.Errorf("the server accepted %s (%v)", r, err)
		}
	}
	for _, sample := range s.Inputs {
		answers(t, fake, "get with "+string(sample), method, errFake, func() (*wire.Object, error) { return get(sample) })
	}
}

// answers checks that a call reaches a method of the fake implementation, and that the answer and the error of the
// method reach the client.
func answers(t *testing.T, fake *Fake, what, method string, fail error, call func() (*wire.Object, error)) {
	t.Helper()
	*fake = Fake{fail: fail}
	if _, err := call(); err == nil {
		t.Errorf("%s: an error of the handler did not reach the client", what)
	}
	*fake = Fake{}
	got, err := call()
	switch {
	case err != nil:
		t.Errorf("%s: %v", what, err)
	case fake.called != method:
		t.Errorf("%s: the call reached the method %q", what, fake.called)
	case !strings.Contains(string(*got), `"text":"`+Text+`"`):
		t.Errorf("%s: the result is %s", what, *got)
	}
}

// Resource runs the contract tests of a resource, with the parameters of [Prompt].
func Resource(t *testing.T, caller runtime.Caller, fake *Fake, r *tools.Resource, method string) {
	t.Helper()
	answers(t, fake, r.URI, method, catalog.ErrNoResource, func() (*wire.Object, error) {
		return tools.ReadResource(t.Context(), caller, r.URI, new(wire.Object))
	})
	if fake.uri != r.URI {
		t.Errorf("the method received the URI %q, want %q", fake.uri, r.URI)
	}
}

// StaticText runs the contract tests of a resource with a text that never changes.
func StaticText(t *testing.T, caller runtime.Caller, r *tools.Resource, want string) {
	t.Helper()
	got, err := tools.ReadResource(t.Context(), caller, r.URI, new(wire.Object))
	if err != nil {
		t.Fatal(err)
	}
	contents, _ := got.Get("contents")
	if len(contents.Elements()) != 1 {
		t.Fatalf("the result has %d contents", len(contents.Elements()))
	}
	content := wire.Object(contents.Elements()[0])
	if content.GetString("text") != want || content.GetString("uri") != r.URI || content.GetString("mimeType") != r.Definition.GetString("mimeType") {
		t.Errorf("the content is %s, want the text %q", content, want)
	}
}

// Template runs the contract tests of a resource template, with the parameters of [Prompt].
func Template(t *testing.T, caller runtime.Caller, fake *Fake, template *tools.Template, method string, s Samples) {
	t.Helper()
	accepted(t, s.Inputs, template.Variables)
	refused(t, template.Variables, s.base(), s.Refused)
	read := func(variables wire.Raw) (*wire.Object, error) {
		return tools.ReadTemplate(t.Context(), caller, template, variables, new(wire.Object))
	}
	for _, sample := range s.Inputs {
		uri, err := template.Expand(sample)
		if err != nil {
			t.Errorf("%s: %v", sample, err)
			continue
		}
		*fake = Fake{}
		if _, err := read(sample); err == nil && fake.called != method {
			t.Logf("%s is answered by %q, which comes first", uri, fake.called)
			continue
		}
		answers(t, fake, uri, method, catalog.ErrNoResource, func() (*wire.Object, error) { return read(sample) })
		if fake.uri != uri {
			t.Errorf("%s: the method received %s", uri, fake.uri)
		}
	}
}

// Completion runs the contract tests of an argument whose values a method proposes. Method is the name of
// the server's method.
func Completion(t *testing.T, caller runtime.Caller, fake *Fake, ref tools.Ref, argument, method string) {
	t.Helper()
	*fake = Fake{}
	settled := map[string]string{"other": "value"}
	got, err := tools.Complete(t.Context(), caller, ref, argument, "an", settled, new(wire.Object))
	if err != nil {
		t.Fatal(err)
	}
	if fake.called != method || fake.value != "an" || !maps.Equal(fake.settled, settled) {
		t.Errorf("the call reached the method %q with %q and %v", fake.called, fake.value, fake.settled)
	}
	completion, _ := got.Get("completion")
	if values := proposals(completion); !slices.Equal(values, []string{Text}) {
		t.Errorf("the values are %q", values)
	}
}

// Values checks that a server proposes the values of an argument.
func Values(t *testing.T, caller runtime.Caller, ref tools.Ref, argument string, want []string) {
	t.Helper()
	var result wire.Object
	if _, err := tools.Complete(t.Context(), caller, ref, argument, "", nil, &result); err != nil {
		t.Fatal(err)
	}
	completion, _ := result.Get("completion")
	if got := proposals(completion); !slices.Equal(got, want[:min(len(want), mostProposals)]) {
		t.Errorf("the values of %q are %q, want %q", argument, got, want)
	}
}

// mostProposals is the maximum number of values in a result ("Completion Results" in
// server/utilities/completion of every revision).
const mostProposals = 100

func proposals(completion wire.Raw) []string {
	values, _ := wire.Object(completion).Get("values")
	var all []string
	for _, value := range values.Elements() {
		text, _ := value.Str()
		all = append(all, text)
	}
	return all
}

// Fake holds the answers of the generated fake implementation and records its calls.
type Fake struct {
	called  string // the tool, or the method of another item, that was called last
	uri     string // of a resource
	value   string // to complete
	settled map[string]string
	fail    error
	panics  bool
}

// errFake is the error that a fake tool returns.
var errFake = errors.New("fake error")

// Text is the text that a fake prompt or resource returns.
const Text = "an answer"

// Call records the call of a fake tool and returns the error that it answers with.
func (f *Fake) Call(tool string) error {
	f.called = tool
	if f.panics {
		panic("fake panic")
	}
	return errFake
}

// Answer returns the result of a fake prompt or resource, and records the call: the name of the
// method, and the URI of the resource.
func Answer[R any](f *Fake, method, uri string, result R) (R, error) {
	if f.called, f.uri = method, uri; f.fail != nil {
		var none R
		return none, f.fail
	}
	return result, nil
}

// Proposed returns the completion of a fake argument, and records the call.
func Proposed(f *Fake, method, value string, settled map[string]string) (catalog.Completion, error) {
	f.called, f.value, f.settled = method, value, settled
	return catalog.Completion{Values: []string{Text}}, f.fail
}
