package lower

import (
	"slices"

	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// markMessages sets Decl.Message of the whole messages, and of the unions and batches of them, that no other
// type holds. Bindings read the envelope of a message before they know its method, so they need no types for
// these.
func (l *lowerer) markMessages(methods []*ir.Method) {
	var kept []*ir.Decl // everything that must stay a type of its own
	for _, d := range l.sortedDecls() {
		if d.Message = isEnvelope(d); !d.Message {
			kept = append(kept, d)
		}
	}
	for changed := true; changed; {
		changed = false
		for _, d := range l.sortedDecls() {
			if !d.Message && d.Rules == nil && d.Import == "" && holdsMessages(d) {
				d.Message, changed = true, true
			}
		}
	}
	kept = slices.DeleteFunc(kept, func(d *ir.Decl) bool { return d.Message })
	for _, m := range methods {
		kept = append(kept, m.Params)
		if m.Result != nil {
			kept = append(kept, m.Result)
		}
		if m.Wire == "subscriptions/listen" { // sessions yield typed notifications
			if d := l.named("ServerNotification"); d != nil {
				kept = append(kept, d)
			}
		}
	}
	keep(kept)
}

// holdsMessages reports whether a declaration is a union or a batch of messages.
func holdsMessages(d *ir.Decl) bool {
	switch t := d.Type.(type) {
	case *ir.Union:
		return t.Context || !t.Lenient && !slices.ContainsFunc(t.Variants, func(v *ir.Variant) bool { return !v.Decl.Message })
	case *ir.Array:
		elem, ok := t.Elem.(*ir.Ref)
		return ok && elem.Decl.Message && t.Length == ir.Count{}
	}
	return false
}

// keep unsets Message of declarations and of those that they refer to.
func keep(decls []*ir.Decl) {
	seen := map[*ir.Decl]bool{}
	var visit func(d *ir.Decl)
	visit = func(d *ir.Decl) {
		if d == nil || seen[d] {
			return
		}
		seen[d], d.Message = true, false
		if u, ok := d.Type.(*ir.Union); ok {
			for _, v := range u.Variants {
				visit(v.Decl)
			}
			return
		}
		ir.Walk(d.Type, func(t ir.Type) {
			if ref, ok := t.(*ir.Ref); ok {
				visit(ref.Decl)
			}
		})
	}
	for _, d := range decls {
		visit(d)
	}
}

// isEnvelope reports whether a definition is that of a whole message: an object with no members but those of
// JSON-RPC.
func isEnvelope(d *ir.Decl) bool {
	o, ok := d.Type.(*ir.Object)
	if !ok || !d.Definition || d.Rules != nil || d.Import != "" || o.Additional != nil || o.Closed || o.Loose {
		return false
	}
	payloads, kind := 0, ""
	for _, f := range o.Fields {
		if f.Soft || f.Boxed || f.Nullable() || f.Default != "" {
			return false
		}
		fits := false
		switch f.Wire {
		case "jsonrpc":
			fits = f.Required && f.Const == "2.0"
		case "id":
			t, scalar := ir.Resolve(f.Type).(*ir.Scalar)
			fits = scalar && t.Kinds == wire.KindString|wire.KindInteger
		case "method":
			t, text := f.Type.(*ir.String)
			fits, kind = f.Required && text && *t == ir.String{}, f.Wire
		case "params", "result", "error":
			payloads++
			fits = isPayload(f)
			if f.Wire != "params" {
				kind = f.Wire
			}
		}
		if !fits {
			return false
		}
	}
	return kind != "" && payloads <= 1
}

// isPayload reports whether a member has a type that jsonrpc.RequestOf and its like can hold.
func isPayload(f *ir.Field) bool {
	if !f.Required && f.Wire != "params" {
		return false
	}
	switch t := f.Type.(type) {
	case *ir.Open:
		return true
	case *ir.Ref:
		switch t.Decl.Type.(type) {
		case *ir.Object, *ir.Union, *ir.Ref, *ir.Map, *ir.Open:
			return true
		}
	}
	return false
}
