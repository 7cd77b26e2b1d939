package jsonschema

import (
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// IsPositive reports whether a number is greater than 0, however small it is.
func IsPositive(number wire.Raw) bool {
	mantissa, _, _ := strings.Cut(strings.ToLower(string(number)), "e")
	return mantissa[0] != '-' && strings.ContainsAny(mantissa, "123456789")
}

// IsHeld reports whether a number is within the range of a float64.
func IsHeld(number wire.Raw) bool {
	in := wire.NewStringReader(string(number))
	in.ReadFloat64()
	return in.Err() == nil
}

// Text returns a string as JSON. It must be UTF-8.
func Text(s string) wire.Raw {
	text, _ := wire.AppendString(nil, s) // which fails only if it is not
	return wire.Raw(text)
}

// Texts returns strings as a JSON array.
func Texts(all []string) wire.Raw {
	texts := make([]wire.Raw, len(all))
	for i, s := range all {
		texts[i] = Text(s)
	}
	return wire.ArrayOf(texts)
}

// Replaced returns a text in which other values are at some JSON Pointers. A pointer that leads to nothing has no
// effect.
func Replaced(text wire.Raw, others map[string]wire.Raw) wire.Raw {
	within := map[string]bool{} // the pointers of the values that have another value within them
	for pointer := range others {
		for i := strings.LastIndexByte(pointer, '/'); i >= 0 && !within[pointer[:i]]; i = strings.LastIndexByte(pointer[:i], '/') {
			within[pointer[:i]] = true
		}
	}
	return replaced(text, "", others, within)
}

func replaced(value wire.Raw, at string, others map[string]wire.Raw, within map[string]bool) wire.Raw {
	if other, ok := others[at]; ok {
		return other
	}
	switch {
	case within[at] && value.Kind() == wire.KindObject:
		text := []byte{'{'}
		for name, member := range wire.Object(value).All() {
			text = append(wire.AppendName(text, name), replaced(member, wire.ChildPointer(at, name), others, within)...)
		}
		return wire.Raw(append(text, '}'))
	case within[at] && value.Kind() == wire.KindArray:
		elements := value.Elements()
		for i, element := range elements {
			elements[i] = replaced(element, at+"/"+strconv.Itoa(i), others, within)
		}
		return wire.ArrayOf(elements)
	}
	return value
}

// With returns an object with a member set to a value. The member is added if there is none. The text of the
// object must be valid.
func With[T ~string](object T, name string, value wire.Raw) T {
	changed, err := wire.Object(object).With(name, value)
	if err != nil {
		return object // which does not happen to a valid text
	}
	return T(changed)
}
