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

// samples is what a generated file says about an item.
type samples struct {
	method     string      // of the fake implementation; "" for a resource with a text that never changes
	text       *string     // that text
	completes  wire.Object // the arguments whose values are proposed, with the method that does it or the values
	inputs     []wire.Raw  // valid under the input schema; empty if no value was found
	refused    []refused   // make the second of inputs, or the only one, invalid
	output     wire.Raw    // valid under the output schema, or ""
	badOutputs []refused   // make the output invalid
}

// read returns what a generated file says: the checksum of the list of tools, and the samples of each item, by its kind
// and its key with a space between.
//
// The first line of the file is a comment. Each other line is an object about an item, but for the second, which has the
// checksum:
//
//	{
//		"item": "tool pay",
//		"method": "Pay",
//		"inputs": [{"to": "text", "cents": 1}],
//		"refused": [{"at": "", "without": ["to", "cents"]}, {"value": "text", "at": ["/cents"]}],
//		"output": {"id": "text"},
//		"badOutputs": [{"at": "", "without": ["id"]}]
//	}
//
// A prompt or template may have "completes", such as {"city": "CompleteForecastCity", "units": ["metric", "imperial"]},
// and a resource may have "text" instead of a method.
func read(t *testing.T, file string) (checksum string, all map[string]samples) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	all = map[string]samples{}
	number := 0
	for line := range strings.Lines(string(text)) {
		if number++; number == 1 {
			continue
		}
		var row wire.Object
		if err := wire.UnmarshalString(line, &row); err != nil {
			t.Fatalf("%s:%d: %v", file, number, err)
		}
		if number == 2 {
			checksum = row.GetString("checksum")
			continue
		}
		of := samples{method: row.GetString("method"), inputs: elements(row, "inputs"), refused: refusals(row, "refused"), badOutputs: refusals(row, "badOutputs")}
		of.output, _ = row.Get("output")
		completes, _ := row.Get("completes")
		of.completes = wire.Object(completes)
		if _, ok := row.Get("text"); ok {
			of.text = new(row.GetString("text"))
		}
		all[row.GetString("item")] = of
	}
	if checksum == "" {
		t.Fatalf("%s has no checksum in its second line, so it is not of this version of mcpgen: generate it again", file)
	}
	return checksum, all
}

// elements returns the elements of a member that is an array.
func elements(o wire.Object, name string) []wire.Raw {
	list, _ := o.Get(name)
	return list.Elements()
}

// refusals returns the changes in a member.
func refusals(row wire.Object, name string) []refused {
	var all []refused
	for _, group := range elements(row, name) {
		group := wire.Object(group)
		for _, member := range elements(group, "without") {
			name, _ := member.Str()
			all = append(all, refused{pointer: group.GetString("at"), member: name})
		}
		if value, ok := group.Get("value"); ok {
			for _, at := range elements(group, "at") {
				pointer, _ := at.Str()
				all = append(all, refused{pointer: pointer, wrong: value})
			}
		}
	}
	return all
}

// base returns the sample that refused changes: the one with the most members.
func (s *samples) base() wire.Raw {
	if len(s.inputs) == 0 {
		return ""
	}
	return s.inputs[min(1, len(s.inputs)-1)]
}

// refused is a change that makes a sample invalid.
type refused struct {
	pointer string   // of the problem
	member  string   // that the object there lacks
	wrong   wire.Raw // a value of a wrong type there, or "" for a missing member
}

// String describes the changed sample.
func (r refused) String() string {
	if r.wrong == "" {
		return fmt.Sprintf("the sample without the member %q at %q", r.member, r.pointer)
	}
	return fmt.Sprintf("the sample with %s at %q", r.wrong, r.pointer)
}

// of returns the changed sample.
func (r refused) of(t *testing.T, sample wire.Raw) wire.Raw {
	t.Helper()
	changed, err := change(sample, r.pointer, func(v wire.Raw) (wire.Raw, error) {
		if r.wrong != "" {
			return r.wrong, nil
		}
		if v.Kind() != wire.KindObject {
			return "", errNothing
		}
		return wire.Raw(wire.Object(v).Without(r.member)), nil
	})
	if err != nil {
		t.Fatalf("the sample %s cannot be changed at %q: %v", sample, r.pointer, err)
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
