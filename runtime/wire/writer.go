package wire

import (
	"math"
	"strconv"
	"unicode/utf8"
)

// A Writer appends one value to a byte slice. It is the counterpart of a [Reader]: its methods
// are called in the order of the text, and it places the commas.
//
//	w := wire.ObjectWriter(dst)
//	w.String("name", x.Name)
//	w.Name("tags")
//	w.BeginArray()
//	for _, tag := range x.Tags {
//		w.Element()
//		w.PutString(tag)
//	}
//	w.EndArray()
//	return w.Close()
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

// ObjectWriter returns a Writer that appends an object to dst, which [Writer.Close] ends.
func ObjectWriter(dst []byte) Writer { return Writer{dst: append(dst, '{'), start: len(dst)} }

// End returns dst with the value appended, or the first error.
func (w *Writer) End() ([]byte, error) { return w.dst, w.err }

// Close ends the object of ObjectWriter, and returns what End returns.
func (w *Writer) Close() ([]byte, error) { return append(w.dst, '}'), w.err }

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
func (w *Writer) PutInt64(i int64) { w.dst = strconv.AppendInt(w.dst, i, 10) }

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
func (w *Writer) PutBool(b bool) { w.dst = strconv.AppendBool(w.dst, b) }

// PutNull writes null.
func (w *Writer) PutNull() { w.dst = append(w.dst, "null"...) }

// Put writes a value that encodes itself. If v is nil or a nil pointer, the error is [ErrMissing].
func (w *Writer) Put(v Appender) {
	if IsNil(v) {
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
	w.dst = strconv.AppendInt(appendPlainName(w.dst, name), i, 10)
}

// Float64 writes a member that is a number.
func (w *Writer) Float64(name string, f float64) {
	w.dst = appendPlainName(w.dst, name)
	w.PutFloat64(f)
}

// Bool writes a member that is a boolean.
func (w *Writer) Bool(name string, b bool) {
	w.dst = strconv.AppendBool(appendPlainName(w.dst, name), b)
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
	dst, err := appendMembers(w.dst, m, taken...)
	if err != nil {
		w.Fail(err)
		return
	}
	w.dst = dst
}

// AppendString appends s as a JSON string. It escapes only what must be escaped. A string that is
// not UTF-8 is an error.
func AppendString(dst []byte, s string) ([]byte, error) {
	dst = append(dst, '"')
	i := plainEnd(s, 0)
	if i < len(s) {
		return appendRest(dst, s, i)
	}
	dst = append(dst, s...)
	return append(dst, '"'), nil
}

// appendRest appends the rest of AppendString for a string that is plain up to i.
func appendRest(dst []byte, s string, i int) ([]byte, error) {
	start, ascii := 0, true
	for i < len(s) {
		if s[i] >= utf8.RuneSelf {
			ascii = false
		} else {
			dst = append(dst, s[start:i]...)
			dst = appendEscape(dst, s[i])
			i++
			start = i
		}
		if ascii {
			i = plainEnd(s, i)
		} else {
			i = highEnd(s, i)
		}
	}
	if !ascii && !utf8.ValidString(s) {
		return dst, encodingError("invalid UTF-8 in a string")
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"'), nil
}

func appendEscape(dst []byte, c byte) []byte {
	const hex = "0123456789abcdef"
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, `\b`...)
	case '\f':
		return append(dst, `\f`...)
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	}
	return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
}

// AppendFloat64 appends f as the shortest JSON number that is read back as f, in the form of
// ECMAScript except that a negative zero keeps its sign. NaN and infinities are errors.
func AppendFloat64(dst []byte, f float64) ([]byte, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return dst, encodingError("no JSON number for " + strconv.FormatFloat(f, 'g', -1, 64))
	}
	abs := math.Abs(f)
	if abs < 1e15 && abs >= 1 && f == math.Trunc(f) { // the most frequent case
		return strconv.AppendInt(dst, int64(f), 10), nil
	}
	if abs == 0 || 1e-6 <= abs && abs < 1e21 {
		return strconv.AppendFloat(dst, f, 'f', -1, 64), nil
	}
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	if n := len(dst); dst[n-4] == 'e' && dst[n-2] == '0' { // e-07 becomes e-7
		dst[n-2] = dst[n-1]
		dst = dst[:n-1]
	}
	return dst, nil
}

func appendChecked(dst []byte, src, want string) ([]byte, error) {
	i := skipSpace(src, 0)
	if i == len(src) {
		return dst, encodingError("expected " + want + ", found nothing")
	}
	r := Reader{src: src}
	end := r.scan(src, i, 0)
	if end >= 0 {
		if rest := skipSpace(src, end); rest < len(src) {
			r.failSyntax(rest, "more than one value")
		}
	}
	switch {
	case r.err != nil:
		r.locate()
		r.err.Offset = -1
		return dst, r.err
	case !r.spaced:
		return append(dst, src[i:end]...), nil
	}
	return appendCompact(dst, src[i:end]), nil
}

// appendCompact appends well-formed text without white space.
func appendCompact(dst []byte, src string) []byte {
	start := 0
	for i := 0; i < len(src); {
		switch src[i] {
		case '"':
			i = skipString(src, i)
		case ' ', '\n', '\r', '\t':
			dst = append(dst, src[start:i]...)
			i = skipSpace(src, i)
			start = i
		default:
			i++
		}
	}
	return append(dst, src[start:]...)
}

// AppendName appends the name of a member and a colon, preceded by a comma unless dst ends in
// '{'. The name must be UTF-8.
func AppendName(dst []byte, name string) []byte {
	if n := len(dst); n > 0 && dst[n-1] != '{' {
		dst = append(dst, ',')
	}
	dst = append(dst, '"')
	for {
		i := highEnd(name, 0)
		dst = append(dst, name[:i]...)
		if i == len(name) {
			return append(dst, '"', ':')
		}
		dst = appendEscape(dst, name[i])
		name = name[i+1:]
	}
}

// AppendKey is [AppendName] for a name that may not be UTF-8, which is an error.
func AppendKey(dst []byte, name string) ([]byte, error) {
	if n := len(dst); n > 0 && dst[n-1] != '{' {
		dst = append(dst, ',')
	}
	dst, err := AppendString(dst, name)
	if err != nil {
		return dst, encodingError("invalid UTF-8 in the member name " + strconv.Quote(shown(name)))
	}
	return append(dst, ':'), nil
}

// AppendComma appends the comma before an element, unless dst ends in '[' or '{'.
func AppendComma(dst []byte) []byte {
	if n := len(dst); n > 0 && dst[n-1] != '[' && dst[n-1] != '{' {
		return append(dst, ',')
	}
	return dst
}
