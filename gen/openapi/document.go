package openapi

import (
	"errors"
	"fmt"
	"iter"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/gen/authoring"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// document is a file of the description.
type document struct {
	*authoring.Source
	// old means that schemas are in the dialect of OpenAPI 3.0.
	old bool
	// objects has the members of the objects and arrays that lookup has read, by pointer, so that a
	// document of megabytes is not searched for each reference.
	objects map[string]map[string]wire.Raw
	// anchors has the pointers of the schemas with an $anchor or a $dynamicAnchor, or is nil before the first is needed.
	anchors map[string]string
}

// node is a value in a document.
type node struct {
	doc     *document
	pointer string
	raw     wire.Raw
	// plain means that a schema stands for its own values and not for those of its heirs, even if they are
	// its alternatives. It is set for a branch of an allOf, which extends the schema, and for the array of
	// the branches.
	plain bool
}

// place identifies a node.
type place struct {
	doc     *document
	pointer string
	plain   bool
}

func (n node) place() place { return place{n.doc, n.pointer, n.plain} }

// kind returns the kind of the value.
func (n node) kind() wire.Kind { return n.raw.Kind() }

// get returns a member of an object. It is empty if there is none.
func (n node) get(name string) node {
	at := node{doc: n.doc, pointer: wire.ChildPointer(n.pointer, name)}
	if n.kind() == wire.KindObject {
		at.raw, _ = wire.Object(n.raw).Get(name)
	}
	return at
}

// exists reports whether there is a value.
func (n node) exists() bool { return n.raw != "" }

// text returns the value of a member that is a string, or "".
func (n node) text(name string) string {
	s, _ := n.get(name).raw.Str()
	return s
}

// flag reports whether a member is true.
func (n node) flag(name string) bool { return n.get(name).raw == "true" }

// reference returns the value of $ref, or else of $dynamicRef, and its node. A document is one resource, so a
// $dynamicRef always leads to the same schema.
func (n node) reference() (ref string, at node, ok bool) {
	for _, keyword := range []string{"$ref", "$dynamicRef"} {
		if at = n.get(keyword); at.kind() == wire.KindString {
			ref, ok = at.raw.Str()
			return ref, at, ok
		}
	}
	return "", n, false
}

// members yields the members of an object, and nothing for another value.
func (n node) members(yield func(name string, member node) bool) {
	if n.kind() != wire.KindObject {
		return
	}
	for name, raw := range wire.Object(n.raw).All() {
		if !yield(name, node{doc: n.doc, pointer: wire.ChildPointer(n.pointer, name), raw: raw}) {
			return
		}
	}
}

// elements yields the elements of an array, and nothing for another value.
func (n node) elements(yield func(element node) bool) {
	if n.kind() != wire.KindArray {
		return
	}
	for i, raw := range n.raw.Elements() {
		if !yield(node{n.doc, n.pointer + "/" + strconv.Itoa(i), raw, n.plain}) {
			return
		}
	}
}

// lookup returns the value at a pointer.
func (d *document) lookup(pointer string) (wire.Raw, bool) {
	if pointer == "" {
		return d.Value, true
	}
	cut := strings.LastIndexByte(pointer, '/')
	if cut < 0 {
		return "", false
	}
	around, name := pointer[:cut], wire.PointerName(pointer[cut+1:])
	members, known := d.objects[around]
	if !known {
		value, ok := d.lookup(around)
		if !ok {
			return "", false
		}
		members = map[string]wire.Raw{}
		switch value.Kind() {
		case wire.KindObject:
			for name, member := range wire.Object(value).All() {
				members[name] = member
			}
		case wire.KindArray:
			for i, element := range value.Elements() {
				members[strconv.Itoa(i)] = element
			}
		}
		d.objects[around] = members
	}
	value, ok := members[name]
	return value, ok
}

// anchor returns the pointer of the schema with an anchor.
func (d *document) anchor(name string) (pointer string, ok bool) {
	if d.anchors == nil {
		d.anchors = map[string]string{}
		d.visit(node{doc: d, raw: d.Value})
	}
	pointer, ok = d.anchors[name]
	return pointer, ok
}

// visit finds the anchors in a value.
func (d *document) visit(n node) {
	for _, keyword := range []string{"$anchor", "$dynamicAnchor"} {
		if name := n.text(keyword); name != "" {
			d.anchors[name] = n.pointer
		}
	}
	for _, member := range n.members {
		d.visit(member)
	}
	for element := range n.elements {
		d.visit(element)
	}
}

// documents are the files of a description.
type documents struct {
	first *document
	// swagger means that the description is of OpenAPI 2.0.
	swagger bool
	sources *authoring.Sources
	files   map[*authoring.Source]*document
	// bytes is the total length of the files except the first, and limit is its maximum. beyond has the
	// references that were not followed because of the limit; the fault tooLong has their number.
	bytes, limit int64
	beyond       map[place]bool
	tooLong      *authoring.Problem
	// extended has, for each schema with a discriminator, the schemas that extend it by allOf. They are members of
	// the objects in surveyed.
	extended map[place][]node
	surveyed map[place]bool
	// insecure means that there is a note about an operation whose credentials only a parameter
	// describes.
	insecure bool
	// faults prevent the import; notes report what is not imported as written.
	faults, notes []*authoring.Problem
}

// read reads the first file.
func read(name string, text []byte, open authoring.Open, limit int64) (*documents, error) {
	all := &documents{limit: limit, files: map[*authoring.Source]*document{}, extended: map[place][]node{}, surveyed: map[place]bool{}}
	sources, err := authoring.NewSources(name, path.Base(name), text, all.limited(open))
	if err != nil {
		return nil, err
	}
	all.sources = sources
	d := all.file(sources.Root)
	all.first = d
	root := all.root()
	version := strings.Trim(string(root.get("openapi").raw), `"`) // YAML reads 3.1 as a number
	switch {
	case root.kind() != wire.KindObject:
		all.fail(root, "an OpenAPI document must be an object, found %s", root.kind())
	case root.get("swagger").exists():
		if all.swagger = strings.Trim(string(root.get("swagger").raw), `"`) == "2.0"; !all.swagger {
			all.fail(root.get("swagger"), "the version %s of Swagger is not supported; OpenAPI 2.0, 3.0, 3.1 and 3.2 are", root.get("swagger").raw)
		}
	case !root.get("openapi").exists():
		all.fail(root, `the document has no member "openapi", so it is not an OpenAPI document`)
	case !slices.ContainsFunc([]string{"3.0", "3.1", "3.2"}, func(known string) bool { return version == known || strings.HasPrefix(version, known+".") }):
		all.fail(root.get("openapi"), "the version %s is not supported; OpenAPI 2.0, 3.0, 3.1 and 3.2 are", root.get("openapi").raw)
	}
	if paths := root.get("paths"); paths.exists() && paths.kind() != wire.KindObject {
		all.fail(paths, "must be an object of paths, found %s", paths.kind())
	}
	d.old = all.swagger || strings.HasPrefix(version, "3.0")
	return all, all.err()
}

func (d *documents) root() node { return node{doc: d.first, raw: d.first.Value} }

// at returns the node at a pointer in the first file. It may not exist.
func (d *documents) at(pointer string) node {
	raw, _ := d.first.lookup(pointer)
	return node{doc: d.first, pointer: pointer, raw: raw}
}

func (d *documents) fail(n node, format string, args ...any) {
	d.faults = append(d.faults, &authoring.Problem{File: n.doc.Name, Pointer: n.pointer, Problem: fmt.Sprintf(format, args...)})
}

func (d *documents) note(n node, format string, args ...any) {
	d.notes = append(d.notes, &authoring.Problem{File: n.doc.Name, Pointer: n.pointer, Problem: fmt.Sprintf(format, args...)})
}

// err returns the faults as an error.
func (d *documents) err() error {
	var errs []error
	all := d.located(d.faults)
	for i, p := range all {
		if i == mostFaults {
			errs = append(errs, &authoring.Problem{File: d.first.Name, Problem: fmt.Sprintf("%d more faults", len(all)-i)})
			break
		}
		errs = append(errs, p)
	}
	return errors.Join(errs...)
}

// mostFaults is how many faults an error lists. If a folder of the description is missing, there can be
// thousands.
const mostFaults = 20

// located returns problems with their lines and columns, each once and in their order.
func (d *documents) located(all []*authoring.Problem) []*authoring.Problem {
	var once []*authoring.Problem
	seen := map[authoring.Problem]bool{}
	for _, p := range all {
		if !seen[*p] {
			seen[*p] = true
			once = append(once, p)
		}
	}
	d.sources.Locate(once)
	return once
}

// resolve follows the references of a node to a value without one. If there is none, it records the
// fault and returns false.
func (d *documents) resolve(n node) (node, bool) {
	for range 50 {
		ref, at, ok := n.reference()
		if !ok {
			return n, true
		}
		next, ok := d.target(at, ref)
		if !ok {
			return n, false
		}
		n = next
	}
	_, at, _ := n.reference()
	d.fail(at, "the reference leads to itself")
	return n, false
}

// parts yields a schema, those that it refers to, and the branches of keywords such as allOf, at any depth.
func (d *documents) parts(n node, keywords ...string) iter.Seq[node] {
	return func(yield func(node) bool) {
		seen := map[place]bool{}
		var visit func(n node) bool
		visit = func(n node) bool {
			if seen[n.place()] {
				return true
			}
			seen[n.place()] = true
			if !yield(n) {
				return false
			}
			if ref, at, ok := n.reference(); ok {
				if target, ok := d.target(at, ref); ok && !visit(target) {
					return false
				}
			}
			for _, keyword := range keywords {
				for branch := range n.get(keyword).elements {
					if !visit(branch) {
						return false
					}
				}
			}
			return true
		}
		visit(n)
	}
}

// child returns a member of an object, or what it refers to. It is empty if there is none.
func (d *documents) child(n node, name string) node {
	member, ok := d.resolve(n.get(name))
	if !ok {
		return node{}
	}
	return member
}

// children yields the members of an object, or what they refer to.
func (d *documents) children(n node) func(yield func(name string, member node) bool) {
	return func(yield func(string, node) bool) {
		for name, member := range n.members {
			if member, ok := d.resolve(member); ok && !yield(name, member) {
				return
			}
		}
	}
}

// target returns the node that the reference at a node leads to. If there is none, it records the
// fault and returns false.
func (d *documents) target(at node, ref string) (node, bool) {
	file, fragment, _ := strings.Cut(ref, "#")
	pointer, err := url.PathUnescape(fragment)
	if err != nil {
		pointer = fragment
	}
	doc := at.doc
	if file != "" {
		if doc, err = d.load(at.doc, file); err == errTooLong {
			if d.tooLong == nil {
				d.fail(at, "")
				d.tooLong, d.beyond = d.faults[len(d.faults)-1], map[place]bool{}
			}
			d.beyond[at.place()] = true
			d.tooLong.Problem = fmt.Sprintf("the files of the document have more than %d bytes; references that are not followed: %d; --openapi-limit raises the limit", d.limit, len(d.beyond))
			return node{}, false
		}
		if err != nil {
			d.fail(at, "%s", err)
			return node{}, false
		}
	}
	if pointer != "" && pointer[0] != '/' {
		anchor, ok := doc.anchor(pointer)
		if !ok {
			d.fail(at, "%q is not a JSON Pointer, such as #/components/schemas/Name, and no schema has that $anchor", ref)
			return node{}, false
		}
		pointer = anchor
	}
	raw, ok := doc.lookup(pointer)
	if !ok {
		d.fail(at, "%q leads to nothing", ref)
		return node{}, false
	}
	return node{doc: doc, pointer: pointer, raw: raw}, true
}

// errTooLong means that the files of a description are longer than the limit.
var errTooLong = errors.New("the files of the document are too long")

// load returns another file of the description.
func (d *documents) load(from *document, ref string) (*document, error) {
	if strings.Contains(ref, "://") {
		return nil, fmt.Errorf("%q: references to other servers are not followed; write the file beside the document", ref)
	}
	source, err := d.sources.Load(from.Source, ref)
	if err != nil {
		return nil, err
	}
	return d.file(source), nil
}

// file returns the document of a file.
func (d *documents) file(source *authoring.Source) *document {
	doc := d.files[source]
	if doc == nil {
		doc = &document{Source: source, old: d.first != nil && d.first.old, objects: map[string]map[string]wire.Raw{}}
		d.files[source] = doc
	}
	return doc
}

// limited returns a function that opens files until they exceed the limit together. From then on,
// it returns errTooLong.
func (d *documents) limited(open authoring.Open) authoring.Open {
	if open == nil {
		return nil
	}
	return func(path string) ([]byte, error) {
		if d.tooLong != nil {
			return nil, errTooLong
		}
		text, err := open(path)
		if d.bytes += int64(len(text)); err == nil && d.bytes > d.limit {
			err = errTooLong
		}
		return text, err
	}
}

// distinct returns the elements of a list, each once.
func distinct(list []string) []string {
	var once []string
	for _, s := range list {
		if !slices.Contains(once, s) {
			once = append(once, s)
		}
	}
	return once
}
