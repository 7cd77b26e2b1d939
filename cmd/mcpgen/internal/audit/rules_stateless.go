package audit

// statelessRules are the rules that came with the revisions without sessions.
var statelessRules = []RuleInfo{
	{"meta-terms", Must, "The _meta of a request has the protocol version and the capabilities of the client.", "basic, _meta", "2026-07-28"},
	{"trace-context", Must, "The traceparent in _meta has the form of W3C Trace Context.", "basic, _meta", "2026-07-28"},
	{"id-in-use", Must, "The open requests of a side have different ids.", "basic, Requests", "2026-07-28"},
	{"server-request", Must, "A server sends no requests: it asks for input within a result.", "basic/patterns, Overview", "2026-07-28"},
	{"client-response", Must, "A client sends no responses.", "basic/patterns, Overview", "2026-07-28"},
	{"result-type", Must, "A result has a resultType.", "basic, Responses", "2026-07-28"},
	{"result-type-unknown", Must, "The protocol or a declared extension defines the resultType.", "basic, Responses", "2026-07-28"},
	{"extension-name", Must, "The identifier of an extension is a prefix of labels, a slash and a name.", "basic/versioning, Extension Negotiation", "2026-07-28"},
	{"extension-undeclared", Must, "A server that does not do without an extension refuses a request that does not declare it.", "basic/versioning, Extension Negotiation", "2026-07-28"},
	{"error-code-retired", Must, "The retired error codes -32002 and -32042 are not used.", "basic, Error Codes", "2026-07-28"},
	{"error-code-undefined", Must, "Error codes from -32099 to -32020 are the ones that the protocol defines.", "basic, Error Codes", "2026-07-28"},
	{"error-data", Must, "The errors -32021 and -32022 say what is required or supported.", "basic/versioning, Protocol Version Negotiation", "2026-07-28"},
	{"version-accepted", Must, "A server refuses a version that it does not support with the code -32022.", "basic/versioning, Protocol Version Negotiation", "2026-07-28"},
	{"discover-missing", Must, "A server implements server/discover.", "server/discover", "2026-07-28"},

	{"input-required-method", Must, "Only the results of tools/call, prompts/get and resources/read ask for input.", "basic/patterns/mrtr, Supported Requests", "2026-07-28"},
	{"input-required-empty", Must, "A result that asks for input has inputRequests or a requestState.", "basic/patterns/mrtr, Server Requirements (Basic Workflow)", "2026-07-28"},
	{"input-request", Must, "An input request has the method and params of an elicitation, a sampling or a list of roots.", "basic/patterns/mrtr, Server Requirements (Basic Workflow)", "2026-07-28"},
	{"input-capability", Must, "A server asks only for input whose capability the request declares.", "basic/patterns/mrtr, Server Requirements (Basic Workflow)", "2026-07-28"},
	{"input-response", Must, "An input response is a result of its input request.", "basic/patterns/mrtr, InputResponses", "2026-07-28"},
	{"retry-id", Must, "The retry of a request has another id.", "basic/patterns/mrtr, Client Requirements (Basic Workflow)", "2026-07-28"},
	{"retry-state", Must, "The retry of a request has exactly the requestState of the result, and none if that has none. No other request has it.", "basic/patterns/mrtr, Client Requirements (Basic Workflow)", "2026-07-28"},
	{"retry-incomplete", Must, "The retry of a request has a response for each input request.", "basic/patterns/mrtr, Client Requirements (Basic Workflow)", "2026-07-28"},

	{"subscription-id", Must, "The messages of a subscription have its subscriptionId in _meta.", "basic/patterns/subscriptions, Receiving Notifications", "2026-07-28"},
	{"subscription-unknown", Must, "The subscriptionId is the id of an open subscriptions/listen.", "basic/patterns/subscriptions, Receiving Notifications", "2026-07-28"},
	{"subscription-acknowledged", Must, "The acknowledgment is the first message of a subscription.", "basic/patterns/subscriptions, Acknowledgment", "2026-07-28"},
	{"subscription-unasked", Must, "A subscription has only notifications that the client has asked for.", "basic/patterns/subscriptions, Opening a Stream", "2026-07-28"},
	{"cancel-not-listen", Must, "A server cancels nothing but a subscription.", "basic/patterns/cancellation, Behavior Requirements", "2026-07-28"},
	{"log-unasked", Must, "A server sends log messages only for requests that ask for them.", "server/utilities/logging, Per-request log level", "2026-07-28"},

	{"cache-scope", Must, "The pages of a list have the same cacheScope.", "server/utilities/caching, Interaction with Pagination", "2026-07-28"},
	{"cache-misplaced", Should, "Only complete results have ttlMs and cacheScope.", "server/utilities/caching, Cacheable Results", "2026-07-28"},

	{"x-mcp-header", Must, "The annotations x-mcp-header of a tool are unique tokens at strings, integers and booleans that a chain of properties leads to.", "basic/transports/streamable-http, Schema Extension", "2026-07-28"},
	{"http-header-missing", Must, "A POST repeats the version, the method, the name and the annotated arguments of its request in headers.", "basic/transports/streamable-http, Request Metadata", "2026-07-28"},
	{"http-header-mismatch", Must, "The headers of a POST, decoded, agree with its request.", "basic/transports/streamable-http, Server Validation", "2026-07-28"},
	{"http-header-accepted", Must, "A server refuses a request that its headers do not agree with.", "basic/transports/streamable-http, Server Validation", "2026-07-28"},
	{"http-status", Must, "The status of an unknown method is 404, that of wrong headers, versions, capabilities and _meta is 400.", "basic/transports/streamable-http, Request Metadata", "2026-07-28"},
	{"http-session-minted", Should, "A server without sessions returns no session id.", "basic/transports/streamable-http, Earlier Streamable HTTP Revisions", "2026-07-28"},
	{"http-stream-other", Must, "The notifications of a stream belong to its request.", "basic/transports/streamable-http, Receiving Messages", "2026-07-28"},
	{"http-listen-stream", Should, "The stream of a subscription has no progress and no log messages.", "basic/transports/streamable-http, Receiving Messages", "2026-07-28"},
}
