package diff

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/gen/tools/samples"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// finder answers one question: is there a value that some schemas accept and others refuse? It
// finds one, proves that there is none, or gives up when its steps are used up. It expands the
// schemas into conditions on one value, chooses a branch of each union and a keyword by which each
// other schema refuses, and makes a value of each JSON type that is left.
type finder struct {
	*engine
	// sender is the document of the sender, whose objects have only members that it declares. It is
	// nil if objects may have any members.
	sender *jsonschema.Schema
	known  map[string]answer
	busy   map[string]int
	// assumed has the questions that have no answer if those in progress have none, with the depth of the outermost
	// of these. order has them in the order of their answers.
	assumed map[string]int
	order   []string
	// low is the outermost question in progress that an answer depends on.
	low int
}

// answer is what is known of a question: of some schemas, of one direction of a change for the values of two shapes, or
// for whole messages.
type answer struct {
	is verdict
	// value is an example if there is one: the sender may send it, and the receiver refuses it. others are further
	// examples, which are not shorter.
	value  any
	others []any
	// why says why there is no example although there is a change.
	why string
	// sure means that there are such values, even without an example.
	sure bool
}

// verdict says what is known of values that one side has and the other one has not, in increasing order.
type verdict int

const (
	none    verdict = iota // there is a proof that there is no value
	another                // the receiver accepts the values as another variant
	lost                   // as another, and the variant does not declare all of their members
	unknown                // no value was found
	noted                  // the change is reported whatever the values are
	found
)

// join adds what is known of other values. The four shortest examples stay.
func (o *answer) join(other answer) {
	values := append(o.values(), other.values()...)
	slices.SortStableFunc(values, func(a, b any) int { return len(render(a)) - len(render(b)) })
	if len(values) > 0 {
		o.value, o.others = values[0], values[1:min(len(values), 4)]
	}
	o.is, o.sure, o.why = max(o.is, other.is), o.sure || other.sure, cmp.Or(o.why, other.why)
}

// values returns the examples, the shortest first.
func (o answer) values() []any {
	if o.is != found {
		return nil
	}
	return append([]any{o.value}, o.others...)
}

// manyRefused is the number of refusals from which on a search tries a value before it chooses.
const manyRefused = 8

// manyBranches is the largest number of branches of anyOf of which each combination is tried.
const manyBranches = 4

// way is a set of conditions on one value.
type way struct {
	// accept has the schemas that the value satisfies, and refuse those that it does not, as validators say.
	accept, refuse []*jsonschema.Schema
	// todo has the schemas that are not expanded yet, all those that are.
	todo, all []*jsonschema.Schema
	// refused has the schemas that must refuse the value and are not expanded yet. unions choose between other
	// conditions.
	refused []*jsonschema.Schema
	// denied has the refused schemas that are expanded.
	denied []*jsonschema.Schema
	unions []*union
	// kinds are the types that are left. whole means that numbers are integers. between has the numbers, or the lengths
	// or sizes of other values, that do not break limits.
	kinds           kind
	whole           bool
	between         span
	breaks          []breach
	present, absent []string
	// at is the branch of a union that was chosen last, and within has the unions that lead to it.
	at     *jsonschema.Schema
	within []*jsonschema.Schema
	// holds, unless it is nil, is a value that a member or an element has.
	holds *holding
	// but has values that are none of the answers.
	but []any
}

// union is a choice between branches: those of a schema that accepts, or the ways in which it refuses.
type union struct {
	of *jsonschema.Schema
	// keyword is "anyOf" or "oneOf" for a choice between their branches, and "" for any other.
	keyword string
	choice  []*branch
	refuses bool
	// within has the unions that lead to this one, and the schema in of.
	within []*jsonschema.Schema
}

// breach is a keyword of a schema that a value must not satisfy. item selects one of its parts.
type breach struct {
	of      *jsonschema.Schema
	keyword string
	item    int
}

// The items of a breach of contains.
const (
	tooFew = iota
	tooMany
)

// branch is what a choice adds to a way.
type branch struct {
	// of is the schema whose keyword the branch is about.
	of             *jsonschema.Schema
	keyword        string
	accept, refuse []*jsonschema.Schema
	kinds          kind // none means all
	between        span // narrows that of the way, to break a limit
	breaks         []breach
	present        string
	absent         string
	unknown        bool
	holds          *holding
	// rest, unless it is nil, is the schema without the keyword. The value satisfies it, so that it is known which
	// members and elements it evaluates.
	rest *jsonschema.Schema
}

// holding is the value of a member or an element.
type holding struct {
	*child
	value any
}

// newWay returns the conditions on a value of some kinds that every schema of accept accepts and every one of refuse
// refuses, other than those in but.
func newWay(accept, refuse []*jsonschema.Schema, kinds kind, but []any) way {
	return way{accept: accept, refuse: refuse, todo: accept, refused: refuse, kinds: kinds, but: but}
}

// find returns a value that every schema of accept accepts and every one of refuse refuses, other
// than those in but.
func (f *finder) find(accept, refuse []*jsonschema.Schema, but []any) answer {
	key := f.setKey(accept) + " but" + f.setKey(refuse)
	for _, v := range but {
		key += separator + exactly(v)
	}
	if have, ok := f.known[key]; ok {
		return have
	}
	if at, ok := f.busy[key]; ok {
		f.low = min(f.low, at)
		return answer{is: none} // a smallest value does not contain another value of the same kind
	}
	if at, ok := f.assumed[key]; ok {
		f.low = min(f.low, at)
		return answer{is: none}
	}
	if f.spend(1) {
		return answer{is: unknown}
	}
	depth, mark := len(f.busy), len(f.order)
	outer := f.low
	f.low = 1 << 30
	f.busy[key] = depth
	a := f.search(newWay(accept, refuse, kindAny, but))
	delete(f.busy, key)
	f.settle(key, a, depth, mark)
	f.low = min(outer, f.low)
	return a
}

// settle records an answer. Those since mark hold if the questions in progress have no answer. They are facts
// once the outermost of these questions has none, and are asked again if it has one.
func (f *finder) settle(key string, a answer, depth, mark int) {
	switch {
	case a.is == none && f.low < depth:
		f.assumed[key] = f.low
		f.order = append(f.order, key)
		return
	case a.is == none:
		for _, key := range f.order[mark:] {
			f.known[key] = answer{is: none}
		}
	}
	for _, key := range f.order[mark:] {
		delete(f.assumed, key)
	}
	f.order = f.order[:mark]
	if a.is != unknown {
		f.known[key] = a
	}
}

// key returns a string that identifies a list of schemas.
func (e *engine) key(list []*jsonschema.Schema) string {
	var text []byte
	for _, s := range list {
		id := cached(e.ids, s, func() int { return len(e.ids) })
		text = strconv.AppendInt(append(text, ' '), int64(id), 10)
	}
	return string(text)
}

// setKey is key for a list without order.
func (e *engine) setKey(list []*jsonschema.Schema) string {
	key := e.key(list) // it also gives each schema a number
	if len(list) < 2 {
		return key
	}
	list = slices.SortedFunc(slices.Values(list), func(x, y *jsonschema.Schema) int { return e.ids[x] - e.ids[y] })
	return e.key(slices.Compact(list))
}

// validator returns the validator of a schema's document.
func (e *engine) validator(s *jsonschema.Schema) *samples.Validator {
	return cached(e.valid, s.Root(), func() *samples.Validator { return samples.NewValidator(s.Root()) })
}

// accepts reports whether schemas of one document accept a value, by the validator.
func (e *engine) accepts(v any, all ...*jsonschema.Schema) (accepts, known bool) {
	if len(all) == 0 {
		return true, true
	}
	if s := all[0]; len(all) == 1 && s.Always != nil {
		return *s.Always, true
	}
	valid := e.validator(all[0])
	before := valid.Visits
	accepts, known = valid.Accepts(all, v)
	e.spend(stepsToValidate + valid.Visits - before)
	return accepts, known
}

// satisfies reports whether a value is known to satisfy some schemas of one document.
func (e *engine) satisfies(v any, all ...*jsonschema.Schema) bool {
	accepts, _ := e.accepts(v, all...)
	return accepts
}

// refuses reports whether one of some schemas of a document is known to refuse a value.
func (e *engine) refuses(v any, all ...*jsonschema.Schema) bool {
	accepts, known := e.accepts(v, all...)
	return known && !accepts
}

// suits reports whether a value is an answer.
func (f *finder) suits(v any, w *way) bool {
	for _, other := range w.but {
		if exactly(other) == exactly(v) {
			return false
		}
	}
	return !slices.ContainsFunc(w.accept, func(s *jsonschema.Schema) bool { return !f.satisfies(v, s) }) &&
		!slices.ContainsFunc(w.refuse, func(s *jsonschema.Schema) bool { return !f.refuses(v, s) })
}

// search expands a way and answers for it.
func (f *finder) search(w way) answer {
	if f.spend(1 + len(w.todo) + len(w.all) + len(w.refused) + len(w.unions)) {
		return answer{is: unknown}
	}
	if !f.expand(&w) || !f.refuse(&w) {
		return answer{is: none}
	}
	u, ok := f.next(&w)
	if !ok {
		return answer{is: none}
	}
	if u == nil {
		return f.leaf(&w)
	}
	if len(w.unions) > manyRefused && !slices.ContainsFunc(w.unions, func(u *union) bool { return !u.refuses }) {
		// A value often satisfies what is left to choose by itself.
		if a := f.leaf(&w); a.is == found {
			return a
		}
	}
	next := w
	next.unions = slices.DeleteFunc(slices.Clone(w.unions), func(other *union) bool { return other == u })
	result := answer{is: none}
	for _, b := range f.branches(&w, u) {
		switch {
		case b.unknown || f.spend(0):
			result.is = unknown
			continue
		case f.contradicts(&w, b):
			continue
		}
		next.within = u.within
		switch a := f.search(next.with(b)); a.is {
		case found:
			return a
		case unknown:
			result.is = unknown
		}
	}
	return result
}

// with returns a way with the conditions of a branch.
func (w way) with(b *branch) way {
	out := w
	out.todo = append(append(slices.Clone(w.todo), b.accept...), without(b.rest)...)
	out.refused = append(slices.Clone(w.refused), b.refuse...)
	out.breaks = append(slices.Clone(w.breaks), b.breaks...)
	out.kinds = w.kinds & b.allowed()
	out.between = w.between.And(b.between)
	if b.present != "" {
		out.present = append(slices.Clone(w.present), b.present)
	}
	if b.absent != "" {
		out.absent = append(slices.Clone(w.absent), b.absent)
	}
	if b.holds != nil {
		out.holds = b.holds
	}
	return out
}

// allowed returns the kinds that a branch allows.
func (b *branch) allowed() kind {
	if b.kinds == 0 {
		return kindAny
	}
	return b.kinds
}

// expand moves schemas from todo to all, and adds the choices that they leave. It returns false if no value is left.
func (e *engine) expand(w *way) bool {
	w.all, w.unions, w.todo = slices.Clone(w.all), slices.Clone(w.unions), slices.Clone(w.todo)
	for len(w.todo) > 0 {
		s := w.todo[0]
		w.todo = w.todo[1:]
		switch {
		case s == nil:
			continue
		case slices.Contains(w.within, s), e.contains(w.denied, s), never(s):
			return false // a union that contains itself, or false
		case slices.Contains(w.all, s), s.Always != nil:
			continue
		}
		w.all = append(w.all, s)
		w.todo = append(append(w.todo, without(s.Target)...), s.AllOf...)
		if inner := negated(s.Not); inner != nil {
			w.todo = append(w.todo, inner) // not not
		} else if s.Not != nil && s.Not.Always == nil {
			w.unions = append(w.unions, &union{of: s.Not, choice: e.refusing(s.Not), refuses: true})
		}
		switch {
		case s.If == nil:
		case always(s.If):
			w.todo = append(w.todo, s.Then)
		case never(s.If):
			w.todo = append(w.todo, s.Else)
		case s.Then != nil || s.Else != nil:
			w.unions = append(w.unions, &union{of: s, choice: []*branch{{accept: without(s.If, s.Then)}, {accept: without(s.Else), refuse: without(s.If)}}})
		}
		var within []*jsonschema.Schema
		if s.AnyOf != nil || s.OneOf != nil {
			within = append(slices.Clone(w.within), s)
		}
		if s.AnyOf != nil {
			w.unions = append(w.unions, &union{of: s, keyword: "anyOf", within: within, choice: branches(s.AnyOf, func(_ int, b *jsonschema.Schema) *branch { return &branch{accept: []*jsonschema.Schema{b}} })})
		}
		if s.OneOf != nil {
			w.unions = append(w.unions, &union{of: s, keyword: "oneOf", within: within, choice: e.exclusive(s)})
		}
		for _, d := range s.DependentSchemas {
			w.unions = append(w.unions, &union{of: s, choice: []*branch{{absent: d.Name, kinds: kindObject}, {present: d.Name, accept: without(d.Schema), kinds: kindObject}, {kinds: kindAny &^ kindObject}}})
		}
		if s.DynamicRef != "" || s.Meta {
			w.unions = append(w.unions, &union{of: s, choice: []*branch{{unknown: true}}})
		}
	}
	w.todo = nil // the rest of its array is not shared
	return true
}

// exclusive returns the branches of oneOf.
func (e *engine) exclusive(s *jsonschema.Schema) []*branch {
	return cached(e.choices, s, func() []*branch {
		return branches(s.OneOf, func(i int, b *jsonschema.Schema) *branch {
			others := slices.DeleteFunc(slices.Delete(slices.Clone(s.OneOf), i, i+1), func(other *jsonschema.Schema) bool {
				return jsonschema.Disjoint([]*jsonschema.Schema{b, other}) // it refuses the values anyway
			})
			return &branch{accept: []*jsonschema.Schema{b}, refuse: others}
		})
	})
}

// refuse replaces the schemas that must refuse by the choices between their ways to refuse, and narrows the types. It
// returns false if no value is left.
func (f *finder) refuse(w *way) bool {
	for _, s := range w.refused {
		s = alias(s)
		switch {
		case f.contains(w.all, s):
			return false
		case s.Always == nil && !slices.Contains(w.denied, s): // a union may contain itself
			w.denied = append(slices.Clip(w.denied), s)
			w.unions = append(w.unions, &union{of: s, choice: f.refusing(s), refuses: true})
		case s.Always != nil && *s.Always:
			return false
		}
	}
	w.refused = nil
	kinds, whole := kindsOf(w.all)
	w.kinds, w.whole = w.kinds&kinds, whole
	return w.kinds != 0
}

// branches returns the branches of a union. One of anyOf is enough, unless it matters which of the others accept the
// value too, because their members and elements are evaluated.
func (f *finder) branches(w *way, u *union) (list []*branch) {
	all := u.of.AnyOf
	switch {
	case u.keyword != "anyOf", !w.evaluates(), jsonschema.Disjoint(all):
		return u.choice
	case len(all) > manyBranches:
		return append(slices.Clone(u.choice), &branch{unknown: true})
	}
	for set := 1; set < 1<<len(all); set++ {
		b := &branch{}
		for i, one := range all {
			if set&(1<<i) != 0 {
				b.accept = append(b.accept, one)
			} else {
				b.refuse = append(b.refuse, one)
			}
		}
		if !slices.ContainsFunc(b.accept[1:], func(one *jsonschema.Schema) bool { return jsonschema.Disjoint([]*jsonschema.Schema{b.accept[0], one}) }) {
			list = append(list, b)
		}
	}
	return list
}

// evaluates reports whether it matters which members and elements the schemas evaluate.
func (w *way) evaluates() bool {
	return slices.ContainsFunc(w.all, func(s *jsonschema.Schema) bool { return s.UnevaluatedProperties != nil || s.UnevaluatedItems != nil }) ||
		slices.ContainsFunc(w.breaks, func(b breach) bool { return strings.HasPrefix(b.keyword, "unevaluated") })
}

// without returns the schemas that are not nil.
func without(list ...*jsonschema.Schema) []*jsonschema.Schema {
	return slices.DeleteFunc(list, func(s *jsonschema.Schema) bool { return s == nil })
}

// requires reports whether objects must have a member.
func (w *way) requires(name string) bool {
	return slices.Contains(w.present, name) || slices.ContainsFunc(w.all, func(s *jsonschema.Schema) bool { return slices.Contains(s.Required, name) })
}

// next returns the union with the fewest branches that do not contradict the conditions, or nil if no union is
// left. ok is false if a union has no such branch. The first are those in which schemas of the sender must accept,
// whose declarations decide which members there are.
func (f *finder) next(w *way) (best *union, ok bool) {
	for _, refuses := range []bool{false, true} {
		for _, u := range w.unions {
			switch {
			case u.refuses != refuses || f.sender != nil && u.of.Root() != f.sender:
			case refuses && (f.sender == nil || !slices.ContainsFunc(u.choice, func(b *branch) bool { return len(b.accept) > 0 }) || f.certain(w, u)):
			case best == nil || len(u.choice) < len(best.choice):
				best = u
			}
		}
		if best != nil {
			return best, true
		}
	}
	w.unions = slices.DeleteFunc(slices.Clone(w.unions), func(u *union) bool { return f.certain(w, u) })
	fewest := 0
	for _, u := range w.unions {
		left := 0
		for _, b := range u.choice {
			if !f.contradicts(w, b) {
				left++
			}
		}
		switch {
		case left == 0:
			return nil, false
		case best == nil || left < fewest:
			best, fewest = u, left
		}
	}
	return best, true
}

// certain reports whether the conditions obviously imply a branch of a union.
func (f *finder) certain(w *way, u *union) bool {
	f.spend(len(u.choice))
	return slices.ContainsFunc(u.choice, func(b *branch) bool { return f.implied(w, b) })
}

// contains reports whether a list has a schema, or the schema to which it only refers. It returns false in a document
// with a $dynamicRef, where the same schema may accept different values in different places.
func (e *engine) contains(list []*jsonschema.Schema, s *jsonschema.Schema) bool {
	s = alias(s)
	return slices.Contains(list, s) && !cached(e.dynamic, s.Root(), func() bool {
		return slices.ContainsFunc(slices.Collect(maps.Values(s.Root().All())), func(s *jsonschema.Schema) bool { return s.DynamicRef != "" })
	})
}

// contradicts reports whether a branch obviously leaves no value.
func (f *finder) contradicts(w *way, b *branch) bool {
	if w.kinds&b.allowed() == 0 {
		return true
	}
	if b.absent != "" && w.requires(b.absent) || b.present != "" && !f.may(w, b.present) {
		return true
	}
	if slices.ContainsFunc(b.refuse, func(s *jsonschema.Schema) bool { return f.contains(w.all, s) }) {
		return true
	}
	if slices.ContainsFunc(b.accept, func(s *jsonschema.Schema) bool {
		kinds, _ := kindsOf([]*jsonschema.Schema{s})
		return never(s) || f.contains(w.denied, s) || w.kinds&kinds == 0 || f.clashes(w, s)
	}) {
		return true
	}
	return slices.ContainsFunc(b.breaks, func(one breach) bool {
		return one.keyword == "type" && w.whole || one.keyword == "properties" && !f.may(w, one.of.Properties[one.item].Name) || one.keyword == "additionalProperties" && f.closed(w, one.of)
	})
}

// closed reports whether all members that objects of a way may have are obviously described by a schema.
func (f *finder) closed(w *way, by *jsonschema.Schema) bool {
	return slices.ContainsFunc(w.all, func(s *jsonschema.Schema) bool {
		return s.AdditionalProperties != nil && never(s.AdditionalProperties) && s.PatternProperties == nil &&
			!slices.ContainsFunc(s.Properties, func(p jsonschema.Property) bool { return !describes(by, p.Name) && f.may(w, p.Name) })
	})
}

// implied reports whether the conditions of a way obviously imply those of a branch.
func (f *finder) implied(w *way, b *branch) bool {
	if b.unknown || w.kinds&^b.allowed() != 0 || keywordOf(b.keyword).limit != nil || b.present != "" ||
		slices.ContainsFunc(b.accept, func(s *jsonschema.Schema) bool { return !f.contains(w.all, s) }) ||
		slices.ContainsFunc(b.refuse, func(s *jsonschema.Schema) bool { return !f.contains(w.denied, s) }) {
		return false
	}
	if b.absent != "" && f.may(w, b.absent) {
		return false
	}
	for _, one := range b.breaks {
		if one.keyword != "properties" {
			return false
		}
		p := one.of.Properties[one.item]
		if !w.requires(p.Name) || !f.apart(w, p) {
			return false
		}
	}
	return true
}

// clashes reports whether a schema obviously refuses all objects of a way, by a member that they must have.
func (f *finder) clashes(w *way, s *jsonschema.Schema) bool {
	kinds, _ := kindsOf([]*jsonschema.Schema{s})
	return w.kinds&kinds == kindObject && slices.ContainsFunc(s.Properties, func(p jsonschema.Property) bool {
		return (w.requires(p.Name) || slices.Contains(s.Required, p.Name)) && f.apart(w, p)
	})
}

// apart reports whether a schema of a member refuses all values that the shortest list of the others has.
func (f *finder) apart(w *way, p jsonschema.Property) bool {
	_, listed := constants(w.members(p.Name, ""))
	return listed != nil && len(listed) <= 50 && !slices.ContainsFunc(listed, func(raw wire.Raw) bool { return !f.refuses(parse(string(raw)), p.Schema) })
}

// constants returns the schema that lists the fewest values, and these.
func constants(all []*jsonschema.Schema) (of *jsonschema.Schema, listed []wire.Raw) {
	for _, s := range all {
		if own := s.Constants(); own != nil && (of == nil || len(own) < len(listed)) {
			of, listed = s, own
		}
	}
	return of, listed
}

// may reports whether objects may have a member of that name.
func (f *finder) may(w *way, name string) bool { return f.declares(w, name) && f.allows(w, name) }

// allows is may for members that the sender need not declare.
func (f *finder) allows(w *way, name string) bool {
	f.spend(len(w.all))
	return w.kinds&kindObject != 0 && !slices.Contains(w.absent, name) && !slices.ContainsFunc(w.members(name, ""), never)
}

// declares reports whether the sender declares a member.
func (f *finder) declares(w *way, name string) bool {
	if f.sender == nil {
		return true
	}
	return slices.ContainsFunc(w.all, func(s *jsonschema.Schema) bool {
		return s.Root() == f.sender && (describes(s, name) || slices.Contains(s.Required, name) || depends(s, name) || s.MinProperties != nil || s.MaxProperties != nil ||
			s.PropertyNames != nil || s.AdditionalProperties != nil || s.UnevaluatedProperties != nil)
	})
}

// depends reports whether a schema has a dependency on a member, or one that requires it.
func depends(s *jsonschema.Schema, name string) bool {
	return slices.ContainsFunc(s.DependentSchemas, func(d jsonschema.Property) bool { return d.Name == name }) ||
		slices.ContainsFunc(s.DependentRequired, func(d jsonschema.Dependency) bool { return d.Name == name || slices.Contains(d.Required, name) })
}

// culprit returns the innermost schema and keyword by which a schema refuses a value, and the path of the
// part of the value that it refuses.
func (f *finder) culprit(s *jsonschema.Schema, v any, path string) (at *jsonschema.Schema, keyword, where string) {
	for range 100 {
		i := slices.IndexFunc(below(s)[1:], func(one *jsonschema.Schema) bool { return f.refuses(v, one) })
		if i < 0 {
			break
		}
		s = below(s)[1+i]
	}
	w := &way{todo: []*jsonschema.Schema{s}} // it is not known which branches accept the value
	f.expand(w)
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			for _, one := range w.members(name, "") {
				if f.refuses(v[name], one) {
					return f.culprit(one, v[name], path+"."+name)
				}
			}
		}
	case []any:
		for i, element := range v {
			for _, one := range w.element(i) {
				if f.refuses(element, one) {
					return f.culprit(one, element, path+"[]")
				}
			}
		}
	}
	keyword = "type"
	for _, b := range f.refusing(s) {
		if (len(b.breaks) == 1 || keywordOf(b.keyword).limit != nil) && b.kinds&jsonschema.KindsOfDecoded(v) != 0 {
			keyword = b.keyword
		}
	}
	// These take precedence, the last one over all others.
	for _, name := range []string{"const", "enum", "not", "if", "oneOf", "anyOf"} {
		if _, has := s.Source.Child(name); has {
			keyword = name
		}
	}
	return s, keyword, path
}
