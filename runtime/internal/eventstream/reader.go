package eventstream

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"
	"unsafe"
)

// ErrTooLong is returned in place of an event that is larger than the reader's maximum.
// The event is skipped without being kept, and reading goes on after it.
var ErrTooLong = errors.New("eventstream: an event is too long")

const (
	// readSize is how much is read at a time, and the longest line that takes one copy.
	readSize = 16 << 10
	// maxEmptyReads is how often in a row a reader may return nothing and no error.
	maxEmptyReads = 100
	// maxRetry bounds the retry field, whose number may have any length.
	maxRetry = 24 * time.Hour
)

const byteOrderMark = "\ufeff"

// Reader reads events. It is not safe for concurrent use.
type Reader struct {
	src   io.Reader
	max   int // of the bytes of an event's fields
	buf   *[readSize]byte
	rest  []byte // the part of buf that is read and not yet used
	begun bool   // a line has been read, so no byte order mark can come
	ended bool   // src has told its end
	cr    bool   // the last line ended with a carriage return, so a line feed belongs to it
}

var buffers = sync.Pool{New: func() any { return new([readSize]byte) }}

// NewReader returns a reader of src that refuses events of more than max bytes. It
// reads no more from src than there is at a time.
func NewReader(src io.Reader, max int) *Reader {
	return &Reader{src: src, max: max}
}

// Release gives back what the reader holds. It must not be used after that.
func (r *Reader) Release() {
	if r.buf != nil {
		buffers.Put(r.buf)
		r.buf, r.rest = nil, nil
	}
}

// Ended reports whether the source is known to have nothing more.
func (r *Reader) Ended() bool { return r.ended }

// Next returns the next event that has a field known to the standard, also when it has no data. Its
// strings have their own memory. The error is ErrTooLong, after which Next can be
// called again, or that of the source: io.EOF after a whole event, io.ErrUnexpectedEOF
// within one.
func (r *Reader) Next() (Event, error) {
	for {
		if len(r.rest) == 0 {
			if err := r.fill(); err != nil {
				return Event{}, err
			}
		}
		e, ok := r.whole()
		if !ok {
			var err error
			if e, err = r.lines(); err != nil {
				return Event{}, err
			}
		}
		if e.HasData || e.HasID || e.HasRetry || e.Type != "" {
			return e, nil
		}
	}
}

// whole returns the next event if all of it has been read and its lines end with line feeds, as
// most do. Its strings are parts of one, so that there is one copy.
func (r *Reader) whole() (e Event, ok bool) {
	if r.cr {
		return e, false // there may be no line feed alone to be found
	}
	end := bytes.Index(r.rest, blankLine)
	if end <= 0 || end > r.max || !r.begun && r.rest[0] == byteOrderMark[0] ||
		bytes.IndexByte(r.rest[:end], '\r') >= 0 {
		return e, false
	}
	text := string(r.rest[:end])
	r.rest, r.begun = r.rest[end+len(blankLine):], true
	var more []byte
	for found := true; found; {
		var line string
		line, text, found = strings.Cut(text, "\n")
		more = e.line(line, more)
	}
	if more != nil {
		e.Data = own(more)
	}
	return e, true
}

var blankLine = []byte("\n\n")

// lines returns the next event, without fields when there is only a comment.
func (r *Reader) lines() (e Event, err error) {
	var more []byte
	size, within := 0, false
	for {
		line, err := r.line(r.max - size)
		switch {
		case err == ErrTooLong:
			return e, r.skip()
		case err == io.EOF && within:
			return e, io.ErrUnexpectedEOF
		case err != nil:
			return e, err
		case line == "":
			if more != nil {
				e.Data = own(more)
			}
			return e, nil
		}
		within = true
		if line[0] != ':' {
			size += len(line)
		}
		more = e.line(line, more)
	}
}

// line takes one line of an event. More is the data of one that has several lines of it.
func (e *Event) line(line string, more []byte) []byte {
	data, ok := e.field(line)
	switch {
	case !ok:
	case !e.HasData:
		e.Data, e.HasData = data, true
	case more == nil:
		more = append(append([]byte(e.Data), '\n'), data...)
	default:
		more = append(append(more, '\n'), data...)
	}
	return more
}

// field takes one line of an event, which may be a comment, and returns that of data.
func (e *Event) field(line string) (data string, ok bool) {
	name, value, _ := strings.Cut(line, ":")
	value = strings.TrimPrefix(value, " ")
	switch name {
	case "data":
		return value, true
	case "event":
		e.Type = value
	case "id":
		if strings.IndexByte(value, 0) < 0 {
			e.ID, e.HasID = value, true
		}
	case "retry":
		if d, ok := retry(value); ok {
			e.Retry, e.HasRetry = d, true
		}
	}
	return "", false
}

// retry reads a number of milliseconds.
func retry(value string) (time.Duration, bool) {
	if value == "" || strings.Trim(value, "0123456789") != "" {
		return 0, false
	}
	ms, err := strconv.ParseInt(value, 10, 64)
	if err != nil || ms > maxRetry.Milliseconds() {
		return maxRetry, true
	}
	return time.Duration(ms) * time.Millisecond, true
}

// skip reads up to the end of an event, a part of whose line has been thrown away.
func (r *Reader) skip() error {
	for {
		switch line, err := r.line(readSize); {
		case err == ErrTooLong:
		case err == io.EOF:
			return io.ErrUnexpectedEOF
		case err != nil:
			return err
		case line == "":
			return ErrTooLong
		}
	}
}

// line returns the next line without its end. Of one longer than max it drops what it
// has seen and returns ErrTooLong; the next call then returns the rest of it.
func (r *Reader) line(max int) (string, error) {
	var long []byte // the beginning of a line that is not in buf any more
	for {
		if r.cr && len(r.rest) > 0 {
			r.cr = false
			if r.rest[0] == '\n' {
				r.rest = r.rest[1:]
			}
		}
		end := lineEnd(r.rest)
		part := r.rest
		if end >= 0 {
			part = r.rest[:end]
		}
		if len(long)+len(part) > max {
			// At least one byte stays, or the rest would look like the line that ends an event.
			keep := min(len(part), 1)
			r.rest = r.rest[len(part)-keep:]
			return "", ErrTooLong
		}
		if end >= 0 {
			r.cr = r.rest[end] == '\r'
			r.rest = r.rest[end+1:]
			if long == nil {
				return r.first(string(part)), nil
			}
			return r.first(own(append(long, part...))), nil
		}
		long = append(long, part...)
		r.rest = nil
		if err := r.fill(); err != nil {
			if err == io.EOF && len(long) > 0 {
				err = io.ErrUnexpectedEOF
			}
			return "", err
		}
	}
}

// first takes a byte order mark off the first line.
func (r *Reader) first(line string) string {
	if !r.begun {
		r.begun = true
		return strings.TrimPrefix(line, byteOrderMark)
	}
	return line
}

// lineEnd is the index of the first line feed or carriage return; -1 for none.
func lineEnd(b []byte) int {
	end := bytes.IndexByte(b, '\n')
	if end >= 0 {
		b = b[:end]
	}
	if cr := bytes.IndexByte(b, '\r'); cr >= 0 {
		return cr
	}
	return end
}

// fill reads more; rest is empty.
func (r *Reader) fill() error {
	if r.buf == nil {
		r.buf = buffers.Get().(*[readSize]byte)
	}
	for range maxEmptyReads {
		n, err := r.src.Read(r.buf[:])
		if n > 0 {
			r.rest, r.ended = r.buf[:n], err == io.EOF
			return nil // an error comes again
		}
		if err != nil {
			return err
		}
	}
	return io.ErrNoProgress
}

// own is the string in b's memory, which nothing else may refer to.
func own(b []byte) string {
	return unsafe.String(unsafe.SliceData(b), len(b))
}
