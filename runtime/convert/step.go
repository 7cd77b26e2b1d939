package convert

import (
	"fmt"
	"slices"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Func converts a value of which only the type's name is known. It reports whether the
// value is of that type.
type Func func(c *Conversion, v wire.Appender) (wire.Appender, bool)

// Of makes a Func of a converter. It also takes what a generated New makes of the type:
// a pointer, or a box.
func Of[A, B wire.Appender](f func(*Conversion, A) B) Func {
	return func(c *Conversion, v wire.Appender) (wire.Appender, bool) {
		switch v := v.(type) {
		case A:
			return f(c, v), true
		case *wire.Box[A]:
			return f(c, v.V), true
		}
		if p, ok := any(v).(*A); ok {
			return f(c, *p), true
		}
		return nil, false
	}
}

// Same is the Func for what is the same type in both revisions.
func Same(_ *Conversion, v wire.Appender) (wire.Appender, bool) { return v, true }

// Definition converts the values of a definition. Nil refuses them all: the definition,
// or what is left of it, cannot be said in the other revision.
type Definition struct {
	Older, Newer string // its name, for the revision's New
	Up, Down     Func
}

// Method converts the params and results of a method. Nil is for what does not exist:
// results of notifications.
type Method struct {
	ParamsUp, ParamsDown Func
	ResultUp, ResultDown Func
}

// Step converts between two adjacent revisions.
type Step struct {
	Older, Newer string
	// Definition finds the converters of what the newer revision calls by a name.
	Definition func(newer string) (Definition, bool)
	// Method finds those of a method that both revisions have.
	Method func(name string) (Method, bool)
}

// Revision is the generated code of one revision.
type Revision struct {
	ID      string
	New     func(definition string) (wire.Value, bool)
	Methods []runtime.Method
}

// Ladder is what all revisions, the oldest first, and the steps between them make.
// Nothing in it changes.
type Ladder struct {
	Revisions []Revision
	Steps     []Step
}

// index is where a revision stands.
func (l *Ladder) index(revision string) (int, error) {
	i := slices.IndexFunc(l.Revisions, func(r Revision) bool { return r.ID == revision })
	if i < 0 {
		return 0, fmt.Errorf("compat: there is no code for revision %.50q", revision)
	}
	return i, nil
}

// chain is what leads from one revision to another, of what find says of each step. It
// reports whether every step has a Func.
func (l *Ladder) chain(from, to int, find func(s *Step, up bool) Func) ([]Func, bool) {
	var all []Func
	for from < to {
		all = append(all, find(&l.Steps[from], true))
		from++
	}
	for from > to {
		from--
		all = append(all, find(&l.Steps[from], false))
	}
	return all, !slices.ContainsFunc(all, func(f Func) bool { return f == nil })
}

// Convert converts a value of a definition that has the same name in all revisions on
// the way. The value is one of the generated type; any other is read as one first.
func (l *Ladder) Convert(c *Conversion, from, to, definition string, v wire.Appender) (wire.Appender, error) {
	i, err := l.index(from)
	if err != nil {
		return nil, err
	}
	j, err := l.index(to)
	if err != nil {
		return nil, err
	}
	if i == j {
		return v, nil
	}
	chain, ok := l.chain(i, j, func(s *Step, up bool) Func {
		d, _ := s.Definition(definition)
		if up {
			return d.Up
		}
		return d.Down
	})
	fresh, known := l.Revisions[i].New(definition)
	if !ok || !known {
		return nil, fmt.Errorf("compat: no way leads from %s to %s for %.50q", from, to, definition)
	}
	return apply(c, chain, v, fresh)
}

// apply converts a value along a chain. A value that its first link does not know the
// type of is read into fresh first.
func apply(c *Conversion, chain []Func, v wire.Appender, fresh wire.Value) (wire.Appender, error) {
	for i, f := range chain {
		converted, ok := f(c, v)
		if !ok && i == 0 {
			text, err := wire.Marshal(v)
			if err == nil {
				err = wire.UnmarshalString(string(text), fresh)
			}
			if err != nil {
				return nil, err
			}
			converted, ok = f(c, fresh)
		}
		if !ok {
			return nil, fmt.Errorf("compat: there is no way to convert a %T", v)
		}
		if err := c.Err(); err != nil {
			return nil, err
		}
		v = converted
	}
	return v, nil
}
