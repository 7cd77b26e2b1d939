package compat

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/gen/ir"
	ladder "github.com/mcpgen/mcpgen/generated/compat"
	"github.com/mcpgen/mcpgen/internal/testkit/mcptest"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/wire"
	"github.com/mcpgen/mcpgen/tests/internal/golden"
)

// newClient returns a client of one revision that answers every request of its server.
func newClient(t *testing.T, revision string) *runtime.Client {
	t.Helper()
	capabilities := wire.Object(`{"roots":{"listChanged":true},"sampling":{}}`)
	switch {
	case revision >= "2025-11-25":
		capabilities = `{"roots":{"listChanged":true},"sampling":{"tools":{}},"elicitation":{"form":{},"url":{}}}`
	case revision >= "2025-06-18":
		capabilities = `{"roots":{"listChanged":true},"sampling":{},"elicitation":{}}`
	}
	answers := map[string]wire.Raw{
		"roots/list":             `{"roots":[{"uri":"file:///a","name":"a"}]}`,
		"sampling/createMessage": `{"role":"assistant","model":"m","content":{"type":"text","text":"said"}}`,
		"elicitation/create":     `{"action":"accept","content":{"name":"Ada"}}`,
	}
	code := code(t, revision)
	return runtime.NewClient(runtime.ClientOptions{Name: "client", Version: "1", Capabilities: capabilities}, runtime.Binding{
		Revision: revision, Direction: runtime.ToClient, Methods: code.Methods,
		Handle: func(ctx context.Context, message *runtime.Message) (wire.Appender, error) {
			method := message.Method
			i := slices.IndexFunc(code.Methods, func(m runtime.Method) bool { return m.Name == method })
			if i < 0 {
				t.Errorf("the client is asked for %s", method)
				return nil, runtime.MethodNotFound(method)
			}
			return runtime.Answer(ctx, message, fresh(t, code, code.Methods[i].Params), func(context.Context, wire.Value) (wire.Appender, error) {
				return answers[method], nil
			})
		},
	})
}

// journal records the messages of one side and the losses in order.
type journal struct {
	mu      sync.Mutex
	lines   []string
	sent    []sent
	pending map[string]string // methods of the client's requests, by id
}

type sent struct {
	method string // the method of a request or notification, or of the request that a response answers
	text   string
}

func (j *journal) note(format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, fmt.Sprintf(format, args...))
}

// mark begins a section.
func (j *journal) mark(title string) { j.note("\n# %s", title) }

// forget excludes the messages so far from validation.
func (j *journal) forget() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.sent = nil
}

func (j *journal) lost(_ context.Context, r ladder.Report) {
	j.note("lost %s", r)
}

// later maps a revision to texts that only messages of this or a later revision contain.
var later = map[string][]string{
	"2025-03-26": {`"audio"`, `"readOnlyHint"`, `"completions"`},
	"2025-06-18": {`"resource_link"`, `"structuredContent"`, `"outputSchema"`, `"lastModified"`, `"com.example/a"`, `"elicitation`},
	"2025-11-25": {`"icons"`, `"execution"`, `"tasks"`, `"oneOf"`, `"default"`, `"mode"`, `"toolChoice"`, `"method":"notifications/elicitation/complete"`},
}

// judge reports the messages that are invalid in a revision or use features of later ones.
func (j *journal) judge(t *testing.T, by *judge) {
	t.Helper()
	for _, s := range j.sent {
		for revision, words := range later {
			for _, word := range words {
				if revision > by.ir.ID && strings.Contains(s.text, word) {
					t.Errorf("%s is of %s: %s", word, revision, s.text)
				}
			}
		}
		for _, problem := range by.message(t, s) {
			t.Errorf("%s: %s\n%s", s.method, problem, s.text)
		}
	}
}

// message returns the problems of a message.
func (j *judge) message(t *testing.T, s sent) []string {
	var problems []string
	add := func(d *ir.Decl, text string) {
		if err := j.refusal(t, d, []byte(text)); err != nil {
			problems = append(problems, fmt.Sprintf("not a %s: %v", d.Name, err))
		}
	}
	add(lookup(t, j.ir, "JSONRPCMessage"), s.text)
	if _, failed := wire.Object(s.text).Get("error"); failed {
		return problems
	}
	i := slices.IndexFunc(j.ir.Methods, func(m *ir.Method) bool { return m.Wire == s.method })
	if i < 0 {
		return append(problems, "the revision does not have the method")
	}
	m := j.ir.Methods[i]
	if result, ok := wire.Object(s.text).Get("result"); ok {
		add(m.Result, string(result))
	} else if _, ok := wire.Object(s.text).Get("method"); ok {
		add(lookup(t, j.ir, m.Definition), s.text)
	}
	return problems
}

// golden compares the journal with a file.
func (j *journal) golden(t *testing.T, file string) {
	t.Helper()
	golden.Check(t, file, strings.TrimSpace(strings.Join(j.lines, "\n"))+"\n")
}

// recorder records the messages sent over a transport.
type recorder struct {
	runtime.Transport
	journal *journal
}

// Start implements runtime.Transport.
func (r *recorder) Start(in runtime.Inbox, max int) {
	r.Transport.Start(mcptest.Tap{Inbox: in, Heard: r.heard}, max)
}

func (r *recorder) heard(m *runtime.Incoming) bool {
	r.journal.mu.Lock()
	defer r.journal.mu.Unlock()
	if id, ok := wire.Object(m.Text).Get("id"); ok {
		if r.journal.pending == nil {
			r.journal.pending = map[string]string{}
		}
		if method, ok := wire.Object(m.Text).Get("method"); ok {
			r.journal.pending[string(id)] = strings.Trim(string(method), `"`)
		}
	}
	return true
}

// sealedState matches the state of a request's rounds, which differs each time.
var sealedState = regexp.MustCompile(`"requestState":"[^"]*"`)

// Send implements runtime.Transport.
func (r *recorder) Send(ctx context.Context, m runtime.Outgoing) error {
	r.journal.mu.Lock()
	s := sent{m.Method, string(m.Text)}
	if s.method == "" {
		s.method = r.journal.pending[m.ID.String()]
	}
	r.journal.sent = append(r.journal.sent, s)
	r.journal.lines = append(r.journal.lines, "sent "+sealedState.ReplaceAllString(s.text, `"requestState":"sealed"`))
	r.journal.mu.Unlock()
	return r.Transport.Send(ctx, m)
}
