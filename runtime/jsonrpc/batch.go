package jsonrpc

import "github.com/mcpgen/mcpgen/runtime/wire"

// Item is one element of a batch: a message, or why it is none.
type Item struct {
	Message
	Err error // nil or an *Error, as Parse returns it
}

// IsBatch reports whether the text, if it is JSON at all, is an array.
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

// ParseBatch reads the text of a batch of at most max messages. The error is an *Error
// fit to be sent back and means that nothing in the batch may be acted on: the text is
// not acceptable JSON, or the array is empty or too long.
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
		return nil, invalid("an empty batch")
	}
	if n > max {
		return nil, Errorf(CodeInvalidRequest, "invalid request: a batch of %d messages, more than %d", n, max)
	}
	return items, nil
}
