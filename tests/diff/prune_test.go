package diff

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// prune keeps a few random messages of a schema.json and what they are made of,
// so that a change is likely to matter and quick to look at.
func prune(rng *rand.Rand, root map[string]any, messages int) map[string]any {
	container := "definitions"
	if _, ok := root["$defs"]; ok {
		container = "$defs"
	}
	defs := root[container].(map[string]any)
	unions := []string{"ClientRequest", "ClientNotification", "ServerRequest", "ServerNotification"}
	var all []string
	for _, union := range unions {
		all = append(all, messagesOf(defs, union)...)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	kept := map[string]bool{}
	for len(kept) < messages {
		kept[pick(rng, all)] = true
	}
	out := map[string]any{}
	var keep func(name string)
	keep = func(name string) {
		if out[name] != nil || defs[name] == nil {
			return
		}
		out[name] = defs[name]
		for _, ref := range refs(defs[name]) {
			keep(ref)
		}
	}
	for name := range defs {
		if strings.HasPrefix(name, "JSONRPC") {
			keep(name)
		}
	}
	for name, def := range defs { // the definition of a message that a union repeats
		if slices.ContainsFunc(unions, func(union string) bool { return kept[union] && methodOf(defs[union]) == methodOf(def) }) {
			keep(name)
		}
	}
	for _, name := range append(slices.Sorted(maps.Keys(kept)), "EmptyResult", "CreateTaskResult") {
		keep(name)
		keep(strings.TrimSuffix(name, "Request") + "Result")
		keep(strings.TrimSuffix(name, "Request") + "ResultResponse")
	}
	if out["SubscriptionFilter"] != nil { // each of its members selects a notification, which generation demands
		for _, name := range messagesOf(defs, "ServerNotification") {
			kept[name] = true
			keep(name)
		}
	}
	for _, union := range unions {
		var branches []any
		for _, name := range messagesOf(defs, union) {
			if name == union {
				continue // the definition is the only message
			}
			if kept[name] {
				branches = append(branches, map[string]any{"$ref": "#/" + container + "/" + name})
			}
		}
		switch len(branches) {
		case 0:
		case 1:
			out[union] = branches[0]
		default:
			out[union] = map[string]any{"anyOf": branches}
		}
	}
	return map[string]any{"$schema": root["$schema"], container: out}
}

// messagesOf are the messages of a union of them, or the name itself if the definition is the only
// message of its kind.
func messagesOf(defs map[string]any, name string) []string {
	switch def, _ := defs[name].(map[string]any); {
	case def == nil:
		return nil
	case def["properties"] != nil:
		return []string{name}
	default:
		return refs(def)
	}
}

// methodOf is the constant method of a definition, or "".
func methodOf(def any) string {
	at := def
	for _, name := range []string{"properties", "method"} {
		object, _ := at.(map[string]any)
		at = object[name]
	}
	object, _ := at.(map[string]any)
	method, _ := object["const"].(string)
	return method
}

// refs are the names of the definitions that a schema refers to.
func refs(v any) []string {
	var names []string
	switch v := v.(type) {
	case map[string]any:
		if ref, ok := v["$ref"].(string); ok {
			// A reference may lead into a definition: "#/$defs/RequestParams/properties/_meta".
			if parts := strings.SplitN(ref, "/", 4); len(parts) > 2 {
				names = append(names, parts[2])
			}
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			names = append(names, refs(v[name])...)
		}
	case []any:
		for _, below := range v {
			names = append(names, refs(below)...)
		}
	}
	return names
}
