package runtime

import (
	"bytes"
	"slices"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file adds to the results of stateless requests what all of them have: the type, the server's
// Implementation, and how long the result may be kept ("Result Responses" and "Per-response protocol
// fields" in basic, "Cacheable Results" in server/utilities/caching, 2026-07-28). What a handler has set
// is kept.

// stampedMembers are the members of a result that stamp looks for, and their places in it.
var stampedMembers = [...]string{"resultType", "_meta", "ttlMs", "cacheScope"}

const (
	atResultType = iota
	atMeta
	atTTL
	atScope
)

// stamp completes the result object that dst holds from start on.
func (c *Call) stamp(dst []byte, start int) ([]byte, error) {
	text := dst[start:]
	if len(text) < 2 || text[0] != '{' || text[len(text)-1] != '}' {
		return dst, nil
	}
	var found [len(stampedMembers)]wire.Span
	wire.FindMembers(text, stampedMembers[:], found[:])
	complete := true
	if at := found[atResultType]; at.End > 0 {
		complete = string(text[at.Start:at.End]) == `"`+resultComplete+`"`
		if string(text[at.Start:at.End]) == `"`+resultInputRequired+`"` {
			asking, err := c.requireInput(wire.Object(text))
			if err != nil {
				return dst, err
			}
			dst = append(dst[:start], asking...)
			found = [len(stampedMembers)]wire.Span{}
			wire.FindMembers(dst[start:], stampedMembers[:], found[:])
		}
	}
	self := c.terms.bound.offered.server.stamp
	if meta := found[atMeta]; meta.End > 0 && self != "" {
		dst = identify(dst, start+meta.Start, start+meta.End, self)
	}
	dst = open(dst)
	if found[atResultType].End == 0 {
		dst = append(append(wire.AppendName(dst, "resultType"), '"'), resultComplete+`"`...)
	}
	if complete && c.terms.bound.rows[c.method].cacheable {
		dst = c.appendHint(dst, found[atTTL].End == 0, found[atScope].End == 0)
	}
	if found[atMeta].End == 0 && self != "" {
		dst = append(append(append(wire.AppendName(dst, "_meta"), '{'), self...), '}')
	}
	return append(dst, '}'), nil
}

// identify adds self to the object _meta in dst[start:end], unless it has that member or is no object.
func identify(dst []byte, start, end int, self string) []byte {
	meta := dst[start:end]
	if meta[0] != '{' {
		return dst
	}
	var found [1]wire.Span
	wire.FindMembers(meta, []string{metaServerInfo}, found[:])
	if found[0].End > 0 {
		return dst
	}
	at := len(open(dst[:end]))
	if dst[at-1] != '{' {
		self = "," + self
	}
	return slices.Insert(dst, at, []byte(self)...)
}

// open returns dst without the closing bracket at its end and the space before it.
func open(dst []byte) []byte { return bytes.TrimRight(dst[:len(dst)-1], " \t\r\n") }

// appendHint appends the members that say how long the result may be kept.
func (c *Call) appendHint(dst []byte, ttl, scope bool) []byte {
	hint := c.terms.bound.offered.server.opts.Cache.of(c.method)
	c.mu.Lock()
	if own := c.alone.hint; own != nil {
		hint = *own
	}
	c.mu.Unlock()
	if ttl {
		dst = wire.AppendInt64(wire.AppendName(dst, "ttlMs"), hint.TTL.Milliseconds())
	}
	if scope && hint.Public {
		dst = append(wire.AppendName(dst, "cacheScope"), `"public"`...)
	} else if scope {
		dst = append(wire.AppendName(dst, "cacheScope"), `"private"`...)
	}
	return dst
}
