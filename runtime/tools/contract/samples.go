package contract

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// ReadSamples returns the samples in a file that mcpgen has generated. The keys are "tool" with the name of a tool,
// "prompt" with that of a prompt, and "template" with a URI template, with a space between.
//
// The first line of the file is a comment. Each other line is an object with the samples of an item:
//
//	{
//		"item": "tool pay",
//		"inputs": [{"to": "text", "cents": 1}],
//		"refused": [{"at": "", "without": ["to", "cents"]}, {"value": "text", "at": ["/cents"]}],
//		"output": {"id": "text"},
//		"badOutputs": [{"at": "", "without": ["id"]}]
//	}
func ReadSamples(t *testing.T, file string) map[string]Samples {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, lines, _ := strings.Cut(string(text), "\n")
	all := map[string]Samples{}
	for line := range strings.Lines(lines) {
		var row wire.Object
		if err := wire.UnmarshalString(line, &row); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		output, _ := row.Get("output")
		all[row.GetString("item")] = Samples{
			Inputs:     elements(row, "inputs"),
			Refused:    refusals(row, "refused"),
			Output:     output,
			BadOutputs: refusals(row, "badOutputs"),
		}
	}
	return all
}

// elements returns the elements of a member that is an array.
func elements(o wire.Object, name string) []wire.Raw {
	list, _ := o.Get(name)
	return list.Elements()
}

// refusals returns the changes in a member.
func refusals(row wire.Object, name string) []Refused {
	var all []Refused
	for _, group := range elements(row, name) {
		group := wire.Object(group)
		for _, member := range elements(group, "without") {
			name, _ := member.Str()
			all = append(all, Refused{Pointer: group.GetString("at"), Member: name})
		}
		if value, ok := group.Get("value"); ok {
			for _, at := range elements(group, "at") {
				pointer, _ := at.Str()
				all = append(all, Refused{Pointer: pointer, Wrong: value})
			}
		}
	}
	return all
}

// base returns the sample that Refused changes: the one with the most members.
func (s Samples) base() wire.Raw {
	if len(s.Inputs) == 0 {
		return ""
	}
	return s.Inputs[min(1, len(s.Inputs)-1)]
}

// Refused is a change that makes a sample invalid.
type Refused struct {
	// Pointer is the JSON Pointer of the problem.
	Pointer string
	// Wrong is a value of a wrong type there. If it is "", Member is the missing member of the object there.
	Member string
	Wrong  wire.Raw
}

// String describes the changed sample.
func (r Refused) String() string {
	if r.Wrong == "" {
		return fmt.Sprintf("the sample without the member %q at %q", r.Member, r.Pointer)
	}
	return fmt.Sprintf("the sample with %s at %q", r.Wrong, r.Pointer)
}

// of returns the changed sample.
func (r Refused) of(t *testing.T, sample wire.Raw) wire.Raw {
	t.Helper()
	changed, err := change(sample, r.Pointer, func(v wire.Raw) (wire.Raw, error) {
		if r.Wrong != "" {
			return r.Wrong, nil
		}
		if v.Kind() != wire.KindObject {
			return "", errNothing
		}
		return wire.Raw(wire.Object(v).Without(r.Member)), nil
	})
	if err != nil {
		t.Fatalf("the sample %s cannot be changed at %q: %v", sample, r.Pointer, err)
	}
	return changed
}

var errNothing = errors.New("nothing is there")

// change returns a value in which the part at a JSON Pointer is what a function makes of it.
func change(value wire.Raw, pointer string, of func(wire.Raw) (wire.Raw, error)) (wire.Raw, error) {
	if pointer == "" {
		return of(value)
	}
	token, rest, deeper := strings.Cut(pointer[1:], "/")
	if deeper {
		rest = "/" + rest
	}
	name := wire.PointerName(token)
	part, ok := value.Child(name)
	if !ok {
		return "", errNothing
	}
	part, err := change(part, rest, of)
	if err != nil {
		return "", err
	}
	if value.Kind() == wire.KindObject {
		changed, err := wire.Object(value).With(name, part)
		return wire.Raw(changed), err
	}
	all := value.Elements()
	i, err := strconv.Atoi(name)
	all[i] = part
	return wire.ArrayOf(all), err
}
