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
	putArray(w, all, func(s *S) { w.PutString(string(*s)) })
}

// PutInt64s writes an array of integers.
func PutInt64s[I ~int64](w *Writer, all []I) {
	putArray(w, all, func(i *I) { w.PutInt64(int64(*i)) })
}

// PutFloat64s writes an array of numbers.
func PutFloat64s[F ~float64](w *Writer, all []F) {
	putArray(w, all, func(f *F) { w.PutFloat64(float64(*f)) })
}

// PutBools writes an array of booleans.
func PutBools[B ~bool](w *Writer, all []B) {
	putArray(w, all, func(b *B) { w.PutBool(bool(*b)) })
}

// PutAll writes an array whose elements encode themselves, see [Writer.Put].
func PutAll[A Appender](w *Writer, all []A) {
	putArray(w, all, func(v *A) { w.Put(*v) })
}

// PutEach is [PutAll] for elements that their pointers encode.
func PutEach[T any, P interface {
	*T
	Appender
}](w *Writer, all []T) {
	putArray(w, all, func(v *T) { w.Put(P(v)) })
}

// putArray writes an array whose elements a function writes.
func putArray[T any](w *Writer, all []T, put func(*T)) {
	w.BeginArray()
	for i := range all {
		w.Element()
		put(&all[i])
	}
	w.EndArray()
}
