package audit

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file checks the rules of basic/patterns/subscriptions (2026-07-28).

const (
	methodListen       = "subscriptions/listen"
	methodAcknowledged = "notifications/subscriptions/acknowledged"
	methodUpdated      = "notifications/resources/updated"
)

// subscription is what a listen request asks for, and what the server has agreed to. Both are
// filters as texts.
type subscription struct {
	asked, agreed string
	acknowledged  bool
	listed        map[string]bool // the lists that have been complete since the acknowledgment, by their keys
}

// filter returns what the server has agreed to or, if it has not said so, what the client asks for.
func (l *subscription) filter() wire.Raw {
	if l.agreed != "" {
		return wire.Raw(l.agreed)
	}
	return wire.Raw(l.asked)
}

// listens remembers what a listen request asks for.
func (s *Session) listens(r *request, params wire.Raw) {
	if filter := string(member(params, "notifications")); len(filter) <= 1<<20 {
		r.about.listen = &subscription{asked: strings.Clone(filter)}
	}
}

// subscribes reports whether a notification belongs to a subscription.
func (s *Session) subscribes(method string) bool {
	m := s.methods[method]
	return method == methodAcknowledged || m != nil && m.Filter != ""
}

// delivered checks a notification of a subscription.
func (s *Session) delivered(c *check, m jsonrpc.Message, pointer string) {
	raw := member(m.Params, "_meta", metaSubscription)
	at := pointer + "/params/_meta"
	if raw == "" {
		c.breaks("subscription-id", pointer+"/params", "%s has no subscriptionId in _meta", m.Method)
		return
	}
	id := scalar(raw).Canonical()
	var r *request
	for _, open := range s.open.byID[id] {
		if open.by == Client && open.name == methodListen {
			r = open
		}
	}
	switch {
	case r == nil:
		c.breaks("subscription-unknown", at, "no open %s has the id %s%s", methodListen, cut(string(raw), 80), s.alike(c, id))
		return
	case r.about.listen == nil:
		return
	case c.exchange != nil && r.exchange != c.exchange.number:
		c.breaks("http-stream-other", at, "the notification is not on the stream of its subscription")
	}
	s.capabilities[Client] = r.about.capabilities
	s.undeclaredExtension(c, s.methods[m.Method], pointer+"/method")
	l := r.about.listen
	if m.Method == methodAcknowledged {
		l.acknowledged = true
		s.acknowledged(c, l, member(m.Params, "notifications"), pointer+"/params/notifications")
		return
	}
	if !l.acknowledged {
		c.breaks("subscription-acknowledged", pointer, "%s comes before the acknowledgment of the subscription %s", m.Method, cut(string(raw), 80))
		l.acknowledged = true // reported once
	}
	if !covers(l.filter(), s.methods[m.Method], m) {
		c.breaks("subscription-unasked", pointer+"/method", "the subscription %s does not include %s", cut(string(raw), 80), subject(m))
	}
}

// acknowledged checks that the server agrees to nothing that was not asked for.
func (s *Session) acknowledged(c *check, l *subscription, filter wire.Raw, pointer string) {
	asked := wire.Object(l.asked)
	for name, value := range wire.Object(filter).All() {
		want, _ := asked.Get(name)
		at := wire.ChildPointer(pointer, name)
		switch {
		case value == "true" && want != "true":
			c.breaks("subscription-unasked", at, "the server agrees to %s, which the client has not asked for", cut(name, 80))
		case value.Kind() == wire.KindArray:
			for i, uri := range value.Elements() {
				if !slices.ContainsFunc(want.Elements(), func(one wire.Raw) bool { return text(one) == text(uri) }) {
					c.breaks("subscription-unasked", ptr(at, i), "the server agrees to %s, which the client has not asked for", cut(string(uri), 80))
				}
			}
		}
	}
	if len(filter) <= len(l.asked)+maxKeptString {
		l.agreed = strings.Clone(string(filter))
	}
}

// toldOf reports whether a subscription for the changes of a list has been open since the list was last complete,
// and records that the list is complete now.
func (s *Session) toldOf(list, notification string) (found bool) {
	for _, open := range s.open.byID {
		for _, r := range open {
			l, m := r.about.listen, s.methods[notification]
			if l == nil || r.cancelled || !l.acknowledged || m == nil || !covers(l.filter(), m, jsonrpc.Message{}) {
				continue
			}
			found = found || l.listed[list]
			if l.listed == nil {
				l.listed = map[string]bool{}
			}
			l.listed[list] = true
		}
	}
	return found
}

// covers reports whether a filter includes a notification. An updated resource may be a part of
// the one that the filter names.
func covers(filter wire.Raw, of *runtime.Method, m jsonrpc.Message) (found bool) {
	asked := member(filter, of.Filter)
	if of.FilterParam == "" {
		return asked == "true"
	}
	value := text(member(m.Params, of.FilterParam))
	for _, want := range asked.Elements() {
		found = found || value == text(want) || m.Method == methodUpdated && strings.HasPrefix(value, strings.TrimRight(text(want), "/"))
	}
	return found
}

func subject(m jsonrpc.Message) string {
	if m.Method == methodUpdated {
		return "updates of " + cut(text(member(m.Params, "uri")), 80)
	}
	return m.Method
}

// listenDone checks the end of a subscription.
func (s *Session) listenDone(c *check, r *request, result wire.Raw, pointer string) {
	if raw := member(result, "_meta", metaSubscription); scalar(raw).Canonical() != r.id {
		c.breaks("subscription-id", pointer+"/result/_meta", "the subscriptionId is %s, but the request has the id %s", cut(string(raw), 80), r.id)
	}
}

// loggedFor checks a log message of a stateless revision, which belongs to a request that is open
// (server/utilities/logging, "Per-request log level").
func (s *Session) loggedFor(c *check, params wire.Raw, pointer string) {
	asked, lowest := false, len(levels)
	for _, open := range s.open.byID {
		for _, r := range open {
			if r.by != Client || c.exchange != nil && r.exchange != c.exchange.number {
				continue
			}
			if r.about.logs {
				asked, lowest = true, min(lowest, max(levelOf(r.about.level), 0))
			}
		}
	}
	level := levelOf(text(member(params, "level")))
	switch {
	case c.exchange != nil && c.exchange.listens:
		c.breaks("http-listen-stream", pointer+"/method", "the stream of a subscription carries no log messages")
	case !asked:
		c.breaks("log-unasked", pointer+"/method", "no open request asks for log messages")
	case level >= 0 && level < lowest:
		c.breaks("log-level", pointer+"/params/level", "the request asks for the log level %s", levels[lowest])
	}
}

// tornDown checks that a server cancels only a subscription of the client.
func (s *Session) tornDown(c *check, id wire.Scalar, pointer string) {
	for _, r := range s.open.byID[id] {
		switch {
		case r.by != Client:
		case r.name == methodListen:
			s.open.remove(r)
			return
		default:
			c.breaks("cancel-not-listen", pointer, "the server cancels the request %s, which is %s", id, r.name)
			return
		}
	}
}
