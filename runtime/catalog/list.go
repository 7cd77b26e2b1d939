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
	*kind
	catalog *Catalog

	// read, if not nil, returns the definition of an item for a revision, "" for none. It may not
	// have been read when the item was added.
	read func(it *item[T], revision string) (string, error)

	mu      sync.Mutex // held by changes, and while a view is rendered
	items   map[string]*item[T]
	last    uint64 // number of the item that was added last
	current atomic.Pointer[view[T]]
}

// item is an entry of a list. It does not change.
type item[T any] struct {
	key    string
	number uint64 // grows with each new key; an item that replaces another has its number
	text   string // the definition, without white space between tokens
	scopes []string
	value  T
}

// view is a snapshot of a list. Its items do not change. A text is added for each revision
// in which the list is requested.
type view[T any] struct {
	items   map[string]*item[T]
	ordered []*item[T]

	mu    sync.Mutex // held while a text is rendered
	texts sync.Map   // revision to *text[T]
}

// text is a view in a revision. It does not change.
//
//	text     {"name":"a"},{"name":"b"},{"name":"c"}
//	ends                 ^            ^            ^
type text[T any] struct {
	ordered []*item[T] // items that the revision has
	text    string     // the definitions, separated by commas
	ends    []int      // end of each definition in text
}

func newList[T any](c *Catalog, k *kind) *list[T] {
	return &list[T]{kind: k, catalog: c}
}

// put adds items, or replaces those with the same key. It returns the change.
func (l *list[T]) put(b *batch[T]) change {
	if len(b.items) == 0 {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	old := l.items
	if len(old) == 0 {
		l.items = b.byKey
	}
	for _, it := range b.items {
		if replaced, ok := old[it.key]; ok {
			it.number = replaced.number
		} else {
			l.last++
			it.number = l.last
		}
		l.items[it.key] = it
	}
	l.current.Store(nil)
	return l.change
}

// remove removes items, announces it, and returns how many there were.
func (l *list[T]) remove(keys []string) int {
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
		l.catalog.announce(l.change)
	}
	return removed
}

// get returns the value of the item with a key.
func (l *list[T]) get(key string) (*T, bool) {
	if it, ok := l.view().items[key]; ok {
		return &it.value, true
	}
	return nil, false
}

// view returns the current view.
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

// in returns the view's text in a revision, or as it was written if revision is "".
func (l *list[T]) in(ctx context.Context, v *view[T], revision string) *text[T] {
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
		definition, err := l.definitionIn(ctx, revision, it)
		if err != nil {
			l.catalog.opts.Logger.Warn(l.noun+" left out of the list", l.noun, it.key, "revision", revision, "error", err)
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

// definitionIn returns the definition of an item in a revision.
func (l *list[T]) definitionIn(ctx context.Context, revision string, it *item[T]) (string, error) {
	text := it.text
	if l.read != nil {
		var err error
		if text, err = l.read(it, revision); err != nil {
			return "", err
		}
	}
	if by := l.catalog.opts.Convert; by != nil && revision != "" && revision != by.Native {
		converted, err := by.Append(ctx, nil, revision, l.definition, wire.Object(text))
		return string(converted), err
	}
	return text, nil
}

// answer returns the result of the list's method ("Pagination" in
// server/utilities/pagination of every revision). The page after a cursor begins with the
// first item that was added after the last item of the previous page, even if that has been
// removed. A client that reads the pages while the list changes therefore gets each item
// that remains in the list exactly once.
func (l *list[T]) answer(ctx context.Context, p *params.List) (wire.Appender, error) {
	revision := spokenIn(ctx)
	v := l.in(ctx, l.view(), revision)
	if l.catalog.opts.HideForbidden {
		v = v.visible(ctx)
	}
	from := 0
	if p.Cursor != nil {
		after, ok := l.parseCursor(*p.Cursor)
		if !ok {
			return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "invalid params: /cursor: not a cursor of this list")
		}
		from, _ = slices.BinarySearchFunc(v.ordered, after+1, func(it *item[T], n uint64) int { return cmp.Compare(it.number, n) })
	}
	if revision == "" || l.catalog.opts.Convert == nil {
		return v.page(l, from), nil
	}
	return spoken{v.page(l, from), revision}, nil
}

// page returns the page that begins with the item at from.
func (v *text[T]) page(l *list[T], from int) page {
	to := min(from+l.catalog.opts.PageSize, len(v.ordered))
	pg := page{member: l.list}
	if from < to {
		start := 0
		if from > 0 {
			start = v.ends[from-1] + 1
		}
		pg.items = v.text[start:v.ends[to-1]]
	}
	if to < len(v.ordered) {
		pg.tag, pg.last = l.cursor, v.ordered[to-1].number
	}
	return pg
}

// page is the result of a list's method. The items are a part of a view's text.
type page struct {
	member string
	items  string
	tag    byte   // of the cursor; 0 on the last page
	last   uint64 // the number of the last item on the page
}

// AppendJSON implements wire.Appender.
func (p page) AppendJSON(dst []byte) ([]byte, error) {
	dst = append(wire.AppendName(append(dst, '{'), p.member), '[')
	dst = append(append(dst, p.items...), ']')
	if p.tag != 0 {
		dst = append(dst, `,"nextCursor":"`...)
		dst = appendCursor(dst, p.tag, p.last)
		dst = append(dst, '"')
	}
	return append(dst, '}'), nil
}
