package proxy

import (
	"bytes"
	"testing"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/audit"
	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/recording"
)

// TestEventBounds checks that an event of many lines has the same size limit as an event of one
// line, and that later events are read.
func TestEventBounds(t *testing.T) {
	var record bytes.Buffer
	tap := NewTap(audit.Options{}, recording.NewWriter(&record), func(Finding) {})
	e := &events{tap: tap, entry: recording.Entry{Kind: recording.Event, From: audit.Server, Transport: recording.HTTP}}
	line := append(append([]byte("data: "), bytes.Repeat([]byte("x"), 1<<20)...), '\n')
	for range maxMessage>>20 + 4 {
		e.Write(line)
		if len(e.data) > maxMessage+2 {
			t.Fatalf("%d bytes of an event are kept", len(e.data))
		}
	}
	e.Write([]byte("\ndata: first\ndata:\ndata: last\n\n"))
	tap.Close()
	for _, want := range []string{tooLong, `"message":"first\n\nlast"`} {
		if !bytes.Contains(record.Bytes(), []byte(want)) {
			t.Errorf("the recording lacks %q: %.400s", want, record.Bytes())
		}
	}
}

// TestClosedDocument checks that a document keeps no bytes after it was closed.
func TestClosedDocument(t *testing.T) {
	tap := NewTap(audit.Options{}, nil, func(Finding) {})
	defer tap.Close()
	d := &document{tap: tap}
	d.Close()
	d.Write([]byte("late"))
	if len(d.text.bytes) > 0 {
		t.Errorf("%q was kept", d.text.bytes)
	}
}
