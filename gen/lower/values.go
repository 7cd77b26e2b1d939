package lower

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/mcpgen/mcpgen/gen/schema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// fixValues gives members the values that the overlay has for them. A fixed value is like a
// const of the schema.
func (l *lowerer) fixValues() {
	for _, def := range l.doc.Definitions {
		for i, p := range def.Schema.Properties {
			row := l.overlay.value(def.Name, p.Name)
			if row == nil {
				continue
			}
			value, absent, s := row.it.Value, row.it.Absent, l.target(p.Schema)
			switch {
			case value == "" && absent == "" || value != "" && absent != "" && value != absent:
				l.fail(p.Schema, "%s: the row has no value for %s.%s, or two", row.where, def.Name, p.Name)
				continue
			case !slices.Equal(s.Types, []string{"string"}) || value != "" && s.Const != nil && s.Const != value,
				s.Enum != nil && !slices.Contains(s.Enum, cmp.Or(value, absent)):
				l.fail(p.Schema, "%s: the row has a value for %s.%s, which is not a string that can be %q", row.where, def.Name, p.Name, cmp.Or(value, absent))
				continue
			}
			if !wire.InFormat(s.Format, cmp.Or(value, absent)) {
				l.fail(p.Schema, "%s: the row has the value %q for %s.%s, which is not in its format %q", row.where, cmp.Or(value, absent), def.Name, p.Name, s.Format)
				continue
			}
			row.use()
			fixed := *p.Schema
			if value != "" {
				fixed = *s
				fixed.Pointer, fixed.Description = p.Schema.Pointer, cmp.Or(p.Schema.Description, s.Description)
				fixed.Const, fixed.Enum = value, nil
			}
			def.Schema.Properties[i] = schema.Property{Name: p.Name, Schema: &fixed}
			if absent != "" {
				l.implied[&fixed] = strconv.Quote(absent)
			}
		}
	}
}
