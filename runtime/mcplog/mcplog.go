// Package mcplog sends log/slog records as log messages of the protocol. A record that is
// logged with a handler's context goes to the client that made the request, if its level is
// at least the one that the client has set ("Log message notifications" in
// server/utilities/logging of every revision).
//
// A record becomes the data of a message, an object: the member "msg" is the record's
// message, the attributes follow, and a group is an object. The protocol forbids secrets,
// personal data and details that help an attacker in log messages.
package mcplog

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Handler is a slog.Handler that sends records to the client and to another handler. Create
// it with New.
type Handler struct {
	logger string
	next   slog.Handler
	with   []step // in the order of WithAttrs and WithGroup
}

// step is a group that was opened, or attributes that were added.
type step struct {
	group string // "" for attributes
	attrs []slog.Attr
}

// New returns a Handler. Logger names the source of the messages for the client and may be
// "". Next may be nil; otherwise it receives every record that it is enabled for. Records
// logged outside of requests go to no client.
func New(logger string, next slog.Handler) *Handler {
	if next == nil {
		next = slog.DiscardHandler
	}
	return &Handler{logger: logger, next: next}
}

// Enabled implements slog.Handler.
func (h *Handler) Enabled(ctx context.Context, level slog.Level) bool {
	if call := runtime.CallOf(ctx); call != nil && call.Logs(levelOf(level)) {
		return true
	}
	return h.next.Enabled(ctx, level)
}

// Handle implements slog.Handler. The record goes to the next handler even if sending the
// message fails. The error is that of either.
func (h *Handler) Handle(ctx context.Context, r slog.Record) error {
	var err error
	if h.next.Enabled(ctx, r.Level) {
		err = h.next.Handle(ctx, r.Clone())
	}
	call := runtime.CallOf(ctx)
	if call == nil || !call.Logs(levelOf(r.Level)) {
		return err
	}
	if sendErr := call.Log(ctx, levelOf(r.Level), h.logger, h.data(r)); err == nil {
		err = sendErr
	}
	return err
}

// data returns the object that a record becomes.
func (h *Handler) data(r slog.Record) wire.Object {
	var attrs []slog.Attr
	r.Attrs(func(a slog.Attr) bool {
		attrs = append(attrs, a)
		return true
	})
	for _, p := range slices.Backward(h.with) { // the record's attributes belong to the innermost group
		if p.group != "" {
			attrs = []slog.Attr{slog.GroupAttrs(p.group, attrs...)}
		} else {
			attrs = slices.Concat(p.attrs, attrs)
		}
	}
	data := wire.Members{{Name: "msg", Value: text(r.Message)}}
	addAll(&data, attrs)
	return object(data)
}

// WithAttrs implements slog.Handler.
func (h *Handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &Handler{h.logger, h.next.WithAttrs(attrs), append(slices.Clip(h.with), step{attrs: attrs})}
}

// WithGroup implements slog.Handler.
func (h *Handler) WithGroup(name string) slog.Handler {
	if name == "" {
		return h
	}
	return &Handler{h.logger, h.next.WithGroup(name), append(slices.Clip(h.with), step{group: name})}
}

// levelOf returns the protocol's level for a slog level. The protocol has more levels than slog: 2 is
// notice, 12 critical, 16 alert and 20 emergency.
func levelOf(level slog.Level) runtime.LogLevel {
	switch {
	case level < slog.LevelInfo:
		return runtime.LogDebug
	case level < slog.LevelInfo+2:
		return runtime.LogInfo
	case level < slog.LevelWarn:
		return runtime.LogNotice
	case level < slog.LevelError:
		return runtime.LogWarning
	case level < slog.LevelError+4:
		return runtime.LogError
	case level < slog.LevelError+8:
		return runtime.LogCritical
	case level < slog.LevelError+12:
		return runtime.LogAlert
	}
	return runtime.LogEmergency
}

// add adds an attribute to an object. A later attribute replaces one with the same name.
func add(to *wire.Members, a slog.Attr) {
	v := a.Value.Resolve()
	if v.Kind() != slog.KindGroup {
		if a.Key != "" || !a.Value.Equal(slog.Value{}) { // an empty attribute is ignored
			to.Set(valid(a.Key), value(v))
		}
		return
	}
	if a.Key == "" { // the attributes of a group without a name are inlined
		addAll(to, v.Group())
		return
	}
	var members wire.Members
	if addAll(&members, v.Group()); len(members) > 0 {
		to.Set(valid(a.Key), wire.Raw(object(members)))
	}
}

func addAll(to *wire.Members, attrs []slog.Attr) {
	for _, a := range attrs {
		add(to, a)
	}
}

// object returns the object with the given members. They come from add, so they are valid
// JSON.
func object(members wire.Members) wire.Object {
	o, _ := wire.NewObject(members...)
	return o
}

// value returns the JSON of a resolved value that is not a group.
func value(v slog.Value) wire.Raw {
	switch v.Kind() {
	case slog.KindBool, slog.KindInt64, slog.KindUint64:
		return wire.Raw(v.String())
	case slog.KindFloat64:
		if number, err := wire.AppendFloat64(nil, v.Float64()); err == nil {
			return wire.Raw(number)
		}
	case slog.KindTime:
		return text(v.Time().Format(time.RFC3339Nano))
	case slog.KindAny:
		return anything(v.Any())
	}
	return text(v.String())
}

func anything(v any) wire.Raw {
	switch v := v.(type) {
	case nil:
		return "null"
	case wire.Appender:
		if wire.IsNil(v) {
			return "null"
		}
		// Invalid JSON would make the text of the whole object empty.
		if data, err := wire.MarshalString(v); err == nil {
			var raw wire.Raw
			if wire.UnmarshalString(data, &raw) == nil {
				return raw
			}
		}
	case error:
		return text(fmt.Sprint(v)) // which recovers if v is a nil pointer
	}
	return text(fmt.Sprintf("%+v", v))
}

func text(s string) wire.Raw {
	t, _ := wire.AppendString(nil, valid(s))
	return wire.Raw(t)
}

func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
