package compat

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/gen/ir"
	ladder "github.com/mcpgen/mcpgen/generated/compat"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/wire"
	"github.com/mcpgen/mcpgen/tests/internal/golden"
)

// TestServe has a client of each revision use all of a server that is written once. Every
// message that the server sends must be valid in the client's revision to the independent
// validator, and have nothing of later ones. What is sent, and what is told to be lost,
// is in a golden file for each revision.
func TestServe(t *testing.T) {
	for _, j := range judges(t) {
		t.Run(j.ir.ID, func(t *testing.T) {
			var log journal
			server, catalog := newEverything(t, ladder.Options{Lost: log.lost})
			near, far := inproc.Pair()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			served := make(chan error, 1)
			go func() { served <- server.Serve(ctx, &recorder{far, &log}) }()

			client := newClient(t, j.ir.ID)
			session, err := client.Connect(ctx, near)
			if err != nil {
				t.Fatal(err)
			}
			visit(t, ctx, session, &log)
			before := log.mark("changes")
			catalog.ResourceUpdated("file:///r")
			log.await(t, before, "notifications/resources/updated")
			catalog.RemoveTools("roots")
			log.await(t, before, "notifications/tools/list_changed")
			session.Close()
			if err := <-served; err != nil {
				t.Errorf("serve: %v", err)
			}
			log.judge(t, j)
			log.golden(t, filepath.Join("testdata", "serve", j.ir.ID+".txt"))
		})
	}
}

// visit calls every method of the revision that a client can call.
func visit(t *testing.T, ctx context.Context, session *runtime.Session, log *journal) {
	t.Helper()
	call := func(method string, params wire.Object) {
		t.Helper()
		log.mark(method + " " + string(params))
		code := code(t, session.Revision())
		i := slices.IndexFunc(code.Methods, func(m runtime.Method) bool { return m.Name == method })
		if i < 0 {
			t.Fatalf("%s is no method", method)
		}
		result := fresh(t, code, code.Methods[i].Result)
		if err := session.Call(ctx, method, params, result); err != nil {
			log.note("error %v", err)
			return
		}
		if err := wire.Validate(result); err != nil {
			t.Errorf("%s %s: %v", method, params, err)
		}
	}
	call("tools/list", "{}")
	call("tools/list", "{}")
	call("prompts/list", "{}")
	call("resources/list", "{}")
	call("resources/templates/list", "{}")
	call("prompts/get", `{"name":"greet","arguments":{"who":"Ada"}}`)
	call("resources/read", `{"uri":"file:///r"}`)
	call("resources/read", `{"uri":"file:///t/1"}`)
	call("resources/subscribe", `{"uri":"file:///r"}`)
	call("completion/complete", `{"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"who","value":"A"}}`)
	call("logging/setLevel", `{"level":"debug"}`)
	call("ping", `{}`)
	for _, name := range []string{"content", "structured", "form", "choices", "page", "sample", "sample_audio", "sample_tools", "roots", "missing"} {
		call("tools/call", wire.Object(fmt.Sprintf(`{"name":%q}`, name)))
	}
	call("tools/call", `{"name":"news","_meta":{"progressToken":"p"}}`)
}

// newClient makes a client of one revision that answers all it is asked.
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
		Handle: func(ctx context.Context, method string, params wire.Raw) (wire.Appender, error) {
			i := slices.IndexFunc(code.Methods, func(m runtime.Method) bool { return m.Name == method })
			if i < 0 {
				t.Errorf("the client is asked for %s", method)
				return nil, runtime.MethodNotFound(method)
			}
			return runtime.AnswerValue(ctx, params, fresh(t, code, code.Methods[i].Params), func(context.Context, wire.Value) (wire.Appender, error) {
				return answers[method], nil
			})
		},
	})
}

// journal is what a server sends, and what is told of losses, in their order.
type journal struct {
	mu      sync.Mutex
	lines   []string
	sent    []sent
	pending map[string]string // methods of the client's requests, by id
}

type sent struct {
	method string // of a request or notification, or of the request that a response answers
	text   string
}

func (j *journal) note(format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, fmt.Sprintf(format, args...))
}

// mark begins a section and returns how much has been sent before.
func (j *journal) mark(title string) int {
	j.note("\n# %s", title)
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.sent)
}

// forget has what was sent so far not be judged.
func (j *journal) forget() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.sent = nil
}

func (j *journal) lost(_ context.Context, r ladder.Report) {
	j.note("lost %s", r)
}

// await waits until a message of a method has been sent.
func (j *journal) await(t *testing.T, since int, method string) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		j.mu.Lock()
		found := slices.ContainsFunc(j.sent[since:], func(s sent) bool { return s.method == method })
		j.mu.Unlock()
		if found {
			return
		}
	}
	t.Fatalf("%s is not sent", method)
}

// later are texts that betray a feature, by the revision that brought it.
var later = map[string][]string{
	"2025-03-26": {`"audio"`, `"readOnlyHint"`, `"completions"`},
	"2025-06-18": {`"resource_link"`, `"structuredContent"`, `"outputSchema"`, `"lastModified"`, `"com.example/a"`, `"elicitation`},
	"2025-11-25": {`"icons"`, `"execution"`, `"tasks"`, `"oneOf"`, `"default"`, `"mode"`, `"toolChoice"`, `"method":"notifications/elicitation/complete"`},
}

// judge judges what was sent.
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

// message says what is wrong with a message.
func (j *judge) message(t *testing.T, s sent) []string {
	var problems []string
	add := func(d *ir.Decl, text string) {
		if err := j.refusal(t, d, []byte(text)); err != nil {
			problems = append(problems, fmt.Sprintf("not a %s: %v", d.Name, err))
		}
	}
	add(lookup(t, j.ir, "JSONRPCMessage"), s.text)
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

// recorder writes down what a server sends.
type recorder struct {
	runtime.Transport
	journal *journal
}

// Receive implements runtime.Transport.
func (r *recorder) Receive(ctx context.Context, max int) (runtime.Incoming, error) {
	m, err := r.Transport.Receive(ctx, max)
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
	return m, err
}

// Send implements runtime.Transport.
func (r *recorder) Send(ctx context.Context, m runtime.Outgoing) error {
	r.journal.mu.Lock()
	s := sent{m.Method, string(m.Text)}
	if s.method == "" {
		s.method = r.journal.pending[m.ID.String()]
	}
	r.journal.sent = append(r.journal.sent, s)
	r.journal.lines = append(r.journal.lines, "sent "+s.text)
	r.journal.mu.Unlock()
	return r.Transport.Send(ctx, m)
}
