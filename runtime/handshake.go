package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Handshake is what one side has learned of a session by initialize. It is all that
// another Server with the same bindings needs to go on with the session.
type Handshake struct {
	Revision         string      // the negotiated revision
	PeerInfo         wire.Object // the peer's Implementation object; "" when unknown
	PeerCapabilities wire.Object // the capabilities the peer declared; "" when unknown
	Capabilities     wire.Object // the capabilities this side declared; "" for those of the options
}

// Resume is Serve for a session whose handshake is over: it was held with another
// Server, or there is none because the transport says with each message what a
// handshake would. The revision must be one that the server is bound to.
func (s *Server) Resume(ctx context.Context, t Transport, h Handshake) error {
	if s.err != nil {
		return errors.Join(s.err, t.Close())
	}
	own := h.Capabilities
	if own == "" {
		var err error
		if own, err = objectOf(s.opts.Capabilities); err != nil {
			return errors.Join(err, t.Close())
		}
	}
	for _, b := range s.bindings {
		if b.Revision == h.Revision {
			l := &serverLifecycle{
				server: s,
				bound:  b,
				terms:  b.terms(h.PeerInfo, h.PeerCapabilities, own),
				ready:  true,
			}
			return l.serve(newPeer(ctx, t, l, s.common))
		}
	}
	err := fmt.Errorf("runtime: a session of revision %.50q, to which the server is not bound", h.Revision)
	return errors.Join(err, t.Close())
}

// MaxMessage is the longest message, in bytes, that the server's sessions read. A
// transport that reads messages before a session asks for them heeds it.
func (s *Server) MaxMessage() int { return s.limits.message }

// Logger is the options' Logger, or one that discards.
func (s *Server) Logger() *slog.Logger { return s.log }

// Revisions are those the server is bound to, newest first.
func (s *Server) Revisions() []string { return revisions(s.bindings) }

// negotiated tells the transport what the handshake has led to, and begins what an open
// session does by itself. Reading goroutine.
func (p *peer) negotiated(t *terms) {
	p.opened.Store(time.Now().UnixNano())
	p.log.Info("session opened", "revision", t.revision,
		"peer", fmt.Sprintf("%.100s", stringMember(t.info, "name")), "version", fmt.Sprintf("%.100s", stringMember(t.info, "version")))
	if p.limits.ping > 0 {
		p.spawn(p.keepAlive)
	}
	if n, ok := p.transport.(Negotiator); ok {
		n.Negotiated(Handshake{Revision: t.revision, PeerInfo: t.info, PeerCapabilities: t.capabilities, Capabilities: t.declared})
	}
}
