package audit

import (
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file checks the rules of client/roots.

// rootsSeen is the last known state of the client's roots.
type rootsSeen struct {
	any       bool
	sum       uint64
	announced bool
}

// rootsGiven checks the client's roots.
func (s *Session) rootsGiven(c *check, result wire.Raw, at string) {
	sum := uint64(0)
	for i, root := range member(result, "roots").Elements() {
		uri := text(member(root, "uri"))
		sum += hash(uri)
		if !strings.HasPrefix(strings.ToLower(uri), "file://") {
			c.breaks("root-uri", ptr(at+"/roots", i, "uri"), "%q is not a file:// URI", cut(uri, 80))
		}
	}
	if s.roots.any && s.roots.sum != sum && !s.roots.announced && s.declares(Client, "roots.listChanged") {
		s.late(c, time.Time{}, "roots-changed-unannounced", at+"/roots", "the roots have changed, but no notifications/roots/list_changed has come")
	}
	s.roots = rootsSeen{any: true, sum: sum}
}
