package convert

import (
	"context"
	"fmt"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Options configure the conversion of messages. The zero value is ready to use.
type Options struct {
	// Lost, if not nil, is called for each loss before the message is sent or handled. It is
	// called concurrently. For a list that is kept for later requests it is called once.
	Lost func(ctx context.Context, r Report)
}

// Report describes a loss.
type Report struct {
	From, To string // revisions
	Method   string // "" for capabilities
	// Item is the name or the URI of the item in a list, or "" if the loss is in params or in
	// a result.
	Item string
	Loss
}

// String returns the place and the reason in one line.
func (r Report) String() string {
	if r.Item == "" {
		return r.Method + r.Loss.String()
	}
	return r.Method + " " + r.Item + r.Loss.String()
}

func (o *Options) report(ctx context.Context, r Report, losses []Loss) {
	if o.Lost == nil {
		return
	}
	for _, l := range losses {
		r.Loss = l
		o.Lost(ctx, r)
	}
}

// itemKey returns the name or the URI of an item in a list, or "".
func itemKey(definition string, item wire.Appender) string {
	o, _ := item.(wire.Object)
	switch definition {
	case "Tool", "Prompt":
		return o.GetString("name")
	case "Resource":
		return o.GetString("uri")
	case "ResourceTemplate":
		return o.GetString("uriTemplate")
	}
	return ""
}

// RevisionError reports that a request was not sent because the revision of the session
// cannot express it.
type RevisionError struct {
	Revision, Method string
	Err              *Error
}

// Error returns the reason in one line.
func (e *RevisionError) Error() string {
	text := fmt.Sprintf("cannot send %s in revision %s: ", e.Method, e.Revision)
	if e.Err.Pointer != "" {
		text += "at " + e.Err.Pointer + ": "
	}
	return text + e.Err.Reason
}

// Unwrap returns the reason.
func (e *RevisionError) Unwrap() error { return e.Err }
