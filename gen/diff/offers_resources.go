package diff

import (
	"maps"
	"slices"
	"strings"

	"github.com/yosida95/uritemplate/v3"

	"github.com/mcpgen/mcpgen/gen/catalog"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func (t *toolLists) resources(old, new *catalog.Catalog) {
	of := func(e *catalog.Entry) *offer { return uriOf("resources/", e, []string{e.Key}, new) }
	t.entries("resource-removed", entriesOf(old.Resources), entriesOf(new.Resources), of, func(was, is *catalog.Entry) {
		t.resource("resources/list", "resources/"+is.Key, was, is)
	})
}

// unreadable returns the URIs that belong to no resource and no template of a catalog.
func unreadable(uris []string, c *catalog.Catalog) []string {
	return slices.DeleteFunc(slices.Clone(uris), func(uri string) bool {
		return slices.ContainsFunc(c.Resources, func(e *catalog.Entry) bool { return e.Key == uri }) ||
			slices.ContainsFunc(c.Templates, func(e *catalog.Entry) bool { return covers(e.Key, uri) })
	})
}

// uriOf returns an offer of URIs, of which only those count that another catalog does not have.
func uriOf(under string, e *catalog.Entry, uris []string, other *catalog.Catalog) *offer {
	o := &offer{Place: Place{under + e.Key, e.Pointer}, values: anys(unreadable(uris, other)), of: ofURI, use: "resources/read"}
	if o.values == nil {
		o.guard = guardTemplate
	}
	return o
}

func templateOf(e *catalog.Entry, other *catalog.Catalog) *offer {
	return uriOf("templates/", e, samplesOf(e.Key), other)
}

// resource compares the descriptive members of a resource or a template.
func (t *toolLists) resource(use, subject string, was, is *catalog.Entry) {
	before, _ := was.Definition.Get("mimeType")
	after, _ := is.Definition.Get("mimeType")
	if before != after {
		t.says(use, "resource-type-changed", Place{subject, was.Pointer}, Place{subject, is.Pointer}, quoted(string(before)), quoted(string(after)))
	}
	t.remarks("resource-changed", use, subject, was, is, "mimeType", "uri", "uriTemplate")
}

// templates compares templates that have the same text, or else the same name.
func (t *toolLists) templates(old, new *catalog.Catalog) {
	was, is := entriesOf(old.Templates), entriesOf(new.Templates)
	for _, before := range slices.Sorted(maps.Keys(was)) {
		name := was[before].Definition.GetString("name")
		for _, after := range slices.Sorted(maps.Keys(is)) {
			if is[before] == nil && was[after] == nil && name != "" && is[after].Definition.GetString("name") == name {
				was[after] = was[before] // both maps use the new text from here on
				delete(was, before)
				break
			}
		}
	}
	of := func(e *catalog.Entry) *offer {
		if is[e.Key] == e {
			return templateOf(e, old)
		}
		return templateOf(e, new)
	}
	t.entries("resource-template-removed", was, is, of, func(before, after *catalog.Entry) {
		if before.Key != after.Key {
			t.template(before, after, old, new)
		}
		t.resource("resources/templates/list", "templates/"+after.Key, before, after)
	})
}

// template compares the URIs of two templates by samples of both. A URI that another template
// of the other side matches is not lost.
func (t *toolLists) template(was, is *catalog.Entry, old, new *catalog.Catalog) {
	before, after := templateOf(was, new), templateOf(is, old)
	ch := &change{subject: after.Path, old: before.Place, new: after.Place, args: []string{was.Key, is.Key}}
	samples := slices.Concat(samplesOf(was.Key), samplesOf(is.Key))
	only := func(template string, other *catalog.Catalog) []string {
		return unreadable(slices.DeleteFunc(slices.Clone(samples), func(uri string) bool { return !covers(template, uri) }), other)
	}
	lost, won := only(was.Key, new), only(is.Key, old)
	named, names := strings.Join(variables(was.Key), ", "), strings.Join(variables(is.Key), ", ")
	switch {
	case len(lost) > 0 && len(won) > 0:
		ch.rule, ch.guard = "resource-template-changed", guardListed
	case len(lost) > 0:
		ch.rule = "resource-template-narrowed"
	case len(won) > 0:
		ch.rule, ch.guard = "resource-template-widened", guardListed
	case named != names:
		ch.rule, ch.args = "template-variables-renamed", []string{quoted(named), quoted(names)}
	}
	if ch.rule != "" {
		t.direct(ch, anys(lost), anys(won), after.root())
	}
}

func anys(texts []string) []any {
	var all []any
	for _, one := range texts {
		all = append(all, one)
	}
	return all
}

// samplesOf returns URIs of a template with two values for its variables. A text that is not a
// template is its own sample.
func samplesOf(template string) []string {
	parsed, err := uritemplate.New(template)
	if err != nil {
		return []string{template}
	}
	var samples []string
	for _, value := range []string{"x", "y1"} {
		values := uritemplate.Values{}
		for _, name := range parsed.Varnames() {
			values.Set(name, uritemplate.String(value))
		}
		uri, err := parsed.Expand(values)
		if err == nil && !slices.Contains(samples, uri) {
			samples = append(samples, uri)
		}
	}
	return samples
}

// covers reports whether a URI matches a template.
func covers(template, uri string) bool {
	parsed, err := uritemplate.New(template)
	if err != nil {
		return template == uri
	}
	return parsed.Regexp().MatchString(uri)
}

func variables(template string) []string {
	parsed, err := uritemplate.New(template)
	if err != nil {
		return nil
	}
	return parsed.Varnames()
}

// capabilities compares the capabilities that servers declare. If a capability was removed, the
// capabilities below it are not reported.
func (t *toolLists) capabilities(old, new *catalog.Catalog) {
	was, is := declaredIn(old.Capabilities), declaredIn(new.Capabilities)
	sides := [2]map[string]string{was, is}
	eachKey(was, is, func(way int, path, _ string) {
		if !within(path, sides[way], sides[1-way]) { // otherwise the finding for the containing capability covers it
			t.only(way, "capability-removed", capabilityOf(path), path)
		}
	}, func(path, before, after string) {
		if at := capabilityOf(path).Place; before != after {
			t.says("initialize result", "capability-changed", at, at, path, before, after)
		}
	})
}

// within reports whether a capability that contains the path is in has, but not in lacks.
func within(path string, has, lacks map[string]string) bool {
	for i := strings.LastIndexByte(path, '.'); i > 0; i = strings.LastIndexByte(path[:i], '.') {
		_, there := has[path[:i]]
		if _, other := lacks[path[:i]]; there && !other {
			return true
		}
	}
	return false
}

func capabilityOf(path string) *offer {
	pointer := "/capabilities"
	for name := range strings.SplitSeq(path, ".") {
		pointer = wire.ChildPointer(pointer, name)
	}
	o := &offer{Place: Place{"capabilities." + path, pointer}, values: []any{path}, of: ofCapability, use: "initialize result"}
	if strings.HasSuffix(path, ".listChanged") {
		o.guard = guardNotified
	}
	return o
}

// declaredIn returns the declared capabilities: for each path with dots the value, which is ""
// for an object and for true. A capability that is false or null is not declared.
func declaredIn(capabilities wire.Object) map[string]string {
	all := map[string]string{}
	declared(capabilities, "", all)
	return all
}

func declared(o wire.Object, under string, all map[string]string) {
	if o == "" {
		return
	}
	for name, raw := range o.All() {
		path := under + name
		switch {
		case raw.Kind() == wire.KindObject:
			all[path] = ""
			declared(wire.Object(raw), path+".", all)
		case raw == "true":
			all[path] = ""
		case raw != "false" && raw.Kind() != wire.KindNull:
			all[path] = canonical(raw)
		}
	}
}
