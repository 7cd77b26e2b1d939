package page

import "strings"

// change is the state of a line.
type change int

const (
	same change = iota
	gone
	come
)

// line is a line of one of two compared texts.
type line struct {
	change change
	text   string
	// mark is the part of a changed line, as byte offsets, that its counterpart
	// does not have; it is empty where the whole line is new or gone.
	from, to int
}

// maxTable limits the work of comparing two texts: the product of the numbers of lines between
// the common beginning and the common end.
const maxTable = 200_000

// lineDiff compares two texts by line. Beyond maxTable it treats all lines between the common
// beginning and end as changed.
func lineDiff(old, new string) []line {
	a, b := lines(old), lines(new)
	var head, tail []line
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		head = append(head, line{text: a[0]})
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		tail = append(tail, line{text: a[len(a)-1]})
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	all := append(head, between(a, b)...)
	for i := range tail {
		all = append(all, tail[len(tail)-1-i])
	}
	return all
}

func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// between compares lines by their longest common subsequence.
func between(a, b []string) []line {
	var all []line
	if len(a)*len(b) <= maxTable {
		common := make([][]int32, len(a)+1)
		for i := range common {
			common[i] = make([]int32, len(b)+1)
		}
		for i := len(a) - 1; i >= 0; i-- {
			for j := len(b) - 1; j >= 0; j-- {
				if a[i] == b[j] {
					common[i][j] = common[i+1][j+1] + 1
				} else {
					common[i][j] = max(common[i+1][j], common[i][j+1])
				}
			}
		}
		i, j := 0, 0
		for i < len(a) && j < len(b) {
			switch {
			case a[i] == b[j]:
				all = append(all, line{text: a[i]})
				i, j = i+1, j+1
			case common[i+1][j] >= common[i][j+1]:
				all = append(all, line{change: gone, text: a[i]})
				i++
			default:
				all = append(all, line{change: come, text: b[j]})
				j++
			}
		}
		a, b = a[i:], b[j:]
	}
	for _, text := range a {
		all = append(all, line{change: gone, text: text})
	}
	for _, text := range b {
		all = append(all, line{change: come, text: text})
	}
	return markWords(all)
}

// markWords marks the differing words in a block of lines that replaces a block of the same
// length.
func markWords(all []line) []line {
	for start := 0; start < len(all); {
		if all[start].change == same {
			start++
			continue
		}
		end := start
		var was, is []int
		for ; end < len(all) && all[end].change != same; end++ {
			if all[end].change == gone {
				was = append(was, end)
			} else {
				is = append(is, end)
			}
		}
		if len(was) == len(is) {
			for i := range was {
				markPair(&all[was[i]], &all[is[i]])
			}
		}
		start = end
	}
	return all
}

// markPair marks the text between the common beginning and end of two lines, unless the lines
// have little in common.
func markPair(a, b *line) {
	head := 0
	for head < len(a.text) && head < len(b.text) && a.text[head] == b.text[head] {
		head++
	}
	tail := 0
	for tail < len(a.text)-head && tail < len(b.text)-head && a.text[len(a.text)-1-tail] == b.text[len(b.text)-1-tail] {
		tail++
	}
	if 2*(head+tail) < min(len(a.text), len(b.text)) {
		return
	}
	for _, l := range []*line{a, b} {
		l.from, l.to = wordStart(l.text, head), wordEnd(l.text, len(l.text)-tail)
	}
}

// wordStart and wordEnd move an offset out of a word.
func wordStart(s string, i int) int {
	for inWord(s, i) {
		i--
	}
	return i
}

func wordEnd(s string, i int) int {
	for inWord(s, i) {
		i++
	}
	return i
}

func inWord(s string, i int) bool {
	return i > 0 && i < len(s) && !boundary(s[i-1]) && !boundary(s[i])
}

// boundary reports whether a byte is not part of a word. Bytes of characters beyond ASCII are
// part of words.
func boundary(c byte) bool {
	return c < 0x80 && c != '_' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z')
}
