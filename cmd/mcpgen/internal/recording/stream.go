package recording

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxValue limits the size of one JSON value.
const maxValue = 256 << 20

// A Stream splits a file into JSON values without decoding them. Either every line is a value,
// as in a recording, or values follow each other in any layout. The stream detects which: a
// line that is not a complete value, followed by a line that starts another value, is a broken
// value. Only one value at a time is in memory.
type Stream struct {
	r       *bufio.Reader
	line    int    // the number of lines read
	pending []byte // the next line, read ahead
	rest    []byte // the rest of the last line
	started bool
	lines   bool // the previous value was a line

	// messages says that the values are messages. A line that does not start like a message is
	// returned whole as other text. If the first line is such a line, the file is a log, and
	// every line is returned whole.
	messages bool
	log      bool
}

// NewStream returns a stream of the values in r, which must be UTF-8.
func NewStream(r io.Reader) *Stream {
	return &Stream{r: bufio.NewReaderSize(r, 64<<10)}
}

// Next returns the next value and the line where it starts, or io.EOF at the end. The value is
// not validated and may be text that is not JSON.
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
			break // truncated; the decoder reports the position
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

// oneValuePerLine decides by the first line, and also by the second if the first value is
// incomplete.
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

// continued reports whether the next line looks like part of a value on several lines, although
// each value so far was a line.
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

// peekLine returns the next line without consuming it.
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

// space is the white space of JSON.
const space = " \t\r\n"

// nonBlank returns the next text without leading white space: the rest of the last line, or
// another line.
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

// readLine returns a line with its line end in newly allocated memory.
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

// balance follows brackets and strings to find the end of a value.
type balance struct {
	depth            int
	inString, escape bool
	inToken          bool
}

// scan returns the index after the last byte of the value, or -1 if the text ends first.
func (b *balance) scan(text []byte) int {
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case b.escape:
			b.escape = false
			continue
		case b.inString:
			// Skip quickly over the ordinary characters of a string.
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
