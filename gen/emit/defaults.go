package emit

import (
	"fmt"
	"strconv"

	"github.com/mcpgen/mcpgen/gen/code"
	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// setDefault renders code that sets an absent member to its default. The default is known to
// fit the member's type.
func setDefault(f *ir.Field) string {
	target := "x." + f.Go
	if f.Default == "null" && isOptional(f) {
		return target + ".SetNull()\n"
	}
	if _, isAny := ir.Resolve(f.Base()).(*ir.Any); isAny {
		return target + " = " + defaultValue(f) + "\n"
	}
	if value, ok := literal(f.Base(), f.Default); ok && f.Default != "null" {
		switch {
		case isOptional(f):
			return target + ".Set(" + value + ")\n"
		case byPointer(f):
			return target + " = new(" + value + ")\n"
		}
		return target + " = " + value + "\n"
	}
	plain := *f
	plain.Soft = false
	return "r := wire.NewStringReader(" + code.String(f.Default) + ")\n" + decodeValue(target, &plain)
}

// defaultValue renders the default of a field that a literal expresses.
func defaultValue(f *ir.Field) string {
	switch under := ir.Resolve(f.Base()).(type) {
	case *ir.Any:
		return code.String(f.Default)
	case *ir.Integer:
		if !under.Exact && !byPointer(f) {
			return strconv.FormatInt(wire.NewStringReader(f.Default).ReadInt64(), 10)
		}
	case *ir.Number:
		if !byPointer(f) {
			return f.Default
		}
	}
	value, _ := literal(f.Base(), f.Default)
	return value
}

// literal renders the Go expression for a scalar of a type.
func literal(t ir.Type, text string) (string, bool) {
	r := wire.NewStringReader(text)
	switch under := ir.Resolve(t).(type) {
	case *ir.String:
		return strconv.Quote(r.ReadString()), true
	case *ir.Enum:
		value, values := r.ReadString(), under.Values
		if ref, ok := t.(*ir.Ref); ok && len(ref.Decl.Constants) > 0 {
			values = ref.Decl.Constants
		}
		for _, v := range values {
			if v.Wire == value {
				return v.Go, true
			}
		}
	case *ir.Integer:
		if under.Exact {
			v, ok := r.ReadInteger().Int64()
			return fmt.Sprintf("wire.IntegerOf(%d)", v), ok
		}
		return fmt.Sprintf("int64(%d)", r.ReadInt64()), true
	case *ir.Number:
		return "float64(" + text + ")", true
	case *ir.Boolean:
		return strconv.FormatBool(r.ReadBool()), true
	}
	return "", false
}
