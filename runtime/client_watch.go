package runtime

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/waits"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file lets code that is written for sessions work with servers without them: the client keeps what
// a server would keep for a session. The log level goes into each request, and subscriptions into the
// filter of one subscriptions/listen.

// adapt carries out a request that exists only in revisions with sessions. Done is false for others.
func (s *Session) adapt(ctx context.Context, t *terms, method string, params wire.Appender, result wire.Value) (done bool, err error) {
	if t.bound.rows[method].kind != 0 {
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
		s.now().era().wanted.Store(&level)
	case methodSubscribe, methodUnsubscribe:
		if need := "resources.subscribe"; !Declares(t.capabilities, need) {
			return true, &CapabilityError{Method: method, Capability: need}
		}
		if err := s.watch.subscribe(ctx, s, strings.Clone(text.GetString("uri")), method == methodSubscribe); err != nil {
			return true, err
		}
	}
	if result == nil {
		return true, nil
	}
	return true, wire.UnmarshalString(string(emptyResult), result)
}

// watch is the subscription of a session's handlers. The zero value is ready for use.
type watch struct {
	mu      sync.Mutex // held while the stream is replaced
	lists   []string   // members of the filter
	uris    []string
	current context.CancelFunc // ends the stream; nil for none
}

// restore listens on a new connection for the lists whose changes have a handler, and for the resources
// that were subscribed to. It waits until the server has acknowledged that, for a limited time.
func (w *watch) restore(ctx context.Context, s *Session) {
	t := s.now().server.Load().terms
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.lists = nil; !t.stateless() {
		return
	}
	for _, method := range t.bound.Notified {
		if r := t.bound.rows[method]; r.filter != "" && t.peer.has(r.need) {
			w.lists = append(w.lists, r.filter)
		}
	}
	if len(w.lists)+len(w.uris) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, waits.Listen)
	defer cancel()
	if err := w.replace(ctx, s, true); err != nil {
		s.now().peer.debug("not listening yet", slog.Any("error", err))
	}
}

// subscribe adds or removes the URI of a resource.
func (w *watch) subscribe(ctx context.Context, s *Session, uri string, add bool) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	i := slices.Index(w.uris, uri)
	if add == (i >= 0) {
		return nil
	}
	before := w.uris
	if add {
		w.uris = append(slices.Clone(before), uri)
	} else {
		w.uris = slices.Delete(slices.Clone(before), i, i+1)
	}
	if len(w.lists)+len(w.uris) == 0 {
		w.current()
		w.current = nil
		return nil
	}
	err := w.replace(ctx, s, false)
	if err != nil && add {
		w.uris = before
	}
	return err
}

// replace opens a stream with the current filter and, when the server has acknowledged it, ends the one
// before. The error is that of the new stream, or that of ctx. If patient, the end of ctx ends only the
// wait.
func (w *watch) replace(ctx context.Context, s *Session, patient bool) error {
	filter := []byte{'{'}
	for _, name := range w.lists {
		filter = append(wire.AppendName(filter, name), "true"...)
	}
	if len(w.uris) > 0 {
		filter = append(wire.AppendName(filter, memberResources), '[')
		for _, uri := range w.uris {
			var err error
			if filter, err = wire.AppendString(wire.AppendComma(filter), uri); err != nil {
				return err
			}
		}
		filter = append(filter, ']')
	}
	streaming, cancel := context.WithCancel(s.now().peer.life.Background())
	acknowledged := make(chan error, 1)
	acknowledge := func(err error) {
		select {
		case acknowledged <- err:
		default: // the outcome is known
		}
	}
	if !s.now().peer.life.Go(func() { acknowledge(s.dispatch(streaming, wire.Object(append(filter, '}')), acknowledge)) }) {
		cancel()
		return ErrClosed
	}
	var err error
	select {
	case err = <-acknowledged:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	if err != nil && !(patient && ctx.Err() != nil) {
		cancel()
		return err
	}
	if w.current != nil {
		w.current()
	}
	w.current = cancel
	return err
}

// dispatch passes the notifications of a stream to their handlers. It listens again if the server ends the
// subscription.
func (s *Session) dispatch(ctx context.Context, filter wire.Object, acknowledge func(error)) error {
	var acknowledged time.Time
	for ended := 0; ctx.Err() == nil; ended++ {
		if lasted(acknowledged) {
			ended = 1
		}
		acknowledged = time.Time{}
		if ended > 0 && rest(ctx, backoff(ended)) != nil {
			break
		}
		for n, err := range s.Listen(ctx, filter) {
			switch {
			case err != nil:
				s.now().peer.logger().Warn("the notifications for handlers are not received", "error", err)
				return err
			case n.Method == methodAck:
				acknowledged = time.Now()
				acknowledge(nil)
				continue
			}
			t := s.now().server.Load().terms
			c := s.now().peer.newCall(&jsonrpc.Message{Kind: jsonrpc.Notification, Method: n.Method, Params: n.Params}, admission{terms: t, handle: t.handle}, &Incoming{}, nil)
			c.notified()
		}
	}
	return ctx.Err()
}
