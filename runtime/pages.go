package runtime

import (
	"errors"
	"fmt"
	"hash/maphash"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// ErrCursorLoop is the error of a list whose pages do not end, because the server has returned a cursor
// twice.
var ErrCursorLoop = errors.New("runtime: the same cursor twice")

const (
	// maxPages and maxPaging limit the pages of a list and the time of waiting for them. A server could
	// return a new cursor with each page for ever.
	maxPages  = 10_000
	maxPaging = defaultMaxTimeout
)

// Pages yields the pages of a paginated list. It calls page with nil for the first page, and then with the
// cursor that page has returned, until that is nil or "", with which some servers end their lists. After an
// error, which is yielded with the page, the sequence ends ("Pagination" in server/utilities/pagination of
// every revision). A list of more than 10,000 pages is an error, and so is one whose pages take more than an
// hour together.
func Pages[P any](page func(cursor *string) (p P, next *string, err error)) iter.Seq2[P, error] {
	return func(yield func(P, error) bool) {
		seen, seed := make(map[uint64]bool), maphash.MakeSeed() // hashes, because cursors may be long
		var waited time.Duration
		var none P
		for cursor := (*string)(nil); ; {
			start := time.Now()
			p, next, err := page(cursor)
			waited += time.Since(start)
			if !yield(p, err) || err != nil || next == nil || *next == "" {
				return
			}
			hash := maphash.String(seed, *next)
			if seen[hash] {
				yield(none, fmt.Errorf("%w: %.100q", ErrCursorLoop, *next))
				return
			}
			if len(seen)+1 == maxPages || waited > maxPaging {
				yield(none, fmt.Errorf("runtime: the list has not ended after %d pages and %s", len(seen)+1, waited.Round(time.Second)))
				return
			}
			seen[hash] = true
			cursor = next
		}
	}
}

// All yields pointers to the items of a paginated list. Page returns the items of one page
// and the cursor of the next one, as for [Pages]. Each page is requested when the loop
// reaches its first item. After an error, which is yielded with a nil pointer, the sequence
// ends.
func All[T any](page func(cursor *string) (items []T, next *string, err error)) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		for items, err := range Pages(page) {
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range items {
				if !yield(&items[i], nil) {
					return
				}
			}
		}
	}
}

// Page is a server's side of a paginated list. It returns the page that a client's cursor leads to, at most
// size items, and the cursor of the next page, nil for the last one. A nil cursor leads to the first page; a
// size of 0 or less means all items. The error for a cursor that Page did not return, or that leads beyond a
// list that has become shorter, is a *jsonrpc.Error with CodeInvalidParams ("Error handling" in
// server/utilities/pagination). Cursors need no state: any copy of the server with the same list reads them.
func Page[T any](items []T, cursor *string, size int) (page []T, next *string, err error) {
	start := 0
	if cursor != nil {
		var ok bool
		if start, ok = parseCursor(*cursor); !ok || start >= len(items) {
			return nil, nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "invalid params: /cursor: not a cursor of this list: %.50q", *cursor)
		}
	}
	page = items[start:]
	if size <= 0 || size >= len(page) {
		return page, nil, nil
	}
	return page[:size:size], new(formatCursor(start + size)), nil
}

const (
	cursorPrefix = "at-"
	cursorBase   = 36
)

// formatCursor returns the cursor of the page that begins with that item.
func formatCursor(start int) string {
	return cursorPrefix + strconv.FormatInt(int64(start), cursorBase)
}

// parseCursor accepts only what formatCursor returns. The first page, which begins at 0, has no cursor.
func parseCursor(cursor string) (start int, ok bool) {
	digits, ok := strings.CutPrefix(cursor, cursorPrefix)
	n, err := strconv.ParseInt(digits, cursorBase, 0)
	return int(n), ok && err == nil && n > 0 && cursor == formatCursor(int(n))
}
