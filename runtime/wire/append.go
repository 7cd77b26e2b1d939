package wire

import (
	"math"
	"strconv"
	"unicode/utf8"
)

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

// AppendInt64 appends i as a JSON number.
func AppendInt64(dst []byte, i int64) []byte { return strconv.AppendInt(dst, i, 10) }

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

// AppendBool appends true or false.
func AppendBool(dst []byte, b bool) []byte { return strconv.AppendBool(dst, b) }

// AppendRaw checks raw as [Reader.ReadRaw] does and appends it without insignificant white space.
// An absent raw is an error.
func AppendRaw(dst []byte, raw Raw) ([]byte, error) {
	return appendChecked(dst, string(raw), "a value")
}

// AppendObject is [AppendRaw] for a value that must be an object.
func AppendObject(dst []byte, o Object) ([]byte, error) {
	src := string(o)
	i := skipSpace(src, 0)
	if i < len(src) && src[i] != '{' {
		return dst, encodingError("expected an object, found " + kindOf(src[i]).String())
	}
	return appendChecked(dst, src, "an object")
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
