package streamable

import (
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
)

// linger is how long a notification may wait for what follows it on the stream of a POST, most
// often the answer: a write costs both sides more than most handlers do.
const linger = time.Millisecond

// lingering are the streams on which notifications wait.
type lingering struct {
	mu      sync.Mutex
	timer   *time.Timer // runs while there are streams; nil before the first
	streams []*stream
}

// add has what was written to a stream leave within the time.
func (l *lingering) add(st *stream) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.streams = append(l.streams, st)
	switch {
	case len(l.streams) > 1:
	case l.timer == nil:
		l.timer = time.AfterFunc(linger, l.flush)
	default:
		l.timer.Reset(linger)
	}
}

func (l *lingering) flush() {
	l.mu.Lock()
	streams := l.streams
	l.streams = nil
	l.mu.Unlock()
	for _, st := range streams {
		if !st.over.Load() {
			go st.flush() // which a client may hold up
		}
	}
}

// flush has what was written leave.
func (st *stream) flush() {
	st.lock <- struct{}{}
	defer st.release()
	st.lingers = false
	if st.sink == nil || st.over.Load() {
		return
	}
	if err := st.sink.Flush(); err != nil {
		st.session.handler.log.Debug("a notification could not be sent", "session", runtime.LogID(st.session.id), "error", err)
		st.drop()
	}
}
