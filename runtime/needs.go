package runtime

import "github.com/mcpgen/mcpgen/runtime/wire"

// Needs returns the capabilities, as dotted paths, that a message of the method with
// these params needs: of the side that answers it when it is a request, of the side
// that sends it when it is a notification ("Capability negotiation" in basic/lifecycle
// of every revision).
func (m *Method) Needs(params wire.Raw) []string {
	var needs []string
	if m.Capability != "" {
		needs = append(needs, m.Capability)
	}
	for i := range refinements {
		f := &refinements[i]
		if f.method == m.Name && f.asked(wire.Object(params)) {
			needs = append(needs, f.capability)
		}
	}
	return needs
}

// Declares reports whether capabilities declare the one at a dotted path, such as
// "resources.subscribe".
func Declares(capabilities wire.Object, path string) bool { return declared(capabilities, path) }
