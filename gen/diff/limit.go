package diff

import "strconv"

// limit is one end of a span.
type limit struct {
	at   *float64
	open bool
	// upper limits allow more the greater they are.
	upper bool
}

func (s span) low() limit  { return limit{s.Min, s.MinOpen, false} }
func (s span) high() limit { return limit{s.Max, s.MaxOpen, true} }

// span returns the numbers within the limit.
func (l limit) span() span {
	if l.upper {
		return span{Max: l.at, MaxOpen: l.open}
	}
	return span{Min: l.at, MinOpen: l.open}
}

// allows reports whether a number is within the limit.
func (l limit) allows(f float64) bool { return l.span().contains(f) }

// holds reports whether all numbers of a span are within the limit.
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

// compare returns a number above 0 if other is the greater limit, and below 0 if it is the
// smaller one.
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

// lengths returns small numbers at and around the ends of spans.
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
