package recording

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxValue limits one JSON value of a stream.
const maxValue = 256 << 20

// A Stream splits a file into JSON values without decoding them. Either every line is a
// value, as in a recording, or values follow each other in any layout. The lines tell
// which: a line that is not a whole value, before a line that starts another, is a broken
// value by itself. One value at a time is in memory.
type Stream struct {
	r       *bufio.Reader
	line    int    // lines read so far
	pending []byte // the next line, read ahead
	rest    []byte // what is left of the line read last
	started bool
	lines   bool // the value before this one was a line

	// messages says that the values are messages, so that a line that does not begin as one
	// is text of something else and handed out whole. If the first line is such a line, the
	// file is a log, and all its lines are handed out whole.
	messages bool
	log      bool
}

// NewStream returns a stream of the values in r, which has to be UTF-8.
func NewStream(r io.Reader) *Stream {
	return &Stream{r: bufio.NewReaderSize(r, 64<<10)}
}

// Next returns the next value and the line it starts in; io.EOF at the end.
// The value is not checked: where text is no JSON it holds that text.
func (s *Stream) Next() (value []byte, line int, err error) {
	text, err := s.nonBlank()
	if err != nil {
		return nil, 0, err
	}
	line = s.line
	if s.messages {
		other := !IsValue(string(text[:min(len(text), 2)]))
		s.log = s.log || other && !s.started
		if s.log || other {
			s.started = true
			return bytes.TrimRight(text, space), line, nil
		}
	}
	var b balance
	end := b.scan(text)
	if !s.started {
		s.started = true
		if s.lines, err = s.oneValuePerLine(text, end); err != nil {
			return nil, 0, err
		}
	}
	whole := end >= 0 && len(bytes.TrimLeft(text[end:], space)) == 0
	for end < 0 {
		if s.lines {
			if ok, err := s.continued(&b); err != nil {
				return nil, 0, err
			} else if !ok {
				break
			}
		}
		more, err := s.readLine()
		if err == io.EOF {
			break // cut off: the decoder says where
		}
		if err != nil {
			return nil, 0, err
		}
		if end = b.scan(more); end >= 0 {
			end += len(text)
		}
		text = append(text, more...)
		if len(text) > maxValue {
			return nil, 0, fmt.Errorf("the value that starts in line %d is larger than %d MiB", line, maxValue>>20)
		}
	}
	if end < 0 {
		return bytes.TrimRight(text, space), line, nil
	}
	s.lines = whole
	s.rest = text[end:]
	return text[:end], line, nil
}

// oneValuePerLine decides by the first line, and the second where the value
// does not end in the first.
func (s *Stream) oneValuePerLine(first []byte, end int) (bool, error) {
	if end >= 0 {
		return len(bytes.TrimLeft(first[end:], space)) == 0, nil
	}
	next, err := s.peekLine()
	if err == io.EOF {
		return false, nil
	}
	return bytes.HasPrefix(next, []byte(`{"`)) && first[0] == '{', err
}

// continued reports whether the next line looks like one of a value that is laid
// out on several lines, though values were lines so far.
func (s *Stream) continued(b *balance) (bool, error) {
	if b.inString {
		return false, nil
	}
	next, err := s.peekLine()
	if err == io.EOF {
		return false, nil
	}
	return err == nil && strings.IndexByte(" \t}]\"", next[0]) >= 0, err
}

// peekLine returns the next line, which readLine will return again.
func (s *Stream) peekLine() ([]byte, error) {
	if s.pending == nil {
		next, err := s.readLine()
		if err != nil {
			return nil, err
		}
		s.line--
		s.pending = next
	}
	return s.pending, nil
}

// space is JSON's white space.
const space = " \t\r\n"

// nonBlank returns the next text, without leading white space: the rest of the line
// read last, or another line.
func (s *Stream) nonBlank() ([]byte, error) {
	text := bytes.TrimLeft(s.rest, space)
	s.rest = nil
	for len(text) == 0 {
		line, err := s.readLine()
		if err != nil {
			return nil, err
		}
		text = bytes.TrimLeft(line, space)
	}
	return text, nil
}

// readLine returns a line with its end, in memory of its own.
func (s *Stream) readLine() ([]byte, error) {
	if s.pending != nil {
		line := s.pending
		s.pending = nil
		s.line++
		return line, nil
	}
	var line []byte
	for {
		part, err := s.r.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case err == nil, errors.Is(err, io.EOF) && len(line) > 0:
			s.line++
			return line, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		case len(line) > maxValue:
			return nil, fmt.Errorf("line %d is longer than %d MiB", s.line+1, maxValue>>20)
		}
	}
}

// balance follows brackets and strings, to find where a value ends.
type balance struct {
	depth            int
	inString, escape bool
	inToken          bool
}

// scan returns the index after the value's last byte, -1 when the text ends
// within the value.
func (b *balance) scan(text []byte) int {
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case b.escape:
			b.escape = false
			continue
		case b.inString:
			// Most of a string is neither its end nor an escape.
			end := bytes.IndexByte(text[i:], '"')
			if end < 0 {
				end = len(text) - i
			}
			if escape := bytes.IndexByte(text[i:i+end], '\\'); escape >= 0 {
				i += escape
				b.escape = true
				continue
			}
			if i += end; i == len(text) {
				return -1
			}
			b.inString = false
			if b.depth > 0 {
				continue
			}
			return i + 1
		}
		switch c {
		case '"':
			b.inString = true
		case '{', '[':
			b.depth++
		case '}', ']':
			b.depth--
			if b.depth <= 0 {
				return i + 1
			}
		case ' ', '\t', '\r', '\n':
			if b.inToken && b.depth == 0 {
				return i
			}
		default:
			b.inToken = b.inToken || b.depth == 0
		}
	}
	if b.inToken && b.depth == 0 && !b.inString {
		return len(text)
	}
	return -1
}
