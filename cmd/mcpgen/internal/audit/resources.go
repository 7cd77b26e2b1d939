package audit

import (
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file checks the rules of server/resources.

// updated checks a resource update (server/resources, "Subscriptions"). The resource may be
// part of a subscribed one.
func (s *Session) updated(c *check, params wire.Raw, pointer string) {
	uri := text(member(params, "uri"))
	at := pointer + "/params/uri"
	if !s.whole || len(s.subscribed) >= maxKept || s.subscribed[uri] {
		return
	}
	if len(s.subscribed) == 0 {
		c.breaks("subscribe", at, "the client has not subscribed to any resource")
		return
	}
	for whole := range s.subscribed {
		if strings.HasPrefix(uri, strings.TrimRight(whole, "/")) {
			return
		}
	}
	c.breaks("subscribe-part", at, "the client has subscribed neither to %q nor to a resource whose URI is a prefix of it", cut(uri, 80))
}
