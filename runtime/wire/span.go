package wire

import "unsafe"

// Span is a part of a text, from Start to End. The zero Span stands for nothing.
type Span struct{ Start, End int }

// FindMembers finds members of the object that text is. It sets found[i] to the place of the value of the
// first member called names[i], if there is one. It does not check the text.
func FindMembers(text []byte, names []string, found []Span) {
	if len(text) == 0 {
		return
	}
	// The string shares the memory of text, because a copy would be as large as the text, which may be a
	// long list. It is not used after FindMembers returns.
	r := Reader{src: unsafe.String(&text[0], len(text)), checked: true, trying: 1}
	for r.BeginObject(); r.Member(); {
		name, at := r.Name(), -1
		for i := range names {
			if names[i] == name && found[i].End == 0 {
				at = i
				break
			}
		}
		start := skipSpace(r.src, r.pos)
		r.Skip()
		if at >= 0 && r.err == nil {
			found[at] = Span{start, r.pos}
		}
	}
}
