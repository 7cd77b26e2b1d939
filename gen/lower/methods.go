package lower

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/gen/schema"
	"github.com/mcpgen/mcpgen/spec"
)

// directions lists the unions that determine which side may send a message. If a revision has
// only one such message, the definition is that message instead of a union. A request of
// InputRequest is sent within a result.
var directions = []struct {
	definition                 string
	toServer, toClient, within bool
}{
	{"ClientRequest", true, false, false},
	{"ClientNotification", true, false, false},
	{"ServerRequest", false, true, false},
	{"ServerNotification", false, true, false},
	{"InputRequest", false, true, true},
}

// methods returns the messages that one side may send to the other.
func (l *lowerer) methods() []*ir.Method {
	toServer, toClient, within := map[string]bool{}, map[string]bool{}, map[string]bool{}
	sent := map[string]*schema.Schema{} // a message of each method
	skip := map[string]bool{}
	for _, d := range directions {
		s := l.doc.Lookup(d.definition)
		if s == nil || l.isShared(schema.Definition{Name: d.definition, Schema: s}) {
			continue
		}
		skip[d.definition] = true
		for _, message := range l.messagesOf(s) {
			method := l.methodConst(message)
			if method == "" {
				l.fail(message, "a message of %s has no constant method", d.definition)
				continue
			}
			sent[method] = message
			toServer[method] = toServer[method] || d.toServer
			toClient[method] = toClient[method] || d.toClient
			within[method] = within[method] || d.within
		}
	}
	l.extensionMessages(sent, toServer, toClient)
	byWire := map[string]schema.Definition{}
	var methods []*ir.Method
	for _, def := range l.doc.Definitions {
		wire := l.methodConst(def.Schema)
		if sent[wire] == nil || skip[def.Name] || l.isShared(def) {
			continue
		}
		if other, ok := byWire[wire]; ok {
			l.fail(def.Schema, "%[2]s has the method %[1]q, too", wire, other.Name)
			continue
		}
		byWire[wire] = def
		if m := l.method(def, wire); m != nil {
			m.ToServer, m.ToClient, m.Within = toServer[wire], toClient[wire], within[wire]
			l.checkCapability(m)
			methods = append(methods, m)
		}
	}
	for wire, message := range sent {
		if _, ok := byWire[wire]; !ok {
			l.fail(message, "method %q has no definition of its own", wire)
		}
	}
	slices.SortFunc(methods, func(a, b *ir.Method) int { return strings.Compare(a.Wire, b.Wire) })
	nameItems(methods)
	l.checkFilter(methods)
	return methods
}

// messagesOf returns the messages of a union, or the message itself.
func (l *lowerer) messagesOf(s *schema.Schema) []*schema.Schema {
	if s.Ref != "" {
		return l.messagesOf(l.doc.Lookup(s.Ref))
	}
	if s.AnyOf == nil {
		return []*schema.Schema{s}
	}
	var all []*schema.Schema
	for _, branch := range s.AnyOf {
		all = append(all, l.messagesOf(branch)...)
	}
	return all
}

func (l *lowerer) method(def schema.Definition, wire string) *ir.Method {
	name := l.defined[def.Name].Name
	m := &ir.Method{
		Wire:       wire,
		Definition: def.Name,
		Capability: l.overlay.capability(wire),
	}
	m.Notification = strings.HasSuffix(def.Name, "Notification")
	if m.Notification {
		m.Go = strings.TrimSuffix(name, "Notification")
	} else {
		m.Go = strings.TrimSuffix(name, "Request")
	}
	if m.Go == "" {
		m.Go = l.names.Exported(wire)
	}
	if !l.params(m, def) && !l.lenient {
		return nil
	}
	if m.Notification {
		l.filter(m)
		return m
	}
	if m.Result = l.result(def, m); m.Result == nil && !l.lenient {
		return nil
	}
	m.Plain = l.plain(def, m)
	m.Paginated = m.Params != nil && m.Result != nil && m.Params.Field("cursor") != nil && m.Result.Field("nextCursor") != nil
	if m.Paginated {
		m.Items = items(m)
	}
	m.Asks = m.Params != nil && m.Params.Field("inputResponses") != nil && m.Params.Field("requestState") != nil
	m.ResultTypes = resultTypes(m.Result)
	if result := cmp.Or(m.Plain, m.Result); result != nil {
		m.Cacheable = result.Field("ttlMs") != nil && result.Field("cacheScope") != nil
	}
	m.NameParam = l.nameParam(m)
	return m
}

// checkCapability reports a row with a capability that no side can declare: nobody could send such a message. The
// receiver of a request declares it, and the sender of a notification.
func (l *lowerer) checkCapability(m *ir.Method) {
	r := first(l.overlay, func(r spec.CapabilityRow) bool { return r.Method == m.Wire })
	if r == nil || l.ext != nil {
		return
	}
	var sides []*ir.Decl
	if m.ToServer && !m.Notification || m.ToClient && m.Notification {
		sides = append(sides, l.named("ServerCapabilities"))
	}
	if m.ToClient && !m.Notification || m.ToServer && m.Notification {
		sides = append(sides, l.named("ClientCapabilities"))
	}
	has := func(declared *ir.Decl) bool {
		if declared == nil {
			return true
		}
		at := ir.Type(&ir.Ref{Decl: declared})
		for name := range strings.SplitSeq(m.Capability, ".") {
			object, ok := ir.Resolve(at).(*ir.Object)
			if !ok {
				return true // it may have any members
			}
			f := object.Field(name)
			if f == nil {
				return false
			}
			at = f.Type
		}
		return true
	}
	if len(sides) > 0 && !slices.ContainsFunc(sides, has) {
		l.failName(sides[0].Pointer, "%s: the row has the capability %s for %q, which %s does not have", r.where, m.Capability, m.Wire, sides[0].Name)
	}
}

// nameParam returns the member of the params that the overlay has for the header Mcp-Name, or
// "".
func (l *lowerer) nameParam(m *ir.Method) string {
	for _, r := range rowsOf[spec.HeaderRow](l.overlay) {
		if r.it.Method != m.Wire {
			continue
		}
		f := m.Params.Field(r.it.Param)
		if f == nil {
			continue // unused reports the row as stale
		}
		if _, ok := ir.Resolve(f.Type).(*ir.String); !ok {
			l.failAt(f.Pointer, "%s: the row repeats %q of %q in a header, which is not a string", r.where, f.Wire, m.Wire)
			continue
		}
		r.use()
		return f.Wire
	}
	return ""
}

// filter sets the member of the filter of subscriptions that the overlay has for a notification.
func (l *lowerer) filter(m *ir.Method) {
	if r := first(l.overlay, func(r spec.FilterRow) bool { return r.Notification == m.Wire }); r != nil {
		r.use()
		m.Filter, m.FilterParam = r.it.Member, r.it.Param
		if l.lenient || m.FilterParam == "" {
			return
		}
		if slices.ContainsFunc(messageVariants(m.Params), func(v *ir.Variant) bool {
			f := v.Decl.Field(m.FilterParam)
			return f == nil || !isText(f.Type)
		}) {
			l.failAt(m.Params.Pointer, "%s: the row has the param %q of %q, which is not a string among its params", r.where, m.FilterParam, m.Wire)
		}
	}
}

// checkFilter reports the members of the filter of subscriptions that package runtime cannot apply, or whose
// notifications are unknown: a server would not send them.
func (l *lowerer) checkFilter(methods []*ir.Method) {
	for _, m := range methods {
		if l.lenient || m.Wire != "subscriptions/listen" || m.Params.Field("notifications") == nil {
			continue
		}
		o, ok := ir.Resolve(m.Params.Field("notifications").Type).(*ir.Object)
		if !ok {
			continue
		}
		for _, f := range o.Fields {
			i := slices.IndexFunc(methods, func(m *ir.Method) bool { return m.Filter == f.Wire })
			if i < 0 {
				l.failName(f.Pointer, "the filter of subscriptions has the member %q, whose notification is unknown; a row of filters in overlay.yaml can name it: {member: %s, notification: METHOD, since: %q}", f.Wire, f.Wire, l.doc.Revision)
				continue
			}
			value := ir.Resolve(f.Type)
			if null, ok := value.(*ir.Nullable); ok {
				value = ir.Resolve(null.Elem)
			}
			_, flag := value.(*ir.Boolean)
			array, list := value.(*ir.Array)
			switch {
			case !flag && !(list && isText(array.Elem)):
				l.failName(f.Pointer, "the filter of subscriptions has the member %q, which is neither a boolean nor a list of strings; package runtime knows no other filters", f.Wire)
			case list != (methods[i].FilterParam != ""):
				l.failName(f.Pointer, "the row of filters in overlay.yaml for %q must name the member of the params that the filter lists values of, and must not if the filter has no list", f.Wire)
			}
		}
	}
}

// isText reports whether all values of a type are strings.
func isText(t ir.Type) bool { return slices.Equal(ir.Kinds(t), []ir.Kind{ir.KindString}) }

// resultTypes returns the values of resultType that a result can have, except for those of
// 2026-07-28, which the runtime knows.
func resultTypes(result *ir.Decl) []string {
	if result == nil {
		return nil
	}
	var types []string
	for _, v := range messageVariants(result) {
		f := v.Decl.Field("resultType")
		if f == nil {
			continue
		}
		if kind, ok := f.Const.(string); ok && kind != "complete" && kind != "input_required" {
			types = append(types, kind)
		}
	}
	slices.Sort(types)
	return slices.Compact(types)
}

// Untyped returns the overlay rows that give a constant to the required resultType of a result, for each result without
// one: a server would send it empty.
func Untyped(r *ir.Revision) (rows []string) {
	for _, m := range r.Methods {
		if m.Result == nil {
			continue
		}
		for _, v := range messageVariants(m.Result) {
			if f := v.Decl.Field("resultType"); f != nil && f.Required && f.Const == nil && v.Decl.Import == "" {
				rows = append(rows, fmt.Sprintf("{at: %s.resultType, value: complete, absent: complete, since: %q}", v.Decl.Path, r.ID))
			}
		}
	}
	slices.Sort(rows)
	return slices.Compact(rows)
}

// plain returns the variant of a union of results that is named after the request, or nil.
func (l *lowerer) plain(def schema.Definition, m *ir.Method) *ir.Decl {
	if m.Result == nil {
		return nil
	}
	union, ok := ir.Resolve(m.Result.Type).(*ir.Union)
	if !ok || union.Context {
		return nil
	}
	named := l.named(strings.TrimSuffix(def.Name, "Request") + "Result")
	for _, v := range union.Variants {
		if v.Decl == named && v.Boxed {
			return named
		}
	}
	return nil
}

// items returns the only array in a paginated result, or nil if there is not exactly one or
// if the cursors are not optional strings.
func items(m *ir.Method) *ir.Field {
	for _, f := range []*ir.Field{m.Params.Field("cursor"), m.Result.Field("nextCursor")} {
		if _, ok := f.Type.(*ir.String); !ok || f.Required {
			return nil
		}
	}
	var found *ir.Field
	for _, f := range ir.Resolve(m.Result.Type).(*ir.Object).Fields {
		if _, ok := f.Type.(*ir.Array); !ok {
			continue
		}
		if found != nil {
			return nil
		}
		found = f
	}
	return found
}

// nameItems names the iterators over paginated lists after the member that holds the items.
// If a method has that name, the iterator's name begins with All.
func nameItems(methods []*ir.Method) {
	taken := map[string]bool{}
	for _, m := range methods {
		taken[m.Go] = true
	}
	for _, m := range methods {
		if m.Items == nil {
			continue
		}
		m.ItemsGo = m.Items.Go
		if taken[m.ItemsGo] {
			m.ItemsGo = "All" + m.ItemsGo
		}
		if taken[m.ItemsGo] {
			m.Items, m.ItemsGo = nil, ""
			continue
		}
		taken[m.ItemsGo] = true
	}
}

// params sets the params of a method. If the message has none, it reports that and returns
// false.
func (l *lowerer) params(m *ir.Method, def schema.Definition) bool {
	params := l.defined[def.Name].Field("params")
	if params == nil {
		l.fail(def.Schema, "%q has no params", m.Wire)
		return false
	}
	ref, ok := params.Type.(*ir.Ref)
	if !ok || !isMessage(ref.Decl) {
		l.failAt(params.Pointer, "the params of %q are not an object with members", m.Wire)
		return false
	}
	m.Params, m.ParamsRequired = ref.Decl, params.Required
	return true
}

// isMessage reports whether a type can be that of params or a result.
func isMessage(d *ir.Decl) bool {
	switch ir.Resolve(d.Type).(type) {
	case *ir.Object, *ir.Union:
		return true
	}
	return false
}

// result returns the result of a request: the one in the envelope of its response, else the
// definition named after the request, else EmptyResult. If there is none, it reports that and
// returns nil.
func (l *lowerer) result(def schema.Definition, m *ir.Method) *ir.Decl {
	stem := strings.TrimSuffix(m.Definition, "Request")
	var result *ir.Decl
	if envelope := l.named(stem + "ResultResponse"); envelope != nil {
		if f := envelope.Field("result"); f != nil {
			if ref, ok := f.Type.(*ir.Ref); ok {
				result = ref.Decl
			}
		}
	}
	for _, name := range []string{stem + "Result", "EmptyResult"} {
		if result == nil {
			result = l.named(name)
		}
	}
	switch {
	case result == nil:
		l.fail(def.Schema, "no result for %q: there is no definition %sResultResponse, %sResult or EmptyResult", m.Wire, stem, stem)
		return nil
	case !isMessage(result):
		l.failAt(result.Pointer, "the result of %q is not an object with members", m.Wire)
		return nil
	}
	for _, r := range rowsOf[spec.ResultRow](l.overlay) {
		if r.it.Method != m.Wire {
			continue
		}
		also := l.named(r.it.Also)
		if also == nil {
			continue // unused reports the row as stale
		}
		if !isMessage(also) {
			l.failAt(also.Pointer, "%s: the row has the result %s for %q, which is not an object with members", r.where, also.Name, m.Wire)
			continue
		}
		if other, ok := l.decls[r.it.Name]; ok {
			l.failAt(result.Pointer, "%s: the row gives the results of %q the name %s, which the type at %s has too", r.where, m.Wire, r.it.Name, other.Path)
			continue
		}
		r.use()
		decl := &ir.Decl{Name: r.it.Name, Path: m.Definition + " results", Pointer: result.Pointer}
		union := &ir.Union{Variants: slices.Clone(messageVariants(result))}
		for _, v := range messageVariants(also) {
			addVariant(union, v)
		}
		decl.Type = union
		l.decls[decl.Name] = decl
		l.origin[decl] = &schema.Schema{Pointer: result.Pointer}
		result = decl
	}
	return result
}

// messageVariants returns the variants of a union of messages, or the message as the only
// variant.
func messageVariants(d *ir.Decl) []*ir.Variant {
	for {
		switch t := d.Type.(type) {
		case *ir.Ref:
			d = t.Decl
		case *ir.Union:
			return t.Variants
		default:
			return []*ir.Variant{{Decl: d, Boxed: true}}
		}
	}
}
