package wire

import "strconv"

// A Writer appends one value to a byte slice, the mirror of a [Reader]: what is
// called on it is what stands in the text, in its order, commas left out.
//
//	w := wire.NewWriter(dst)
//	w.BeginObject()
//	w.String("name", x.Name)
//	w.Name("tags")
//	w.BeginArray()
//	for _, tag := range x.Tags {
//		w.Element()
//		w.PutString(tag)
//	}
//	w.EndArray()
//	w.EndObject()
//	return w.End()
//
// The Put methods write a value; those with a name write a member, and those
// that take a pointer nothing when it is nil. After the first error every method
// does nothing.
type Writer struct {
	dst   []byte
	start int
	err   error
}

// NewWriter returns a Writer that appends to dst.
func NewWriter(dst []byte) Writer { return Writer{dst: dst, start: len(dst)} }

// End returns dst with the value appended, or the first error.
func (w *Writer) End() ([]byte, error) { return w.dst, w.err }

// BeginObject and the like open and close containers.
func (w *Writer) BeginObject() { w.put('{') }

// EndObject closes an object.
func (w *Writer) EndObject() { w.put('}') }

// BeginArray opens an array.
func (w *Writer) BeginArray() { w.put('[') }

// EndArray closes an array.
func (w *Writer) EndArray() { w.put(']') }

func (w *Writer) put(c byte) {
	if w.err == nil {
		w.dst = append(w.dst, c)
	}
}

// Element goes to the next element of an array.
func (w *Writer) Element() {
	if w.err == nil {
		w.dst = AppendComma(w.dst)
	}
}

// Name goes to a member of an object. The name must be UTF-8.
func (w *Writer) Name(name string) {
	if w.err == nil {
		w.dst = AppendName(w.dst, name)
	}
}

// Key is [Writer.Name] for a name that comes from outside. One that is not UTF-8 is an
// error.
func (w *Writer) Key(name string) {
	if w.err == nil {
		w.done(AppendKey(w.dst, name))
	}
}

// Fail makes an error, unless it is nil, that of the Writer.
func (w *Writer) Fail(err error) {
	if w.err == nil && err != nil {
		w.done(w.dst, err)
	}
}

// done takes over what an append function returned.
func (w *Writer) done(dst []byte, err error) {
	if err == nil {
		w.dst = dst
		return
	}
	w.err = under(err, w.pointer())
}

// pointer returns the pointer of the value that was to be written.
func (w *Writer) pointer() string {
	var pointer []byte
	path := (&tracer{src: string(w.dst[w.start:])}).trace(len(w.dst) - w.start)
	for i, l := range path {
		switch {
		case i == len(path)-1 && l.done:
		case !l.object:
			pointer = strconv.AppendInt(append(pointer, '/'), int64(l.index), 10)
		case l.named:
			pointer = AppendPointer(pointer, l.name)
		}
	}
	return string(pointer)
}

// PutString writes a string.
func (w *Writer) PutString(s string) {
	if w.err == nil {
		w.done(AppendString(w.dst, s))
	}
}

// PutInt64 writes an integer.
func (w *Writer) PutInt64(i int64) {
	if w.err == nil {
		w.dst = AppendInt64(w.dst, i)
	}
}

// PutFloat64 writes a number.
func (w *Writer) PutFloat64(f float64) {
	if w.err == nil {
		w.done(AppendFloat64(w.dst, f))
	}
}

// PutBool writes a boolean.
func (w *Writer) PutBool(b bool) {
	if w.err == nil {
		w.dst = AppendBool(w.dst, b)
	}
}

// PutNull writes null.
func (w *Writer) PutNull() {
	if w.err == nil {
		w.dst = append(w.dst, "null"...)
	}
}

// Put writes a value that knows how. None at all is [ErrMissing].
func (w *Writer) Put(v Appender) {
	switch {
	case w.err != nil:
	case v == nil:
		w.done(w.dst, ErrMissing)
	default:
		w.done(v.AppendJSON(w.dst))
	}
}

// String writes a member that is a string.
func (w *Writer) String(name, s string) { w.Name(name); w.PutString(s) }

// Int64 writes a member that is an integer.
func (w *Writer) Int64(name string, i int64) { w.Name(name); w.PutInt64(i) }

// Float64 writes a member that is a number.
func (w *Writer) Float64(name string, f float64) { w.Name(name); w.PutFloat64(f) }

// Bool writes a member that is a boolean.
func (w *Writer) Bool(name string, b bool) { w.Name(name); w.PutBool(b) }

// Value writes a member that knows how to write itself.
func (w *Writer) Value(name string, v Appender) { w.Name(name); w.Put(v) }

// StringPointer writes a member that is a string, if there is one.
func (w *Writer) StringPointer(name string, s *string) {
	if s != nil {
		w.String(name, *s)
	}
}

// Int64Pointer writes a member that is an integer, if there is one.
func (w *Writer) Int64Pointer(name string, i *int64) {
	if i != nil {
		w.Int64(name, *i)
	}
}

// Float64Pointer writes a member that is a number, if there is one.
func (w *Writer) Float64Pointer(name string, f *float64) {
	if f != nil {
		w.Float64(name, *f)
	}
}

// BoolPointer writes a member that is a boolean, if there is one.
func (w *Writer) BoolPointer(name string, b *bool) {
	if b != nil {
		w.Bool(name, *b)
	}
}

// NullIf writes a member that is null, if it is.
func (w *Writer) NullIf(name string, isNull bool) {
	if isNull {
		w.Name(name)
		w.PutNull()
	}
}

// Members writes the members m. A name that stands twice, or is one of taken,
// is an error.
func (w *Writer) Members(m Members, taken ...string) {
	if len(m) > 0 && w.err == nil {
		w.done(AppendMembers(w.dst, m, taken...))
	}
}
