// Package wire reads and writes JSON for generated code.
//
// Generated types decode themselves from a [Reader] and append themselves to a
// byte slice; this package supplies the pieces they are made of. It is strict
// where messages of the Model Context Protocol need it: exactly the grammar of
// RFC 8259, valid UTF-8, no lone surrogates, no duplicate names, a bound on
// nesting ([MaxDepth]), exact integers, and member names that match byte by
// byte. Nothing is lost on the way through: members that no type names, the
// text of numbers and the order of members survive.
//
// It is not a general JSON package: there is no reflection, no mapping of
// arbitrary Go values, and no streaming; a text is in memory as a whole.
//
// # Words
//
//   - A text is what a Reader reads: one value with white space around it.
//   - A value is any JSON value; its kind is one of null, boolean, number,
//     string, array and object.
//   - A token is the text of a scalar, as in "the token 1e3".
//   - A raw is the source text of one value, without white space around it.
//   - A scalar is a value that is neither an array nor an object.
//   - A member is a name/value pair of an object; an element is a value in an array.
//   - To decode is to go from text to a Go value, to append is to go from a Go
//     value to text at the end of a byte slice.
//   - To check is to prove that a text is well formed; to validate is to prove
//     that a Go value keeps the rules of its schema.
//   - A pointer is a JSON Pointer (RFC 6901): "" is the whole text, "/a/0" the
//     first element of the member a.
//
// # Lenience
//
// Decoding is strict unless [UnmarshalLenient] is told otherwise: then null may stand for an
// absent member, and elements that do not fit may be left out of a list. The text must be
// well formed all the same, and the caller is told each place.
//
// # Memory
//
// A Reader holds its text as a string. Strings without escapes, names and raws
// that it returns share that string's memory: nothing is copied, and the text
// stays in memory as long as one of them does.
//
// # Errors
//
// A Reader remembers its first error; after it every method does nothing and
// returns a zero value, so that a caller asks once, at the end. The error is an
// [*Error] with the offset and the pointer of the trouble.
package wire
