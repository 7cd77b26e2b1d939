package stdio

import (
	"bytes"
	"io"

	"github.com/mcpgen/mcpgen/runtime/internal/bytestring"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// readSize is how much is read at a time, and the longest line that takes one copy.
const readSize = 32 << 10

// maxEmptyReads is how often in a row a reader may return nothing and no error.
const maxEmptyReads = 100

// lines splits a stream into lines.
type lines struct {
	src  io.Reader
	buf  []byte // readSize bytes
	rest []byte // the part of buf that is read and not yet returned
	long []byte // the beginning of a line that is not in buf any more
	err  error  // of src; returned when rest is used up
	skip bool   // within a line that was too long
}

// next returns the next line without its newline; the text has its own memory. A line
// longer than max is a *jsonrpc.Error as soon as that is known, and the next call goes
// on after it. After retry, the next call goes on where an error of src has come.
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

// retry lets src be read again after an error.
func (l *lines) retry() { l.err = nil }

// drop takes n bytes, and the newline after them, from rest.
func (l *lines) drop(n int, newline bool) {
	if newline {
		n++
	}
	l.rest = l.rest[n:]
}

// fill reads more; rest is empty.
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

// lineLen is the length of a line that so far is a and b.
func lineLen(a, b []byte) int {
	last := b
	if len(b) == 0 {
		last = a
	}
	n := len(a) + len(b)
	if bytes.HasSuffix(last, []byte{'\r'}) {
		n-- // it ends the line, or the next byte tells
	}
	return n
}

func trimCR(line []byte) []byte {
	return bytes.TrimSuffix(line, []byte{'\r'})
}
