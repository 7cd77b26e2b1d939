// Package headers handles the HTTP headers that repeat parts of a message, so that proxies can route
// a request without reading its body ("Request Metadata" in basic/transports/streamable-http,
// 2026-07-28).
//
// [Encode] and [Decode] convert values of headers. [Standard] has what the standard headers repeat,
// and a [Table] has the headers of a tool, which the annotation x-mcp-header in its inputSchema
// declares. Clients set both, and servers check both. A failed check is a *[MismatchError].
//
// A [Header] is an http.Header. The package does not import net/http, because servers over stdio link
// it too.
package headers

// The names of headers, in the canonical form of net/http.
const (
	Revision = "Mcp-Protocol-Version"
	Method   = "Mcp-Method"
	Name     = "Mcp-Name"
	Session  = "Mcp-Session-Id" // of revisions with sessions
	LastID   = "Last-Event-Id"  // of revisions with sessions

	prefixParam = "Mcp-Param-"
)

// Header holds the values of each header under its canonical name, as http.Header does.
type Header = map[string][]string
