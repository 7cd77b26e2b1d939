package audit

// Level is the severity of breaking a rule.
type Level string

// The levels. Must and Should are the requirement levels of the specification (RFC 2119). A
// note breaks no rule.
const (
	Must   Level = "error"
	Should Level = "warning"
	Note   Level = "note"
)

// Rule is the id of a rule in [Rules].
type Rule string

// RuleInfo describes a rule that the audit checks.
type RuleInfo struct {
	ID    Rule
	Level Level
	// Text is the rule in one sentence.
	Text string
	// Section is the page and section of the specification that states the rule.
	Section string
	// Since is the first revision with the rule, or "" if all revisions have it.
	Since string
}

// Rules returns all rules in the order of the specification's pages.
func Rules() []RuleInfo {
	var all []RuleInfo
	for _, page := range [][]RuleInfo{baseRules, utilityRules, serverRules, clientRules, transportRules, statelessRules} {
		all = append(all, page...)
	}
	return all
}

// ruleLevels maps each rule to its level.
var ruleLevels = func() map[Rule]Level {
	levels := map[Rule]Level{}
	for _, r := range Rules() {
		levels[r.ID] = r.Level
	}
	return levels
}()

// baseRules are the rules of messages, ids, the lifecycle and _meta.
var baseRules = []RuleInfo{
	{"schema", Must, "Every message matches the schema of its revision.", "schema", ""},
	{"not-a-message", Must, "Everything a side sends is a JSON-RPC message in UTF-8.", "basic, Messages", ""},
	{"roundtrip", Must, "A message stays the same when it is decoded and encoded again (only with --roundtrip).", "", ""},
	{"method-side", Must, "Each side sends only its own methods.", "schema", ""},
	{"method-revision", Must, "A session uses only the methods of its revision.", "basic/lifecycle, Version Negotiation", ""},
	{"method-reserved", Must, "Method names that begin with \"rpc.\" are reserved.", "JSON-RPC 2.0, section 4", ""},
	{"request-without-id", Must, "A request has an id, which is a string or an integer.", "basic, Requests", ""},
	{"notification-with-id", Must, "A notification has no id.", "basic, Notifications", ""},
	{"id-reused", Must, "A side does not reuse a request id within a session.", "basic, Requests", ""},
	{"response-unknown-id", Must, "A response has the id of an open request from the other side.", "basic, Responses", ""},
	{"unanswered", Must, "Every request is answered unless it is cancelled.", "JSON-RPC 2.0, section 5", ""},
	{"error-code", Should, "Error codes from -32768 to -32000 have the meanings that JSON-RPC and the protocol define.", "JSON-RPC 2.0, section 5.1", ""},
	{"batch-initialize", Must, "initialize is not part of a batch.", "basic/lifecycle, Initialization", ""},
	{"before-initialize", Must, "initialize is the first interaction of a session.", "basic/lifecycle, Initialization", ""},
	{"initialize-twice", Must, "A session has one initialize.", "basic/lifecycle, Initialization", ""},
	{"initialized-missing", Must, "The client sends notifications/initialized first after the answer to initialize.", "basic/lifecycle, Initialization", ""},
	{"initialized-early", Must, "The client sends notifications/initialized only after initialize has succeeded.", "basic/lifecycle, Initialization", ""},
	{"initialized-twice", Should, "The client sends notifications/initialized once.", "basic/lifecycle, Initialization", ""},
	{"client-request-early", Should, "Before the answer to initialize, the client sends no request except ping.", "basic/lifecycle, Initialization", ""},
	{"server-request-early", Should, "Before notifications/initialized, the server sends no request except ping.", "basic/lifecycle, Initialization", ""},
	{"version-form", Must, "A protocol version is a date in the form YYYY-MM-DD.", "basic/lifecycle, Version Negotiation", ""},
	{"version-newer", Should, "A client disconnects when the server answers with a version newer than the client's latest.", "basic/lifecycle, Version Negotiation", ""},
	{"capability", Must, "A side uses only capabilities that were declared.", "basic/lifecycle, Capability Negotiation", ""},
	{"capability-unserved", Should, "A side serves the methods of every capability it declares.", "basic/lifecycle, Capability Negotiation", ""},
	{"method-not-found", Should, "A receiver refuses an unsupported method with the code -32601.", "JSON-RPC 2.0, section 5.1", ""},
	{"meta-key", Must, "A key of _meta is a name with an optional prefix: labels and a slash.", "basic, _meta", "2025-06-18"},
	{"meta-reserved", Must, "Only the protocol defines _meta prefixes in which mcp or modelcontextprotocol comes before another label.", "basic, _meta", "2025-06-18"},
	{"icon-source", Should, "The source of an icon is an https: or data: URI.", "basic, Icons", "2025-11-25"},
	{"undeclared", Note, "A message has members that its revision does not define (only with --undeclared).", "schema", ""},
}

// utilityRules are the rules of basic/utilities.
var utilityRules = []RuleInfo{
	{"cancel-unknown", Must, "A side cancels only its own requests.", "basic/utilities/cancellation, Behavior Requirements", ""},
	{"cancel-completed", Must, "A side cancels only requests that are still in progress.", "basic/utilities/cancellation, Behavior Requirements", ""},
	{"cancel-initialize", Must, "The client does not cancel initialize.", "basic/utilities/cancellation, Behavior Requirements", ""},
	{"cancel-answered", Note, "A cancelled request is answered: the answer has passed the cancellation, or the receiver could not cancel the request.", "basic/utilities/cancellation, Behavior Requirements", ""},
	{"cancel-task", Must, "A request that runs as a task is cancelled with tasks/cancel.", "basic/utilities/cancellation, Behavior Requirements", "2025-11-25"},
	{"ping-result", Must, "The answer to a ping is an empty result.", "basic/utilities/ping, Behavior Requirements", ""},
	{"progress-token-reused", Must, "Active requests have different progress tokens.", "basic/utilities/progress, Progress Flow", ""},
	{"progress-token-unknown", Must, "A progress notification has the token of an active request from the other side.", "basic/utilities/progress, Behavior Requirements", ""},
	{"progress-not-increasing", Must, "Progress increases with each notification.", "basic/utilities/progress, Progress Flow", ""},
	{"progress-after-completion", Must, "Progress notifications stop once the request is answered.", "basic/utilities/progress, Implementation Notes", ""},
	{"task-status", Must, "A task starts as working, and its status does not change after completed, failed or cancelled.", "basic/utilities/tasks, Task Status Lifecycle", "2025-11-25"},
	{"task-ignored", Must, "A receiver that declares tasks for a request answers with a task when asked for one.", "basic/utilities/tasks, Task Support and Handling", "2025-11-25"},
	{"task-id-reused", Must, "Each task of a receiver has its own id.", "basic/utilities/tasks, Task IDs", "2025-11-25"},
	{"task-unknown", Must, "A task id refers to a task of the receiver.", "basic/utilities/tasks, Protocol Errors", "2025-11-25"},
	{"task-unasked", Must, "Only a request that asks for a task is answered with one.", "basic/utilities/tasks, Creating Tasks", "2025-11-25"},
	{"task-other", Must, "An answer describes the task that was asked for.", "basic/utilities/tasks, Getting Tasks", "2025-11-25"},
	{"task-error", Must, "A receiver refuses an unknown task with the code -32602.", "basic/utilities/tasks, Protocol Errors", "2025-11-25"},
	{"task-cancel-terminal", Must, "A receiver refuses to cancel a finished task with the code -32602.", "basic/utilities/tasks, Task Cancellation", "2025-11-25"},
	{"task-related", Must, "The result of tasks/result names its task in _meta.", "basic/utilities/tasks, Associating Task-Related Messages", "2025-11-25"},
	{"task-time", Must, "The times of a task are in ISO 8601 form.", "basic/utilities/tasks, Task Creation", "2025-11-25"},
	{"task-forbidden", Must, "A tool without task support is not called as a task.", "basic/utilities/tasks, Tool-Level Negotiation", "2025-11-25"},
	{"task-required", Must, "A tool that requires a task is called as one.", "basic/utilities/tasks, Tool-Level Negotiation", "2025-11-25"},
}

// serverRules are the rules of the server pages.
var serverRules = []RuleInfo{
	{"duplicate-name", Must, "Within a server, each tool and prompt has its own name and each resource its own URI.", "server/tools, server/prompts, server/resources, Data Types", ""},
	{"list-changed-unannounced", Should, "A server that declares listChanged sends a notification when a list changes.", "server/tools, List Changed Notification", ""},
	{"cursor-unknown", Must, "A client sends only cursors that it received from the server.", "server/utilities/pagination, Implementation Guidelines", ""},
	{"cursor-accepted", Should, "A server refuses an invalid cursor with the code -32602.", "server/utilities/pagination, Error Handling", ""},
	{"tool-name", Should, "A tool name has 1 to 128 ASCII letters, digits, underscores, hyphens and dots.", "server/tools, Tool Names", "2025-11-25"},
	{"tool-schema", Must, "The schemas of a tool are valid JSON Schema.", "server/tools, Data Types", ""},
	{"tool-unknown", Should, "A server refuses a call of an unknown tool with the code -32602.", "server/tools, Error Handling", ""},
	{"arguments-invalid", Must, "The arguments of a call match the tool's input schema.", "server/tools, Data Types", ""},
	{"arguments-accepted", Must, "A server validates the arguments of a call.", "server/tools, Security Considerations", ""},
	{"structured-content-missing", Must, "A tool with an output schema returns structured content.", "server/tools, Output Schema", "2025-06-18"},
	{"structured-content-invalid", Must, "Structured content matches the tool's output schema.", "server/tools, Output Schema", "2025-06-18"},
	{"structured-content-text", Should, "A result with structured content also has that value as JSON in a text block.", "server/tools, Structured Content", "2025-06-18"},
	{"base64", Must, "Binary data is base64.", "server/resources, Security Considerations; server/prompts, Image Content", ""},
	{"mime-type", Must, "Images and audio have a valid MIME type.", "server/prompts, Image Content", ""},
	{"last-modified", Should, "The annotation lastModified is a time in ISO 8601 form.", "server/resources, Annotations", "2025-06-18"},
	{"embedded-resource", Should, "A server that embeds resources in tool results declares the capability resources.", "server/tools, Embedded Resources", "2025-06-18"},
	{"prompt-arguments", Must, "A client sends all arguments that a prompt requires.", "server/prompts, Data Types", ""},
	{"prompt-error", Should, "A server refuses an unknown prompt or a missing argument with the code -32602.", "server/prompts, Error Handling", ""},
	{"resource-not-found", Should, "A server refuses an unknown resource with the code -32002.", "server/resources, Error Handling", ""},
	{"subscribe", Must, "A server sends updates only to a client that has subscribed.", "server/resources, Subscriptions", ""},
	{"subscribe-part", Should, "A server sends updates only for subscribed resources and their parts.", "server/resources, Subscriptions", ""},
	{"log-level", Must, "A log message has at least the level that the client has set.", "server/utilities/logging, Setting Log Level", ""},
	{"log-level-invalid", Should, "A server refuses an invalid log level with the code -32602.", "server/utilities/logging, Error Handling", ""},
	{"log-secret", Must, "Log messages contain no credentials.", "server/utilities/logging, Security", ""},
	{"completion-values", Must, "A completion has at most 100 values.", "server/utilities/completion, Completion Results", ""},
}

// clientRules are the rules of the client pages.
var clientRules = []RuleInfo{
	{"root-uri", Must, "A root has a file:// URI.", "client/roots, Data Types", ""},
	{"roots-changed-unannounced", Must, "A client that declares listChanged sends a notification when its roots change.", "client/roots, Root List Changes", ""},
	{"sampling-tool-result", Must, "A message with tool results is from the user, has nothing else, and answers each tool use of the previous message once.", "client/sampling, Tool Result Messages", "2025-11-25"},
	{"sampling-tool-choice", Must, "The model obeys toolChoice and uses only tools of the request.", "client/sampling, Tool Choice", "2025-11-25"},
	{"sampling-context", Should, "A server asks for context from servers only if the client declares sampling.context.", "client/sampling, Capabilities", "2025-11-25"},
	{"elicitation-content", Must, "The content of an accepted form matches the requested schema.", "client/elicitation, Response Actions", "2025-06-18"},
	{"elicitation-content-missing", Must, "An accepted form has content.", "client/elicitation, Response Actions", "2025-06-18"},
	{"elicitation-content-extra", Should, "A declined or cancelled form has no content, and neither has an elicitation by URL.", "client/elicitation, Response Actions", "2025-06-18"},
	{"elicitation-sensitive", Must, "A form does not ask for passwords, keys, tokens or payment data.", "client/elicitation, User Interaction Model", "2025-06-18"},
	{"elicitation-form-url", Should, "A form contains no URLs.", "client/elicitation, Safe URL Handling", "2025-11-25"},
	{"elicitation-url", Must, "The url of an elicitation is a valid URL.", "client/elicitation, URL Mode Elicitation Requests", "2025-11-25"},
	{"elicitation-url-secret", Must, "The url of an elicitation contains no credentials.", "client/elicitation, Safe URL Handling", "2025-11-25"},
	{"elicitation-url-https", Should, "The url of an elicitation uses https.", "client/elicitation, Safe URL Handling", "2025-11-25"},
	{"elicitation-complete-unknown", Must, "A completion notification has the id of an elicitation that the server requested.", "client/elicitation, Completion Notifications", "2025-11-25"},
	{"elicitation-required", Must, "The error -32042 lists URL elicitations, and the client supports them.", "client/elicitation, URL Elicitation Required Error", "2025-11-25"},
}

// transportRules are the rules of basic/transports and basic/authorization, and the notes of
// the audit itself.
var transportRules = []RuleInfo{
	{"stdout-text", Must, "A server writes only messages to its standard output.", "basic/transports, stdio", ""},
	{"stdin-text", Must, "A client writes only messages to the server's standard input.", "basic/transports, stdio", ""},
	{"embedded-newline", Must, "A message over stdio contains no line ends.", "basic/transports, stdio", ""},
	{"http-accept", Must, "A POST accepts application/json and text/event-stream; a GET accepts text/event-stream.", "basic/transports, Sending Messages to the Server", "2025-03-26"},
	{"http-request-type", Should, "A POST has the Content-Type application/json.", "basic/transports, Sending Messages to the Server", "2025-03-26"},
	{"http-method", Must, "A client sends messages by POST and uses no methods except POST, GET and DELETE.", "basic/transports, Streamable HTTP", "2025-03-26"},
	{"http-protocol-version", Must, "Requests after initialize have the header MCP-Protocol-Version.", "basic/transports, Protocol Version Header", "2025-06-18"},
	{"http-protocol-version-other", Should, "The header MCP-Protocol-Version has the negotiated version.", "basic/transports, Protocol Version Header", "2025-06-18"},
	{"http-protocol-version-accepted", Must, "A server answers 400 to an invalid or unsupported protocol version.", "basic/transports, Protocol Version Header", "2025-06-18"},
	{"http-session-missing", Must, "Requests after initialize have the session id that the server assigned.", "basic/transports, Session Management", "2025-03-26"},
	{"http-session-accepted", Should, "A server with sessions answers 400 to a request without a session id.", "basic/transports, Session Management", "2025-03-26"},
	{"http-session-id", Must, "A session id contains only visible ASCII characters.", "basic/transports, Session Management", "2025-03-26"},
	{"http-session-ended", Must, "A server answers 404 to a request of a session that has ended.", "basic/transports, Session Management", "2025-03-26"},
	{"http-session-lost", Must, "After a 404, a client starts a new session with initialize and without a session id.", "basic/transports, Session Management", "2025-03-26"},
	{"http-content-type", Must, "The response to a request is application/json or text/event-stream; to a GET it is text/event-stream or 405.", "basic/transports, Sending Messages to the Server", "2025-03-26"},
	{"http-accepted", Must, "A server answers accepted notifications and responses with 202 and no body.", "basic/transports, Sending Messages to the Server", "2025-03-26"},
	{"http-stream-closed", Should, "The stream of a POST does not end before the response.", "basic/transports, Sending Messages to the Server", "2025-03-26"},
	{"http-stream-after-response", Should, "The stream of a POST ends after the response.", "basic/transports, Sending Messages to the Server", "2025-03-26"},
	{"http-response-elsewhere", Should, "A response comes on the stream of the POST with its request.", "basic/transports, Sending Messages to the Server", "2025-03-26"},
	{"http-get-response", Must, "The stream of a GET has no responses unless it resumes another stream.", "basic/transports, Listening for Messages from the Server", "2025-03-26"},
	{"http-event-id", Must, "Each event of a session has its own id.", "basic/transports, Resumability and Redelivery", "2025-03-26"},
	{"http-replay", Must, "A resumed stream replays only its own messages.", "basic/transports, Resumability and Redelivery", "2025-03-26"},
	{"http-authenticate", Should, "A 401 has the header WWW-Authenticate.", "basic/authorization", "2025-03-26"},
	{"http-token-in-query", Must, "The URL contains no access token.", "basic/authorization, Token Requirements", "2025-03-26"},
	{"sse-endpoint", Must, "With HTTP+SSE, the first event of a stream is endpoint.", "basic/transports, HTTP with SSE", ""},
	{"unjudged", Note, "A message was passed on without being checked.", "", ""},
	{"method-unknown", Note, "No revision has the method.", "", ""},
	{"revision-unknown", Note, "This program does not know the protocol version.", "", ""},
	{"no-initialize", Note, "The recording has no initialize; rules between messages apply only as far as they can be checked.", "", ""},
	{"crossed", Note, "Messages may have overtaken each other.", "", ""},
	{"schema-unchecked", Note, "A schema or value cannot be checked, for example because its dialect is unknown.", "", ""},
}
