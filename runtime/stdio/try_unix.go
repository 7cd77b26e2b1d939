//go:build unix

package stdio

import (
	"os"
	"syscall"
	"time"
)

// tryWriter writes to a pipe as much as it takes at once.
type tryWriter struct {
	pipe syscall.RawConn
	try  func(fd uintptr) (done bool)

	text []byte // to be written
	n    int    // how much of it was
	err  error
}

// newTryWriter returns nil for a file that makes a write wait.
func newTryWriter(f *os.File) *tryWriter {
	pipe, err := f.SyscallConn()
	if err != nil || f.SetWriteDeadline(time.Time{}) != nil {
		return nil
	}
	w := &tryWriter{pipe: pipe}
	w.try = func(fd uintptr) bool {
		for {
			w.n, w.err = syscall.Write(int(fd), w.text)
			if w.err != syscall.EINTR {
				return true
			}
		}
	}
	return w
}

// write returns how much of the text it has written. That the pipe takes no more is no error.
func (w *tryWriter) write(text []byte) (int, error) {
	w.text = text
	defer func() { w.text = nil }()
	if err := w.pipe.Write(w.try); err != nil {
		return 0, err
	}
	if w.err == syscall.EAGAIN {
		return 0, nil
	}
	return max(w.n, 0), w.err
}
