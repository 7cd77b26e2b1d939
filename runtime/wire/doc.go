// Package wire reads and writes JSON for generated code.
//
// Generated types decode themselves from a [Reader] and encode themselves with a [Writer]. The
// package is strict where messages of the Model Context Protocol need it: it accepts exactly the
// grammar of RFC 8259, requires valid UTF-8 without lone surrogates, refuses duplicate names,
// limits nesting ([MaxDepth]), keeps integers exact, and matches member names byte by byte. It is
// lossless: members without a field survive, with the text of their numbers and in their order.
//
// It does not use encoding/json, which matches names without case, takes the last of duplicate members,
// replaces invalid UTF-8 and rounds large integers in an any: two programs that read the same message differently
// are a security hole. A differential fuzz test checks that the verdict of a Reader is that of package jsontext.
//
// It is not a general JSON package. It does not use reflection or stream, so a text is in memory
// as a whole. [RawOf], [ObjectOf] and [Raw.Decode] convert between JSON text and any Go value
// with encoding/json.
//
// # Words
//
//   - A text is the input of a Reader: one value with optional white space around it.
//   - A value is any JSON value. Its kind is null, boolean, number, string, array or object.
//   - A scalar is a value that is neither an array nor an object.
//   - A token is the text of a scalar, such as 1e3.
//   - A raw is the source text of one value, without white space around it.
//   - A member is a name/value pair of an object; an element is a value in an array.
//   - To check is to verify that a text is well formed; to validate is to verify that a Go value
//     satisfies its schema.
//   - A pointer is a JSON Pointer (RFC 6901): "" is the whole text, "/a/0" the first element of
//     the member a.
//
// # Lenience
//
// Decoding is strict unless [UnmarshalLenient] is called with a [Lenience]. Then null may stand
// for an absent member, and elements that do not fit may be left out of a list. The caller receives each
// deviation. Generated decoders tell the Reader which members may be absent ([Reader.Present]) and what a result
// is a list of ([ReadList]).
//
// # Checked text
//
// A text is checked once and as a whole, before anything of it is read. A string or []byte is text that nobody has
// checked: [NewStringReader], [Unmarshal], [UnmarshalString] and [Parse] check it. A [Raw] or [Object] has been
// checked, because it comes from a Reader: [Raw.Reader], [UnmarshalChecked] and [UnmarshalLenient] do not check it
// again. Text that a program has made a Raw without a check gives errors or malformed parts, and no other harm;
// [Raw.AppendJSON] checks what is written.
//
// # Memory
//
// A Reader holds its text as a string. Raws, and names and strings without escapes, share the
// memory of that string: they are not copied, and they keep the text in memory. Code that keeps a small
// part of a large text clones it ([Raw.Clone], [Object.Clone], strings.Clone).
//
// # Errors
//
// A Reader keeps its first error. After it, every method does nothing and returns a zero value,
// so a caller can check for an error once, at the end. The error is an [*Error] with the offset
// and the pointer of the problem.
package wire
