package eventstream

import (
	"bytes"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// ErrTooLong is returned in place of an event that exceeds the reader's maximum. The reader
// skips the event without storing it and continues after it.
var ErrTooLong = errors.New("eventstream: event is too long")

const (
	// readSize is the size of a read, and the length of the longest line that is copied
	// once.
	readSize = 16 << 10
	// maxEmptyReads is the number of consecutive reads that may return no bytes and no
	// error.
	maxEmptyReads = 100
	// maxRetry limits the retry field, whose number may have any length.
	maxRetry = 24 * time.Hour
)

// maxFraming is the size that an event may have in addition to a message of maximum size.
const maxFraming = 4 << 10

// Limit returns the maximum of a reader of events with messages of at most max bytes.
func Limit(max int) int { return min(max, math.MaxInt-maxFraming) + maxFraming }

const byteOrderMark = "\ufeff"

// Reader reads events. It is not safe for concurrent use.
type Reader struct {
	src    io.Reader
	max    int // maximum number of bytes of an event's fields
	buf    *[readSize]byte
	unread []byte // part of buf that is read and not yet used
	begun  bool   // a line has been read, so there is no byte order mark to expect
	ended  bool   // src has ended
	cr     bool   // the last line ended with a carriage return, so a line feed belongs to it
}

// buffers keeps the buffers of readers. A call whose answer is a stream of one event would otherwise
// allocate another 16 KB beside its 13 KB.
var buffers = sync.Pool{New: func() any { return new([readSize]byte) }}

// NewReader returns a reader of src that rejects events of more than max bytes. It uses
// what one Read of src returns and does not wait for more.
func NewReader(src io.Reader, max int) *Reader {
	return &Reader{src: src, max: max}
}

// Release returns the reader's buffer to the pool. The reader must not be used after that.
func (r *Reader) Release() {
	if r.buf != nil {
		buffers.Put(r.buf)
		r.buf, r.unread = nil, nil
	}
}

// Ended reports whether the source is known to have ended.
func (r *Reader) Ended() bool { return r.ended }

// Next returns the next event that has a field known to the standard, even if it has no
// data. Its strings have their own memory. The error is ErrTooLong, after which Next can be
// called again, or that of the source: io.EOF after a complete event, io.ErrUnexpectedEOF
// within one.
func (r *Reader) Next() (Event, error) {
	for {
		e, err := r.event()
		if err != nil {
			return Event{}, err
		}
		if e.HasData || e.HasID || e.HasRetry || e.Type != "" {
			return e, nil
		}
	}
}

// event returns the next event. A comment alone gives an event without fields.
func (r *Reader) event() (e Event, err error) {
	var more strings.Builder // data of several lines
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
			if more.Len() > 0 {
				e.Data = more.String()
			}
			return e, nil
		}
		within = true
		if line[0] != ':' {
			size += len(line)
		}
		e.line(line, &more)
	}
}

// line processes one line of an event. more collects the data if it has several lines.
func (e *Event) line(line string, more *strings.Builder) {
	data, ok := e.field(line)
	switch {
	case !ok:
		return
	case !e.HasData:
		e.Data, e.HasData = data, true
		return
	case more.Len() == 0:
		more.WriteString(e.Data)
	}
	more.WriteByte('\n')
	more.WriteString(data)
}

// field processes one line of an event, which may be a comment. It returns the data if the
// line is a data field.
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

// retry parses a number of milliseconds.
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

// skip reads up to the end of an event of which part of a line was dropped.
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

// line returns the next line without its end. If the line is longer than max, it drops what
// it has read and returns ErrTooLong; the next call then returns the rest of the line.
func (r *Reader) line(max int) (string, error) {
	var long strings.Builder // the beginning of a line that is no longer in buf
	for {
		if r.cr && len(r.unread) > 0 {
			r.cr = false
			if r.unread[0] == '\n' {
				r.unread = r.unread[1:]
			}
		}
		end := lineEnd(r.unread)
		part := r.unread
		if end >= 0 {
			part = r.unread[:end]
		}
		if long.Len()+len(part) > max {
			// Keep at least one byte, or the rest would look like the empty line that ends
			// an event.
			keep := min(len(part), 1)
			r.unread = r.unread[len(part)-keep:]
			return "", ErrTooLong
		}
		if end >= 0 {
			r.cr = r.unread[end] == '\r'
			r.unread = r.unread[end+1:]
			if long.Len() == 0 {
				return r.first(string(part)), nil
			}
			long.Write(part)
			return r.first(long.String()), nil
		}
		long.Write(part)
		r.unread = nil
		if err := r.fill(); err != nil {
			if err == io.EOF && long.Len() > 0 {
				err = io.ErrUnexpectedEOF
			}
			return "", err
		}
	}
}

// first removes a byte order mark from the first line.
func (r *Reader) first(line string) string {
	if !r.begun {
		r.begun = true
		return strings.TrimPrefix(line, byteOrderMark)
	}
	return line
}

// lineEnd returns the index of the first line feed or carriage return, or -1.
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

// fill reads more. It must be called with an empty unread.
func (r *Reader) fill() error {
	if r.buf == nil {
		r.buf = buffers.Get().(*[readSize]byte)
	}
	for range maxEmptyReads {
		n, err := r.src.Read(r.buf[:])
		if n > 0 {
			r.unread, r.ended = r.buf[:n], err == io.EOF
			return nil // the next call returns the error again
		}
		if err != nil {
			return err
		}
	}
	return io.ErrNoProgress
}

// MediaType is the media type of an event stream.
const MediaType = "text/event-stream"

// Event is one event. It distinguishes an absent field from an empty one.
type Event struct {
	Type  string // "" means "message"
	Data  string // lines joined by \n
	ID    string // of this event, not of an earlier one
	Retry time.Duration

	HasData, HasID, HasRetry bool
}

// Comment is a comment, which readers skip. It keeps a connection alive.
const Comment = ":\n\n"

// framing is the approximate number of bytes that an event has in addition to its fields,
// if its data is one line.
const framing = 64

// Append appends an event with the given id and type, each a single line and omitted if
// empty, and data, of which every line becomes a field. A retry of zero or less is omitted.
func Append(dst, id []byte, typ string, retry time.Duration, data []byte) []byte {
	dst = slices.Grow(dst, len(id)+len(typ)+len(data)+framing)
	if len(id) > 0 {
		dst = append(append(append(dst, "id: "...), id...), '\n')
	}
	if typ != "" {
		dst = append(append(append(dst, "event: "...), typ...), '\n')
	}
	if retry > 0 {
		dst = strconv.AppendInt(append(dst, "retry: "...), max(1, retry.Milliseconds()), 10)
		dst = append(dst, '\n')
	}
	for {
		dst = append(dst, "data: "...)
		i := lineEnd(data)
		if i < 0 {
			break
		}
		dst = append(append(dst, data[:i]...), '\n')
		if data[i] == '\r' && i+1 < len(data) && data[i+1] == '\n' {
			i++
		}
		data = data[i+1:]
	}
	return append(append(dst, data...), "\n\n"...)
}
