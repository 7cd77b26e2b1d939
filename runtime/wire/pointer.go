package wire

import (
	"strconv"
	"strings"
)

// AppendPointer appends the token of a JSON Pointer (RFC 6901) for a member: a
// slash and the name, in which ~ is ~0 and / is ~1.
func AppendPointer(dst []byte, name string) []byte {
	dst = append(dst, '/')
	for i := range len(name) {
		switch name[i] {
		case '~':
			dst = append(dst, "~0"...)
		case '/':
			dst = append(dst, "~1"...)
		default:
			dst = append(dst, name[i])
		}
	}
	return dst
}

// ChildPointer returns the JSON Pointer of the member called name of the value at
// pointer.
func ChildPointer(pointer, name string) string {
	return string(AppendPointer([]byte(pointer), name))
}

// PointerName returns the name that a token of a JSON Pointer, which has no slash,
// stands for.
func PointerName(token string) string { return pointerNames.Replace(token) }

var pointerNames = strings.NewReplacer("~1", "/", "~0", "~")

// locate gives the Reader's error its pointer, by reading the text up to the
// error once more. That costs nothing as long as there are no errors.
func (r *Reader) locate() {
	t := tracer{src: r.src}
	pointer, start := t.pointer(r.about, r.place)
	if r.place == atObject && start >= 0 {
		r.err.Offset = int64(start)
	}
	r.err.Pointer = pointer
}

// pointer is the pointer of what an error at an offset is about. Start is the offset of the
// container around it, -1 for none.
func (t *tracer) pointer(offset int, at place) (pointer string, start int) {
	path := t.trace(offset)
	var dst []byte
	for i, l := range path {
		last := i == len(path)-1
		switch {
		case last && l.done:
			// Between two values: the trouble is the container's.
		case !l.object:
			dst = strconv.AppendInt(append(dst, '/'), int64(l.index), 10)
		case l.named:
			dst = AppendPointer(dst, l.name)
		}
	}
	if at == atMember {
		if end, escaped, ok := scanString(t.src, offset); ok {
			name := t.src[offset+1 : end-1]
			if escaped {
				name = unquote(name)
			}
			dst = AppendPointer(dst, name)
		}
	}
	if len(path) == 0 {
		return string(dst), -1
	}
	return string(dst), path[len(path)-1].start
}

// level is an open container on the way to an offset.
type level struct {
	start  int  // offset of its opening bracket
	object bool // else an array
	named  bool // object: the name of the current member has been met
	done   bool // the current value is over, and no comma has followed yet
	index  int  // array: of the current element
	name   string
}

// tracer finds which containers are open at offsets of a text, each beyond the last.
type tracer struct {
	src  string
	pos  int
	path []level
	lost bool // the text is not what it should be
}

// trace returns the containers that are open at an offset of the text, outermost
// first. The text before the offset has been read, and is well formed.
func (t *tracer) trace(offset int) []level {
	if t.lost {
		return nil
	}
	src, path, i := t.src, t.path, t.pos
	defer func() { t.path, t.pos = path, i }()
	for i < offset {
		var top level // the zero level where none is open
		if n := len(path); n > 0 {
			top = path[n-1]
		}
		switch c := src[i]; c {
		case '{', '[':
			path = append(path, level{start: i, object: c == '{'})
			i++
			continue
		case '}', ']':
			if len(path) > 0 {
				path = path[:len(path)-1]
			}
			if len(path) == 0 {
				t.lost = true
				return nil
			}
			top = path[len(path)-1]
			top.done = true
			i++
		case ',':
			top.index++
			top.named, top.done = false, false
			i++
		case '"':
			end, escaped, ok := scanString(src, i)
			if !ok {
				return path
			}
			if top.object && !top.named {
				top.name, top.named = src[i+1:end-1], true
				if escaped {
					top.name = unquote(top.name)
				}
			} else {
				top.done = true
			}
			i = end
		case ' ', '\n', '\r', '\t', ':':
			i++
		default:
			top.done = true
			i = tokenEnd(src, i)
		}
		if len(path) > 0 {
			path[len(path)-1] = top
		}
	}
	return path
}

// tokenEnd returns the offset after the number or literal that begins at src[i].
func tokenEnd(src string, i int) int {
	if kindOf(src[i]) == KindNumber {
		end, _ := scanNumber(src, i)
		return end
	}
	i++
	for i < len(src) && isLetter(src[i]) {
		i++
	}
	return i
}
