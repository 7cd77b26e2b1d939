package contract

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/items"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Items compares the prompts, resources and templates of the server that a caller calls, and their
// order, with those that a package was generated from.
func Items(t *testing.T, caller runtime.Caller, want *items.Items) {
	compare := func(method, member string, want []wire.Object) {
		if len(want) == 0 {
			return
		}
		live, err := items.List(t.Context(), caller, method, member)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.EqualFunc(live, want, func(a, b wire.Object) bool { return wire.Equal(wire.Raw(a), wire.Raw(b)) }) {
			t.Errorf("%s: the server has %q, want %q", method, live, want)
		}
	}
	compare("prompts/list", "prompts", definitions(want.Prompts, func(p *items.Prompt) wire.Object { return p.Definition }))
	compare("resources/list", "resources", definitions(want.Resources, func(r *items.Resource) wire.Object { return r.Definition }))
	compare("resources/templates/list", "resourceTemplates", definitions(want.Templates, func(t *items.Template) wire.Object { return t.Definition }))
}

func definitions[T any](all []T, of func(T) wire.Object) []wire.Object {
	var list []wire.Object
	for _, one := range all {
		list = append(list, of(one))
	}
	return list
}

// Answer returns the result of a fake prompt or resource, and records the call: the name of the
// method, the URI of the resource, and the arguments or variables, or nil.
func Answer[R any](f *Fake, method, uri string, in wire.Appender, result R) (R, error) {
	f.uri = uri
	if in == nil {
		in = wire.Raw("{}")
	}
	if err := f.call(method, in); err != nil {
		var none R
		return none, err
	}
	return result, nil
}

// Proposed returns the completion of a fake argument, and records the call.
func Proposed(f *Fake, method, value string, settled map[string]string) (catalog.Completion, error) {
	f.called, f.value, f.settled = method, value, settled
	return catalog.Completion{Values: []string{Text}}, f.fail
}

// Prompt runs the contract tests of a prompt. Get is the client's method, and method the name
// of the server's. The caller calls the generated server, whose implementation answers with
// fake.
func Prompt[In any, R wire.Appender, PIn interface {
	*In
	wire.Value
}](t *testing.T, caller runtime.Caller, fake *Fake, p *items.Prompt, get func(context.Context, *In) (R, error), method string, s Samples) {
	t.Helper()
	inputs(t, s.Inputs, p.Arguments, round[In, PIn])
	refused(t, p.Arguments, s.base(), s.Refused)
	for _, r := range s.Refused[:min(1, len(s.Refused))] {
		*fake = Fake{}
		var result wire.Object
		if err := caller.Call(t.Context(), "prompts/get", wire.Raw(`{"name":`+quoted(p.Name)+`,"arguments":`+string(r.of(t, s.base()))+`}`), &result); err == nil || fake.called != "" {
			t.Errorf("the server accepted %s (%v)", r, err)
		}
	}
	for _, sample := range s.Inputs {
		in, err := decode[In, PIn](sample)
		if err != nil {
			t.Fatal(err)
		}
		*fake = Fake{}
		got, err := get(t.Context(), in)
		switch {
		case err != nil:
			t.Errorf("get with %s: %v", sample, err)
		case fake.called != method:
			t.Errorf("the call reached the method %q", fake.called)
		case !wire.Equal(sample, fake.arguments):
			t.Errorf("the method received %s as %s", sample, fake.arguments)
		}
		if err == nil {
			answered(t, got)
		}
		*fake = Fake{fail: errFake}
		if _, err := get(t.Context(), in); err == nil {
			t.Error("an error of the handler did not reach the client")
		}
	}
}

// Resource runs the contract tests of a resource, with the parameters of [Prompt].
func Resource[R wire.Appender](t *testing.T, fake *Fake, r *items.Resource, read func(context.Context) (R, error), method string) {
	t.Helper()
	*fake = Fake{}
	got, err := read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if fake.called != method || fake.uri != r.URI {
		t.Errorf("the call reached the method %q with the URI %q", fake.called, fake.uri)
	}
	answered(t, got)
	*fake = Fake{fail: catalog.ErrNoResource}
	if _, err := read(t.Context()); err == nil {
		t.Error("an error of the handler did not reach the client")
	}
}

// StaticText runs the contract tests of a resource with a text that never changes.
func StaticText[R wire.Appender](t *testing.T, r *items.Resource, read func(context.Context) (R, error), want string) {
	t.Helper()
	got, err := read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	contents := field(t, got, "contents").Elements()
	if len(contents) != 1 {
		t.Fatalf("the result has %d contents", len(contents))
	}
	content := wire.Object(contents[0])
	if content.GetString("text") != want || content.GetString("uri") != r.URI || content.GetString("mimeType") != r.Definition.GetString("mimeType") {
		t.Errorf("the content is %s, want the text %q", content, want)
	}
}

// Template runs the contract tests of a resource template, with the parameters of [Prompt]. A URI
// may be split into variables in several ways, so their values are compared by the URI that they
// expand to.
func Template[In any, R wire.Appender, PIn interface {
	*In
	wire.Value
}](t *testing.T, fake *Fake, template *items.Template, read func(context.Context, *In) (R, error), method string, s Samples) {
	t.Helper()
	inputs(t, s.Inputs, template.Variables, round[In, PIn])
	refused(t, template.Variables, s.base(), s.Refused)
	for _, sample := range s.Inputs {
		in, err := decode[In, PIn](sample)
		if err != nil {
			t.Fatal(err)
		}
		uri, err := template.Expand(PIn(in))
		if err != nil {
			t.Errorf("%s: %v", sample, err)
			continue
		}
		*fake = Fake{}
		got, err := read(t.Context(), in)
		if err != nil {
			t.Errorf("%s: %v", uri, err)
			continue
		}
		if fake.called != method {
			t.Logf("%s is answered by %q, which comes first", uri, fake.called)
			continue
		}
		if again, err := template.Expand(fake.arguments); fake.uri != uri || again != uri || err != nil {
			t.Errorf("%s: the method received %s with %s", uri, fake.uri, fake.arguments)
		}
		answered(t, got)
		*fake = Fake{fail: catalog.ErrNoResource}
		if _, err := read(t.Context(), in); err == nil {
			t.Error("an error of the handler did not reach the client")
		}
	}
}

// Completion runs the contract tests of an argument whose values a method proposes. Complete is
// the client's method, and method the name of the server's.
func Completion[R wire.Appender](t *testing.T, fake *Fake, method string, complete func(ctx context.Context, value string, settled map[string]string) (R, error)) {
	t.Helper()
	*fake = Fake{}
	settled := map[string]string{"other": "value"}
	got, err := complete(t.Context(), "an", settled)
	if err != nil {
		t.Fatal(err)
	}
	if fake.called != method || fake.value != "an" || !maps.Equal(fake.settled, settled) {
		t.Errorf("the call reached the method %q with %q and %v", fake.called, fake.value, fake.settled)
	}
	if values := proposals(field(t, got, "completion")); !slices.Equal(values, []string{Text}) {
		t.Errorf("the values are %q", values)
	}
}

// Values checks that a server proposes the values of an argument.
func Values(t *testing.T, caller runtime.Caller, ref items.Ref, argument string, want []string) {
	t.Helper()
	var result wire.Object
	if _, err := items.Complete(t.Context(), caller, ref, argument, "", nil, &result); err != nil {
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
	if completion.Kind() != wire.KindObject {
		return nil
	}
	values, _ := wire.Object(completion).Get("values")
	var all []string
	for _, value := range values.Elements() {
		text, _ := value.Str()
		all = append(all, text)
	}
	return all
}

// answered checks that a result has the text that fake items answer with.
func answered(t *testing.T, result wire.Appender) {
	t.Helper()
	text, err := wire.MarshalString(result)
	if err != nil || !strings.Contains(text, `"text":"`+Text+`"`) {
		t.Errorf("the result is %s (%v)", text, err)
	}
}

// field returns a member of a result.
func field(t *testing.T, result wire.Appender, name string) wire.Raw {
	t.Helper()
	text, err := wire.MarshalString(result)
	if err != nil {
		t.Fatal(err)
	}
	value, ok := wire.Object(text).Get(name)
	if !ok {
		t.Fatal(errors.New("the result has no " + name))
	}
	return value
}

// quoted returns a string as JSON.
func quoted(s string) string {
	text, err := wire.AppendString(nil, s)
	if err != nil {
		return `""`
	}
	return string(text)
}
