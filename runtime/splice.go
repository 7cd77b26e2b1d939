package runtime

import (
	"context"
	"slices"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Spliced is a result with a part that is there as text already, such as a long list. It is not
// copied for a [Splicer].
type Spliced interface {
	wire.Appender
	// AppendSpliced is AppendJSON without the part, which belongs at an index of text.
	AppendSpliced(dst []byte) (text []byte, at int, part string, err error)
}

// Splicer is a transport that can send a text in parts.
type Splicer interface {
	// SendSpliced is Send of the message with the part put into m.Text at the index.
	SendSpliced(ctx context.Context, m Outgoing, at int, part string) error
}

// minPart is how long a part is for which that is worth it.
const minPart = 16 << 10

// splice is a part of the message in a buffer; zero for none.
type splice struct {
	at   int
	part string
}

// into puts the part where it belongs.
func (s splice) into(text []byte) []byte {
	if s.part == "" {
		return text
	}
	text = slices.Grow(text, len(s.part))
	text = text[:len(text)+len(s.part)]
	copy(text[s.at+len(s.part):], text[s.at:])
	copy(text[s.at:], s.part)
	return text
}

// appendResult is jsonrpc.AppendResult with the part of a Spliced left out if it is long and
// the transport can send it apart.
func (c *Call) appendResult(dst []byte, result wire.Appender) ([]byte, splice, error) {
	long, ok := result.(Spliced)
	if _, able := c.peer.transport.(Splicer); !ok || !able || c.batch != nil {
		text, err := jsonrpc.AppendResult(dst, c.id, result)
		return text, splice{}, err
	}
	s := spliced{Spliced: long}
	text, err := jsonrpc.AppendResult(dst, c.id, &s)
	switch {
	case err != nil:
		return text, splice{}, err
	case len(s.part) < minPart:
		return s.into(text), splice{}, nil
	}
	return text, s.splice, nil
}

// spliced appends a Spliced without its part, which it keeps.
type spliced struct {
	Spliced
	splice
}

// AppendJSON implements wire.Appender.
func (s *spliced) AppendJSON(dst []byte) (text []byte, err error) {
	text, s.at, s.part, err = s.AppendSpliced(dst)
	return text, err
}
