package tools

import "github.com/mcpgen/mcpgen/runtime/wire"

// Standalone returns a schema as a document of its own, which says the same to
// a validator that asserts every format, without the list.
func (s *Schema) Standalone() wire.Raw { return s.Source }
