package runtime

import "sync"

// maxKept is the maximum capacity, in bytes, of a buffer that is reused.
const maxKept = 1 << 20

// buffers keeps the buffers that messages are encoded into. Without it, a call in process takes 24
// allocations and 3.7 kB instead of 20 and 1.6 kB.
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
