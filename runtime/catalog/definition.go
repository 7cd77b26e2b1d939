package catalog

import (
	"errors"
	"fmt"

	"github.com/mcpgen/mcpgen/runtime/internal/execution"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// kind is what definitions of one kind of item must have.
type kind struct {
	noun       string
	definition string   // its name
	required   []string // members; the first one is the item's key
}

var (
	kindTool     = &kind{"tool", "Tool", []string{"name", "inputSchema"}}
	kindPrompt   = &kind{"prompt", "Prompt", []string{"name"}}
	kindResource = &kind{"resource", "Resource", []string{"uri", "name"}}
	kindTemplate = &kind{"resource template", "ResourceTemplate", []string{"uriTemplate", "name"}}
)

// definition is what the catalog reads of a definition when it is added.
type definition struct {
	text      string // without white space between tokens
	key       string
	unread    bool              // the text is as it came, and the rest of it not known
	arguments []argument        // prompts only
	tasks     execution.Support // tools only
}

// argument is a PromptArgument.
type argument struct {
	name     string
	required bool
}

// define checks a definition: that the members are there which every revision requires,
// and that those are of the right type which mean the same in every revision.
func (k *kind) define(o wire.Object) (definition, error) {
	d := definition{text: string(o)}
	text, err := wire.AppendObject(nil, o)
	if err == nil {
		if string(text) != d.text {
			d.text = string(text)
		}
		err = d.read(k)
	}
	if err == nil && d.key == "" {
		err = wire.In(errors.New("must not be empty"), k.required[0])
	}
	if err != nil {
		return d, fmt.Errorf("catalog: %s %.100q: %w", k.noun, d.key, err)
	}
	return d, nil
}

func (d *definition) read(k *kind) error {
	r := wire.NewStringReader(d.text)
	var seen [1]uint64
	var wrong error // of a schema
	for r.BeginObject(); r.Member(); {
		name := r.Name()
		for i, n := range k.required {
			if n == name {
				seen[0] |= 1 << i
			}
		}
		switch {
		case name == k.required[0]:
			d.key = r.ReadString()
		case name == "name" || name == "title" || name == "description" || name == "mimeType":
			r.ReadString()
		case name == "annotations" || name == "_meta":
			r.ReadObject()
		case k == kindTool && (name == "inputSchema" || name == "outputSchema"):
			if of := readSchema(r); of != "object" && wrong == nil {
				wrong = wire.In(fmt.Errorf(`the schema's type must be "object", not %.50q`, of), name)
			}
		case k == kindTool && name == "execution":
			d.tasks = readExecution(r)
		case k == kindPrompt && name == "arguments":
			d.readArguments(r)
		default:
			r.Skip()
		}
	}
	if seen[0] != 1<<len(k.required)-1 {
		r.Missing(seen[:], k.required...)
	}
	if err := r.Err(); err != nil {
		return err
	}
	if wrong != nil {
		return wrong
	}
	switch d.tasks {
	case "", execution.Forbidden, execution.Optional, execution.Required:
		return nil
	}
	err := fmt.Errorf("must be %q, %q or %q, not %.50q", execution.Forbidden, execution.Optional, execution.Required, d.tasks)
	return wire.In(wire.In(err, "taskSupport"), "execution")
}

// readSchema reads a tool's schema and returns its type, which every revision wants.
func readSchema(r *wire.Reader) string {
	var seen [1]uint64
	of := ""
	for r.BeginObject(); r.Member(); {
		switch r.Name() {
		case "type":
			r.Once(&seen[0], 0)
			of = r.ReadString()
		default:
			r.Skip()
		}
	}
	if seen[0] == 0 {
		r.Missing(seen[:], "type")
	}
	return of
}

// readExecution reads how a tool is run, a member that came with 2025-11-25 (definition
// ToolExecution), and returns its taskSupport.
func readExecution(r *wire.Reader) (support execution.Support) {
	var seen uint64
	for r.BeginObject(); r.Member(); {
		switch r.Name() {
		case "taskSupport":
			r.Once(&seen, 0)
			support = execution.Support(r.ReadString())
		default:
			r.Skip()
		}
	}
	return support
}

func (d *definition) readArguments(r *wire.Reader) {
	for r.BeginArray(); r.Element(); {
		var a argument
		var seen [1]uint64
		for r.BeginObject(); r.Member(); {
			switch r.Name() {
			case "name":
				r.Once(&seen[0], 0)
				a.name = r.ReadString()
			case "required":
				a.required = r.ReadBool()
			case "title", "description":
				r.ReadString()
			default:
				r.Skip()
			}
		}
		if seen[0] == 0 {
			r.Missing(seen[:], "name")
		}
		d.arguments = append(d.arguments, a)
	}
}
