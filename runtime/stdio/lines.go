package stdio

import (
	"bytes"
	"io"

	"github.com/mcpgen/mcpgen/runtime/internal/bytestring"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// readSize is the size of a read. A line that fits into one read is copied once.
const readSize = 32 << 10

// maxEmptyReads is how many reads in a row may return neither data nor an error.
const maxEmptyReads = 100

// lines splits a stream into lines.
type lines struct {
	src  io.Reader
	buf  []byte // readSize bytes
	rest []byte // unprocessed part of buf
	long []byte // beginning of a line, from earlier reads
	err  error  // of src; returned when rest is empty
	skip bool   // the rest of a line that was too long is skipped
}

// next returns a copy of the next line, without its newline. If the line is longer than max, it
// returns a *jsonrpc.Error as soon as it has read that much; the next call skips the rest of the
// line. An error of src is returned by every further call until retry.
func (l *lines) next(max int) (string, error) {
	for {
		i := bytes.IndexByte(l.rest, '\n')
		part := l.rest
		if i >= 0 {
			part = l.rest[:i]
		}
		switch {
		case l.skip:
			l.skip = i < 0
			l.drop(len(part), i >= 0)
			if i < 0 {
				if err := l.fill(); err != nil {
					return "", err
				}
			}
			continue
		case lineLen(l.long, part) > max:
			l.skip, l.long = true, nil
			return "", jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "invalid request: a message longer than %d bytes", max)
		case i >= 0 && l.long == nil:
			text := string(trimCR(part))
			l.drop(len(part), true)
			return text, nil
		}
		l.long = append(l.long, part...)
		l.drop(len(part), i >= 0)
		if i >= 0 {
			return l.takeLong(), nil
		}
		if err := l.fill(); err != nil {
			if err == io.EOF && len(l.long) > 0 {
				return l.takeLong(), nil
			}
			return "", err
		}
	}
}

func (l *lines) takeLong() string {
	line := bytestring.Of(trimCR(l.long))
	l.long = nil
	return line
}

// retry makes next read src again after an error.
func (l *lines) retry() { l.err = nil }

// drop removes n bytes from rest, and the newline after them if there is one.
func (l *lines) drop(n int, newline bool) {
	if newline {
		n++
	}
	l.rest = l.rest[n:]
}

// fill reads more input. Rest must be empty.
func (l *lines) fill() error {
	if l.buf == nil {
		l.buf = make([]byte, readSize)
	}
	for range maxEmptyReads {
		if l.err != nil {
			return l.err
		}
		var n int
		n, l.err = l.src.Read(l.buf)
		if n > 0 {
			l.rest = l.buf[:n]
			return nil
		}
	}
	return io.ErrNoProgress
}

// lineLen returns the length of an incomplete line that consists of a and b so far.
func lineLen(a, b []byte) int {
	last := b
	if len(b) == 0 {
		last = a
	}
	n := len(a) + len(b)
	if bytes.HasSuffix(last, []byte{'\r'}) {
		n-- // it may be part of the end of the line
	}
	return n
}

func trimCR(line []byte) []byte {
	return bytes.TrimSuffix(line, []byte{'\r'})
}
