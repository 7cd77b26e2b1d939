package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Handshake is what one side has learned of a session by initialize, and on a server's
// side what the client has set since. It is all that another Server with the same bindings
// needs to go on with the session.
type Handshake struct {
	Revision         string      // the negotiated revision
	PeerInfo         wire.Object // the peer's Implementation object; "" when unknown
	PeerCapabilities wire.Object // the capabilities the peer declared; "" when unknown
	Capabilities     wire.Object // the capabilities this side declared; "" for those of the options
	LogLevel         LogLevel    // of the least severe log messages that the client wants; "" is all
}

// Resume is Serve for a session whose handshake is over: it was held with another
// Server, or there is none because the transport says with each message what a
// handshake would. The revision must be one that the server is bound to.
func (s *Server) Resume(ctx context.Context, t Transport, h Handshake) error {
	if h.Revision == "" {
		return errors.Join(s.err, errors.New("runtime: a session without a revision"), t.Close())
	}
	return s.serve(ctx, t, h)
}

// resume puts a lifecycle where the handshake has led to.
func (l *serverLifecycle) resume(h Handshake) error {
	for _, b := range l.server.bindings {
		if b.Revision == h.Revision {
			own := h.Capabilities
			if own == "" {
				declared, err := b.declare(l.server.opts.Capabilities)
				if err != nil {
					return err
				}
				if own, err = objectOf(declared); err != nil {
					return err
				}
			}
			l.bound, l.terms, l.ready = b, b.terms(h.PeerInfo, h.PeerCapabilities, own), true
			return nil
		}
	}
	return fmt.Errorf("runtime: a session of revision %.50q, to which the server is not bound", h.Revision)
}

// MaxMessage is the longest message, in bytes, that the server's sessions read. A
// transport that reads messages before a session asks for them heeds it.
func (s *Server) MaxMessage() int { return s.limits.MaxMessage }

// Grace is how long requests may go on when their session shuts down; 0 is not at all.
func (s *Server) Grace() time.Duration { return max(s.limits.grace, 0) }

// Logger is the options' Logger, or one that discards.
func (s *Server) Logger() *slog.Logger { return s.log }

// Revisions are those the server is bound to, newest first.
func (s *Server) Revisions() []string { return revisions(s.bindings) }

// negotiated tells the transport what the handshake has led to, and begins what an open
// session does by itself. Reading goroutine.
func (p *peer) negotiated(t *terms) {
	p.open("session opened", t)
	p.tellTransport(t)
}

// resumed does for a session that is gone on with what negotiated does for a new one. A
// transport that could name the session but does not is there for a single message, and
// nothing happens. Before run.
func (p *peer) resumed(t *terms, level LogLevel) {
	if severity := level.severity(); severity > 0 {
		p.logLevel.Store(int32(severity))
	}
	if _, ok := p.transport.(Identified); ok && p.sessionID() == "" {
		return
	}
	// An id must not have been used in the session before, by whatever server, nor be
	// larger than the integers that all peers can read ("Requests" in basic of every
	// revision).
	p.lastID = int64(rand.Uint32()) << 20
	p.open("session resumed", t)
}

// open begins what an open session does by itself.
func (p *peer) open(what string, t *terms) {
	p.opened.Store(time.Now().UnixNano())
	p.log.Info(what, "revision", t.revision,
		"peer", fmt.Sprintf("%.100s", stringMember(t.info, "name")), "version", fmt.Sprintf("%.100s", stringMember(t.info, "version")))
	p.startKeepingAlive()
}

// tellTransport tells the transport what is known of the session.
func (p *peer) tellTransport(t *terms) {
	n, ok := p.transport.(Negotiator)
	if !ok {
		return
	}
	p.telling.Lock() // what is told last is what is known last
	defer p.telling.Unlock()
	h := Handshake{Revision: t.revision, PeerInfo: t.info, PeerCapabilities: t.capabilities, Capabilities: t.declared}
	if severity := p.logLevel.Load(); severity > 0 {
		h.LogLevel = logLevels[severity]
	}
	n.Negotiated(h)
}
