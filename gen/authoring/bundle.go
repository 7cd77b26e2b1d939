package authoring

import (
	"net/url"
	"path"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/gen/names"
	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// bundle returns the list in which each tool has copies of the shared schemas that it uses. It
// returns the text of the file itself if there are none.
func (r *reader) bundle() wire.Raw {
	r.copies = map[string]place{}
	root := r.Root.Value
	at, list := "", root
	for _, member := range []string{"result", "tools"} {
		if list.Kind() != wire.KindObject {
			continue
		}
		if inner, ok := wire.Object(list).Get(member); ok {
			list, at = inner, at+"/"+member
		}
	}
	if list.Kind() != wire.KindArray {
		return root
	}
	bundled, changed := []byte{'['}, false
	for i, tool := range list.Elements() {
		copied := r.bundleTool(at+"/"+strconv.Itoa(i), tool)
		changed = changed || copied != tool
		bundled = append(wire.AppendComma(bundled), copied...)
	}
	if !changed {
		return root
	}
	return jsonschema.Replaced(root, map[string]wire.Raw{at: wire.Raw(append(bundled, ']'))})
}

// bundleTool returns a tool whose schemas have copies of the schemas that they refer to.
func (r *reader) bundleTool(at string, tool wire.Raw) wire.Raw {
	if tool.Kind() != wire.KindObject {
		return tool
	}
	for _, member := range []string{"inputSchema", "outputSchema"} {
		schema, ok := wire.Object(tool).Get(member)
		if !ok || schema.Kind() != wire.KindObject {
			continue
		}
		name, _ := wire.Object(tool).Get("name")
		b := &bundler{reader: r, at: at + "/" + member, taken: map[string]bool{}, names: map[place]string{}, ids: map[string]bool{}}
		b.identified(schema)
		b.tool, _ = name.Str()
		own, _ := wire.Object(schema).Get("$defs")
		b.own = wire.Object(own)
		if own.Kind() == wire.KindObject {
			for name := range b.own.All() {
				b.taken[name] = true
			}
		}
		body := b.rewrite(schema, place{r.Root, b.at}, false)
		if len(b.added) == 0 {
			continue
		}
		defs := wire.Object("{}")
		if rewritten, ok := wire.Object(body).Get("$defs"); ok && rewritten.Kind() == wire.KindObject {
			defs = wire.Object(rewritten)
		}
		for _, add := range b.added {
			defs = jsonschema.With(defs, add.Name, add.Value)
		}
		tool = jsonschema.With(tool, member, jsonschema.With(body, "$defs", wire.Raw(defs)))
	}
	return tool
}

// bundler copies the schemas that the schema of one tool refers to.
type bundler struct {
	*reader
	tool string
	at   string // the pointer of the schema
	own  wire.Object
	// added holds the copies, taken the names of definitions, and names the names of copies by
	// their originals.
	added wire.Members
	taken map[string]bool
	names map[place]string
	ids   map[string]bool // the values of $id in the schema
}

// identified records the values of $id in a schema.
func (b *bundler) identified(s wire.Raw) {
	switch s.Kind() {
	case wire.KindObject:
		for name, value := range wire.Object(s).All() {
			if id, ok := value.Str(); ok && name == "$id" {
				b.ids[id] = true
			}
			b.identified(value)
		}
	case wire.KindArray:
		for _, element := range s.Elements() {
			b.identified(element)
		}
	}
}

// rewrite returns a schema whose references lead to copies. Copied means that the schema is a
// copy itself, so that the references in it are relative to its file.
func (b *bundler) rewrite(s wire.Raw, at place, copied bool) wire.Raw {
	if s.Kind() != wire.KindObject {
		return s
	}
	if _, ok := wire.Object(s).Get("$id"); ok {
		return s // references in it are relative to its $id
	}
	if ref, ok := wire.Object(s).Get("$ref"); ok {
		if now := b.reference(ref, place{at.file, at.pointer + "/$ref"}, copied); now != ref {
			s = jsonschema.With(s, "$ref", now)
		}
	}
	return jsonschema.Within(at.pointer, s, func(pointer string, inner wire.Raw) wire.Raw {
		return b.rewrite(inner, place{at.file, pointer}, copied)
	})
}

// reference returns the value of a $ref, which leads to a copy if necessary.
func (b *bundler) reference(value wire.Raw, at place, copied bool) wire.Raw {
	ref, ok := value.Str()
	if !ok || strings.Contains(ref, "://") || strings.HasPrefix(ref, "urn:") {
		return value
	}
	file, fragment, _ := strings.Cut(ref, "#")
	fragment, err := url.PathUnescape(fragment)
	if err != nil {
		return value // package tools reports it
	}
	target := place{at.file, fragment}
	switch {
	case b.ids[file] && !copied:
		return value // it leads to a schema within that of the tool
	case file != "":
		if target.file, err = b.Load(at.file, file); err != nil {
			b.fail(b.tool, at, "%s", err)
			return value
		}
	case !copied:
		// A reference within the schema of the tool stays, unless only the file has the definition.
		name, found := strings.CutPrefix(fragment, "/$defs/")
		if !found {
			return value
		}
		name, _, _ = strings.Cut(name, "/")
		if _, own := b.own.Get(wire.PointerName(name)); own {
			return value
		}
		if _, shared := b.Root.Value.At("/$defs/" + name); !shared {
			return value
		}
	}
	if target.pointer != "" && target.pointer[0] != '/' {
		b.fail(b.tool, at, "%q: another file is referred to by a pointer, such as #/$defs/name", ref)
		return value
	}
	name, ok := b.copyOf(target)
	if !ok {
		b.fail(b.tool, at, "%q leads to nothing", ref)
		return value
	}
	return jsonschema.Text("#/$defs" + wire.ChildPointer("", name))
}

// copyOf returns the name of the copy of a schema, making the copy if necessary.
func (b *bundler) copyOf(from place) (name string, ok bool) {
	if name, known := b.names[from]; known {
		return name, true
	}
	value, ok := from.file.Value.At(from.pointer)
	if !ok {
		return "", false
	}
	base := wire.PointerName(from.pointer[strings.LastIndexByte(from.pointer, '/')+1:])
	if from.pointer == "" {
		base = strings.TrimSuffix(path.Base(from.file.At), path.Ext(from.file.At))
	}
	name = names.Unique(base, func(s string) bool { return b.taken[s] })
	b.taken[name], b.names[from] = true, name
	b.copies[wire.ChildPointer(b.at+"/$defs", name)] = from
	i := len(b.added)
	b.added = append(b.added, wire.Member{Name: name}) // before those that it refers to
	copied := b.rewrite(value, from, true)
	if copied.Kind() == wire.KindObject {
		if dialect, ok := wire.Object(copied).Get("$schema"); ok && strings.Contains(string(dialect), "2020-12") {
			copied = wire.Raw(wire.Object(copied).Without("$schema")) // it is that of the tool
		}
	}
	b.added[i].Value = copied
	return name, true
}
