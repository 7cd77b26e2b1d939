package wire

import "strconv"

// ReadConstString reads a string that should be want, and returns what it is:
// whether it is want, Validate says. A struct's zero value stands for the
// constant, so the empty string, which could not be told from it, is an error.
func (r *Reader) ReadConstString(want string) string {
	s := r.ReadString()
	switch {
	case s == want:
		return want // a literal, which keeps no message alive
	case s == "" && r.err == nil:
		r.fail(r.pos-len(`""`), "must be "+strconv.Quote(want))
	}
	return s
}

// ReadConstInt64 is [Reader.ReadConstString] for an integer, and zero.
func (r *Reader) ReadConstInt64(want int64) int64 {
	start := skipSpace(r.src, r.pos)
	i := r.ReadInt64()
	if i == 0 && want != 0 && r.err == nil {
		r.fail(start, "must be "+strconv.FormatInt(want, 10))
	}
	return i
}
