package catalog

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/runtime/internal/params"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// list keeps the items of one kind in the order in which they were added. Readers share
// a view and take no lock.
type list[T any] struct {
	member   string // of the result that holds the items
	tag      byte   // in its cursors
	pageSize int
	convert  rewriter // nil: a list is the same in all revisions

	// read makes of the text of an item that is unread what the list has of it, unless it
	// is not good.
	read func(key, text string) (string, bool)

	mu      sync.Mutex // held by changes, and while a view is rendered
	items   map[string]*item[T]
	last    uint64 // the number of the item that was added last
	current atomic.Pointer[view[T]]
}

// item is one entry. Nothing in it changes.
type item[T any] struct {
	key    string
	number uint64 // grows with each new key; an item that replaces another has its number
	text   string // the definition, without white space between tokens unless it is unread
	unread bool
	value  T
}

// view is a list at a moment. Its items do not change; a text is added for each revision
// that the list is asked for in.
type view[T any] struct {
	items   map[string]*item[T]
	ordered []*item[T]

	mu    sync.Mutex // held while a text is rendered
	texts sync.Map   // revision to *text[T]
}

// text is what clients of a revision see of a view. Nothing in it changes.
//
//	text     {"name":"a"},{"name":"b"},{"name":"c"}
//	ends                 ^            ^            ^
type text[T any] struct {
	ordered []*item[T] // that the revision has
	text    string     // all definitions, with commas between them
	ends    []int      // of each definition in text
}

func newList[T any](member string, tag byte, pageSize int) *list[T] {
	return &list[T]{member: member, tag: tag, pageSize: pageSize, items: make(map[string]*item[T])}
}

// put adds items, or replaces those with the same key.
func (l *list[T]) put(items []*item[T]) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.items) == 0 {
		l.items = make(map[string]*item[T], len(items))
	}
	for _, it := range items {
		if old, ok := l.items[it.key]; ok {
			it.number = old.number
		} else {
			l.last++
			it.number = l.last
		}
		l.items[it.key] = it
	}
	l.current.Store(nil)
}

// remove takes items out and reports how many there were.
func (l *list[T]) remove(keys []string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := len(l.items)
	for _, key := range keys {
		delete(l.items, key)
	}
	if len(l.items) < before {
		l.current.Store(nil)
	}
	return before - len(l.items)
}

// get finds an item by its key.
func (l *list[T]) get(key string) (T, bool) {
	if it, ok := l.view().items[key]; ok {
		return it.value, true
	}
	var none T
	return none, false
}

// view returns the view of now.
func (l *list[T]) view() *view[T] {
	if v := l.current.Load(); v != nil {
		return v
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if v := l.current.Load(); v != nil {
		return v
	}
	v := render(l.items)
	l.current.Store(v)
	return v
}

func render[T any](items map[string]*item[T]) *view[T] {
	v := &view[T]{items: maps.Clone(items)}
	v.ordered = slices.SortedFunc(maps.Values(items), func(a, b *item[T]) int { return cmp.Compare(a.number, b.number) })
	return v
}

// in is the view's text in a revision; convert may be nil.
func (l *list[T]) in(ctx context.Context, v *view[T], revision string, convert rewriter) *text[T] {
	if t, ok := v.texts.Load(revision); ok {
		return t.(*text[T])
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if t, ok := v.texts.Load(revision); ok {
		return t.(*text[T])
	}
	t := &text[T]{ordered: make([]*item[T], 0, len(v.ordered)), ends: make([]int, 0, len(v.ordered))}
	var all []byte
	for _, it := range v.ordered {
		definition, ok := it.text, true
		if it.unread {
			definition, ok = l.read(it.key, definition)
		}
		if ok && convert != nil {
			definition, ok = convert(ctx, revision, definition)
		}
		if !ok {
			continue
		}
		if len(all) > 0 {
			all = append(all, ',')
		}
		all = append(all, definition...)
		t.ordered, t.ends = append(t.ordered, it), append(t.ends, len(all))
	}
	t.text = string(all)
	v.texts.Store(revision, t)
	return t
}

// answer is the result of the list's method ("Pagination" in server/utilities/pagination
// of every revision). The page after a cursor begins with the first item that was added
// after the one that the page before ended with, whether that is still there or not. So
// a client that goes through the pages while the list changes gets every item that is
// there all the time exactly once.
func (l *list[T]) answer(ctx context.Context, p *params.List) (wire.Appender, error) {
	convert, revision := l.convert, ""
	if convert != nil {
		revision = spokenIn(ctx)
	}
	if revision == "" {
		convert = nil
	}
	v := l.in(ctx, l.view(), revision, convert)
	from := 0
	if p.Cursor != nil {
		after, ok := l.parseCursor(*p.Cursor)
		if !ok {
			return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "invalid params: /cursor: not a cursor of this list")
		}
		from, _ = slices.BinarySearchFunc(v.ordered, after+1, func(it *item[T], n uint64) int { return cmp.Compare(it.number, n) })
	}
	if revision == "" {
		return v.page(l, from), nil
	}
	return spoken{v.page(l, from), revision}, nil
}

// page is the one that begins with the item at from.
func (v *text[T]) page(l *list[T], from int) page {
	to := min(from+l.pageSize, len(v.ordered))
	pg := page{member: l.member}
	if from < to {
		start := 0
		if from > 0 {
			start = v.ends[from-1] + 1
		}
		pg.items = v.text[start:v.ends[to-1]]
	}
	if to < len(v.ordered) {
		pg.tag, pg.last = l.tag, v.ordered[to-1].number
	}
	return pg
}

// page is a result. The items are part of a view's text.
type page struct {
	member string
	items  string
	tag    byte   // of the cursor; 0 on the last page
	last   uint64 // the number of the last item on the page
}

// AppendJSON implements wire.Appender.
func (p page) AppendJSON(dst []byte) ([]byte, error) {
	return p.end(append(p.begin(dst), p.items...)), nil
}

// AppendSpliced implements runtime.Spliced: the items are as they are in the view.
func (p page) AppendSpliced(dst []byte) (text []byte, at int, part string, err error) {
	dst = p.begin(dst)
	return p.end(dst), len(dst), p.items, nil
}

// begin appends what is before the items.
func (p page) begin(dst []byte) []byte {
	return append(wire.AppendName(append(dst, '{'), p.member), '[')
}

// end appends what is after the items.
func (p page) end(dst []byte) []byte {
	dst = append(dst, ']')
	if p.tag != 0 {
		dst = append(dst, `,"nextCursor":"`...)
		dst = appendCursor(dst, p.tag, p.last)
		dst = append(dst, '"')
	}
	return append(dst, '}')
}
