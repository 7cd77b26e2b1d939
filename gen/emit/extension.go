package emit

import (
	"fmt"

	"github.com/mcpgen/mcpgen/gen/code"
	"github.com/mcpgen/mcpgen/gen/ir"
)

// extension renders the description of an extension for the runtime, and the functions for its results.
func (e *emitter) extension(w *code.Writer) {
	x := e.rev.Extension
	described := Extension(e.rev)
	fields := []string{"Name: Name", "Revision: Revision", "Methods: Methods"}
	if len(described.Results) > 0 {
		var rows []string
		for _, r := range described.Results {
			rows = append(rows, row(r))
		}
		fields = append(fields, "Results: []runtime.ExtensionResult{"+code.List(rows...)+"}")
	}
	if described.Settings != "" {
		fields = append(fields, fmt.Sprintf("Settings: %q", described.Settings))
	}
	w.Doc("Extension describes the extension to the runtime: its methods, and the results that it adds to methods of the revision.")
	w.P("var Extension = runtime.Extension%s", code.Lines(fields))
	if x.Settings != nil {
		w.Doc("Settings is the value that declares the extension among the capabilities, under its name in the member extensions.")
		w.P("type Settings = %s", declName(x.Settings))
	}
	done := map[*ir.Decl]bool{}
	for _, r := range x.Results {
		if done[r.Decl] {
			continue
		}
		done[r.Decl] = true
		result := "x"
		if isUnion(r.Decl) {
			result = "x.V"
		}
		w.Doc("%sOf returns the result as a %s, if its resultType is %q, and nil otherwise. The package of the revision decodes such a result as an unknown variant.", r.Decl.Name, r.Decl.Name, r.Type)
		w.P(`func %sOf(result wire.Appender) (%s, error) {
			x := new(%s)
			ok, err := runtime.DecodeResult(result, %q, x)
			if !ok || err != nil {
				return nil, err
			}
			return %s, nil
		}`, r.Decl.Name, messageType(r.Decl), valueType(&ir.Ref{Decl: r.Decl}), r.Type, result)
	}
}
