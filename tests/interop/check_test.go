package interop

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpgen/mcpgen/spec"
)

// check checks the messages of a session, or of requests without one, against the schema of the revision
// want, which must be the negotiated one. It uses mcpgen verify and an independent validator over the pinned facts.
// unknown lists methods that the session used deliberately although the revision lacks them.
func check(t *testing.T, tr *transcript, want string, unknown ...string) {
	t.Helper()
	messages := tr.list()
	if len(messages) < 4 {
		t.Errorf("only %d messages were recorded", len(messages))
	}
	opened := tr.find(t, fromServer, func(e envelope) bool { return e.Result.ProtocolVersion != "" })
	other := tr.find(t, fromClient, func(e envelope) bool {
		return e.Method != "" && len(e.ID) > 0 && e.Params.Meta.Revision != want
	})
	switch {
	case len(opened) == 0 && len(other) == 0: // each request names the revision
	case len(opened) != 1 || opened[0].Result.ProtocolVersion != want:
		t.Errorf("the session was opened with %+v, want one answer with %s", opened, want)
		return
	}

	var text strings.Builder
	for _, m := range messages {
		fmt.Fprintln(&text, m.text)
	}
	file := filepath.Join(t.TempDir(), "transcript.jsonl")
	if err := os.WriteFile(file, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(program(t, "mcpgen"), "verify", "--roundtrip", "--revision", want, "--format", "json", file).Output()
	if len(out) == 0 {
		t.Errorf("mcpgen verify: %v", err)
	}
	noErrors(t, bytes.NewReader(out), tr.closed)

	j := newJudge(t, want)
	for i, m := range messages {
		for _, problem := range j.message(m) {
			t.Errorf("message %d, %s: %s\n%.500s", i+1, m.from, problem, m.text)
		}
	}
	slices.Sort(unknown)
	if diff := cmp.Diff(unknown, slices.Sorted(maps.Keys(j.unknown)), cmp.Transformer("", func(s []string) string { return strings.Join(s, " ") })); diff != "" {
		t.Errorf("methods that %s lacks (-expected +used):\n%s", want, diff)
	}
}

// judge validates the messages of one session in order.
type judge struct {
	compiler    *jsonschema.Compiler
	container   string              // "/definitions" or "/$defs"
	definitions map[string]any      // compiled schemas by name
	methods     map[string]string   // maps a method to the name of its definition
	pending     map[string]string   // maps side and id of a request to the definition of its result
	unknown     map[string]struct{} // used methods without a definition
}

const schemaURL = "mem:///schema.json"

func newJudge(t *testing.T, revision string) *judge {
	t.Helper()
	facts, err := spec.Load(spec.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	src, err := facts.Schema(revision)
	if err != nil {
		t.Fatal(err)
	}
	root, err := jsonschema.UnmarshalJSON(bytes.NewReader(src))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range facts.Errata {
		if e.Contains(revision) {
			put(t, root, e.Pointer, e.New)
		}
	}
	j := &judge{
		compiler:  jsonschema.NewCompiler(),
		container: "$defs",
		methods:   map[string]string{},
		pending:   map[string]string{},
		unknown:   map[string]struct{}{},
	}
	j.compiler.AssertFormat()
	if err := j.compiler.AddResource(schemaURL, root); err != nil {
		t.Fatal(err)
	}
	if _, ok := root.(map[string]any)["definitions"]; ok {
		j.container = "definitions"
	}
	j.definitions = root.(map[string]any)[j.container].(map[string]any)
	for name, definition := range j.definitions {
		var d struct {
			Properties struct {
				Method struct{ Const string }
			}
		}
		if text, err := json.Marshal(definition); err != nil || json.Unmarshal(text, &d) != nil {
			t.Fatalf("definition %s: %v", name, err)
		}
		if method := d.Properties.Method.Const; method != "" {
			j.methods[method] = name
		}
	}
	return j
}

// put replaces the value at a JSON Pointer without escapes.
func put(t *testing.T, root any, pointer string, value any) {
	t.Helper()
	text, err := json.Marshal(value) // the value comes from YAML
	if err != nil {
		t.Fatal(err)
	}
	if value, err = jsonschema.UnmarshalJSON(bytes.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	segments := strings.Split(pointer, "/")[1:]
	for _, segment := range segments[:len(segments)-1] {
		if list, ok := root.([]any); ok {
			i, _ := strconv.Atoi(segment)
			root = list[i]
		} else {
			root = root.(map[string]any)[segment]
		}
	}
	root.(map[string]any)[segments[len(segments)-1]] = value
}

// refuses returns the reason why a definition refuses a value, or "".
func (j *judge) refuses(definition string, value any) string {
	schema, err := j.compiler.Compile(schemaURL + "#/" + j.container + "/" + definition)
	if err == nil {
		err = schema.Validate(value)
	}
	if err != nil {
		return fmt.Sprintf("not a %s: %v", definition, err)
	}
	return ""
}

// message returns the problem of a message or a batch, or "".
func (j *judge) message(m message) []string {
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(m.text))
	if err != nil {
		return []string{err.Error()}
	}
	problems := []string{j.refuses("JSONRPCMessage", value)}
	batch, ok := value.([]any)
	if !ok {
		batch = []any{value}
	}
	for _, single := range batch {
		if object, ok := single.(map[string]any); ok {
			problems = append(problems, j.single(m.from, object))
		}
	}
	return slices.DeleteFunc(problems, func(problem string) bool { return problem == "" })
}

func (j *judge) single(from string, m map[string]any) string {
	id, hasID := m["id"]
	if method, ok := m["method"].(string); ok {
		definition, ok := j.methods[method]
		if !ok {
			j.unknown[method] = struct{}{}
			return ""
		}
		if hasID {
			j.pending[fmt.Sprint(from, id)] = j.resultOf(definition, m)
		}
		return j.refuses(definition, m)
	}
	to := map[string]string{fromClient: fromServer, fromServer: fromClient}[from]
	definition, ok := j.pending[fmt.Sprint(to, id)]
	delete(j.pending, fmt.Sprint(to, id))
	switch result, isResult := m["result"]; {
	case !isResult:
		return "" // an error; the envelope has the whole schema of it
	case !ok:
		return "response without a request"
	default:
		return j.refuses(definition, result)
	}
}

// resultOf returns the definition of a request's result by the naming convention of the schema.
// PingRequest has no PingResult because its result is empty. A request that runs as a task
// returns a CreateTaskResult.
func (j *judge) resultOf(request string, m map[string]any) string {
	if params, ok := m["params"].(map[string]any); ok && params["task"] != nil {
		return "CreateTaskResult"
	}
	result := strings.TrimSuffix(request, "Request") + "Result"
	if _, ok := j.definitions[result]; !ok {
		return "EmptyResult"
	}
	return result
}
