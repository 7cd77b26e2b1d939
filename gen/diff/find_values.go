package diff

import (
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// largest is the maximum length of strings and arrays that are made as examples of a limit, longestArray that of
// arrays that contain an example.
const (
	largest      = 1000
	longestArray = 10_000
)

// listedBy returns the values that a schema lists, short ones first.
func listedBy(s *jsonschema.Schema) (values []any) {
	list := slices.Clone(s.Constants())
	if len(list) <= 100 {
		slices.SortStableFunc(list, func(x, y wire.Raw) int { return len(x) - len(y) })
	}
	for _, raw := range list {
		values = append(values, parse(string(raw)))
	}
	return values
}

// shortest has the kinds in the order of their shortest texts.
var shortest = []kind{kindNumber, kindString, kindArray, kindObject, kindNull, kindBoolean}

// leaf answers for a way without choices.
func (f *finder) leaf(w *way) answer {
	result := answer{is: none}
	for _, k := range shortest {
		if w.kinds&k == 0 {
			continue
		}
		complete := f.values(w, k, func(v any) bool {
			if jsonschema.KindsOfDecoded(v) == k && f.suits(v, w) {
				result = answer{is: found, value: v}
			}
			return result.is != found
		})
		switch {
		case result.is == found:
			return result
		case !complete:
			result.is = unknown
		}
	}
	return result
}

// values tries values of one type for a way until try returns false. complete means that one of them is an
// answer if there is any.
func (f *finder) values(w *way, k kind, try func(v any) bool) (complete bool) {
	if s, _ := constants(w.all); s != nil {
		return each(listedBy(s), try)
	}
	var values []any
	switch k {
	case kindNull:
		return each([]any{nil}, try)
	case kindBoolean:
		return each([]any{true, false}, try)
	case kindNumber:
		return f.target(w, k).numbers(try)
	case kindString:
		return f.target(w, k).strings(try)
	case kindArray:
		values, complete = f.target(w, k).arrays(false)
		proven := complete && len(values) == 0
		if !proven && slices.ContainsFunc(w.breaks, func(b breach) bool { return b.keyword == "contains" && b.item == tooMany }) {
			shared, _ := f.target(w, k).arrays(true)
			values = append(shared, values...)
		}
	case kindObject:
		values, complete = f.target(w, k).objects()
	}
	return each(values, try) && complete && len(values) == 0
}

// each calls try for values until it returns false, and reports whether it never does.
func each(values []any, try func(v any) bool) bool {
	return !slices.ContainsFunc(values, func(v any) bool { return !try(v) })
}

// numbers is values for numbers.
func (t *target) numbers(try func(v any) bool) (complete bool) {
	low, high := t.Low, t.High
	switch {
	case t.Empty():
		return true
	case t.step != nil:
		if slices.ContainsFunc(t.indivisible, func(by *big.Rat) bool { return jsonschema.Divides(by, t.step) }) {
			return true
		}
		return multiples(low, high, t.step, 40+len(t.way.but), try)
	}
	width := big.NewRat(10, 1)
	from := new(big.Rat)
	switch {
	case low.At != nil && high.At != nil:
		from, width = low.At, new(big.Rat).Sub(high.At, low.At)
	case low.At != nil:
		from = low.At
	case high.At != nil:
		from = new(big.Rat).Sub(high.At, width)
	}
	for _, part := range []string{"0", "1", "0.5", "0.1", "0.25", "0.3", "0.37", "0.71", "0.993"} {
		if !try(jsonschema.Decimal(new(big.Rat).Add(from, new(big.Rat).Mul(width, jsonschema.Rational(part))))) {
			return false
		}
	}
	for i := range 12 {
		if !try(jsonschema.Decimal(big.NewRat(int64(i), 1))) || !try(jsonschema.Decimal(big.NewRat(int64(-i), 1))) {
			return false
		}
	}
	return false
}

// multiples tries multiples of step between two limits: up to most of them if one limit is missing.
func multiples(low, high limit, step *big.Rat, most int, try func(v any) bool) (complete bool) {
	at, dir := new(big.Int), int64(1)
	var last *big.Int
	switch {
	case low.At != nil:
		at = low.First(step)
		if high.At != nil {
			last = high.First(step)
		}
	case high.At != nil:
		at, dir = high.First(step), -1
	}
	if last != nil {
		most = 2000 // then these may be all
	}
	for range most {
		if last != nil && at.Cmp(last) > 0 {
			return true
		}
		if !try(jsonschema.Decimal(new(big.Rat).Mul(new(big.Rat).SetInt(at), step))) {
			return false
		}
		at = new(big.Int).Add(at, big.NewInt(dir))
	}
	return false
}

// strings is values for strings.
func (t *target) strings(try func(v any) bool) (complete bool) {
	if t.And(jsonschema.AtLeast(0)).Empty() || slices.ContainsFunc(t.formats, func(format string) bool {
		return slices.ContainsFunc(t.unformatted, func(other string) bool { return formatIn(format, other) })
	}) {
		return true
	}
	plain := len(t.unformatted) == 0
	for _, format := range t.formats {
		if plain = plain && !isFormat(format); isFormat(format) && !try(formats[format].example) {
			return false
		}
	}
	if !plain && !each(formatted(), try) {
		return false
	}
	patterns := slices.Clone(t.patterns)
	for _, format := range t.formats { // all strings of the format match, and others
		if pattern := formats[format].pattern; pattern != "" && t.language(pattern) != nil {
			patterns = append(patterns, pattern)
		}
	}
	if len(patterns)+len(t.unmatched) == 0 {
		n := t.Low.Reach()
		for i := range 4 {
			if t.span.Contains(n+i) && !(try(strings.Repeat("x", n+i)) && try(strings.Repeat("a", n+i)) && try(strings.Repeat("0", n+i))) {
				return false
			}
		}
		for i := range 40 + len(t.way.but) {
			text := strconv.Itoa(i)
			if len(text) <= n {
				text = strings.Repeat("x", n-len(text)) + text
			}
			if !try(text) {
				return false
			}
		}
		return false
	}
	// Longer and longer strings come first, then all others. Those that a broken enum lists are no answer.
	var tried []string
	for _, v := range t.unlisted {
		if s, ok := v.(string); ok {
			tried = append(tried, regexp.QuoteMeta(s))
		}
	}
	longer := t.span
	for i := range 24 {
		others := t.unmatched
		if but := "^(?:" + strings.Join(tried, "|") + ")$"; len(tried) > 0 && t.language(but) != nil {
			others = append(slices.Clone(others), but)
		}
		s, is, sure := t.matching(patterns, others, longer)
		switch {
		case !sure:
			each(t.samples(t.way), try)
			return false
		case !is && longer == t.span:
			return true
		case !is:
			longer = t.span
			continue
		case !try(s):
			return false
		}
		tried = append(tried, regexp.QuoteMeta(s))
		if longer = t.span; i < 12 {
			longer = t.And(jsonschema.AtLeast(int64(len([]rune(s)) + 1)))
		}
	}
	return false
}

// samples returns strings that the schemas may accept, and others, for patterns that no automaton can decide.
func (f *finder) samples(w *way) []any {
	values := formatted()
	if len(w.all) > 0 {
		root := w.all[0].Root()
		of := slices.DeleteFunc(slices.Clone(w.all), func(s *jsonschema.Schema) bool { return s.Root() != root })
		values = append(values, f.validator(root).Samples(of, 100)...)
	}
	for _, b := range w.breaks {
		if b.keyword == "pattern" {
			values = append(values, f.validator(b.of).Samples([]*jsonschema.Schema{b.of}, 100)...)
		}
	}
	return values
}

// matching returns a shortest string that matches some patterns and does not match others.
func (e *engine) matching(patterns, not []string, length span) (s string, found, known bool) {
	var list []*language
	for _, pattern := range slices.Concat(patterns, not) {
		l := e.language(pattern)
		if l == nil {
			return "", false, false
		}
		list = append(list, l)
	}
	most := 0
	for _, bound := range []limit{length.Low, length.High} {
		if bound.At != nil {
			most = max(most, bound.Reach()+1)
		}
	}
	if most > longest {
		return "", false, false
	}
	return walk(list, len(patterns), length, most)
}

// exclude reports whether no array can have both counts of elements: has, which contains of one schema demands, and
// lacks, which breaks contains of another. It returns false if that is not certain.
func (f *finder) exclude(has, lacks count) bool {
	within := func(x, y *jsonschema.Schema) bool {
		return f.find([]*jsonschema.Schema{x}, []*jsonschema.Schema{y}, nil).is == none
	}
	switch {
	case !has.And(lacks.span).Empty():
		return false
	case lacks.Low.At != nil:
		return within(lacks.of, has.of)
	}
	return within(has.of, lacks.of)
}

// arrays is values for arrays: the elements that the conditions ask for, in the first place that
// suits, and then the others. If share is set, the elements of which there are too many are also those of other
// conditions.
func (t *target) arrays(share bool) (values []any, complete bool) {
	w := t.way
	if w.holds != nil {
		t.span = t.And(jsonschema.AtLeast(int64(w.holds.index) + 1))
	}
	// Every element must refuse the schemas in every. One that nothing else asks for must also refuse those in others.
	var every, others []*jsonschema.Schema
	var few, many []want
	for _, n := range t.miscounts {
		switch {
		case slices.ContainsFunc(t.counts, func(has count) bool { return t.exclude(has, n) }):
			return nil, true
		case n.Low.At != nil:
			for i := range min(n.Low.Reach(), largest+1) {
				one := want{accept: []*jsonschema.Schema{n.of}}
				for _, has := range t.counts { // only so many of them are those of another condition
					if has.High.At != nil && i >= has.High.Reach() {
						one.refuse = append(one.refuse, has.of)
					}
				}
				many = append(many, one)
			}
		case n.High.Reach() > 0:
			others, t.unsure = append(others, n.of), true
		default:
			every = append(every, n.of)
		}
	}
	for _, n := range t.counts {
		for i := range min(n.Low.Reach(), largest) {
			if share && i < len(many) {
				many[i].accept = append(many[i].accept, n.of)
				continue
			}
			few = append(few, want{accept: []*jsonschema.Schema{n.of}})
		}
	}
	if share {
		few, many = many, few // those for several conditions have less choice
	}
	wants := slices.Concat(few, many, t.wants)
	slices.SortStableFunc(wants, func(x, y want) int { return x.order() - y.order() })
	if t.impossible || t.And(jsonschema.AtLeast(0)).Empty() || t.unique && t.equal {
		return nil, !t.unsure
	}
	least, most := t.Ends()
	if least > longestArray || least > largest && (t.unique || w.between.Low.At != nil) {
		return nil, false
	}
	element := func(i int, at want, but []any) answer {
		return t.find(slices.Concat(w.element(i), at.accept), slices.Concat(every, at.refuse), but)
	}
	places := map[int]want{}
	size := least
	for _, one := range wants {
		to, more := max(t.prefix, one.from)+1, len(wants)
		if one.only {
			to, more = one.from+1, 0
		}
		sure, at := true, -1
		for i := one.from; at < 0 && i < min(most, to+more) && (i < to || !sure); i++ { // from the last place on, all are alike
			a := element(i, one, nil)
			if _, taken := places[i]; a.is == found && !taken {
				at = i
			}
			sure = sure && a.is == none
		}
		if at < 0 {
			return nil, sure && !t.unsure
		}
		places[at] = one
		size = max(size, at+1)
	}
	pairs := [][2]int{{-1, -1}}
	if t.equal {
		pairs = nil
		for j := 1; j < min(t.prefix+2, most); j++ {
			for i := range j {
				pairs = append(pairs, [2]int{i, j})
			}
		}
	}
	for _, pair := range pairs {
		var list, but []any
		ok := true
		for i := range max(size, pair[1]+1) {
			at := places[i]
			if i == pair[0] {
				at.accept = slices.Concat(at.accept, w.element(pair[1]))
			}
			if i == pair[1] {
				list = append(list, list[pair[0]])
				continue
			}
			var a answer
			if w.holds != nil && i == w.holds.index {
				a = answer{is: found, value: w.holds.value}
			} else {
				alone := at
				alone.refuse = slices.Concat(at.refuse, others)
				a = element(i, alone, but)
				if _, wanted := places[i]; wanted && len(others) > 0 && a.is != found {
					a = element(i, at, but)
				}
			}
			if a.is != found {
				ok = false
				// Any choice of different elements is as good as another if all places are alike.
				t.unsure = t.unsure || a.is != none || len(but) > 0 && t.prefix+len(wants) > 0
				break
			}
			list = append(list, a.value)
			if t.unique && !t.equal {
				but = append(but, a.value)
			}
		}
		if ok {
			values = append(values, append([]any{}, list...))
		}
	}
	return values, !t.unsure
}

// objects is values for objects: the members that the conditions ask for, under the first name that
// suits, and then the others.
func (t *target) objects() (values []any, complete bool) {
	w, places := t.way, t.places
	needed := slices.Concat(t.required, w.present)
	if w.holds != nil {
		needed = append(needed, w.holds.name)
	}
	for _, name := range needed {
		if _, ok := places[name]; !ok {
			places[name] = nil
		}
	}
	undeclared := map[string]bool{}
	may := t.may
	if slices.ContainsFunc(t.wants, func(one want) bool { return one.declared }) {
		may = t.allows // a broken pattern declares members
	}
	object := map[string]any{}
	fill := func() verdict {
		t.depend(places)
		is := found
		for _, name := range slices.Sorted(maps.Keys(places)) {
			if !undeclared[name] && !may(w, name) || !t.named(name) {
				return none
			}
			a := answer{is: found}
			if w.holds != nil && name == w.holds.name {
				a.value = w.holds.value
			} else if a = t.find(w.members(name, ""), places[name], nil); a.is == none {
				return none
			}
			object[name], is = a.value, min(is, a.is)
		}
		return is
	}
	is := fill()
	if is == none {
		return nil, true
	}
	fewest := len(places)
	if len(t.wants) == 1 && !slices.ContainsFunc(slices.Collect(maps.Keys(places)), t.wants[0].names) {
		fewest++
	}
	if t.And(jsonschema.AtLeast(int64(fewest))).Empty() {
		return nil, true
	}
	least, most := t.Ends()
	var names []string
	all := true
	if len(t.wants) > 0 {
		names, all = t.names()
	}
	for _, one := range t.wants {
		sure, done := all, false
		may := t.may
		if one.declared {
			may = t.allows
		}
		for _, name := range slices.Concat(slices.Sorted(maps.Keys(places)), names) {
			if !one.names(name) || !may(w, name) || !t.named(name) {
				continue
			}
			refuse := slices.Concat(places[name], one.refuse)
			a := t.find(w.members(name, ""), refuse, nil)
			sure = sure && a.is != unknown
			if a.is == found {
				places[name], undeclared[name], done = refuse, true, true
				break
			}
		}
		if !done {
			return nil, sure
		}
	}
	if len(t.wants) > 0 {
		may = t.may
		is = fill()
	}
	if is != found || len(object) > most {
		return nil, is == found && len(t.wants) == 0
	}
	if len(object) < least && names == nil {
		names, _ = t.names()
	}
	for _, name := range names {
		if len(object) >= least {
			break
		}
		if _, ok := object[name]; ok || !t.may(w, name) || !t.named(name) {
			continue
		}
		more := maps.Clone(places)
		more[name] = nil
		if t.depend(more); len(more) > len(places)+1 {
			t.unsure = true // the member would need others
			continue
		}
		if a := t.find(w.members(name, ""), nil, nil); a.is == found {
			object[name], places = a.value, more
		} else {
			t.unsure = t.unsure || a.is != none
		}
	}
	if len(object) < least {
		return nil, !t.unsure && len(t.wants) == 0 && t.sender != nil && !t.open(w)
	}
	values = []any{object}
	if len(w.but) > 0 && len(object) < most {
		values = append(values, t.larger(object)...)
	}
	return values, !t.unsure
}

// depend adds the members that those in places require.
func (t *target) depend(places map[string][]*jsonschema.Schema) {
	for again := true; again; {
		again = false
		for _, d := range t.dependent {
			if _, ok := places[d.Name]; !ok {
				continue
			}
			for _, name := range d.Required {
				if _, ok := places[name]; !ok {
					places[name], again = nil, true
				}
			}
		}
	}
}

// larger returns objects that have another member than an object, of those that the schemas of the way declare, and one
// that has another value of a member.
func (t *target) larger(object map[string]any) (values []any) {
	w := t.way
	for _, s := range w.all {
		for _, p := range s.Properties {
			if _, ok := object[p.Name]; ok || !t.may(w, p.Name) || !t.named(p.Name) || t.spend(1) {
				continue
			}
			if a := t.find(w.members(p.Name, ""), nil, nil); a.is == found {
				more := maps.Clone(object)
				more[p.Name] = a.value
				values = append(values, more)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		var but []any
		for _, other := range w.but {
			if other, ok := other.(map[string]any); ok {
				but = append(but, other[name])
			}
		}
		if a := t.find(w.members(name, ""), t.places[name], but); a.is == found {
			more := maps.Clone(object)
			more[name] = a.value
			return append(values, more)
		}
	}
	return values
}

// open reports whether there may be members with names that no schema of the way has.
func (f *finder) open(w *way) bool { return f.may(w, "\x00") || len(patternsOf(w)) > 0 }

// describes reports whether a schema has a property or a pattern for a name.
func describes(s *jsonschema.Schema, name string) bool {
	return s.Property(name) != nil || slices.ContainsFunc(s.PatternProperties, func(p jsonschema.Property) bool { return jsonschema.Matches(p.Name, name) })
}

// below returns a schema and those that it applies to the same value by references and allOf.
func below(s *jsonschema.Schema) []*jsonschema.Schema {
	return reach(nil, s, func(s *jsonschema.Schema) []*jsonschema.Schema {
		return slices.Concat([]*jsonschema.Schema{s.Target}, s.AllOf)
	})
}

// reach adds a schema to a list, unless it is in the list, and then the schemas that it leads to.
func reach(list []*jsonschema.Schema, s *jsonschema.Schema, next func(s *jsonschema.Schema) []*jsonschema.Schema) []*jsonschema.Schema {
	if s == nil || slices.Contains(list, s) {
		return list
	}
	list = append(list, s)
	for _, one := range next(s) {
		list = reach(list, one, next)
	}
	return list
}

// evaluating returns the schemas that evaluate members and elements of a value that breaks an unevaluated keyword of s.
func (w *way) evaluating(s *jsonschema.Schema) []*jsonschema.Schema {
	if unconditional(s) {
		return below(s)
	}
	group, _ := w.applied(s) // the way has decided the conditions of s
	return group
}

// unconditional reports whether the schemas that a schema applies to the same value always apply.
func unconditional(s *jsonschema.Schema) bool {
	return !slices.ContainsFunc(below(s), func(g *jsonschema.Schema) bool {
		return len(g.AnyOf)+len(g.OneOf)+len(g.DependentSchemas) > 0 || g.If != nil || g.DynamicRef != "" || g.Meta
	})
}

// named reports whether a name satisfies the schemas of names, as far as that is known.
func (t *target) named(name string) bool {
	return !slices.ContainsFunc(t.naming, func(s *jsonschema.Schema) bool { return t.refuses(name, s) })
}

// declaring returns the schemas of a way that may name members, those that must refuse among them.
func (w *way) declaring() []*jsonschema.Schema {
	list := slices.Clone(w.all)
	for _, b := range w.breaks {
		list = append(list, below(b.of)...)
	}
	return list
}

// patternsOf returns the patterns of names in the schemas of a way.
func patternsOf(w *way) (list []string) {
	for _, s := range w.declaring() {
		for _, p := range s.PatternProperties {
			if !slices.Contains(list, p.Name) {
				list = append(list, p.Name)
			}
		}
	}
	return list
}

// names returns a name of each class of names that the schemas of a way treat alike. all means that
// no class is missing.
func (t *target) names() (names []string, all bool) {
	seen := map[string]bool{}
	add := func(name string) {
		if !seen[name] {
			names, seen[name] = append(names, name), true
		}
	}
	all = true
	for _, s := range t.way.declaring() {
		for _, p := range s.Properties {
			add(p.Name)
		}
		for _, name := range s.Required {
			add(name)
		}
		for _, d := range s.DependentRequired {
			add(d.Name)
		}
	}
	patterns := patternsOf(t.way)
	if len(patterns) > 5 {
		patterns, all = patterns[:5], false
	}
	declared := slices.Clone(names)
	all = all && len(t.misnamed) <= 1
	for set := range 1 << len(patterns) {
		if len(t.misnamed)+len(t.naming)+len(patterns) == 0 {
			break
		}
		accept, refuse := slices.Clone(t.naming), slices.Clone(t.misnamed)
		for i, p := range patterns {
			if set&(1<<i) != 0 {
				accept = append(accept, t.matchOf(p))
			} else {
				refuse = append(refuse, t.matchOf(p))
			}
		}
		var but []any
		covered := false // whether there is a name that no schema has, or no such name
		for range 5 {
			a := t.search(newWay(accept, refuse, kindString, but))
			covered = covered || a.is == none
			if a.is != found {
				break
			}
			covered = covered || !slices.Contains(declared, a.value.(string))
			add(a.value.(string))
			but = append(but, a.value)
		}
		all = all && covered
	}
	for i := range 8 {
		add("x" + strconv.Itoa(i))
	}
	return names, all || !t.open(t.way)
}
