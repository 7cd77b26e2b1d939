package convert

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// fits returns an error that says why a JSON value, as encoding/json decodes it, is not valid
// for a type, or nil.
func fits(v any, t ir.Type) error {
	switch t := ir.Resolve(t).(type) {
	case *ir.Any:
		return nil
	case *ir.Nullable:
		if v == nil {
			return nil
		}
		return fits(v, t.Elem)
	case *ir.Union:
		for _, variant := range t.Variants {
			if fits(v, variant.Decl.Type) == nil {
				return nil
			}
		}
		return errors.New("no variant allows it")
	case *ir.Object:
		return fitsObject(v, t)
	case *ir.Map:
		o, ok := v.(map[string]any)
		for name, value := range o {
			if err := fits(value, t.Elem); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		return expect(ok, "an object")
	case *ir.Open:
		_, ok := v.(map[string]any)
		return expect(ok, "an object")
	case *ir.Array:
		list, ok := v.([]any)
		for i, value := range list {
			if err := fits(value, t.Elem); err != nil {
				return fmt.Errorf("element %d: %w", i, err)
			}
		}
		return errors.Join(expect(ok, "an array"), expect(t.Length.Has(len(list)), "a number of elements within %s", t.Length))
	}
	return fitsLeaf(v, leafOf(t))
}

func fitsObject(v any, t *ir.Object) error {
	o, ok := v.(map[string]any)
	if !ok {
		return expect(t.Loose, "an object")
	}
	for _, f := range t.Fields {
		value, ok := o[f.Wire]
		if !ok {
			if f.Required && f.Default == "" {
				return fmt.Errorf("%s is missing", f.Wire)
			}
			continue
		}
		err := fits(value, f.Type)
		if err == nil && f.Const != nil {
			err = expect(jsonOf(value) == jsonOf(f.Const), "%s", jsonOf(f.Const))
		}
		if err != nil {
			return fmt.Errorf("%s: %w", f.Wire, err)
		}
	}
	return nil
}

func fitsLeaf(v any, l *leaf) error {
	kind, number := ir.KindNull, 0.0
	switch v := v.(type) {
	case string:
		kind = ir.KindString
		if l.format != "" && !wire.InFormat(l.format, v) {
			return expect(false, "a string in the format %s", l.format)
		}
		if !l.length.Has(utf8.RuneCountInString(v)) {
			return expect(false, "a string of a length within %v", l.length)
		}
	case bool:
		kind = ir.KindBoolean
	case float64:
		kind, number = ir.KindNumber, v
	}
	if !slices.Contains(l.kinds, kind) {
		return expect(false, "one of %v", l.kinds)
	}
	if kind == ir.KindNumber {
		b := l.bounds
		low := b.Min == nil || number > *b.Min || number == *b.Min && !b.MinOpen
		high := b.Max == nil || number < *b.Max || number == *b.Max && !b.MaxOpen
		return errors.Join(expect(!l.integer || number == math.Trunc(number), "an integer"), expect(low && high, "a number within %v", b))
	}
	return expect(l.values == nil || slices.Contains(l.values, jsonOf(v)), "one of %v", l.values)
}

func expect(ok bool, format string, args ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf("expected "+format, args...)
}
