package contract

import (
	"os"
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
