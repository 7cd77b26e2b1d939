package typed

import (
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// defaults holds the values that a schema has for missing members. Nil holds none.
type defaults struct {
	// missing holds the members of an object that have a default.
	missing wire.Members
	members map[string]*defaults // of all named members
	rest    *defaults            // of all other members
	items   *defaults
}

// defaultsOf returns the defaults of a derived schema.
func defaultsOf(schema wire.Raw) *defaults {
	f := &finder{root: wire.Object(schema), found: map[string]*defaults{}}
	return f.find(schema)
}

type finder struct {
	root  wire.Object
	found map[string]*defaults // by name in $defs
}

func (f *finder) find(schema wire.Raw) *defaults {
	o := wire.Object(schema)
	if ref, ok := o.Get("$ref"); ok {
		return f.definition(strings.TrimPrefix(strings.Trim(string(ref), `"`), "#/$defs/"))
	}
	d, within := &defaults{members: map[string]*defaults{}}, false
	properties, _ := o.Get("properties")
	for name, property := range wire.Object(properties).All() {
		if v, ok := wire.Object(property).Get("default"); ok {
			d.missing = append(d.missing, wire.Member{Name: name, Value: v})
		}
		d.members[name] = f.find(property)
		within = within || d.members[name] != nil
	}
	if rest, _ := o.Get("additionalProperties"); rest.Kind() == wire.KindObject {
		d.rest = f.find(rest)
	}
	if items, _ := o.Get("items"); items.Kind() == wire.KindObject {
		d.items = f.find(items)
	}
	if d.missing == nil && !within && d.rest == nil && d.items == nil {
		return nil
	}
	return d
}

// definition returns the defaults of a type in $defs, which may contain itself.
func (f *finder) definition(name string) *defaults {
	if d, ok := f.found[name]; ok {
		return d
	}
	d := &defaults{}
	f.found[name] = d
	definitions, _ := f.root.Get("$defs")
	if schema, ok := wire.Object(definitions).Get(name); ok {
		if inner := f.find(schema); inner != nil {
			*d = *inner
		}
	}
	return d
}

// fill sets missing members to their defaults.
func (d *defaults) fill(v wire.Raw) wire.Raw {
	if d == nil {
		return v
	}
	switch v.Kind() {
	case wire.KindObject:
		return d.fillObject(v)
	case wire.KindArray:
		if d.items == nil {
			return v
		}
		text := []byte{'['}
		r := wire.NewStringReader(string(v))
		for r.BeginArray(); r.Element(); {
			text = append(wire.AppendComma(text), d.items.fill(r.ReadRaw())...)
		}
		return wire.Raw(append(text, ']'))
	}
	return v
}

func (d *defaults) fillObject(v wire.Raw) wire.Raw {
	text := []byte{'{'}
	for name, member := range wire.Object(v).All() {
		inner, ok := d.members[name]
		if !ok {
			inner = d.rest
		}
		text = append(wire.AppendName(text, name), inner.fill(member)...)
	}
	for _, m := range d.missing {
		if _, ok := wire.Object(v).Get(m.Name); !ok {
			text = append(wire.AppendName(text, m.Name), m.Value...)
		}
	}
	return wire.Raw(append(text, '}'))
}
