package stdio

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"strings"
	"sync"
)

const (
	// maxTail is the maximum length of ExitError.Stderr.
	maxTail = 4 << 10
	// maxLogged is the maximum length of a message of LogLines.
	maxLogged = 4 << 10
)

// tail copies its input to a writer and keeps the end of it. It ignores errors of the writer, so
// that they do not affect the process whose standard error it copies.
type tail struct {
	w  io.Writer
	mu sync.Mutex
	// kept is the end of the input. It grows to twice maxTail before its first half is
	// dropped, so that each byte is moved once.
	kept []byte
}

// Write implements io.Writer and always succeeds.
func (t *tail) Write(p []byte) (int, error) {
	t.w.Write(p)
	t.mu.Lock()
	defer t.mu.Unlock()
	last := p[max(0, len(p)-maxTail):]
	if len(t.kept)+len(last) > 2*maxTail {
		t.kept = append(t.kept[:0], t.kept[len(t.kept)-maxTail:]...)
	}
	t.kept = append(t.kept, last...)
	return len(p), nil
}

// String returns the end of the input. It begins at the beginning of a line, unless the last line
// is longer than maxTail.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := t.kept
	if len(text) > maxTail {
		text = text[len(text)-maxTail:]
		if i := bytes.IndexByte(text, '\n'); i >= 0 && i+1 < len(text) {
			text = text[i+1:]
		}
	}
	return strings.ToValidUTF8(string(text), "\uFFFD")
}

func lastLine(text string) string {
	text = strings.TrimRight(text, "\r\n")
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// LogLines returns a writer that logs each line as a message with the given level. It splits
// lines longer than 4 KiB. It is meant for the Stderr of a command and is not safe for concurrent
// use.
func LogLines(l *slog.Logger, level slog.Level) io.Writer {
	return &lineLogger{log: l, level: level}
}

type lineLogger struct {
	log   *slog.Logger
	level slog.Level
	part  []byte // beginning of an incomplete line
}

func (l *lineLogger) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		i := bytes.IndexByte(rest, '\n')
		ended := i >= 0
		if !ended {
			i = len(rest)
		}
		if room := maxLogged - len(l.part); i > room {
			i, ended = room, false
		}
		l.part = append(l.part, rest[:i]...)
		rest = rest[i:]
		if ended {
			rest = rest[1:]
		}
		if ended || len(l.part) == maxLogged {
			if line := bytes.TrimSpace(l.part); len(line) > 0 {
				l.log.Log(context.Background(), l.level, string(line))
			}
			l.part = l.part[:0]
		}
	}
	return len(p), nil
}
