package wire

// A Writer appends one value to a byte slice. It is the counterpart of a [Reader]: its methods
// are called in the order of the text, and it places the commas.
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
// The Put methods write a value. The methods that take a name write a member of an object, and
// those that take a pointer write nothing if it is nil. They write the name as it is, so it must
// be UTF-8 and escaped as in JSON; [Writer.Key] takes any name. After the first error, what is
// written is unspecified, and End returns that error.
type Writer struct {
	dst   []byte
	start int
	err   error
}

// NewWriter returns a Writer that appends to dst.
func NewWriter(dst []byte) Writer { return Writer{dst: dst, start: len(dst)} }

// End returns dst with the value appended, or the first error.
func (w *Writer) End() ([]byte, error) { return w.dst, w.err }

// BeginObject opens an object.
func (w *Writer) BeginObject() { w.dst = append(w.dst, '{') }

// EndObject closes an object.
func (w *Writer) EndObject() { w.dst = append(w.dst, '}') }

// BeginArray opens an array.
func (w *Writer) BeginArray() { w.dst = append(w.dst, '[') }

// EndArray closes an array.
func (w *Writer) EndArray() { w.dst = append(w.dst, ']') }

// Element begins the next element of an array.
func (w *Writer) Element() { w.dst = AppendComma(w.dst) }

// Name begins a member of an object. The name must be escaped as in JSON.
func (w *Writer) Name(name string) { w.dst = appendPlainName(w.dst, name) }

// appendPlainName is [AppendName] for a name that is escaped already.
func appendPlainName(dst []byte, name string) []byte {
	if n := len(dst); n > 0 && dst[n-1] != '{' {
		dst = append(dst, ',', '"')
	} else {
		dst = append(dst, '"')
	}
	dst = append(dst, name...)
	return append(dst, '"', ':')
}

// Key begins a member of an object. A name that is not UTF-8 is an error.
func (w *Writer) Key(name string) {
	dst, err := AppendKey(w.dst, name)
	if err != nil {
		w.Fail(err)
		return
	}
	w.dst = dst
}

// Fail sets the error of the Writer, unless err is nil or the Writer has an error already. The
// error gets the pointer of the value that would be written next.
func (w *Writer) Fail(err error) {
	if err != nil && w.err == nil {
		t := tracer{src: string(w.dst[w.start:])}
		pointer, _ := t.pointer(len(t.src), atValue)
		w.err = under(err, pointer)
	}
}

// PutString writes a string. A string that is not UTF-8 is an error.
func (w *Writer) PutString(s string) {
	dst, err := AppendString(w.dst, s)
	if err != nil {
		w.Fail(err)
		return
	}
	w.dst = dst
}

// PutInt64 writes an integer.
func (w *Writer) PutInt64(i int64) { w.dst = AppendInt64(w.dst, i) }

// PutFloat64 writes a number. NaN and infinities are an error.
func (w *Writer) PutFloat64(f float64) {
	dst, err := AppendFloat64(w.dst, f)
	if err != nil {
		w.Fail(err)
		return
	}
	w.dst = dst
}

// PutBool writes a boolean.
func (w *Writer) PutBool(b bool) { w.dst = AppendBool(w.dst, b) }

// PutNull writes null.
func (w *Writer) PutNull() { w.dst = append(w.dst, "null"...) }

// Put writes a value that encodes itself. If v is nil or a nil pointer, the error is [ErrMissing].
func (w *Writer) Put(v Appender) {
	if isNil(v) {
		w.Fail(ErrMissing)
		return
	}
	dst, err := v.AppendJSON(w.dst)
	if err != nil {
		w.Fail(err)
		return
	}
	w.dst = dst
}

// String writes a member that is a string.
func (w *Writer) String(name, s string) {
	dst, err := AppendString(appendPlainName(w.dst, name), s)
	if w.dst = dst; err != nil {
		w.Fail(err)
	}
}

// Int64 writes a member that is an integer.
func (w *Writer) Int64(name string, i int64) {
	w.dst = AppendInt64(appendPlainName(w.dst, name), i)
}

// Float64 writes a member that is a number.
func (w *Writer) Float64(name string, f float64) {
	w.dst = appendPlainName(w.dst, name)
	w.PutFloat64(f)
}

// Bool writes a member that is a boolean.
func (w *Writer) Bool(name string, b bool) {
	w.dst = AppendBool(appendPlainName(w.dst, name), b)
}

// Value writes a member whose value encodes itself, see [Writer.Put].
func (w *Writer) Value(name string, v Appender) {
	w.dst = appendPlainName(w.dst, name)
	w.Put(v)
}

// ConstString writes a member whose schema allows one string. An empty s stands for it.
func (w *Writer) ConstString(name, s, constant string) {
	if s == "" {
		s = constant
	}
	w.String(name, s)
}

// ConstInt64 writes a member whose schema allows one integer. Zero stands for it.
func (w *Writer) ConstInt64(name string, i, constant int64) {
	if i == 0 {
		i = constant
	}
	w.Int64(name, i)
}

// StringPointer writes a member that is a string, if s is not nil.
func (w *Writer) StringPointer(name string, s *string) {
	if s != nil {
		w.String(name, *s)
	}
}

// Int64Pointer writes a member that is an integer, if i is not nil.
func (w *Writer) Int64Pointer(name string, i *int64) {
	if i != nil {
		w.Int64(name, *i)
	}
}

// Float64Pointer writes a member that is a number, if f is not nil.
func (w *Writer) Float64Pointer(name string, f *float64) {
	if f != nil {
		w.Float64(name, *f)
	}
}

// BoolPointer writes a member that is a boolean, if b is not nil.
func (w *Writer) BoolPointer(name string, b *bool) {
	if b != nil {
		w.Bool(name, *b)
	}
}

// NullIf writes a member that is null, if isNull is set.
func (w *Writer) NullIf(name string, isNull bool) {
	if isNull {
		w.Name(name)
		w.PutNull()
	}
}

// Members writes the members m. A duplicate name, and a name in taken, is an error.
func (w *Writer) Members(m Members, taken ...string) {
	if len(m) == 0 {
		return
	}
	dst, err := AppendMembers(w.dst, m, taken...)
	if err != nil {
		w.Fail(err)
		return
	}
	w.dst = dst
}
