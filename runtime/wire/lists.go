package wire

// ReadAll reads an array whose elements a function reads.
func ReadAll[T any](r *Reader, read func(*Reader) T) []T {
	all := []T{}
	for r.BeginArray(); r.Element(); {
		*Extend(r, &all) = read(r)
	}
	return all
}

// ReadDecoded reads an array whose elements decode themselves.
func ReadDecoded[T any, P interface {
	*T
	Decoder
}](r *Reader) []T {
	all := []T{}
	for r.BeginArray(); r.Element(); {
		_ = P(Extend(r, &all)).DecodeJSON(r) // r keeps the error
	}
	return all
}

// ReadPointer reads a value that decodes itself, and returns a pointer to it.
func ReadPointer[T any, P interface {
	*T
	Decoder
}](r *Reader) *T {
	v := new(T)
	_ = P(v).DecodeJSON(r) // r keeps the error
	return v
}

// ReadNullable reads a value, or null as the zero value.
func ReadNullable[T any](r *Reader, read func(*Reader) T) (v T) {
	if !r.ReadNull() {
		v = read(r)
	}
	return v
}

// ReadOptional reads the value of a member that may be null.
func ReadOptional[T any](r *Reader, read func(*Reader) T) Optional[T] {
	if r.ReadNull() {
		return Null[T]()
	}
	return Some(read(r))
}

// ReadOptionalPointer is [ReadOptional] for a value that decodes itself.
func ReadOptionalPointer[T any, P interface {
	*T
	Decoder
}](r *Reader) Optional[T] {
	if r.ReadNull() {
		return Null[T]()
	}
	return Optional[T]{value: ReadPointer[T, P](r)}
}

// ValuePointer writes a member whose value encodes itself, if p is not nil.
func ValuePointer[T any, P interface {
	*T
	Appender
}](w *Writer, name string, p *T) {
	if p != nil {
		w.Value(name, P(p))
	}
}

// PutStrings writes an array of strings.
func PutStrings[S ~string](w *Writer, all []S) {
	w.BeginArray()
	for _, s := range all {
		w.Element()
		w.PutString(string(s))
	}
	w.EndArray()
}

// PutInt64s writes an array of integers.
func PutInt64s[I ~int64](w *Writer, all []I) {
	w.BeginArray()
	for _, i := range all {
		w.Element()
		w.PutInt64(int64(i))
	}
	w.EndArray()
}

// PutFloat64s writes an array of numbers.
func PutFloat64s[F ~float64](w *Writer, all []F) {
	w.BeginArray()
	for _, f := range all {
		w.Element()
		w.PutFloat64(float64(f))
	}
	w.EndArray()
}

// PutBools writes an array of booleans.
func PutBools[B ~bool](w *Writer, all []B) {
	w.BeginArray()
	for _, b := range all {
		w.Element()
		w.PutBool(bool(b))
	}
	w.EndArray()
}

// PutAll writes an array whose elements encode themselves, see [Writer.Put].
func PutAll[A Appender](w *Writer, all []A) {
	w.BeginArray()
	for _, v := range all {
		w.Element()
		w.Put(v)
	}
	w.EndArray()
}

// PutEach is [PutAll] for elements that their pointers encode.
func PutEach[T any, P interface {
	*T
	Appender
}](w *Writer, all []T) {
	w.BeginArray()
	for i := range all {
		w.Element()
		w.Put(P(&all[i]))
	}
	w.EndArray()
}
