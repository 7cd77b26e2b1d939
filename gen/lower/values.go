package lower

import (
	"slices"
	"strconv"

	"github.com/mcpgen/mcpgen/gen/schema"
)

// fixValues gives members the values that the overlay fixes, as if the schema had a const.
func (l *lowerer) fixValues() {
	for _, def := range l.doc.Definitions {
		for i, p := range def.Schema.Properties {
			row := l.overlay.value(def.Name, p.Name)
			if row == nil {
				continue
			}
			if !slices.Equal(p.Schema.Types, []string{"string"}) || p.Schema.Const != nil && p.Schema.Const != row.it.Value {
				l.fail(p.Schema, "the overlay fixes the value of %s.%s, which is not a string that can be %q", def.Name, p.Name, row.it.Value)
				continue
			}
			row.use()
			fixed := *p.Schema
			fixed.Const = row.it.Value
			def.Schema.Properties[i] = schema.Property{Name: p.Name, Schema: &fixed}
			if row.it.Absent {
				l.implied[&fixed] = strconv.Quote(row.it.Value)
			}
		}
	}
}
