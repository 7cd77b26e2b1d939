package wire

// A Reader reads one text from beginning to end, value by value.
//
// To read an array or object, open it and move from one element or member to the next. Each value
// must be read before the next move:
//
//	for r.BeginObject(); r.Member(); {
//		switch r.Name() {
//		case "text":
//			x.Text = r.ReadString()
//		default:
//			*x.Extra.Entry(r) = r.ReadRaw()
//		}
//	}
//
// After the first error every method does nothing and returns a zero value.
type Reader struct {
	src     string
	pos     int
	depth   int  // number of open containers
	fresh   bool // the container has just been opened, so no comma comes next
	checked bool // the whole text is known to be well formed

	nameAt, nameEnd int    // offsets of the quotes of the current member's name
	unquoted        string // the name if it has escapes, otherwise ""
	nameSets        []nameSet

	trying int // number of nested calls of Try
	spent  int // number of bytes that are read again

	lenient leniently

	slabs   slabs  // of the Pointer methods
	scratch []byte // for strings with escapes

	spaced bool // scan has met white space inside a value

	err     *Error
	about   int   // offset of the value that err is about, or err's offset
	place   place // what err's pointer refers to
	located bool  // err has its pointer
}

// NewStringReader returns a Reader of src. Strings that it reads share the memory of src.
func NewStringReader(src string) *Reader { return &Reader{src: src} }

// Err returns the first error, an [*Error], or nil.
func (r *Reader) Err() error {
	if r.err == nil {
		return nil
	}
	if !r.located && r.trying == 0 {
		r.located = true
		r.locate()
	}
	return r.err
}

// Offset returns the number of bytes read. It has no meaning after an error.
func (r *Reader) Offset() int { return r.pos }

// End fails unless only white space remains.
func (r *Reader) End() {
	if r.err != nil {
		return
	}
	r.pos = skipSpace(r.src, r.pos)
	if r.pos < len(r.src) {
		r.failFound(r.pos, "the end of the text")
	}
}

// Kind returns the kind of the value that comes next. If none does, it fails and returns
// KindInvalid.
func (r *Reader) Kind() Kind {
	if r.err != nil {
		return KindInvalid
	}
	r.pos = skipSpace(r.src, r.pos)
	if r.pos < len(r.src) {
		if k := kindOf(r.src[r.pos]); k != KindInvalid {
			return k
		}
	}
	r.failFound(r.pos, "a value")
	return KindInvalid
}

// BeginObject opens an object and reports whether there was one to open.
func (r *Reader) BeginObject() bool { return r.begin('{', "an object") }

// BeginArray opens an array and reports whether there was one to open.
func (r *Reader) BeginArray() bool { return r.begin('[', "an array") }

func (r *Reader) begin(open byte, want string) bool {
	if r.err != nil {
		return false
	}
	i := skipSpace(r.src, r.pos)
	if i >= len(r.src) || r.src[i] != open {
		r.failKind(i, want)
		return false
	}
	if r.depth == MaxDepth {
		r.failDepth(i)
		return false
	}
	r.depth++
	r.pos = i + 1
	r.fresh = true
	return true
}

// Member moves to the next member of the open object, so that its value comes next. After the last
// member, it closes the object and returns false.
func (r *Reader) Member() bool {
	if r.err != nil {
		return false
	}
	src := r.src
	i := skipSpace(src, r.pos)
	if i < len(src) && src[i] == '}' {
		r.close(i)
		return false
	}
	if !r.fresh {
		if i >= len(src) || src[i] != ',' {
			r.failFound(i, "',' or '}'")
			return false
		}
		i = skipSpace(src, i+1)
	}
	r.fresh = false
	if i >= len(src) || src[i] != '"' {
		r.failFound(i, "a member name")
		return false
	}
	end, plain := plainString(src, i)
	escaped := false
	if !plain {
		var ok bool
		if end, escaped, ok = scanRest(src, end, nil, 0); !ok {
			r.failString(i, end)
			return false
		}
	}
	r.nameAt, r.nameEnd = i, end-1
	if escaped || r.unquoted != "" {
		r.rename(escaped)
	}
	if end < len(src) && src[end] != ':' {
		end = skipSpace(src, end)
	}
	if end >= len(src) || src[end] != ':' {
		r.failFound(end, "':'")
		return false
	}
	r.pos = end + 1
	return true
}

func (r *Reader) rename(escaped bool) {
	r.unquoted = ""
	if escaped {
		r.unquoted = unquote(r.src[r.nameAt+1 : r.nameEnd])
	}
}

// Name returns the name of the current member, unescaped. Call it before the value is read.
func (r *Reader) Name() string {
	if r.unquoted != "" || r.nameEnd == 0 {
		return r.unquoted
	}
	return r.src[r.nameAt+1 : r.nameEnd]
}

// Element reports whether another element of the open array comes next. After the last element,
// it closes the array.
func (r *Reader) Element() bool {
	if r.err != nil {
		return false
	}
	src := r.src
	i := skipSpace(src, r.pos)
	if i < len(src) && src[i] == ']' {
		r.close(i)
		return false
	}
	if !r.fresh {
		if i >= len(src) || src[i] != ',' {
			r.failFound(i, "',' or ']'")
			return false
		}
		i = skipSpace(src, i+1)
	}
	r.fresh = false
	r.pos = i
	if i >= len(src) || src[i] == ']' {
		r.failFound(i, "a value")
		return false
	}
	return true
}

// close leaves the container whose closing bracket is at i.
func (r *Reader) close(i int) {
	r.pos = i + 1
	r.depth--
	r.fresh = false
	if n := len(r.nameSets); n > 0 && r.nameSets[n-1].depth > r.depth {
		r.nameSets = r.nameSets[:n-1]
	}
}
