package diff

import (
	"fmt"
	"maps"
	"slices"
)

// Terms are what a revision says about connections, apart from messages.
type Terms struct {
	// Handshake means that a client opens a session with the request initialize, which agrees on the
	// revision. PerRequest means that each request names its revision.
	Handshake  bool `json:"handshake,omitempty"`
	PerRequest bool `json:"per_request,omitempty"`
	// Headers are the HTTP headers of the revision, which no schema has.
	Headers []string `json:"headers,omitempty"`
	// Codes are the error codes that the schema defines.
	Codes []ErrorCode `json:"codes,omitempty"`
}

// ErrorCode is an error code with the name of its definition.
type ErrorCode struct {
	Code int64  `json:"code"`
	Name string `json:"name"`
}

// Negotiation says whether a peer of one revision and a peer of another one agree on a revision.
type Negotiation struct {
	Old Terms `json:"old"`
	New Terms `json:"new"`
	// By is how they agree: in a handshake, with each request, or not at all.
	By string `json:"by" jsonschema:"enum=handshake,enum=request,enum=none"`
}

// The values of [Negotiation.By].
const (
	ByHandshake = "handshake"
	ByRequest   = "request"
	ByNone      = "none"
)

// terms returns what a revision says about connections.
func (s *messages) terms() Terms {
	t := Terms{Headers: s.rev.Headers}
	codes := s.rev.ErrorCodes()
	for _, code := range slices.Sorted(maps.Keys(codes)) {
		t.Codes = append(t.Codes, ErrorCode{code, codes[code].Name})
	}
	_, t.Handshake = s.methods[handshake]
	_, _, t.PerRequest = s.says(statement{places: []place{versionOfRequest}})
	return t
}

// negotiation returns how peers of the two sides agree on a revision. It is nil if both sides are the same
// revision, or a schema does not say how, such as that of an extension.
func (p *protocol) negotiation() *Negotiation {
	n := &Negotiation{Old: p.was.terms(), New: p.is.terms(), By: ByNone}
	switch {
	case p.was.rev.ID == p.is.rev.ID:
		return nil
	case !n.Old.Handshake && !n.Old.PerRequest, !n.New.Handshake && !n.New.PerRequest:
		return nil
	case n.Old.Handshake && n.New.Handshake:
		n.By = ByHandshake
	case n.Old.PerRequest && n.New.PerRequest:
		n.By = ByRequest
	}
	return n
}

// Negotiate returns what becomes of a peer that speaks only one of the two revisions and one that speaks the
// other. It returns "" if the sides do not negotiate.
func (r *Report) Negotiate() string {
	switch n := r.Negotiation; {
	case n == nil:
		return ""
	case n.By == ByHandshake:
		return "peers agree on one revision in initialize if at least one of the two speaks both; otherwise the client disconnects"
	case n.By == ByRequest:
		return "a server refuses a request that names a revision it does not speak, and a client that speaks both repeats it in the other one"
	}
	session, stateless := r.Old, r.New
	if r.Negotiation.New.Handshake {
		session, stateless = stateless, session
	}
	return fmt.Sprintf("a peer that speaks only %s and one that speaks only %s fail as a whole: the one begins with initialize, and the other names the revision in each request",
		session, stateless)
}
