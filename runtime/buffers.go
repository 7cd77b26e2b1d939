package runtime

import "sync"

// maxKept bounds the buffers that are kept. They are for the garbage collector to take when
// they have not been used for a while.
const maxKept = 1 << 20

// buffers keeps the buffers messages are encoded into. A server's sessions share one.
type buffers struct{ pool sync.Pool }

func (b *buffers) get() *[]byte {
	if buf, ok := b.pool.Get().(*[]byte); ok {
		return buf
	}
	buf := make([]byte, 0, 1<<10)
	return &buf
}

func (b *buffers) put(buf *[]byte) {
	if cap(*buf) <= maxKept {
		*buf = (*buf)[:0]
		b.pool.Put(buf)
	}
}
