package wire

import (
	"strconv"
	"strings"
)

// AppendPointer appends the token of a JSON Pointer (RFC 6901) for a member: a slash and the
// name, with ~ escaped as ~0 and / as ~1.
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

// ChildPointer returns the JSON Pointer of the member called name of the value at pointer.
func ChildPointer(pointer, name string) string {
	return string(AppendPointer([]byte(pointer), name))
}

// PointerName returns the name that a token of a JSON Pointer stands for. The token has no
// slash.
func PointerName(token string) string { return pointerNames.Replace(token) }

var pointerNames = strings.NewReplacer("~1", "/", "~0", "~")

// locate sets the pointer of the Reader's error. It reads the text again up to the error, so that
// reading without errors does not have to keep track of pointers.
func (r *Reader) locate() {
	t := tracer{src: r.src}
	pointer, start := t.pointer(r.about, r.pointee)
	if r.pointee == atObject && start >= 0 {
		r.err.Offset = int64(start)
	}
	r.err.Pointer = pointer
}

// pointer returns the pointer of the place that an error at an offset refers to, and the offset
// of the innermost container around it, or -1.
func (t *tracer) pointer(offset int, at pointee) (pointer string, start int) {
	path := t.trace(offset)
	var dst []byte
	for i, l := range path {
		last := i == len(path)-1
		switch {
		case last && l.done:
			// The offset is between two values, so the error is the container's.
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

// level is an open container around an offset.
type level struct {
	start  int  // offset of its opening bracket
	object bool // otherwise it is an array
	named  bool // the name of the object's current member has been read
	done   bool // the current value has ended, and no comma has followed yet
	index  int  // of the array's current element
	name   string
}

// tracer finds the containers that are open at offsets of a text, which must increase.
type tracer struct {
	src  string
	pos  int
	path []level
	lost bool // the text is malformed
}

// trace returns the containers that are open at an offset of the text, the outermost first. The
// text before the offset must be well formed.
func (t *tracer) trace(offset int) []level {
	if t.lost {
		return nil
	}
	src, path, i := t.src, t.path, t.pos
	defer func() { t.path, t.pos = path, i }()
	for i < offset {
		var top level // the zero level if none is open
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
			i = skipValue(src, i)
		}
		if len(path) > 0 {
			path[len(path)-1] = top
		}
	}
	return path
}
