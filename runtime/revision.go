package runtime

import (
	"slices"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The methods that the runtime itself sends or understands.
const (
	methodInitialize   = "initialize"
	methodInitialized  = "notifications/initialized"
	methodPing         = "ping"
	methodCancelled    = "notifications/cancelled"
	methodProgress     = "notifications/progress"
	methodMessage      = "notifications/message"
	methodSetLevel     = "logging/setLevel"
	methodElicit       = "elicitation/create"
	methodSample       = "sampling/createMessage"
	methodTaskResult   = "tasks/result"
	methodListRoots    = "roots/list"
	methodCallTool     = "tools/call"
	methodDiscover     = "server/discover"
	methodListen       = "subscriptions/listen"
	methodAck          = "notifications/subscriptions/acknowledged"
	methodListTools    = "tools/list"
	methodToolsChanged = "notifications/tools/list_changed"
	methodSubscribe    = "resources/subscribe"
	methodUnsubscribe  = "resources/unsubscribe"
	methodUpdated      = "notifications/resources/updated"
)

// The keys of _meta with which each message of a stateless revision carries its own terms ("_meta" in
// basic, 2026-07-28).
const (
	metaRevision     = "io.modelcontextprotocol/protocolVersion"
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
	metaClientInfo   = "io.modelcontextprotocol/clientInfo"
	metaServerInfo   = "io.modelcontextprotocol/serverInfo"
	metaLogLevel     = "io.modelcontextprotocol/logLevel"
	metaSubscription = "io.modelcontextprotocol/subscriptionId"
)

// The values of resultType, the member that tells results of stateless revisions apart ("Responses" in
// basic, 2026-07-28).
const (
	resultComplete      = "complete" // also if there is no resultType
	resultInputRequired = "input_required"
)

// The revisions that change the behaviour of the runtime. Revisions are dates, so they compare as strings.
const (
	revisionProgressMessage = "2025-03-26" // progress notifications have a message
	revisionTitle           = "2025-06-18" // Implementation has a title
	revisionDetails         = "2025-11-25" // Implementation has a description, a website and icons
	revisionNoID            = "2025-11-25" // an error answer may lack an id
	revisionNoTasks         = "2026-07-28" // params have no member task; tasks are an extension
)

// defines reports whether an error in a revision without sessions may have a code: one that JSON-RPC, this
// runtime or the revision defines, or one outside the range that JSON-RPC reserves. Codes from -32099 to -32020 that the
// revision does not define must not be sent, those from -32019 to -32000 and all others should not ("Error
// Codes" in basic, 2026-07-28).
func (b *bound) defines(code int64) bool {
	switch code {
	case jsonrpc.CodeParseError, jsonrpc.CodeInvalidRequest, jsonrpc.CodeMethodNotFound, jsonrpc.CodeInvalidParams, jsonrpc.CodeInternalError,
		jsonrpc.CodeHeaderMismatch, jsonrpc.CodeMissingCapability, jsonrpc.CodeUnsupportedVersion:
		return true
	}
	return code < -32768 || code > -32000 || slices.Contains(b.codes, code)
}

// allowsBatches reports whether messages may be sent in arrays. One revision introduced that and the next
// removed it.
func allowsBatches(revision string) bool { return revision == "2025-03-26" }

// unknownID returns the id in the error answer to a request whose id is unknown. JSON-RPC requires null,
// which no schema of the protocol allows. In revisions whose schema allows an absent id, it is zero.
func unknownID(revision string) wire.Scalar {
	if revision >= revisionNoID {
		return wire.Scalar{}
	}
	return wire.NullScalar()
}
