package runtime

import "sync"

// maxKept bounds the buffers that are kept, so that one large message does not hold
// its memory for ever.
const maxKept = 64 << 10

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
