package diff

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	// largest is the maximum length of strings and arrays that are made as examples of a limit.
	largest = 1000
	// mostText is the maximum size of an array or object in bytes. It prevents values of
	// exponential size, which schemas have if they require each definition twice.
	mostText = 64 * largest
)

// maker makes values of shapes.
type maker struct {
	prove *prover
	// least has the smallest known values of sets, tried those of alternatives by maximum
	// depth.
	least map[*set]any
	tried map[attempt]result
	// hopeless holds the sets for which no value was found.
	hopeless map[*set]bool
	// shared caches the results of common.
	shared map[setPair]result
}

type attempt struct {
	alt   *Alt
	depth int
}

type result struct {
	v  any
	ok bool
}

func newMaker(p *prover) *maker {
	return &maker{p, map[*set]any{}, map[attempt]result{}, map[*set]bool{}, map[setPair]result{}}
}

// depths are the maximum depths of values, which are tried in this order.
var depths = []int{1, 2, 3, 5, 8}

// minimal returns the shortest value of a shape that it finds, or false.
func (m *maker) minimal(s *Shape) (any, bool) {
	if v, ok := m.least[s.set]; ok {
		return v, true
	}
	for _, depth := range depths {
		if v, ok := m.shape(s, depth); ok {
			m.least[s.set] = v
			return v, true
		}
	}
	if s.more == nil || m.hopeless[s.set] {
		return nil, false
	}
	m.hopeless[s.set] = true
	for _, v := range s.more() {
		if s.accepts(v) {
			m.least[s.set] = v
			return v, true
		}
	}
	return nil, false
}

func (m *maker) shape(s *Shape, depth int) (any, bool) {
	if v, ok := m.least[s.set]; ok {
		return v, true
	}
	if depth == 0 {
		return nil, false
	}
	var best any
	found := false
	for _, a := range s.alts() {
		if v, ok := m.alt(a, depth); ok && (!found || shorter(v, best)) && s.accepts(v) {
			best, found = v, true
		}
	}
	return best, found
}

func shorter(a, b any) bool { return len(render(a)) < len(render(b)) }

func (m *maker) alt(a *Alt, depth int) (any, bool) {
	if depth == 0 {
		return nil, false
	}
	key := attempt{a, depth}
	if have, ok := m.tried[key]; ok {
		return have.v, have.ok
	}
	var r result
	m.tried[key] = r // ends the recursion of alternatives that contain themselves
	r.v, r.ok = m.make(a, depth)
	m.tried[key] = r
	return r.v, r.ok
}

// of returns the shortest value of an alternative that it finds, or false.
func (m *maker) of(a *Alt) (any, bool) {
	for _, depth := range depths {
		if v, ok := m.alt(a, depth); ok {
			return v, true
		}
	}
	key := attempt{a, 0}
	have, ok := m.tried[key]
	if !ok && a.more != nil {
		m.tried[key] = have
		for _, v := range a.more() {
			if a.accepts(v) {
				have = result{v, true}
				break
			}
		}
		m.tried[key] = have
	}
	return have.v, have.ok
}

func (m *maker) make(a *Alt, depth int) (any, bool) {
	if len(a.Values) > 0 { // each is accepted
		return parse(slices.MinFunc(a.Values, func(x, y string) int { return len(x) - len(y) })), true
	}
	if values, ok := a.few(); ok {
		var best any
		found := false
		for _, text := range values {
			if v := parse(text); a.accepts(v) && (!found || shorter(v, best)) {
				best, found = v, true
			}
		}
		return best, found
	}
	switch a.Kind {
	case kindNumber:
		for _, f := range a.Number.probes() {
			if v := num(f); a.accepts(v) {
				return v, true
			}
		}
		return nil, false
	case kindString:
		for _, v := range m.texts(a.Text) {
			if a.accepts(v) {
				return v, true
			}
		}
		return nil, false
	case kindArray:
		return m.array(a, max(lowest(a.Array.Length), contained(a)), depth)
	case kindObject:
		return m.object(a, depth)
	}
	if a.accepts("") {
		return "", true
	}
	return map[string]any{}, a.accepts(map[string]any{})
}

func lowest(s span) int {
	if s.Min == nil {
		return 0
	}
	return int(min(*s.Min, 1e6))
}

// contained returns the number of elements that contains constraints require.
func contained(a *Alt) int {
	n := 0
	for _, c := range a.Array.Contains {
		n += lowest(c.Count)
	}
	return n
}

// probes returns numbers at and around the limits, zero first.
func (t *number) probes() []float64 {
	s := t.Range
	list := []float64{0, 1, -1, 0.5, 2, 3}
	by := 1.0
	if t.Step != nil {
		by, _ = t.Step.Float64()
		list = append(list, by, -by, 2*by, 3*by, by/2, 1.5*by)
	}
	for _, bound := range []*float64{s.Min, s.Max} {
		if bound != nil {
			list = append(list, *bound, *bound+1, *bound-1, math.Floor(*bound), math.Ceil(*bound), *bound+0.5, *bound-0.5,
				*bound+by, *bound-by, math.Ceil(*bound/by)*by, math.Floor(*bound/by)*by)
		}
	}
	if s.Min != nil && s.Max != nil {
		list = append(list, (*s.Min+*s.Max)/2)
	}
	return slices.DeleteFunc(list, func(f float64) bool { return math.IsNaN(f) || math.IsInf(f, 0) })
}

// texts returns strings that may satisfy a constraint.
func (m *maker) texts(t *text) []any {
	list := []any{""}
	for _, format := range t.Formats {
		if s, ok := formats[format]; ok {
			list = append(list, s)
		}
	}
	if len(t.Patterns) > 0 {
		if s, found, known := m.prove.search(t, nil, nil); known && found {
			list = append(list, s)
		}
		longer := *t
		longer.Length = narrower(t.Length, span{Min: new(float64(utf8.RuneCountInString(list[len(list)-1].(string)) + 2))})
		if s, found, known := m.prove.search(&longer, nil, nil); known && found {
			list = append(list, s)
		}
	}
	list = append(list, "x")
	if n := lowest(t.Length); n > 0 && n <= largest {
		list = append(list, repeated(n))
		for _, v := range slices.Clone(list) {
			if s := v.(string); utf8.RuneCountInString(s) < n {
				list = append(list, strings.Repeat("x", n-utf8.RuneCountInString(s))+s)
			}
		}
	}
	return list
}

func repeated(n int) string { return strings.Repeat("x", min(n, largest+1)) }

// array makes an array of n elements.
func (m *maker) array(a *Alt, n, depth int) (any, bool) {
	list := []any{}
	if n > largest {
		return nil, false
	}
	var wanted []*Shape
	for _, c := range a.Array.Contains {
		for range lowest(c.Count) {
			wanted = append(wanted, c.Shape)
		}
	}
	size := 0
	for i := range n {
		v, ok := m.element(a, i, n, wanted, list, depth)
		if !ok {
			return nil, false
		}
		if size += len(render(v)); size > mostText {
			return nil, false
		}
		list = append(list, v)
	}
	return list, a.accepts(list)
}

// element makes the element at index i that differs from others if elements must be unique. The
// last elements satisfy the shapes in wanted.
func (m *maker) element(a *Alt, i, n int, wanted []*Shape, others []any, depth int) (any, bool) {
	shape := a.Array.at(i, a.Where)
	var want *Shape
	if at := i - (n - len(wanted)); at >= 0 {
		want = wanted[at]
	}
	fits := func(v any) bool {
		return shape.accepts(v) && (want == nil || want.accepts(v)) &&
			!(a.Array.Unique && slices.ContainsFunc(others, func(have any) bool { return exactly(have) == exactly(v) }))
	}
	if depth <= 1 && slices.ContainsFunc(shape.alts(), func(a *Alt) bool { return a.Kind != kindObject && a.Kind != kindArray }) {
		depth = 2
	}
	candidates := []any{}
	for _, s := range []*Shape{shape, want} {
		if s == nil {
			continue
		}
		if v, ok := m.shape(s, depth-1); ok {
			candidates = append(candidates, v)
		}
	}
	for _, v := range candidates {
		if fits(v) {
			return v, true
		}
	}
	for _, s := range []*Shape{shape, want} {
		if s == nil {
			continue
		}
		for _, b := range s.alts() {
			for _, v := range m.scalars(b, i) {
				if fits(v) {
					return v, true
				}
			}
			if v, ok := m.alt(b, depth-1); ok && fits(v) {
				return v, true
			}
		}
	}
	return nil, false
}

// scalars returns various values of an alternative, which differ for each n.
func (m *maker) scalars(a *Alt, n int) []any {
	var list []any
	if values, ok := a.few(); ok {
		for _, text := range values {
			list = append(list, parse(text))
		}
		return list
	}
	switch a.Kind {
	case kindNumber:
		for _, f := range a.Number.probes() {
			list = append(list, num(f))
		}
		by := 1.0
		if a.Number.Step != nil {
			by, _ = a.Number.Step.Float64()
		}
		from := 0.0
		if a.Number.Range.Min != nil {
			from = *a.Number.Range.Min
		}
		list = append(list, num(from+float64(n+1)*by))
	case kindString, kindAny:
		if a.Text != nil {
			list = m.texts(a.Text)
		}
		list = append(list, "x"+strconv.Itoa(n), strings.Repeat("x", n%largest), strings.Repeat("x", (n+lowestText(a))%largest))
	}
	return list
}

func lowestText(a *Alt) int {
	if a.Text == nil {
		return 0
	}
	return lowest(a.Text.Length)
}

func (m *maker) object(a *Alt, depth int) (any, bool) {
	o := a.Object
	object := map[string]any{}
	var names []string
	for _, member := range o.Members {
		if o.requires(member.Name) {
			names = append(names, member.Name)
		}
	}
	for i := 0; i < len(names); i++ {
		for _, n := range o.Needs {
			if n.If == names[i] && !slices.Contains(names, n.Then) {
				names = append(names, n.Then)
			}
		}
	}
	size := 0
	for _, name := range names {
		v, ok := m.member(o.at(name, a.Where), depth)
		if !ok {
			return nil, false
		}
		if size += len(render(v)); size > mostText {
			return nil, false
		}
		object[name] = v
	}
	if missing := lowest(o.Size) - len(object); missing > 0 && !m.fill(a, object, missing, depth) {
		return nil, false
	}
	if a.accepts(object) {
		return object, true
	}
	// Constraints of type also may require more members, or other ones.
	tries := 0
	for _, extra := range m.variations(a, object, depth) {
		if tries++; tries > 200 {
			break
		}
		if a.accepts(extra) {
			return extra, true
		}
	}
	return nil, false
}

// member makes a value for a member.
func (m *maker) member(s *Shape, depth int) (any, bool) {
	if slices.ContainsFunc(s.alts(), func(a *Alt) bool { return a.Kind != kindObject && a.Kind != kindArray }) {
		depth++ // scalars contain no values
	}
	return m.shape(s, depth-1)
}

// fill adds optional members.
func (m *maker) fill(a *Alt, object map[string]any, missing, depth int) bool {
	for _, member := range a.Object.Members {
		if missing == 0 {
			return true
		}
		if _, there := object[member.Name]; there {
			continue
		}
		if v, ok := m.member(member.Shape, depth); ok {
			object[member.Name] = v
			missing--
		}
	}
	if missing > largest {
		return false
	}
	for i := 0; missing > 0 && i < 3*largest; i++ {
		name, ok := m.name(a.Object, i)
		if !ok {
			return false
		}
		if _, there := object[name]; there {
			continue
		}
		v, ok := m.member(a.Object.at(name, a.Where), depth)
		if !ok {
			return false
		}
		object[name] = v
		missing--
	}
	return missing == 0
}

// name returns a name that the object does not declare. It differs for each i.
func (m *maker) name(o *object, i int) (string, bool) {
	candidates := []string{"x" + strconv.Itoa(i)}
	for _, p := range o.Patterns {
		t := &text{Patterns: []string{p.Name}, Length: span{Min: new(float64(i))}}
		if s, found, known := m.prove.search(t, nil, nil); known && found {
			candidates = append(candidates, s)
		}
	}
	for _, names := range o.Names {
		for _, a := range names.alts() {
			for _, v := range m.scalars(a, i) {
				if s, ok := v.(string); ok {
					candidates = append(candidates, s)
				}
			}
		}
	}
	for _, name := range candidates {
		if o.member(name) == nil && !slices.ContainsFunc(o.Names, func(s *Shape) bool { return !s.accepts(name) }) && !o.at(name, Place{}).set.impossible() {
			return name, true
		}
	}
	return "", false
}

// with returns a copy of an object with one more member.
func with(object map[string]any, name string, v any) map[string]any {
	more := maps.Clone(object)
	if more == nil {
		more = map[string]any{}
	}
	more[name] = v
	return more
}

// common returns a value that both shapes accept, or else one that the first shape accepts.
func (m *maker) common(of, also *Shape) (any, bool) {
	if also == nil {
		return m.minimal(of)
	}
	key := setPair{of.set, also.set}
	made, ok := m.shared[key]
	if !ok {
		made.v, made.ok = m.overlap(of, also)
		m.shared[key] = made
	}
	return made.v, made.ok
}

func (m *maker) overlap(of, also *Shape) (any, bool) {
	for _, from := range []*Shape{of, also} {
		if v, ok := m.minimal(from); ok && of.accepts(v) && also.accepts(v) {
			return v, true
		}
	}
	for _, from := range []*Shape{of, also} {
		for _, v := range m.all(from) {
			if of.accepts(v) && also.accepts(v) {
				return v, true
			}
		}
	}
	return m.minimal(of)
}
