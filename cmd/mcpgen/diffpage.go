package main

import (
	"encoding/json"
	"fmt"

	"github.com/mcpgen/mcpgen/gen/compat/page"
	"github.com/mcpgen/mcpgen/spec"
)

// errataOf returns the errata that a pinned revision was corrected by, as a page
// shows them.
func errataOf(project *spec.Spec, revision string) []page.Erratum {
	var list []page.Erratum
	for _, e := range project.Errata {
		if e.Revision == revision {
			list = append(list, page.Erratum{Pointer: e.Pointer, Was: jsonText(e.Old), Is: jsonText(e.New), Reason: e.Reason})
		}
	}
	return list
}

// jsonText returns the JSON text of a value of a YAML file.
func jsonText(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}
