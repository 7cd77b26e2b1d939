package jsonrpc

import "github.com/mcpgen/mcpgen/runtime/wire"

// Item is one element of a batch: a message, or the error that explains why it is not one.
type Item struct {
	Message
	Err error // nil, or an *Error as Parse returns it
}

// IsBatch reports whether the text is an array, provided that it is JSON.
func IsBatch(text string) bool {
	for i := range len(text) {
		switch text[i] {
		case ' ', '\t', '\r', '\n':
			continue
		}
		return text[i] == '['
	}
	return false
}

// MaxBatch is the maximum number of messages in a batch of [ParseText].
const MaxBatch = 1000

// Text is what a text holds: a message or a batch of messages.
type Text struct {
	Message        // zero for a batch
	IsBatch bool   // the text is an array
	Batch   []Item // its elements
	Err     error  // why the text is neither, as Parse and ParseBatch return it
}

// ParseText parses a message or a batch.
func ParseText(text string) (t Text) {
	if t.IsBatch = IsBatch(text); t.IsBatch {
		t.Batch, t.Err = ParseBatch(text, MaxBatch)
	} else {
		t.Message, t.Err = Parse(text)
	}
	return t
}

// ParseBatch parses a batch of at most max messages. A non-nil error is an *Error to send
// back. It means that no message of the batch may be processed: the text is not acceptable
// JSON, or the array is empty or too long.
func ParseBatch(text string, max int) ([]Item, error) {
	r := wire.NewStringReader(text)
	var items []Item
	n := 0
	for r.BeginArray(); r.Element(); n++ {
		if n >= max {
			r.Skip()
			continue
		}
		m, fault := read(r)
		item := Item{Message: m}
		if fault != "" {
			item.Err = invalid(fault)
		}
		items = append(items, item)
	}
	r.End()
	if err := r.Err(); err != nil {
		return nil, parseError(err)
	}
	if n == 0 {
		return nil, invalid("empty batch")
	}
	if n > max {
		return nil, Errorf(CodeInvalidRequest, "invalid request: batch of %d messages exceeds the limit of %d", n, max)
	}
	return items, nil
}
