// Package mock makes the items of a server that answers without doing anything: from the
// definitions of a list, and from the answers of a recorded session.
package mock

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/gen/catalog"
	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/gen/tools/samples"
	runtimecatalog "github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/schema"
	"github.com/mcpgen/mcpgen/runtime/schema/fallback"
	runtimetools "github.com/mcpgen/mcpgen/runtime/tools"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// All in place of the name of a tool stands for every tool.
const All = "*"

// Options configure the behavior of the tools.
type Options struct {
	// Latency is how long each call takes.
	Latency time.Duration
	// Errors are the names of tools whose result is an error, and Refused those whose call is
	// answered with an error of the protocol.
	Errors, Refused []string
	// Hanging are the names of tools that answer only when they are cancelled.
	Hanging []string
	// ErrorRate is the share of calls, from 0 to 1, whose result is an error. Seed makes the
	// selection repeatable.
	ErrorRate float64
	Seed      uint64
	// Recorded has the answers of a recorded session, or is nil.
	Recorded *Recorded
}

// server is what the handlers share.
type server struct {
	Options
	mu     sync.Mutex
	random *rand.Rand
}

// Items returns the items of a server that offers a list. The problems name tools whose schema
// has no sample, so that calls without a recorded answer fail, and tools that no server can offer, which are
// left out.
func Items(c *catalog.Catalog, o Options) (items []runtimecatalog.Item, problems []string, err error) {
	s := &server{Options: o, random: rand.New(rand.NewPCG(o.Seed, o.Seed))}
	for _, t := range c.Tools.Tools {
		item, problem, err := s.tool(t)
		if err != nil {
			return nil, nil, fmt.Errorf("tool %q: %w", t.Name, err)
		}
		if problem != "" {
			problems = append(problems, fmt.Sprintf("tool %q: %s", t.Name, problem))
		}
		if item != nil {
			items = append(items, item)
		}
	}
	for _, e := range c.Prompts {
		items = append(items, s.prompt(e))
	}
	for _, e := range c.Resources {
		items = append(items, s.resource(e))
	}
	for _, e := range c.Templates {
		items = append(items, s.template(e))
	}
	return items, problems, nil
}

// tool returns a tool whose arguments are checked as those of a real server, or nil and the reason why there
// is none.
func (s *server) tool(t *tools.Tool) (item runtimecatalog.Item, problem string, err error) {
	definition, refused, err := served(t)
	if err != nil || refused != "" {
		return nil, refused, err
	}
	described := &runtimetools.Item{Kind: "tool", Key: t.Name, Definition: definition}
	if described.Input, err = compile(t.Input); err != nil {
		return nil, "", fmt.Errorf("inputSchema: %w", err)
	}
	fresh := func() *wire.Raw { return new(wire.Raw) }
	if t.Output == nil {
		return runtimetools.Content(described, runtimetools.Options{}, fresh, func(ctx context.Context, arguments *wire.Raw) ([]wire.Raw, error) {
			if err := s.before(ctx, t.Name); err != nil {
				return nil, err
			}
			if r, ok := s.Recorded.answer("tools/call", t.Name, *arguments); ok {
				return r.fill(runtimetools.ResultOf(ctx)), nil
			}
			return []wire.Raw{text(fmt.Sprintf("mock of %s called with %s", t.Name, *arguments))}, nil
		}), "", nil
	}
	if described.Output, err = compile(t.Output); err != nil {
		return nil, "", fmt.Errorf("outputSchema: %w", err)
	}
	values := samples.Of(t.Output)
	if values == nil {
		problem = "no value of the outputSchema was found; calls without a recorded answer fail"
	}
	// The sample that describes most is the second one, which has the optional members too.
	return runtimetools.Structured(described, runtimetools.Options{}, fresh, func(ctx context.Context, arguments *wire.Raw) (*wire.Raw, error) {
		if err := s.before(ctx, t.Name); err != nil {
			return nil, err
		}
		if r, ok := s.Recorded.answer("tools/call", t.Name, *arguments); ok {
			result := runtimetools.ResultOf(ctx)
			for _, block := range r.fill(result) {
				result.Content = append(result.Content, block)
			}
			if structured, ok := r.result.Get("structuredContent"); ok {
				return &structured, nil
			}
			return nil, nil
		}
		if values == nil {
			return nil, fmt.Errorf("no value of the outputSchema of %s was found", t.Name)
		}
		return &values[min(1, len(values)-1)], nil
	}), problem, nil
}

// served returns the definition of a tool with schemas that clients accept, or the reason why there is none.
func served(t *tools.Tool) (definition wire.Object, refused string, err error) {
	input := tools.JudgeInput(t.Input)
	if input.Refused != "" {
		return "", "inputSchema: it " + input.Refused, nil
	}
	definition, err = t.Definition.With("inputSchema", input.Served)
	if err != nil || t.Output == nil {
		return definition, "", err
	}
	output := tools.JudgeOutput(t.Output)
	if output.Refused != "" {
		return "", "outputSchema: it " + output.Refused, nil
	}
	definition, err = definition.With("outputSchema", output.Served)
	return definition, "", err
}

// compile returns the check function of a schema.
func compile(s *jsonschema.Schema) (func(*schema.Checker), error) {
	return fallback.Compile(string(s.Standalone(jsonschema.AllFormats)))
}

// before waits for the latency, and fails or hangs if the options say so.
func (s *server) before(ctx context.Context, tool string) error {
	named := func(list []string) bool { return slices.Contains(list, tool) || slices.Contains(list, All) }
	if named(s.Hanging) {
		<-ctx.Done()
		return ctx.Err()
	}
	if s.Latency > 0 {
		timer := time.NewTimer(s.Latency)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if named(s.Refused) {
		return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the mock of " + tool + " refuses the call"}
	}
	if named(s.Errors) || s.unlucky() {
		return fmt.Errorf("the mock of %s fails", tool)
	}
	return nil
}

// unlucky reports whether a call fails because of the error rate, at random.
func (s *server) unlucky() bool {
	if s.ErrorRate <= 0 {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.random.Float64() < s.ErrorRate
}

// quoted returns a string as JSON.
func quoted(s string) wire.Raw {
	text, err := wire.AppendString(nil, s)
	if err != nil {
		return `""`
	}
	return wire.Raw(text)
}

// text returns a content block.
func text(s string) wire.Raw { return `{"type":"text","text":` + quoted(s) + `}` }

func (s *server) prompt(e *catalog.Entry) runtimecatalog.Item {
	item := runtimecatalog.NewPrompt(e.Definition, func(_ context.Context, arguments map[string]string) (wire.Object, error) {
		if arguments == nil {
			arguments = map[string]string{}
		}
		given, err := wire.RawOf(arguments)
		if err != nil {
			return "", err
		}
		for argument, values := range valuesOf(e, "arguments") {
			name := argument.GetString("name")
			required, _ := argument.Get("required")
			if value, ok := arguments[name]; ok && !slices.Contains(values, value) && (value != "" || required == "true") {
				return "", jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "invalid params: /arguments/%s: must be one of %q, found %.100q", name, values, value)
			}
		}
		if r, ok := s.Recorded.answer("prompts/get", e.Key, given); ok {
			return r.result, nil
		}
		said := text(fmt.Sprintf("mock of %s with %s", e.Key, given))
		return wire.Object(`{"messages":[{"role":"user","content":` + said + `}]}`), nil
	})
	for argument, values := range valuesOf(e, "arguments") {
		item = item.Complete(argument.GetString("name"), runtimecatalog.OneOf(values...))
	}
	return item
}

// valuesOf yields the arguments of a prompt, or variables of a template, whose values the list
// has.
func valuesOf(e *catalog.Entry, member string) iter.Seq2[wire.Object, []string] {
	return func(yield func(wire.Object, []string) bool) {
		arguments, _ := e.Source.Get(member)
		for _, argument := range arguments.Elements() {
			if argument.Kind() != wire.KindObject {
				continue
			}
			o := wire.Object(argument)
			listed, _ := o.Get(tools.MemberEnum)
			var values []string
			for _, element := range listed.Elements() {
				if value, ok := element.Str(); ok {
					values = append(values, value)
				}
			}
			if len(values) > 0 && !yield(o, values) {
				return
			}
		}
	}
}

func (s *server) resource(e *catalog.Entry) runtimecatalog.Item {
	return runtimecatalog.NewResource(e.Definition, func(_ context.Context, uri string) (wire.Object, error) {
		return s.read(e, uri), nil
	})
}

func (s *server) template(e *catalog.Entry) runtimecatalog.Item {
	item := runtimecatalog.NewTemplate(e.Definition, func(_ context.Context, uri string, variables runtimecatalog.Variables) (wire.Object, error) {
		for variable, values := range valuesOf(e, tools.MemberVariables) {
			if slices.ContainsFunc(variables[variable.GetString("name")], func(v string) bool { return !slices.Contains(values, v) }) {
				return "", runtimecatalog.ErrNoResource
			}
		}
		return s.read(e, uri), nil
	})
	for variable, values := range valuesOf(e, tools.MemberVariables) {
		item = item.Complete(variable.GetString("name"), runtimecatalog.OneOf(values...))
	}
	return item
}

// read returns the contents of a resource.
func (s *server) read(e *catalog.Entry, uri string) wire.Object {
	if r, ok := s.Recorded.answer("resources/read", uri, ""); ok {
		return r.result
	}
	kind := ""
	if declared, ok := e.Definition.Get("mimeType"); ok {
		kind = `,"mimeType":` + string(declared)
	}
	content := wire.Raw(`"mock"`)
	if text, ok := e.Source.Get(tools.MemberText); ok && text.Kind() == wire.KindString {
		content = text
	}
	return wire.Object(`{"contents":[{"uri":` + string(quoted(uri)) + kind + `,"text":` + string(content) + `}]}`)
}
