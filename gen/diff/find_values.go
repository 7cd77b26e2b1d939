package diff

import (
	"encoding/json"
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
		if w.kinds&k == 0 || w.fraction && k != kindNumber {
			continue
		}
		complete := f.values(w, k, func(v any) bool {
			if kindOf(v) == k && f.suits(v, w) {
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
		return f.numbers(w, try)
	case kindString:
		return f.strings(w, try)
	case kindArray:
		values, complete = f.arrays(w, false)
		proven := complete && len(values) == 0
		if !proven && slices.ContainsFunc(w.breaks, func(b breach) bool { return b.keyword == "contains" && b.item == tooMany }) {
			shared, _ := f.arrays(w, true)
			values = append(shared, values...)
		}
	case kindObject:
		values, complete = f.objects(w)
	}
	return each(values, try) && complete && len(values) == 0
}

// each calls try for values until it returns false, and reports whether it never does.
func each(values []any, try func(v any) bool) bool {
	return !slices.ContainsFunc(values, func(v any) bool { return !try(v) })
}

// ends returns the limits that a schema sets to numbers.
func ends(s *jsonschema.Schema) span {
	low := limit{at: rational(string(s.Minimum))}.tighter(limit{at: rational(string(s.ExclusiveMinimum)), open: true})
	high := limit{at: rational(string(s.Maximum)), upper: true}.tighter(limit{at: rational(string(s.ExclusiveMaximum)), open: true, upper: true})
	return span{low, high}
}

// numbers is values for numbers.
func (f *finder) numbers(w *way, try func(v any) bool) (complete bool) {
	n, possible := numberOf(w.all, w.whole)
	if !possible {
		return true
	}
	low, high, step := n.Low, n.High, n.Step
	var not []*big.Rat
	if w.fraction {
		not = append(not, big.NewRat(1, 1))
	}
	for _, b := range w.breaks {
		of := ends(b.of)
		switch b.keyword {
		case "minimum":
			high = high.tighter(limit{of.Low.at, !of.Low.open, true})
		case "maximum":
			low = low.tighter(limit{of.High.at, !of.High.open, false})
		case "multipleOf":
			if by := rational(string(b.of.MultipleOf)); by != nil {
				not = append(not, by)
			}
		}
	}
	if (span{low, high}).empty() {
		return true
	}
	if step != nil {
		if slices.ContainsFunc(not, func(by *big.Rat) bool { return divides(by, step) }) {
			return true
		}
		return multiples(low, high, step, 40+len(w.but), try)
	}
	width := big.NewRat(10, 1)
	from := new(big.Rat)
	switch {
	case low.at != nil && high.at != nil:
		from, width = low.at, new(big.Rat).Sub(high.at, low.at)
	case low.at != nil:
		from = low.at
	case high.at != nil:
		from = new(big.Rat).Sub(high.at, width)
	}
	for _, part := range []string{"0", "1", "0.5", "0.1", "0.25", "0.3", "0.37", "0.71", "0.993"} {
		if !try(decimal(new(big.Rat).Add(from, new(big.Rat).Mul(width, rational(part))))) {
			return false
		}
	}
	for i := range 12 {
		if !try(decimal(big.NewRat(int64(i), 1))) || !try(decimal(big.NewRat(int64(-i), 1))) {
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
	case low.at != nil:
		at = low.first(step)
		if high.at != nil {
			last = high.first(step)
		}
	case high.at != nil:
		at, dir = high.first(step), -1
	}
	if last != nil {
		most = 2000 // then these may be all
	}
	for range most {
		if last != nil && at.Cmp(last) > 0 {
			return true
		}
		if !try(decimal(new(big.Rat).Mul(new(big.Rat).SetInt(at), step))) {
			return false
		}
		at = new(big.Int).Add(at, big.NewInt(dir))
	}
	return false
}

// decimal writes a number with all of its digits.
func decimal(r *big.Rat) json.Number {
	digits, _ := r.FloatPrec() // schemas have no other numbers than decimal ones
	return json.Number(r.FloatString(digits))
}

// size narrows a range of counts to those that break the limits that the way breaks. The arguments least and most are
// the keywords of the limits.
func (w *way) size(n span, least, most string, of func(s *jsonschema.Schema) (least, most *int64)) span {
	for _, b := range w.breaks {
		low, high := of(b.of)
		switch b.keyword {
		case least:
			n.High = n.High.tighter(limit{at: big.NewRat(*low, 1), open: true, upper: true})
		case most:
			n.Low = n.Low.tighter(limit{at: big.NewRat(*high, 1), open: true})
		}
	}
	return n
}

// strings is values for strings.
func (f *finder) strings(w *way, try func(v any) bool) (complete bool) {
	t, possible := textOf(w.all)
	if !possible {
		return true
	}
	length := w.size(t.Length, "minLength", "maxLength", func(s *jsonschema.Schema) (least, most *int64) { return s.MinLength, s.MaxLength })
	var not []string
	plain := true
	for _, format := range t.Formats {
		plain = plain && !isFormat(format)
	}
	for _, b := range w.breaks {
		switch b.keyword {
		case "pattern":
			not = append(not, *b.of.Pattern)
		case "format":
			plain = false
			if slices.ContainsFunc(t.Formats, func(have string) bool { return formatIn(have, b.of.Format) }) {
				return true
			}
		}
	}
	if length.and(atLeast(0)).empty() {
		return true
	}
	for _, format := range t.Formats {
		if isFormat(format) {
			if !try(formats[format].example) {
				return false
			}
		}
	}
	if !plain && !each(formatted(), try) {
		return false
	}
	patterns := slices.Clone(t.Patterns)
	for _, format := range t.Formats { // all strings of the format match, and others
		if pattern := formats[format].pattern; pattern != "" && f.language(pattern) != nil {
			patterns = append(patterns, pattern)
		}
	}
	if len(patterns)+len(not) == 0 {
		n := length.Low.reach()
		for i := range 4 {
			if length.contains(n+i) && !(try(strings.Repeat("x", n+i)) && try(strings.Repeat("a", n+i)) && try(strings.Repeat("0", n+i))) {
				return false
			}
		}
		for i := range 40 + len(w.but) {
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
	for _, b := range w.breaks {
		for _, v := range listedBy(b.of) {
			if s, ok := v.(string); ok && b.keyword == "enum" {
				tried = append(tried, regexp.QuoteMeta(s))
			}
		}
	}
	longer := length
	for i := range 24 {
		others := not
		if but := "^(?:" + strings.Join(tried, "|") + ")$"; len(tried) > 0 && f.language(but) != nil {
			others = append(slices.Clone(not), but)
		}
		s, is, sure := f.matching(patterns, others, longer)
		switch {
		case !sure:
			each(f.samples(w), try)
			return false
		case !is && longer == length:
			return true
		case !is:
			longer = length
			continue
		case !try(s):
			return false
		}
		tried = append(tried, regexp.QuoteMeta(s))
		if longer = length; i < 12 {
			longer = length.and(atLeast(int64(len([]rune(s)) + 1)))
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
		if bound.at != nil {
			most = max(most, bound.reach()+1)
		}
	}
	if most > longest {
		return "", false, false
	}
	return walk(list, most, func(states []*state, n int) bool {
		for i, s := range states {
			if s.accepts != (i < len(patterns)) {
				return false
			}
		}
		return length.contains(n)
	})
}

// slot is a place inside an array or object, with the schemas that must accept and refuse its value.
type slot struct {
	accept, refuse []*jsonschema.Schema
}

// fewest returns how many elements that satisfy contains a schema asks for.
func fewest(s *jsonschema.Schema) int64 {
	if s.MinContains == nil {
		return 1
	}
	return *s.MinContains
}

// counts reports whether contains of a schema allows no array that breaks contains of another schema, as a
// breach asks.
func (f *finder) counts(s *jsonschema.Schema, b breach) bool {
	within := func(x, y *jsonschema.Schema) bool {
		return f.find([]*jsonschema.Schema{x}, []*jsonschema.Schema{y}, nil).is == none
	}
	switch {
	case s.Contains == nil:
		return false
	case b.item == tooMany:
		return s.MaxContains != nil && *s.MaxContains <= *b.of.MaxContains && within(b.of.Contains, s.Contains)
	}
	return fewest(s) >= fewest(b.of) && within(s.Contains, b.of.Contains)
}

// arrays is values for arrays: the elements that the conditions ask for, in the first place that
// suits, and then the others. If share is set, the elements of which there are too many are also those of other
// conditions.
func (f *finder) arrays(w *way, share bool) (values []any, complete bool) {
	prefix, unique := 0, false
	complete = true
	var length span
	if w.holds != nil {
		length = atLeast(int64(w.holds.index) + 1)
	}
	var equal bool
	// Every element must refuse the schemas in every. One that nothing else asks for must also refuse those in others.
	var every, others []*jsonschema.Schema
	type wanted struct {
		from int
		slot
	}
	var wants []wanted
	var many []int // the wants for elements of which there are too many
	contained := func(s *jsonschema.Schema) {
		for i := range int(min(fewest(s), largest)) {
			if share && i < len(many) {
				wants[many[i]].accept = append(wants[many[i]].accept, s.Contains)
				continue
			}
			wants = append(wants, wanted{slot: slot{accept: []*jsonschema.Schema{s.Contains}}})
		}
	}
	for _, s := range w.all {
		length = length.and(countSpan(s.MinItems, s.MaxItems))
		unique = unique || s.UniqueItems
		prefix = max(prefix, len(s.PrefixItems))
		if s.Contains != nil && !share {
			contained(s)
		}
	}
	for _, b := range w.breaks {
		prefix = max(prefix, len(b.of.PrefixItems))
		switch b.keyword {
		case "prefixItems":
			wants = append(wants, wanted{from: -1 - b.item, slot: slot{refuse: []*jsonschema.Schema{b.of.PrefixItems[b.item]}}})
		case "items":
			wants = append(wants, wanted{from: len(b.of.PrefixItems), slot: slot{refuse: []*jsonschema.Schema{b.of.Items}}})
		case "uniqueItems":
			equal, length = true, length.and(atLeast(2))
		case "contains":
			switch {
			case slices.ContainsFunc(w.all, func(s *jsonschema.Schema) bool { return f.counts(s, b) }):
				return nil, true
			case b.item == tooMany:
				for i := range min(*b.of.MaxContains, largest) + 1 {
					at := slot{accept: []*jsonschema.Schema{b.of.Contains}}
					for _, s := range w.all { // only so many of them are those of another condition
						if s.Contains != nil && s.MaxContains != nil && i >= *s.MaxContains {
							at.refuse = append(at.refuse, s.Contains)
						}
					}
					many = append(many, len(wants))
					wants = append(wants, wanted{slot: at})
				}
			case fewest(b.of) > 1:
				others, complete = append(others, b.of.Contains), false
			default:
				every = append(every, b.of.Contains)
			}
		case "unevaluatedItems":
			group := w.evaluating(b.of)
			if slices.ContainsFunc(group, func(g *jsonschema.Schema) bool { return g.Items != nil || g != b.of && g.UnevaluatedItems != nil }) {
				return nil, complete
			}
			want := wanted{slot: slot{refuse: []*jsonschema.Schema{b.of.UnevaluatedItems}}}
			for _, g := range group {
				want.from = max(want.from, len(g.PrefixItems))
				want.refuse = append(want.refuse, without(g.Contains)...)
				complete = complete && g.Contains == nil
			}
			wants = append(wants, want)
		}
	}
	if share {
		for _, s := range w.all {
			if s.Contains != nil {
				contained(s)
			}
		}
	}
	length = w.size(length, "minItems", "maxItems", func(s *jsonschema.Schema) (least, most *int64) { return s.MinItems, s.MaxItems })
	if length.and(atLeast(0)).empty() || unique && equal {
		return nil, complete
	}
	least, most := length.ends()
	if least > longestArray || least > largest && (unique || slices.ContainsFunc(w.breaks, func(b breach) bool { return b.keyword == "maxItems" })) {
		return nil, false
	}
	element := func(i int, at slot, but []any) answer {
		return f.find(slices.Concat(w.element(i), at.accept), slices.Concat(every, at.refuse), but)
	}
	places := map[int]slot{}
	size := least
	sort := func(x, y wanted) int { return x.from - y.from }
	slices.SortStableFunc(wants, sort)
	for _, want := range wants {
		from, to, more := want.from, max(prefix, want.from)+1, len(wants)
		if from < 0 {
			from, to, more = -1-from, -from, 0
		}
		sure, at := true, -1
		for i := from; at < 0 && i < min(most, to+more) && (i < to || !sure); i++ { // from the last place on, all are alike
			a := element(i, want.slot, nil)
			if _, taken := places[i]; a.is == found && !taken {
				at = i
			}
			sure = sure && a.is == none
		}
		if at < 0 {
			return nil, sure && complete
		}
		places[at] = want.slot
		size = max(size, at+1)
	}
	pairs := [][2]int{{-1, -1}}
	if equal {
		pairs = nil
		for j := 1; j < min(prefix+2, most); j++ {
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
				if _, wanted := places[i]; !wanted {
					at.refuse = slices.Concat(at.refuse, others)
				}
				a = element(i, at, but)
			}
			if a.is != found {
				ok = false
				// Any choice of different elements is as good as another if all places are alike.
				complete = complete && a.is == none && (len(but) == 0 || prefix+len(wants) == 0)
				break
			}
			list = append(list, a.value)
			if unique && !equal {
				but = append(but, a.value)
			}
		}
		if ok {
			values = append(values, append([]any{}, list...))
		}
	}
	return values, complete
}

// objects is values for objects: the members that the conditions ask for, under the first name that
// suits, and then the others.
func (f *finder) objects(w *way) (values []any, complete bool) {
	var size span
	places := map[string][]*jsonschema.Schema{} // the schemas that the members refuse
	complete = true
	for _, s := range w.all {
		size = size.and(countSpan(s.MinProperties, s.MaxProperties))
		for _, name := range s.Required {
			places[name] = nil
		}
	}
	for _, name := range w.present {
		places[name] = nil
	}
	if w.holds != nil {
		places[w.holds.name] = nil
	}
	type wanted struct {
		suits  func(name string) bool
		refuse []*jsonschema.Schema
		may    func(w *way, name string) bool
	}
	var wants []wanted
	undeclared := map[string]bool{}
	for _, b := range w.breaks {
		switch b.keyword {
		case "properties":
			p := b.of.Properties[b.item]
			places[p.Name] = append(places[p.Name], p.Schema)
		case "patternProperties":
			// A pattern declares members, so a sender may send them.
			p := b.of.PatternProperties[b.item]
			wants = append(wants, wanted{func(name string) bool { return jsonschema.Matches(p.Name, name) }, []*jsonschema.Schema{p.Schema}, f.allows})
		case "additionalProperties":
			wants = append(wants, wanted{func(name string) bool { return !describes(b.of, name) }, []*jsonschema.Schema{b.of.AdditionalProperties}, f.may})
		case "unevaluatedProperties":
			group := w.evaluating(b.of)
			wants = append(wants, wanted{func(name string) bool {
				return !slices.ContainsFunc(group, func(g *jsonschema.Schema) bool {
					return describes(g, name) || g.AdditionalProperties != nil || g != b.of && g.UnevaluatedProperties != nil
				})
			}, []*jsonschema.Schema{b.of.UnevaluatedProperties}, f.may})
		case "propertyNames":
			wants = append(wants, wanted{func(name string) bool { return f.refuses(name, b.of.PropertyNames) }, nil, f.may})
		}
	}
	may := f.may
	if slices.ContainsFunc(w.breaks, func(b breach) bool { return b.keyword == "patternProperties" }) {
		may = f.allows // a broken pattern declares members
	}
	object := map[string]any{}
	fill := func() verdict {
		w.depend(places)
		is := found
		for _, name := range slices.Sorted(maps.Keys(places)) {
			if !undeclared[name] && !may(w, name) || !f.named(w, name) {
				return none
			}
			a := answer{is: found}
			if w.holds != nil && name == w.holds.name {
				a.value = w.holds.value
			} else if a = f.find(w.members(name, ""), places[name], nil); a.is == none {
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
	if len(wants) == 1 && !slices.ContainsFunc(slices.Collect(maps.Keys(places)), wants[0].suits) {
		fewest++
	}
	size = w.size(size, "minProperties", "maxProperties", func(s *jsonschema.Schema) (least, most *int64) { return s.MinProperties, s.MaxProperties })
	if size.and(atLeast(int64(fewest))).empty() {
		return nil, true
	}
	least, most := size.ends()
	var names []string
	all := true
	if len(wants) > 0 {
		names, all = f.names(w)
	}
	for _, want := range wants {
		sure, done := all, false
		for _, name := range slices.Concat(slices.Sorted(maps.Keys(places)), names) {
			if !want.suits(name) || !want.may(w, name) || !f.named(w, name) {
				continue
			}
			refuse := slices.Concat(places[name], want.refuse)
			a := f.find(w.members(name, ""), refuse, nil)
			sure = sure && a.is != unknown
			if a.is == found {
				places[name], undeclared[name], done = refuse, true, true
				break
			}
		}
		if !done {
			return nil, sure && complete
		}
	}
	if len(wants) > 0 {
		may = f.may
		is = fill()
	}
	if is != found || len(object) > most {
		return nil, is == found && complete && len(wants) == 0
	}
	if len(object) < least && names == nil {
		names, _ = f.names(w)
	}
	for _, name := range names {
		if len(object) >= least {
			break
		}
		if _, ok := object[name]; ok || !f.may(w, name) || !f.named(w, name) {
			continue
		}
		more := maps.Clone(places)
		more[name] = nil
		if w.depend(more); len(more) > len(places)+1 {
			complete = false // the member would need others
			continue
		}
		if a := f.find(w.members(name, ""), nil, nil); a.is == found {
			object[name], places = a.value, more
		} else {
			complete = complete && a.is == none
		}
	}
	if len(object) < least {
		return nil, complete && len(wants) == 0 && f.sender != nil && !f.open(w)
	}
	values = []any{object}
	if len(w.but) > 0 && len(object) < most {
		values = append(values, f.larger(w, object)...)
	}
	return values, complete
}

// depend adds the members that those in places require.
func (w *way) depend(places map[string][]*jsonschema.Schema) {
	for again := true; again; {
		again = false
		for _, s := range w.all {
			for _, d := range s.DependentRequired {
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
}

// larger returns objects that have another member than an object, of those that the schemas of a way declare.
func (f *finder) larger(w *way, object map[string]any) (values []any) {
	for _, s := range w.all {
		for _, p := range s.Properties {
			if _, ok := object[p.Name]; ok || !f.may(w, p.Name) || !f.named(w, p.Name) || f.spend(1) {
				continue
			}
			if a := f.find(w.members(p.Name, ""), nil, nil); a.is == found {
				more := maps.Clone(object)
				more[p.Name] = a.value
				values = append(values, more)
			}
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
func (f *finder) named(w *way, name string) bool {
	return !slices.ContainsFunc(w.all, func(s *jsonschema.Schema) bool { return s.PropertyNames != nil && f.refuses(name, s.PropertyNames) })
}

// naming returns the schemas of a way that may name members, those that must refuse among them.
func (w *way) naming() []*jsonschema.Schema {
	list := slices.Clone(w.all)
	for _, b := range w.breaks {
		list = append(list, below(b.of)...)
	}
	return list
}

// patternsOf returns the patterns of names in the schemas of a way.
func patternsOf(w *way) (list []string) {
	for _, s := range w.naming() {
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
func (f *finder) names(w *way) (names []string, all bool) {
	seen := map[string]bool{}
	add := func(name string) {
		if !seen[name] {
			names, seen[name] = append(names, name), true
		}
	}
	all = true
	var rules []*jsonschema.Schema
	for _, b := range w.breaks {
		if b.keyword == "propertyNames" {
			rules = append(rules, b.of.PropertyNames)
		}
	}
	for _, s := range w.naming() {
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
	patterns := patternsOf(w)
	if len(patterns) > 5 {
		patterns, all = patterns[:5], false
	}
	declared := slices.Clone(names)
	var accept []*jsonschema.Schema
	for _, s := range w.all {
		if s.PropertyNames != nil {
			accept = append(accept, s.PropertyNames)
		}
	}
	all = all && len(rules) <= 1
	for set := range 1 << len(patterns) {
		if len(rules)+len(accept)+len(patterns) == 0 {
			break
		}
		accept, rules := slices.Clone(accept), slices.Clone(rules)
		for i, p := range patterns {
			if set&(1<<i) != 0 {
				accept = append(accept, f.matchOf(p))
			} else {
				rules = append(rules, f.matchOf(p))
			}
		}
		var but []any
		covered := false // whether there is a name that no schema has, or no such name
		for range 5 {
			a := f.search(newWay(accept, rules, kindString, but))
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
	return names, all || !f.open(w)
}
