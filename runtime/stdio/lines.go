package stdio

import (
	"bytes"
	"io"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// readSize is the size of a read. A line that fits into one read is copied once.
const readSize = 32 << 10

// maxEmptyReads is how many reads in a row may return neither data nor an error.
const maxEmptyReads = 100

// lines splits a stream into lines.
type lines struct {
	src  io.Reader
	buf  []byte          // readSize bytes
	rest []byte          // unprocessed part of buf
	long strings.Builder // beginning of a line, from earlier reads
	err  error           // of src; returned when rest is empty
	skip bool            // the rest of a line that was too long is skipped
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
		case l.lineLen(part) > max:
			l.skip = true
			l.long.Reset()
			return "", jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "invalid request: a message longer than %d bytes", max)
		case i >= 0 && l.long.Len() == 0:
			text := string(bytes.TrimSuffix(part, []byte{'\r'}))
			l.drop(len(part), true)
			return text, nil
		}
		l.long.Write(part)
		l.drop(len(part), i >= 0)
		if i >= 0 {
			return l.takeLong(), nil
		}
		if err := l.fill(); err != nil {
			if err == io.EOF && l.long.Len() > 0 {
				return l.takeLong(), nil
			}
			return "", err
		}
	}
}

func (l *lines) takeLong() string {
	line := strings.TrimSuffix(l.long.String(), "\r")
	l.long.Reset()
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

// lineLen returns the length of the incomplete line that ends with part. A carriage return at its
// end is not counted, as it may be part of the end of the line.
func (l *lines) lineLen(part []byte) int {
	n := l.long.Len() + len(part)
	if bytes.HasSuffix(part, []byte{'\r'}) || len(part) == 0 && strings.HasSuffix(l.long.String(), "\r") {
		n--
	}
	return n
}
