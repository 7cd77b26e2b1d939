package catalog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file restricts items to callers with certain scopes ("Scope Challenge Handling" in
// basic/authorization of 2025-11-25 and later).

// Require returns a copy of the tool that callers may use if their access tokens have all of the
// scopes, in addition to those that it requires already.
func (t Tool) Require(scopes ...string) Tool {
	t.Scopes = slices.Concat(t.Scopes, scopes)
	return t
}

// Require returns a copy of the prompt that callers may use if their access tokens have all of the
// scopes, in addition to those that it requires already.
func (p Prompt) Require(scopes ...string) Prompt {
	p.Scopes = slices.Concat(p.Scopes, scopes)
	return p
}

// Require returns a copy of the resource that callers may use if their access tokens have all of
// the scopes, in addition to those that it requires already.
func (r Resource) Require(scopes ...string) Resource {
	r.Scopes = slices.Concat(r.Scopes, scopes)
	return r
}

// Require returns a copy of the template that callers may use if their access tokens have all of
// the scopes, in addition to those that it requires already.
func (t Template) Require(scopes ...string) Template {
	t.Scopes = slices.Concat(t.Scopes, scopes)
	return t
}

// checkScopes returns the scopes of an item without duplicates, or an error for one that is not a
// scope (RFC 6749, section 3.3).
func checkScopes(scopes []string) ([]string, error) {
	var all []string
	for _, s := range scopes {
		if s == "" || strings.ContainsFunc(s, func(c rune) bool { return c <= ' ' || c >= 0x7f || c == '"' || c == '\\' }) {
			return nil, wire.In(fmt.Errorf("%q is not a scope", s), "Scopes")
		}
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all, nil
}

// Scopes returns all scopes that the items of the catalog require, sorted. Package runtime/auth/resource
// publishes those of the server that it protects.
func (c *Catalog) Scopes() []string {
	var all []string
	for _, l := range []interface{ scopes() []string }{c.tools, c.prompts, c.resources, c.templates} {
		all = append(all, l.scopes()...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func (l *list[T]) scopes() []string {
	var all []string
	for _, it := range l.view().ordered {
		all = append(all, it.scopes...)
	}
	return all
}

// permit is the Permit of a binding.
func (c *Catalog) permit(ctx context.Context, method string, params wire.Raw) error {
	var scopes []string
	switch o := wire.Object(params); method {
	case "tools/call":
		scopes = c.tools.scopesOf(o.GetString("name"))
	case "prompts/get":
		scopes = c.prompts.scopesOf(o.GetString("name"))
	case "resources/read":
		_, err := c.reader(ctx, o.GetString("uri"))
		if denied, ok := errors.AsType[*runtime.DeniedError](err); ok {
			return denied
		}
		return nil // the handler reports that there is no such resource
	}
	return runtime.Authorize(ctx, scopes)
}

// scopesOf returns the scopes that the item with a key requires.
func (l *list[T]) scopesOf(key string) []string {
	if it, ok := l.view().items[key]; ok {
		return it.scopes
	}
	return nil
}

// visible returns the part of a text that the sender of a request may use. Its result may be kept
// for this sender only.
func (t *text[T]) visible(ctx context.Context) *text[T] {
	access := runtime.AccessOf(ctx)
	if access == nil || !slices.ContainsFunc(t.ordered, func(it *item[T]) bool { return len(it.scopes) > 0 }) {
		return t
	}
	if call := runtime.CallOf(ctx); call != nil {
		call.CachePrivately()
	}
	part := &text[T]{}
	var all []byte
	start := 0
	for i, it := range t.ordered {
		definition := t.text[start:t.ends[i]]
		start = t.ends[i] + 1
		if len(it.scopes) > 0 && access.Allow(it.scopes) != nil {
			continue
		}
		if len(all) > 0 {
			all = append(all, ',')
		}
		all = append(all, definition...)
		part.ordered, part.ends = append(part.ordered, it), append(part.ends, len(all))
	}
	part.text = string(all)
	return part
}
