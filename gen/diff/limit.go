package diff

import "strconv"

// limit is one end of a span.
type limit struct {
	at   *float64
	open bool
	// upper limits are looser the greater they are.
	upper bool
}

func (s span) low() limit  { return limit{s.Min, s.MinOpen, false} }
func (s span) high() limit { return limit{s.Max, s.MaxOpen, true} }

// span is what is within the limit.
func (l limit) span() span {
	if l.upper {
		return span{Max: l.at, MaxOpen: l.open}
	}
	return span{Min: l.at, MinOpen: l.open}
}

// allows reports whether a number is within the limit.
func (l limit) allows(f float64) bool { return l.span().contains(f) }

// holds reports whether all of a span is within the limit.
func (l limit) holds(s span) bool { return l.span().covers(s) }

func (l limit) String() string {
	if l.at == nil {
		return "none"
	}
	text := strconv.FormatFloat(*l.at, 'g', -1, 64)
	if l.open {
		text += " (exclusive)"
	}
	return text
}

// compare is above 0 when the limit has moved up.
func (l limit) compare(to limit) int {
	sign := 1
	if !l.upper {
		sign = -1
	}
	switch {
	case l.at == nil && to.at == nil:
		return 0
	case l.at == nil:
		return -sign
	case to.at == nil:
		return sign
	case *to.at > *l.at:
		return 1
	case *to.at < *l.at:
		return -1
	case l.open == to.open:
		return 0
	case to.open:
		return -sign
	}
	return sign
}

// lengths are numbers of things in and around spans, none of them large.
func lengths(spans ...span) []int {
	list := []int{0, 1, 2}
	for _, s := range spans {
		for _, bound := range []*float64{s.Min, s.Max} {
			if bound != nil && *bound <= largest {
				list = append(list, max(0, int(*bound)-1), int(*bound), int(*bound)+1)
			}
		}
	}
	return list
}
