package catalog

import (
	"encoding/base64"
	"encoding/binary"
)

// A cursor contains the tag of its list and the number of the last item that the client has
// received. It depends neither on a session nor on a process, so it remains valid when the
// list changes and, if the items are added in the same order, in another process.

var cursorEncoding = base64.RawURLEncoding

// appendCursor appends the cursor for the items after number last.
func appendCursor(dst []byte, tag byte, last uint64) []byte {
	var plain [1 + binary.MaxVarintLen64]byte
	plain[0] = tag
	n := binary.PutUvarint(plain[1:], last)
	return cursorEncoding.AppendEncode(dst, plain[:1+n])
}

// parseCursor reads a cursor of the list. It accepts only text that appendCursor can write.
func (l *list[T]) parseCursor(cursor string) (after uint64, ok bool) {
	if len(cursor) > cursorEncoding.EncodedLen(1+binary.MaxVarintLen64) {
		return 0, false
	}
	plain, err := cursorEncoding.DecodeString(cursor)
	if err != nil || len(plain) < 2 || plain[0] != l.cursor {
		return 0, false
	}
	after, _ = binary.Uvarint(plain[1:])
	if string(appendCursor(nil, l.cursor, after)) != cursor {
		return 0, false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return after, 0 < after && after <= l.last
}
