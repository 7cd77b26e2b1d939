package catalog

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/convert"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// list keeps the items of one kind in the order in which they were added. Readers share
// a view and take no lock.
type list struct {
	*kind
	catalog *Catalog

	mu      sync.Mutex // held by changes, and while a view is made
	items   map[string]*entry
	last    uint64 // number of the item that was added last
	current atomic.Pointer[view]
}

// view is a snapshot of a list. Its items do not change. A text is added for each revision
// in which the list is requested.
type view struct {
	items   map[string]*entry
	ordered []*entry

	texts sync.Map // revision to func() *text
}

// text is a view in a revision. It does not change.
//
//	text     {"name":"a"},{"name":"b"},{"name":"c"}
//	ends                 ^            ^            ^
type text struct {
	ordered []*entry // items that the revision has
	text    []byte   // the definitions, separated by commas
	ends    []int    // end of each definition in text
}

// byNumber compares items in the order in which they were added.
func byNumber(a, b *entry) int { return cmp.Compare(a.number, b.number) }

// put adds items, or replaces those with the same key. The numbers of the added items begin at 1; put replaces them
// by those that follow the last one of the list.
func (l *list) put(added map[string]*entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.items) == 0 {
		for _, e := range added {
			e.number += l.last
		}
		l.items, l.last = added, l.last+uint64(len(added))
	} else {
		for _, e := range slices.SortedFunc(maps.Values(added), byNumber) {
			if replaced := l.items[e.key]; replaced != nil {
				e.number = replaced.number
			} else {
				l.last++
				e.number = l.last
			}
			l.items[e.key] = e
		}
	}
	l.current.Store(nil)
}

// remove removes items, announces it, and returns how many there were.
func (l *list) remove(keys []string) int {
	l.mu.Lock()
	before := len(l.items)
	for _, key := range keys {
		delete(l.items, key)
	}
	removed := before - len(l.items)
	if removed > 0 {
		l.current.Store(nil)
	}
	l.mu.Unlock()
	if removed > 0 {
		l.catalog.publish(l.changed, nil)
	}
	return removed
}

// get returns the item with a key, or nil.
func (l *list) get(key string) *entry { return l.view().items[key] }

// find returns the item with a key for a request. It returns an error if there is none, or if the sender of
// the request may not use it.
func (l *list) find(ctx context.Context, key string) (*entry, error) {
	e := l.view().items[key]
	if e == nil {
		return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "unknown %s: %.100q", l.noun, key)
	}
	return e, runtime.Authorize(ctx, e.scopes)
}

// view returns the current view.
func (l *list) view() *view {
	if v := l.current.Load(); v != nil {
		return v
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if v := l.current.Load(); v != nil {
		return v
	}
	v := &view{items: maps.Clone(l.items)}
	v.ordered = slices.SortedFunc(maps.Values(v.items), byNumber)
	l.current.Store(v)
	return v
}

// in returns the view's text in a revision, or as it was written if revision is "".
func (l *list) in(ctx context.Context, v *view, revision string) *text {
	t, ok := v.texts.Load(revision)
	if !ok {
		t, _ = v.texts.LoadOrStore(revision, sync.OnceValue(func() *text { return l.render(ctx, v, revision) }))
	}
	return t.(func() *text)()
}

func (l *list) render(ctx context.Context, v *view, revision string) *text {
	t := &text{ordered: make([]*entry, 0, len(v.ordered)), ends: make([]int, 0, len(v.ordered))}
	for _, e := range v.ordered {
		definition, err := l.definitionIn(ctx, revision, e)
		if err != nil {
			l.catalog.logger().Warn(l.noun+" left out of the list", l.noun, e.key, "revision", revision, "error", err)
			continue
		}
		t.add(e, definition)
	}
	t.text = bytes.Clone(t.text) // it is kept, and has grown by more than it needs
	return t
}

// add adds an item with its definition, while the text is made.
func (t *text) add(e *entry, definition []byte) {
	t.text = append(wire.AppendComma(t.text), definition...)
	t.ordered, t.ends = append(t.ordered, e), append(t.ends, len(t.text))
}

// definitionIn returns the definition of an item in a revision.
func (l *list) definitionIn(ctx context.Context, revision string, e *entry) ([]byte, error) {
	d := e.definition()
	if d.err != nil {
		return nil, d.err
	}
	if d.key != e.key {
		return nil, l.error(e.key, fmt.Errorf("the definition has the name %.100q", d.key))
	}
	definition := wire.Raw(d.text)
	if l.kind == kindTool && revision != "" && revision < revisionValues {
		var c convert.Conversion
		if definition = convert.PlainSchemas(&c, definition); c.Err() != nil {
			return nil, c.Err()
		}
	}
	if by := l.catalog.opts.Convert; by != nil && revision != "" && revision != by.Native {
		return by.Append(ctx, nil, revision, l.kind.definition, wire.Object(definition))
	}
	return []byte(definition), nil
}

// visible returns the part of a text that the sender of a request may use. Its result may be kept
// for this sender only.
func (t *text) visible(ctx context.Context) *text {
	access := runtime.AccessOf(ctx)
	if access == nil || !slices.ContainsFunc(t.ordered, func(e *entry) bool { return len(e.scopes) > 0 }) {
		return t
	}
	if call := runtime.CallOf(ctx); call != nil {
		call.CachePrivately()
	}
	part := &text{}
	for i, e := range t.ordered {
		if len(e.scopes) == 0 || access.Allow(e.scopes) == nil {
			part.add(e, t.text[t.start(i):t.ends[i]])
		}
	}
	return part
}

// start returns where the definition of the item at i begins.
func (t *text) start(i int) int {
	if i == 0 {
		return 0
	}
	return t.ends[i-1] + 1
}

// answer returns the result of the list's method ("Pagination" in
// server/utilities/pagination of every revision). The page after a cursor begins with the
// first item that was added after the last item of the previous page, even if that has been
// removed. A client that reads the pages while the list changes therefore gets each item
// that remains in the list exactly once.
func (l *list) answer(ctx context.Context, q *request) (wire.Appender, error) {
	t := l.in(ctx, l.view(), q.revision)
	if l.catalog.opts.HideForbidden {
		t = t.visible(ctx)
	}
	from := 0
	if q.cursor != nil {
		after, ok := l.parseCursor(*q.cursor)
		if !ok {
			return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "invalid params: /cursor: not a cursor of this list")
		}
		from, _ = slices.BinarySearchFunc(t.ordered, after+1, func(e *entry, n uint64) int { return cmp.Compare(e.number, n) })
	}
	to := min(from+l.catalog.opts.PageSize, len(t.ordered))
	p := page{kind: l.kind}
	if from < to {
		p.items = t.text[t.start(from):t.ends[to-1]]
	}
	if to < len(t.ordered) {
		p.last = t.ordered[to-1].number
	}
	if l.catalog.opts.Convert == nil || q.revision == "" {
		return p, nil
	}
	return &converted{Appender: p, q: q}, nil
}

// page is the result of a list's method. The items are a part of a view's text.
type page struct {
	kind  *kind
	items []byte
	last  uint64 // the number of the last item on the page; 0 on the last page
}

// AppendJSON implements wire.Appender.
func (p page) AppendJSON(dst []byte) ([]byte, error) {
	dst = append(wire.AppendName(append(dst, '{'), p.kind.list), '[')
	dst = append(append(dst, p.items...), ']')
	if p.last != 0 {
		dst = append(dst, `,"nextCursor":"`...)
		dst = appendCursor(dst, p.kind.cursor, p.last)
		dst = append(dst, '"')
	}
	return append(dst, '}'), nil
}

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
func (l *list) parseCursor(cursor string) (after uint64, ok bool) {
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
