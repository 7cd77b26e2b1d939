package recording

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
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
	var by transform.Transformer = transform.Nop
	switch {
	case len(head) > 3 && head[1] == 0 && head[2] == 0 && head[3] == 0, len(head) > 3 && head[0] == 0 && head[1] == 0 && head[2] == 0:
		return nil, errors.New("the file is UTF-32; expected text in UTF-8 or UTF-16, optionally compressed with gzip")
	case len(head) >= 2 && head[0] != 0 && head[1] == 0:
		by = unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewDecoder()
	case len(head) >= 2 && head[0] == 0 && head[1] != 0:
		by = unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewDecoder()
	case len(head) >= 2 && head[0] < utf8.RuneSelf: // no mark
		return in, nil
	}
	return transform.NewReader(in, unicode.BOMOverride(by)), nil
}
