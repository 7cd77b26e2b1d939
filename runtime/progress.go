package runtime

import (
	"bytes"
	"context"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Progress tells the peer how far the request has come, if the peer has asked for it
// with a progress token; otherwise it does nothing. A value that is not above the last
// one, and any value after the answer or the cancellation of the request, is dropped:
// the protocol wants progress that grows and ends. Total may be nil, message "".
// Revision 2024-11-05 has no message; there it is left out.
func (c *Call) Progress(ctx context.Context, progress float64, total *float64, message string) error {
	token, ok := c.ProgressToken()
	if !ok {
		return nil
	}
	if _, err := c.terms.sending(jsonrpc.Notification, methodProgress); err != nil {
		return nil // the revision has none
	}
	if c.terms.revision < revisionProgressMessage && !c.terms.around() {
		message = ""
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over.Load() || c.context.Err() != nil || c.reported && progress <= c.progress {
		return nil
	}
	params := progressParams{token, progress, total, message}
	if err := c.peer.notify(ctx, c.terms, methodProgress, c.outgoing(methodProgress, params), c.currentRoute()); err != nil {
		return err
	}
	c.progress, c.reported = progress, true
	return nil
}

// Progress is how far the peer has come with a request.
type Progress struct {
	Progress float64  // grows from one to the next
	Total    *float64 // what Progress will be at the end, if known
	Message  string   // for people; "" when there is none
}

// maxNews bounds the progress of a request that waits for its callback. Of more than
// that the oldest goes: the newest says all.
const maxNews = 16

// news is the progress of a request. It is guarded by peer.mu, but for receiving.
type news struct {
	progress chan Progress // nil when the caller does not want any
	last     float64       // what was received last
	reported bool          // last is set
}

// put keeps a report that grows, in place of the oldest one when there are too many. It
// returns whether it did.
func (n *news) put(report Progress) bool {
	if n.reported && report.Progress <= n.last {
		return false
	}
	n.last, n.reported = report.Progress, true
	for {
		select {
		case n.progress <- report:
			return true
		default:
		}
		select {
		case <-n.progress:
		default:
		}
	}
}

type progressKey struct{}

// WithProgress returns a context for requests whose progress is to be reported: a
// request made with it, or with a context made from it, carries a progress token, which
// is the request's id and takes the place of one that the params may have. The callback
// runs in the goroutine that makes the request, which returns after the last report.
// Reports that do not grow are dropped, and so are the oldest ones when the callback is
// slow; a handler for notifications/progress gets none of them. Each report renews the
// timeout of the request, see ClientOptions ("Progress flow" in
// basic/utilities/progress, "Timeouts" in basic/lifecycle). What comes after the answer goes
// to the handler, but see [Follow].
func WithProgress(ctx context.Context, report func(Progress)) context.Context {
	return context.WithValue(ctx, progressKey{}, report)
}

// reporterOf is what a context of WithProgress or Follow says of the progress of a request
// made with it.
func reporterOf(ctx context.Context) (report func(Progress), f *followed) {
	switch v := ctx.Value(progressKey{}).(type) {
	case func(Progress):
		return v, nil
	case *followed:
		if v.taken.CompareAndSwap(false, true) {
			return func(Progress) {}, v // v gets each report itself; this one renews the timeout
		}
	}
	return nil, nil
}

// progressed hands the params of a progress notification to the request that asked for
// it. False: none did. Reading goroutine.
func (p *peer) progressed(params wire.Raw) bool {
	token, ok := scalarMember(wire.Object(params), "progressToken")
	if !ok {
		return false
	}
	n, ok := token.Int64()
	if !ok {
		return false
	}
	value, _ := scalarMember(wire.Object(params), "progress")
	progress, ok := value.Float64()
	if !ok {
		return false
	}
	report := Progress{Progress: progress, Message: strings.Clone(stringMember(wire.Object(params), "message"))}
	if value, _ := scalarMember(wire.Object(params), "total"); !value.IsZero() {
		if total, ok := value.Float64(); ok {
			report.Total = &total
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	w, f := p.pending[n], p.followed[n]
	wanted, grows := false, true
	if w != nil && w.progress != nil {
		wanted, grows = true, w.put(report)
	}
	if f != nil {
		wanted, grows = true, f.put(report)
	}
	if !grows {
		p.log.Debug("progress that does not grow dropped", "progress", progress)
	}
	return wanted
}

// metaParams are params with one more member in their _meta.
type metaParams struct {
	params wire.Appender // nil for none
	name   string
	value  wire.Appender
}

// AppendJSON appends the params object.
func (m metaParams) AppendJSON(dst []byte) ([]byte, error) {
	start := len(dst)
	if m.params == nil {
		dst = append(dst, "{}"...)
	} else {
		var err error
		if dst, err = m.params.AppendJSON(dst); err != nil {
			return dst, err
		}
	}
	if !extensible(dst[start:]) {
		return m.appendMerged(dst[:start], wire.Object(dst[start:]))
	}
	dst = dst[:len(dst)-1]
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	dst, err := m.value.AppendJSON(wire.AppendName(append(dst, `"_meta":{`...), m.name))
	return append(dst, "}}"...), err
}

// extensible reports whether the text of an object certainly has no _meta and can have a member
// put at its end.
func extensible(object []byte) bool {
	n := len(object)
	return n >= 2 && object[0] == '{' && object[n-1] == '}' && object[n-2] > ' ' &&
		!bytes.Contains(object, []byte("_meta")) && bytes.IndexByte(object, '\\') < 0 // as in \u005fmeta
}

// appendMerged is AppendJSON for the text of params that may have a _meta.
func (m metaParams) appendMerged(dst []byte, params wire.Object) ([]byte, error) {
	value, err := wire.Marshal(m.value)
	if err != nil {
		return dst, err
	}
	meta, _ := params.Get("_meta")
	with, err := wire.Object(meta).With(m.name, wire.Raw(value))
	if err != nil {
		return dst, wire.In(err, "_meta")
	}
	if params, err = params.With("_meta", wire.Raw(with)); err != nil {
		return dst, err
	}
	return wire.AppendObject(dst, params)
}

// progressParams are the params of notifications/progress.
type progressParams struct {
	token    wire.Scalar
	progress float64
	total    *float64
	message  string
}

// AppendJSON appends the params object.
func (p progressParams) AppendJSON(dst []byte) ([]byte, error) {
	dst, err := p.token.AppendJSON(append(dst, `{"progressToken":`...))
	if err != nil {
		return dst, wire.In(err, "progressToken")
	}
	if dst, err = wire.AppendFloat64(append(dst, `,"progress":`...), p.progress); err != nil {
		return dst, wire.In(err, "progress")
	}
	if p.total != nil {
		if dst, err = wire.AppendFloat64(append(dst, `,"total":`...), *p.total); err != nil {
			return dst, wire.In(err, "total")
		}
	}
	if p.message != "" {
		if dst, err = wire.AppendString(append(dst, `,"message":`...), p.message); err != nil {
			return dst, wire.In(err, "message")
		}
	}
	return append(dst, '}'), nil
}
