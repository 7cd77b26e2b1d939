package wire

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Error is a problem with one value, found while decoding or encoding.
type Error struct {
	// Offset is the position of the problem in the text, in bytes; -1 when encoding.
	Offset int64
	// Pointer is the value's JSON Pointer (RFC 6901), "" for the outermost value.
	Pointer string
	// Problem describes what is wrong, such as "expected a string, found a number".
	Problem string
	// Syntax is set if the text is not acceptable JSON (grammar, UTF-8, nesting beyond MaxDepth).
	// Otherwise the JSON does not fit, or it has duplicate members.
	Syntax bool

	cause error // the first error that In got
}

// Error returns the place and the problem in one line:
// "wire: at /content/0/text, byte 34: expected a string, found a number".
func (e *Error) Error() string {
	var place string
	switch {
	case e.Offset < 0 && e.Pointer == "":
		return "wire: " + e.Problem
	case e.Offset < 0:
		place = e.Pointer
	case e.Pointer == "":
		place = "byte " + strconv.FormatInt(e.Offset, 10)
	default:
		place = e.Pointer + ", byte " + strconv.FormatInt(e.Offset, 10)
	}
	return "wire: at " + place + ": " + e.Problem
}

// Unwrap returns the error that [In] added a pointer to, or nil.
func (e *Error) Unwrap() error { return e.cause }

// ErrMissing is the error of encoding a union that is nil.
var ErrMissing error = &Error{Offset: -1, Problem: "a required value is missing"}

// In returns err, an error of encoding or validating a value, as an error of the object in which
// the value is the member called name, or of the array in which name is the index of the value. It puts the
// name before the pointers of an [*Error] or [*ValidationError], and makes any other error an *Error. It
// returns nil for nil.
func In(err error, name string) error {
	if err == nil {
		return nil
	}
	return under(err, ChildPointer("", name))
}

func under(err error, prefix string) error {
	switch e := err.(type) {
	case *Error:
		moved := *e
		moved.Pointer = prefix + e.Pointer
		if moved.cause == nil {
			moved.cause = e
		}
		return &moved
	case *ValidationError:
		moved := &ValidationError{Problems: make([]Problem, len(e.Problems))}
		for i, p := range e.Problems {
			moved.Problems[i] = Problem{Pointer: prefix + p.Pointer, Message: p.Message, Union: p.Union}
		}
		return moved
	}
	return &Error{Offset: -1, Pointer: prefix, Problem: err.Error(), cause: err}
}

// encodingError returns an error of encoding.
func encodingError(problem string) error {
	return &Error{Offset: -1, Problem: problem}
}

// pointee is what the pointer of an error refers to, relative to Reader.about.
type pointee uint8

const (
	atValue  pointee = iota // the value there, or its container if none begins there
	atMember                // the member whose name is there
	atObject                // the object whose closing brace is there
)

// Fail records that the value that comes next does not fit. The arguments are those of
// [fmt.Sprintf].
func (r *Reader) Fail(format string, args ...any) {
	if r.err == nil {
		r.fail(skipSpace(r.src, r.pos), fmt.Sprintf(format, args...))
	}
}

// fail records an error that is not a syntax error.
func (r *Reader) fail(at int, problem string) {
	r.err = &Error{Offset: int64(at), Problem: problem}
	r.about = at
	r.pos = max(r.pos, at)
}

// failSyntax records a syntax error.
func (r *Reader) failSyntax(at int, problem string) {
	r.fail(at, problem)
	r.err.Syntax = true
}

// failFound records that the grammar requires something else at i. Like the methods below, it returns
// -1, which stands for the end of the value.
func (r *Reader) failFound(i int, want string) int {
	r.failSyntax(i, "expected "+want+", found "+found(r.src, i))
	return -1
}

// failDepth records that a container is nested too deeply.
func (r *Reader) failDepth(i int) int {
	r.failSyntax(i, "nested more than "+strconv.Itoa(MaxDepth)+" levels deep")
	return -1
}

// blame makes the error one about the value that begins at i.
func (r *Reader) blame(i int) int {
	r.about = i
	return -1
}

// failDuplicate records that the member whose name begins at an offset is a duplicate.
func (r *Reader) failDuplicate(at int, name string) int {
	r.fail(at, "duplicate member "+strconv.Quote(shown(name)))
	r.pointee = atMember
	return -1
}

// failString records the fault of the string at i.
func (r *Reader) failString(i int) int {
	r.failSyntax(stringFault(r.src, i))
	return r.blame(i)
}

// failKind records that the value at i has another kind than the wanted one, or that none begins there.
func (r *Reader) failKind(i int, want string) {
	if i >= len(r.src) || kindOf[r.src[i]] == 0 {
		r.failFound(i, want)
		return
	}
	r.fail(i, "expected "+want+", found "+kindOf[r.src[i]].String())
}

// failToken records that the token just read does not fit.
func (r *Reader) failToken(token, problem string) {
	r.fail(r.pos-len(token), problem)
}

// Missing fails if the object that was closed last lacks members. It names every names[i] whose
// bit i is clear; bit i is bit i%64 of seen[i/64]. It ignores names that are "".
func (r *Reader) Missing(seen []uint64, names ...string) {
	if r.err != nil {
		return
	}
	var missing []string
	for i, name := range names {
		if name != "" && (i/64 >= len(seen) || seen[i/64]>>(i%64)&1 == 0) {
			missing = append(missing, strconv.Quote(name))
		}
	}
	switch len(missing) {
	case 0:
		return
	case 1:
		r.fail(r.pos-1, "missing member "+missing[0])
	default:
		r.fail(r.pos-1, "missing members "+strings.Join(missing, ", "))
	}
	r.pointee = atObject
}

// Problem is a violated rule.
type Problem struct {
	// Pointer is the JSON Pointer of the value.
	Pointer string
	// Message describes what the value must be, such as "must be at least 1".
	Message string
	// Union is the definition that the value is not a known variant of. It is "" for all other
	// problems.
	Union string
}

// String returns the pointer and the message: "at /a/0: must be at least 1".
func (p Problem) String() string {
	if p.Pointer == "" {
		return p.Message
	}
	return "at " + p.Pointer + ": " + p.Message
}

// ValidationError holds all problems of a value.
type ValidationError struct {
	Problems []Problem
}

// Error returns the problems, one per line.
func (e *ValidationError) Error() string {
	var b strings.Builder
	b.WriteString("wire: ")
	for i, p := range e.Problems {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(p.String())
	}
	return b.String()
}

// ProblemsOf returns the problems that an error names: those of a [*ValidationError], or one with the
// pointer of an [*Error]. For any other error it returns one with the text of the error. It is for
// texts that show no offsets.
func ProblemsOf(err error) []Problem {
	if e, ok := errors.AsType[*ValidationError](err); ok && len(e.Problems) > 0 {
		return e.Problems
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return []Problem{{Pointer: e.Pointer, Message: e.Problem}}
	}
	return []Problem{{Message: err.Error()}}
}

// maxProblems limits the problems that are kept, so that the work for a message stays
// proportional to its length.
const maxProblems = 1000

// A Collector collects the problems of a value while generated code walks through it. The zero
// Collector is ready to use.
type Collector struct {
	depth    int
	near     [8]step // the first steps from the outermost value to the current one
	far      []step  // the steps that follow
	problems []Problem
	omitted  int // problems past maxProblems
}

// step is the name of a member or the index of an element.
type step struct {
	name  string
	index int // -1 for a member
}

// Push goes to the member called name of the current value.
func (c *Collector) Push(name string) { c.push(step{name, -1}) }

// PushIndex goes to the i-th element of the current value.
func (c *Collector) PushIndex(i int) { c.push(step{"", i}) }

func (c *Collector) push(s step) {
	if c.depth < len(c.near) {
		c.near[c.depth] = s
	} else {
		c.far = append(c.far[:c.depth-len(c.near)], s)
	}
	c.depth++
}

// Pop undoes the last Push or PushIndex.
func (c *Collector) Pop() { c.depth-- }

// Report records a problem of the current value. The arguments are those of [fmt.Sprintf]. After
// a thousand problems, further ones are only counted.
func (c *Collector) Report(format string, args ...any) {
	c.add(Problem{Pointer: c.pointer(), Message: fmt.Sprintf(format, args...)})
}

func (c *Collector) add(p Problem) {
	if len(c.problems) >= maxProblems {
		c.omitted++
		return
	}
	c.problems = append(c.problems, p)
}

// Include records the problems of an error that was found in the current value.
func (c *Collector) Include(err error) {
	if err == nil {
		return
	}
	for _, p := range ProblemsOf(err) {
		p.Pointer = c.pointer() + p.Pointer
		c.add(p)
	}
}

// Count returns the number of problems so far.
func (c *Collector) Count() int { return len(c.problems) + c.omitted }

// Reconsider drops the problems after the first n if one of the other variants of a union accepts
// the value, which then has the members of several variants.
func (c *Collector) Reconsider(n int, v Appender, others ...Value) {
	text, err := MarshalString(v)
	for _, other := range others {
		if err == nil && UnmarshalString(text, other) == nil && Validate(other) == nil {
			c.problems = c.problems[:min(n, len(c.problems))]
			c.omitted = n - len(c.problems)
			return
		}
	}
}

// UnknownVariant reports a value that is not a variant of a union. If a member names the variant,
// known lists its values.
func (c *Collector) UnknownVariant(union string, value Raw, member string, known ...string) {
	before := len(c.problems)
	tag, there := Object(value).Get(member)
	has := "which has " + quoteAll(known)
	switch {
	case value.Kind() != KindObject:
		c.Report("%s is no variant of %s", value.Kind(), union)
	case member == "":
		names := make([]string, 0, 4)
		for name := range Object(value).All() {
			names = append(names, name)
		}
		c.Report("an object with the members %s is no variant of %s", quoteAll(names), union)
	case !there:
		c.Report("missing member %q, which names the variant of %s, %s", member, union, has)
	case slices.ContainsFunc(known, func(name string) bool { return string(tag) == strconv.Quote(name) }):
		c.Report("is no variant of %s that has the %s %s", union, member, tag)
	default:
		c.Report("%s %s is no variant of %s, %s", member, truncate(tag, 60), union, has)
	}
	if before < len(c.problems) {
		c.problems[before].Union = union
	}
}

// NoVariant reports a value whose Go type is not that of a variant of a union. It may be that of another
// revision.
func (c *Collector) NoVariant(union string, v Appender) {
	c.Report("a %T is no variant of %s", v, union)
}

// quoteAll lists the first twenty names.
func quoteAll(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	var b strings.Builder
	for i, name := range names {
		if i > 0 {
			b.WriteString(", ")
		}
		if i == 20 {
			b.WriteString("...")
			break
		}
		b.WriteString(strconv.Quote(truncate(name, 60)))
	}
	return b.String()
}

func (c *Collector) pointer() string {
	var p []byte
	for i := range c.depth {
		s := c.near[min(i, len(c.near)-1)]
		if i >= len(c.near) {
			s = c.far[i-len(c.near)]
		}
		if s.index < 0 {
			p = appendPointer(p, s.name)
		} else {
			p = strconv.AppendInt(append(p, '/'), int64(s.index), 10)
		}
	}
	return string(p)
}

// Err returns a [*ValidationError] with all problems, or nil if there are none.
func (c *Collector) Err() error {
	if len(c.problems) == 0 {
		return nil
	}
	problems := c.problems
	if c.omitted > 0 {
		problems = append(problems[:len(problems):len(problems)],
			Problem{Message: strconv.Itoa(c.omitted) + " more problems"})
	}
	return &ValidationError{Problems: problems}
}

// Const reports that the value must be want, unless ok.
func (c *Collector) Const(ok bool, want string) {
	if !ok {
		c.Report("must be %s", want)
	}
}

// Closed reports each member of an object that its schema does not have.
func (c *Collector) Closed(extra Members) {
	for _, m := range extra {
		c.Push(m.Name)
		c.Report("unknown member")
		c.Pop()
	}
}

// Minimum reports a number less than bound.
func (c *Collector) Minimum(v, bound float64) {
	if !(v >= bound) {
		c.Report("must be at least %v, is %v", bound, v)
	}
}

// Maximum reports a number greater than bound.
func (c *Collector) Maximum(v, bound float64) {
	if !(v <= bound) {
		c.Report("must be at most %v, is %v", bound, v)
	}
}

// ExclusiveMinimum reports a number that is not greater than bound.
func (c *Collector) ExclusiveMinimum(v, bound float64) {
	if !(v > bound) {
		c.Report("must be greater than %v, is %v", bound, v)
	}
}

// ExclusiveMaximum reports a number that is not less than bound.
func (c *Collector) ExclusiveMaximum(v, bound float64) {
	if !(v < bound) {
		c.Report("must be less than %v, is %v", bound, v)
	}
}

// MinItems reports an array of n elements if n is less than least.
func (c *Collector) MinItems(n, least int) {
	if n < least {
		c.Report("must have at least %d elements, has %d", least, n)
	}
}

// MaxItems reports an array of n elements if n is more than most.
func (c *Collector) MaxItems(n, most int) {
	if n > most {
		c.Report("must have at most %d elements, has %d", most, n)
	}
}

// MinLength reports a string of fewer than n code points.
func (c *Collector) MinLength(s string, n int) {
	if got := utf8.RuneCountInString(s); got < n {
		c.Report("must have at least %d characters, has %d", n, got)
	}
}

// MaxLength reports a string of more than n code points.
func (c *Collector) MaxLength(s string, n int) {
	if len(s) <= n { // no string has more code points than bytes
		return
	}
	if got := utf8.RuneCountInString(s); got > n {
		c.Report("must have at most %d characters, has %d", n, got)
	}
}

// appendPointer appends the token of a JSON Pointer (RFC 6901) for a member: a slash and the
// name, with ~ escaped as ~0 and / as ~1.
func appendPointer(dst []byte, name string) []byte {
	dst = append(dst, '/')
	for i := range len(name) {
		switch name[i] {
		case '~':
			dst = append(dst, "~0"...)
		case '/':
			dst = append(dst, "~1"...)
		default:
			dst = append(dst, name[i])
		}
	}
	return dst
}

// ChildPointer returns the JSON Pointer of the value that a path of names leads to from the value at pointer.
func ChildPointer(pointer string, path ...string) string {
	dst := []byte(pointer)
	for _, name := range path {
		dst = appendPointer(dst, name)
	}
	return string(dst)
}

// PointerName returns the name that a token of a JSON Pointer stands for. The token has no
// slash.
func PointerName(token string) string { return pointerNames.Replace(token) }

var pointerNames = strings.NewReplacer("~1", "/", "~0", "~")

// locate sets the pointer of the Reader's error. It reads the text again up to the error, so that
// reading without errors does not have to keep track of pointers.
func (r *Reader) locate() {
	t := tracer{src: r.src}
	pointer, start := t.pointer(r.about, r.pointee)
	if r.pointee == atObject && start >= 0 {
		r.err.Offset = int64(start)
	}
	r.err.Pointer = pointer
}

// pointer returns the pointer of the place that an error at an offset refers to, and the offset
// of the innermost container around it, or -1.
func (t *tracer) pointer(offset int, at pointee) (pointer string, start int) {
	var dst []byte
	start = -1
	for _, l := range t.trace(offset) {
		start = l.start
		switch {
		case !l.within: // the offset is between two values, so the error is the container's
		case l.object:
			dst = appendPointer(dst, l.name)
		default:
			dst = strconv.AppendInt(append(dst, '/'), int64(l.index), 10)
		}
	}
	if at == atMember {
		if end, _ := stringEnd(t.src, offset); end > 0 {
			dst = appendPointer(dst, span{offset + 1, end - 1}.name(t.src))
		}
	}
	return string(dst), start
}

// level is an open container around an offset.
type level struct {
	start  int  // offset of its opening bracket
	object bool // otherwise it is an array
	within bool // the name or the index is that of a value that has not ended yet
	index  int  // of the array's current element
	name   string
}

// tracer finds the containers that are open at offsets of a text, which must increase.
type tracer struct {
	src  string
	pos  int
	path []level
	lost bool // the text is malformed
}

// trace returns the containers that are open at an offset of the text, the outermost first. The
// text before the offset must be well formed.
func (t *tracer) trace(offset int) []level {
	if t.lost {
		return nil
	}
	src, path, i := t.src, t.path, t.pos
	defer func() { t.path, t.pos = path, i }()
	for i < offset {
		top := &level{} // none is open
		if n := len(path); n > 0 {
			top = &path[n-1]
		}
		switch c := src[i]; c {
		case '{', '[':
			path = append(path, level{start: i, object: c == '{', within: c == '['})
			i++
		case '}', ']':
			if len(path) < 2 {
				t.lost = true
				return nil
			}
			path = path[:len(path)-1]
			path[len(path)-1].within = false
			i++
		case ',':
			top.index++
			top.within = !top.object
			i++
		case '"':
			end, _ := stringEnd(src, i)
			if end < 0 {
				return path
			}
			if top.within = top.object && !top.within; top.within {
				top.name = span{i + 1, end - 1}.name(src)
			}
			i = end
		case ' ', '\n', '\r', '\t', ':':
			i++
		default:
			top.within = false
			i = skipValue(src, i)
		}
	}
	return path
}
