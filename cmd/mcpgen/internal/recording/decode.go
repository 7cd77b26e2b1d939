package recording

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// foreign are the file formats that this package recognizes but does not read.
var foreign = []struct{ magic, name string }{
	{"PK\x03\x04", "a zip archive"},
	{"BZh", "compressed with bzip2"},
	{"\xfd7zXZ\x00", "compressed with xz"},
	{"\x28\xb5\x2f\xfd", "compressed with zstd"},
	{"\x04\x22\x4d\x18", "compressed with lz4"},
	{"\xff\xfe\x00\x00", "UTF-32"},
	{"\x00\x00\xfe\xff", "UTF-32"},
}

// Decode returns the text of a file as UTF-8. It decompresses gzip and converts UTF-16 with or
// without a byte order mark. It returns an error that names any other recognized encoding.
func Decode(r io.Reader) (io.Reader, error) {
	for range 2 { // a compressed file may contain UTF-16
		in := bufio.NewReaderSize(r, 64<<10)
		head, err := in.Peek(6)
		if err != nil && len(head) == 0 && !errors.Is(err, io.EOF) {
			return nil, err
		}
		for _, f := range foreign {
			if bytes.HasPrefix(head, []byte(f.magic)) {
				return nil, fmt.Errorf("the file is %s; expected text in UTF-8 or UTF-16, optionally compressed with gzip", f.name)
			}
		}
		if !bytes.HasPrefix(head, []byte("\x1f\x8b")) {
			return text(in, head)
		}
		if r, err = gzip.NewReader(in); err != nil {
			return nil, err
		}
	}
	return nil, errors.New("the file is compressed with gzip more than once")
}

// text decodes text by its byte order mark, or else by the position of zero bytes: a recording
// starts with ASCII characters.
func text(in *bufio.Reader, head []byte) (io.Reader, error) {
	switch {
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		in.Discard(3)
		return in, nil
	case bytes.HasPrefix(head, []byte("\xff\xfe")):
		in.Discard(2)
		return &utf16Reader{in: in, order: binary.LittleEndian}, nil
	case bytes.HasPrefix(head, []byte("\xfe\xff")):
		in.Discard(2)
		return &utf16Reader{in: in, order: binary.BigEndian}, nil
	case len(head) > 3 && head[1] == 0 && head[2] == 0 && head[3] == 0, len(head) > 3 && head[0] == 0 && head[1] == 0 && head[2] == 0:
		return nil, errors.New("the file is UTF-32; expected text in UTF-8 or UTF-16, optionally compressed with gzip")
	case len(head) >= 2 && head[0] != 0 && head[1] == 0:
		return &utf16Reader{in: in, order: binary.LittleEndian}, nil
	case len(head) >= 2 && head[0] == 0 && head[1] != 0:
		return &utf16Reader{in: in, order: binary.BigEndian}, nil
	}
	return in, nil
}

// utf16Reader converts UTF-16 to UTF-8.
type utf16Reader struct {
	in      *bufio.Reader
	order   binary.ByteOrder
	pending []byte
	held    uint16 // a unit that was read ahead, or 0
	err     error
}

func (u *utf16Reader) Read(p []byte) (int, error) {
	for len(u.pending) == 0 {
		if u.err != nil {
			return 0, u.err
		}
		u.fill()
	}
	n := copy(p, u.pending)
	u.pending = u.pending[n:]
	return n, nil
}

// fill decodes the next few kilobytes.
func (u *utf16Reader) fill() {
	u.pending = u.pending[:0]
	for len(u.pending) < 4096 {
		first, ok := u.unit()
		if !ok {
			return
		}
		r := rune(first)
		if utf16.IsSurrogate(r) {
			second, ok := u.unit()
			r = utf16.DecodeRune(rune(first), rune(second))
			if ok && r == utf8.RuneError {
				u.held = second
			}
		}
		u.pending = utf8.AppendRune(u.pending, r)
	}
}

func (u *utf16Reader) unit() (uint16, bool) {
	if u.held != 0 {
		v := u.held
		u.held = 0
		return v, true
	}
	var b [2]byte
	if _, err := io.ReadFull(u.in, b[:]); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = errors.New("the UTF-16 text ends in the middle of a character")
		}
		u.err = err
		return 0, false
	}
	return u.order.Uint16(b[:]), true
}
