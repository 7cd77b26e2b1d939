package runtime

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/internal/waits"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The code below lets code that is written for sessions work with servers without them: the client keeps what
// a server would keep for a session. The log level goes into each request, and subscriptions into the
// filter of one subscriptions/listen.

// adapt carries out a request that exists only in revisions with sessions. Done is false for others.
func (s *Session) adapt(ctx context.Context, p *peer, method string, params wire.Appender, result wire.Value) (done bool, err error) {
	if p.row(method).Kind != 0 {
		return false, nil
	}
	switch method {
	case methodSetLevel, methodSubscribe, methodUnsubscribe:
	default:
		return false, nil
	}
	text, err := objectOf(params)
	if err != nil {
		return true, err
	}
	switch method {
	case methodSetLevel:
		level := LogLevel(text.GetString("level"))
		if level.severity() < 0 {
			return true, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "invalid params: /level: not a log level: %.50q", string(level))
		}
		s.current().requestLevel.Store(&level)
	case methodSubscribe, methodUnsubscribe:
		if need := "resources.subscribe"; !Declares(p.capabilities, need) {
			return true, &CapabilityError{Method: method, Capability: need}
		}
		limit := s.current().limits.patience(ctx, method).Quiet
		ctx, stop := limited(ctx, limit, 0, &TimeoutError{Method: method, Quiet: limit})
		defer stop()
		if err := s.subscription.subscribe(ctx, s, strings.Clone(text.GetString("uri")), method == methodSubscribe); err != nil {
			return true, err
		}
	}
	return true, decodeEmpty(result)
}

// decodeEmpty decodes a result without members. Result is nil if the caller needs none.
func decodeEmpty(result wire.Value) error {
	if result == nil {
		return nil
	}
	return wire.UnmarshalString(string(emptyResult), result)
}

// handlerSubscription is the subscription of a session's handlers. Turn must be made.
type handlerSubscription struct {
	turn    chan struct{}      // has room for one: holds a token while the stream is replaced, which may take long
	lists   []string           // members of the filter
	current context.CancelFunc // ends the stream; nil for none

	mu   sync.Mutex // locked to change uris, and to read them without the turn
	uris []string
}

// wants reports whether a notification is still to be handled when its stream has ended.
func (w *handlerSubscription) wants(n Notification) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return n.Method != methodUpdated || contains(w.uris, n.resource())
}

// restore listens on a new connection for the lists whose changes have a handler, and for the resources
// that were subscribed to. It waits until the server has acknowledged that, for a limited time.
func (w *handlerSubscription) restore(ctx context.Context, s *Session) {
	p := s.current().server.Load()
	w.turn <- struct{}{} // a stream of the connection before has ended with it
	defer func() { <-w.turn }()
	if w.lists = nil; !p.stateless {
		return
	}
	for _, method := range p.Notified {
		if r := p.row(method); r.flag() != "" && p.theirs.has(r.need()) {
			w.lists = append(w.lists, r.flag())
		}
	}
	ctx, cancel := context.WithTimeout(ctx, waits.Listen)
	defer cancel()
	if err := w.replace(ctx, s, w.uris, true); err != nil {
		s.current().debug("not listening yet", slog.Any("error", err))
	}
}

// subscribe adds or removes the URI of a resource.
func (w *handlerSubscription) subscribe(ctx context.Context, s *Session, uri string, add bool) error {
	select {
	case w.turn <- struct{}{}:
		defer func() { <-w.turn }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	i := slices.Index(w.uris, uri)
	if add == (i >= 0) && !(add && w.current == nil) { // without a stream, the last attempt has failed
		return nil
	}
	uris := slices.Clone(w.uris)
	if !add {
		uris = slices.Delete(uris, i, i+1)
	} else if i < 0 {
		uris = append(uris, uri)
	}
	return w.replace(ctx, s, uris, false)
}

// replace opens a stream for the lists and the resources and, when the server has acknowledged it, ends the one before.
// If that fails, nothing changes.
func (w *handlerSubscription) replace(ctx context.Context, s *Session, uris []string, patient bool) error {
	end, err := w.open(ctx, s, uris, patient)
	if err != nil && end == nil {
		return err
	}
	w.mu.Lock()
	w.uris = uris
	w.mu.Unlock()
	if w.current != nil {
		w.current()
	}
	w.current = end
	return err
}

// open opens a stream, if there is anything to listen to, and waits until the server has acknowledged it. It returns the
// function that ends the stream. The error is that of the stream, or that of ctx. If patient, the end of ctx ends only
// the wait.
func (w *handlerSubscription) open(ctx context.Context, s *Session, uris []string, patient bool) (end context.CancelFunc, err error) {
	if len(w.lists)+len(uris) == 0 {
		return nil, nil
	}
	filter := wire.ObjectWriter(nil)
	for _, name := range w.lists {
		filter.Bool(name, true)
	}
	if len(uris) > 0 {
		filter.Name(memberResources)
		filter.BeginArray()
		for _, uri := range uris {
			filter.Element()
			filter.PutString(uri)
		}
		filter.EndArray()
	}
	text, err := filter.Close()
	if err != nil {
		return nil, err
	}
	streaming, end := context.WithCancel(s.current().life.Background())
	acknowledged := make(chan error, 1)
	acknowledge := func(err error) {
		select {
		case acknowledged <- err:
		default: // the outcome is known
		}
	}
	if !s.current().life.Go(func() { acknowledge(s.dispatch(streaming, wire.Object(text), acknowledge)) }) {
		end()
		return nil, ErrClosed
	}
	select {
	case err = <-acknowledged:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	if err != nil && !(patient && ctx.Err() != nil) {
		end()
		return nil, err
	}
	return end, err
}

// dispatch passes the notifications of a stream to their handlers.
func (s *Session) dispatch(ctx context.Context, filter wire.Object, acknowledge func(error)) error {
	for n, err := range s.listen(ctx, filter, true) {
		switch {
		case err != nil:
			s.current().logger().Warn("the notifications for handlers are not received", "error", err)
			return err
		case n.Method == methodAck:
			acknowledge(nil)
			continue
		case ctx.Err() != nil && !s.subscription.wants(n):
			continue
		}
		p := s.current()
		c := p.conn.newCall(p.conn.life.Context(), p.server.Load(), &jsonrpc.Message{Kind: jsonrpc.Notification, Method: n.Method, Params: n.Params})
		p.life.Do(request{c}.serveNotification)
	}
	return ctx.Err()
}
