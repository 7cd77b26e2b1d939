package audit

// Level says what breaking a rule means.
type Level string

// The levels. The text of a revision demands a MUST and recommends a SHOULD; a note is
// worth a line and breaks nothing.
const (
	Must   Level = "error"
	Should Level = "warning"
	Note   Level = "note"
)

// Rule is the id of a row of [Rules].
type Rule string

// RuleInfo is a rule that a recording can show to be broken.
type RuleInfo struct {
	ID    Rule
	Level Level
	// Text is the rule in one sentence.
	Text string
	// Section is the page of the specification, with its section, that the rule rests on.
	Section string
	// Since is the first revision with the rule, "" for all.
	Since string
}

// Rules returns all rules, in the order of the specification's pages.
func Rules() []RuleInfo {
	var all []RuleInfo
	for _, page := range [][]RuleInfo{baseRules, utilityRules, serverRules, clientRules, transportRules} {
		all = append(all, page...)
	}
	return all
}

// ruleLevels has the level of each rule.
var ruleLevels = func() map[Rule]Level {
	levels := map[Rule]Level{}
	for _, r := range Rules() {
		levels[r.ID] = r.Level
	}
	return levels
}()

// baseRules are those of messages, ids, the lifecycle and _meta.
var baseRules = []RuleInfo{
	{"schema", Must, "A message has the form that the schema of its revision gives it.", "schema", ""},
	{"not-a-message", Must, "Whatever a side sends is a JSON-RPC message, in UTF-8.", "basic, Messages", ""},
	{"roundtrip", Must, "A message that is decoded and encoded again is the same (only with --roundtrip).", "", ""},
	{"method-side", Must, "Each side sends only the methods that are its own.", "schema", ""},
	{"method-revision", Must, "A session uses only the methods of its revision.", "basic/lifecycle, Version Negotiation", ""},
	{"method-reserved", Must, "Method names that begin with rpc. are reserved.", "JSON-RPC 2.0, section 4", ""},
	{"request-without-id", Must, "A request has an id that is a string or an integer.", "basic, Requests", ""},
	{"notification-with-id", Must, "A notification has no id.", "basic, Notifications", ""},
	{"id-reused", Must, "A side does not use the id of a request again in the session.", "basic, Requests", ""},
	{"response-unknown-id", Must, "A response has the id of a request that the other side sent and that is not answered yet.", "basic, Responses", ""},
	{"unanswered", Must, "Every request is answered, unless it was cancelled.", "JSON-RPC 2.0, section 5", ""},
	{"error-code", Should, "The codes from -32768 to -32000 have the meanings that JSON-RPC and the protocol give them.", "JSON-RPC 2.0, section 5.1", ""},
	{"batch-initialize", Must, "initialize is not part of a batch.", "basic/lifecycle, Initialization", ""},
	{"before-initialize", Must, "initialize is the first interaction of a session.", "basic/lifecycle, Initialization", ""},
	{"initialize-twice", Must, "A session has one initialize.", "basic/lifecycle, Initialization", ""},
	{"initialized-missing", Must, "The client sends notifications/initialized after the answer to initialize, before it does anything else.", "basic/lifecycle, Initialization", ""},
	{"initialized-early", Must, "The client sends notifications/initialized only after initialize has succeeded.", "basic/lifecycle, Initialization", ""},
	{"initialized-twice", Should, "The client sends notifications/initialized once.", "basic/lifecycle, Initialization", ""},
	{"client-request-early", Should, "Before the answer to initialize the client sends no requests but pings.", "basic/lifecycle, Initialization", ""},
	{"server-request-early", Should, "Before notifications/initialized the server sends no requests but pings.", "basic/lifecycle, Initialization", ""},
	{"version-form", Must, "A protocol version is a date of the form YYYY-MM-DD.", "basic/lifecycle, Version Negotiation", ""},
	{"version-newer", Should, "A client disconnects when the server answers with a newer version than the client's latest.", "basic/lifecycle, Version Negotiation", ""},
	{"capability", Must, "A side uses only what the two sides have declared.", "basic/lifecycle, Capability Negotiation", ""},
	{"capability-unserved", Should, "A side serves the methods of a capability that it has declared.", "basic/lifecycle, Capability Negotiation", ""},
	{"method-not-found", Should, "A method that the receiver does not support is refused with the code -32601.", "JSON-RPC 2.0, section 5.1", ""},
	{"meta-key", Must, "A key of _meta is a name, with a prefix of labels and a slash before it or without.", "basic, _meta", "2025-06-18"},
	{"meta-reserved", Must, "Prefixes of _meta with the label mcp or modelcontextprotocol before another label are for the protocol alone.", "basic, _meta", "2025-06-18"},
	{"icon-source", Should, "The source of an icon is an https or data URI.", "basic, Icons", "2025-11-25"},
	{"undeclared", Note, "A message has members that the session's revision does not define (only with --undeclared).", "schema", ""},
}

// utilityRules are those of basic/utilities.
var utilityRules = []RuleInfo{
	{"cancel-unknown", Must, "A side cancels only requests that it has sent.", "basic/utilities/cancellation, Behavior Requirements", ""},
	{"cancel-completed", Must, "A side cancels only requests that are still in progress.", "basic/utilities/cancellation, Behavior Requirements", ""},
	{"cancel-initialize", Must, "The client does not cancel initialize.", "basic/utilities/cancellation, Behavior Requirements", ""},
	{"cancel-answered", Should, "A request that was cancelled is not answered.", "basic/utilities/cancellation, Behavior Requirements", ""},
	{"cancel-task", Must, "A request that is run as a task is cancelled by tasks/cancel.", "basic/utilities/cancellation, Behavior Requirements", "2025-11-25"},
	{"ping-result", Must, "The answer to a ping is an empty result.", "basic/utilities/ping, Behavior Requirements", ""},
	{"progress-token-reused", Must, "A progress token is not that of another active request.", "basic/utilities/progress, Progress Flow", ""},
	{"progress-token-unknown", Must, "A progress notification has the token of an active request of the other side.", "basic/utilities/progress, Behavior Requirements", ""},
	{"progress-not-increasing", Must, "The progress increases with each notification.", "basic/utilities/progress, Progress Flow", ""},
	{"progress-after-completion", Must, "Progress notifications stop when the request is answered.", "basic/utilities/progress, Implementation Notes", ""},
	{"task-status", Must, "A task begins as working, and its status does not change after completed, failed or cancelled.", "basic/utilities/tasks, Task Status Lifecycle", "2025-11-25"},
	{"task-ignored", Must, "A receiver that has declared tasks for a request, and is asked for one, answers with a task.", "basic/utilities/tasks, Task Support and Handling", "2025-11-25"},
	{"task-id-reused", Must, "The id of a task is unique among the tasks of the receiver.", "basic/utilities/tasks, Task IDs", "2025-11-25"},
	{"task-unknown", Must, "A task id is one that the receiver has given.", "basic/utilities/tasks, Protocol Errors", "2025-11-25"},
	{"task-unasked", Must, "A request is answered with a task only if it asks for one.", "basic/utilities/tasks, Creating Tasks", "2025-11-25"},
	{"task-other", Must, "The state in an answer is that of the task that was asked for.", "basic/utilities/tasks, Getting Tasks", "2025-11-25"},
	{"task-error", Must, "A task that does not exist is refused with the code -32602.", "basic/utilities/tasks, Protocol Errors", "2025-11-25"},
	{"task-cancel-terminal", Must, "A receiver refuses with -32602 to cancel a task that has ended.", "basic/utilities/tasks, Task Cancellation", "2025-11-25"},
	{"task-related", Must, "The result of tasks/result names its task in _meta.", "basic/utilities/tasks, Associating Task-Related Messages", "2025-11-25"},
	{"task-time", Must, "The times of a task are in the form of ISO 8601.", "basic/utilities/tasks, Task Creation", "2025-11-25"},
	{"task-forbidden", Must, "A tool that does not declare task support is not called as a task.", "basic/utilities/tasks, Tool-Level Negotiation", "2025-11-25"},
	{"task-required", Must, "A tool that requires a task is called as one.", "basic/utilities/tasks, Tool-Level Negotiation", "2025-11-25"},
}

// serverRules are those of server.
var serverRules = []RuleInfo{
	{"duplicate-name", Must, "The names of tools and prompts and the URIs of resources are unique within a server.", "server/tools, server/prompts, server/resources, Data Types", ""},
	{"list-changed-unannounced", Should, "A server that declares listChanged sends a notification when a list changes.", "server/tools, List Changed Notification", ""},
	{"cursor-unknown", Must, "A client sends only cursors that the server has given it.", "server/utilities/pagination, Implementation Guidelines", ""},
	{"cursor-accepted", Should, "An invalid cursor is refused with the code -32602.", "server/utilities/pagination, Error Handling", ""},
	{"tool-name", Should, "The name of a tool has 1 to 128 ASCII letters, digits, underscores, hyphens and dots.", "server/tools, Tool Names", "2025-11-25"},
	{"tool-schema", Must, "The schemas of a tool are valid JSON Schema.", "server/tools, Data Types", ""},
	{"tool-unknown", Should, "A call of a tool that does not exist is refused with the code -32602.", "server/tools, Error Handling", ""},
	{"arguments-invalid", Must, "The arguments of a call fit the tool's input schema.", "server/tools, Data Types", ""},
	{"arguments-accepted", Must, "A server validates the arguments of a call.", "server/tools, Security Considerations", ""},
	{"structured-content-missing", Must, "The result of a tool with an output schema has structured content.", "server/tools, Output Schema", "2025-06-18"},
	{"structured-content-invalid", Must, "The structured content of a result fits the tool's output schema.", "server/tools, Output Schema", "2025-06-18"},
	{"structured-content-text", Should, "A result with structured content also has it as JSON in a text block.", "server/tools, Structured Content", "2025-06-18"},
	{"base64", Must, "Binary data is encoded in base64.", "server/resources, Security Considerations; server/prompts, Image Content", ""},
	{"mime-type", Must, "Images and audio have a valid MIME type.", "server/prompts, Image Content", ""},
	{"last-modified", Should, "The annotation lastModified is a time in the form of ISO 8601.", "server/resources, Annotations", "2025-06-18"},
	{"embedded-resource", Should, "A server that embeds resources in results of tools has the capability resources.", "server/tools, Embedded Resources", "2025-06-18"},
	{"prompt-arguments", Must, "A client gives a prompt the arguments that it requires.", "server/prompts, Data Types", ""},
	{"prompt-error", Should, "An unknown prompt or a missing argument is refused with the code -32602.", "server/prompts, Error Handling", ""},
	{"resource-not-found", Should, "A resource that does not exist is refused with the code -32002.", "server/resources, Error Handling", ""},
	{"subscribe", Must, "Updates are sent of resources that the client has subscribed to.", "server/resources, Subscriptions", ""},
	{"subscribe-part", Should, "Updates are sent of resources that the client has subscribed to, or of parts of them.", "server/resources, Subscriptions", ""},
	{"log-level", Must, "Log messages are of the level that the client has set, or above.", "server/utilities/logging, Setting Log Level", ""},
	{"log-level-invalid", Should, "An invalid log level is refused with the code -32602.", "server/utilities/logging, Error Handling", ""},
	{"log-secret", Must, "Log messages hold no credentials.", "server/utilities/logging, Security", ""},
	{"completion-values", Must, "A completion has at most 100 values.", "server/utilities/completion, Completion Results", ""},
}

// clientRules are those of client.
var clientRules = []RuleInfo{
	{"root-uri", Must, "The URI of a root is a file:// URI.", "client/roots, Data Types", ""},
	{"roots-changed-unannounced", Must, "A client that declares listChanged sends a notification when its roots change.", "client/roots, Root List Changes", ""},
	{"sampling-tool-result", Must, "A message with tool results is of the user, has nothing else, and answers every tool use of the message before it once.", "client/sampling, Tool Result Messages", "2025-11-25"},
	{"sampling-tool-choice", Must, "The model uses a tool where toolChoice requires one, and only tools that the request has.", "client/sampling, Tool Choice", "2025-11-25"},
	{"sampling-context", Should, "A server asks for the context of servers only if the client declares sampling.context.", "client/sampling, Capabilities", "2025-11-25"},
	{"elicitation-content", Must, "The content of an accepted form fits the schema that was asked.", "client/elicitation, Response Actions", "2025-06-18"},
	{"elicitation-content-missing", Must, "A form that was accepted has content.", "client/elicitation, Response Actions", "2025-06-18"},
	{"elicitation-content-extra", Should, "A form that was declined or cancelled, and a visit of a URL, have no content.", "client/elicitation, Response Actions", "2025-06-18"},
	{"elicitation-sensitive", Must, "A server does not ask for passwords, keys, tokens or payment data in a form.", "client/elicitation, User Interaction Model", "2025-06-18"},
	{"elicitation-form-url", Should, "A form has no URLs to be clicked.", "client/elicitation, Safe URL Handling", "2025-11-25"},
	{"elicitation-url", Must, "The url of an elicitation is a valid URL.", "client/elicitation, URL Mode Elicitation Requests", "2025-11-25"},
	{"elicitation-url-secret", Must, "The url of an elicitation has no credentials of the user.", "client/elicitation, Safe URL Handling", "2025-11-25"},
	{"elicitation-url-https", Should, "The url of an elicitation is of https.", "client/elicitation, Safe URL Handling", "2025-11-25"},
	{"elicitation-complete-unknown", Must, "A completed elicitation has the id of one that the server has asked for.", "client/elicitation, Completion Notifications", "2025-11-25"},
	{"elicitation-required", Must, "The error -32042 lists elicitations by URL that the client supports.", "client/elicitation, URL Elicitation Required Error", "2025-11-25"},
}

// transportRules are those of basic/transports, and of authorization over HTTP.
var transportRules = []RuleInfo{
	{"stdout-text", Must, "A server writes nothing to its standard output but messages.", "basic/transports, stdio", ""},
	{"stdin-text", Must, "A client writes nothing to the server's standard input but messages.", "basic/transports, stdio", ""},
	{"embedded-newline", Must, "A message over standard input or output has no line ends in it.", "basic/transports, stdio", ""},
	{"http-accept", Must, "A POST accepts application/json and text/event-stream, a GET text/event-stream.", "basic/transports, Sending Messages to the Server", "2025-03-26"},
	{"http-request-type", Should, "A POST says that its body is application/json.", "basic/transports, Sending Messages to the Server", "2025-03-26"},
	{"http-method", Must, "A client sends messages by POST, and uses no methods but POST, GET and DELETE.", "basic/transports, Streamable HTTP", "2025-03-26"},
	{"http-protocol-version", Must, "Requests after initialize have the header MCP-Protocol-Version.", "basic/transports, Protocol Version Header", "2025-06-18"},
	{"http-protocol-version-other", Should, "The header MCP-Protocol-Version has the version that was negotiated.", "basic/transports, Protocol Version Header", "2025-06-18"},
	{"http-protocol-version-accepted", Must, "A server answers 400 to a protocol version that is invalid or that it does not support.", "basic/transports, Protocol Version Header", "2025-06-18"},
	{"http-session-missing", Must, "Requests after initialize have the session id that the server gave.", "basic/transports, Session Management", "2025-03-26"},
	{"http-session-accepted", Should, "A server with sessions answers 400 to a request without a session id.", "basic/transports, Session Management", "2025-03-26"},
	{"http-session-id", Must, "A session id has only visible ASCII characters.", "basic/transports, Session Management", "2025-03-26"},
	{"http-session-ended", Must, "A server answers 404 to requests of a session that has ended.", "basic/transports, Session Management", "2025-03-26"},
	{"http-session-lost", Must, "After a 404 a client begins a new session, by initialize without a session id.", "basic/transports, Session Management", "2025-03-26"},
	{"http-content-type", Must, "A request is answered by application/json or text/event-stream, a GET by text/event-stream or 405.", "basic/transports, Sending Messages to the Server", "2025-03-26"},
	{"http-accepted", Must, "Notifications and responses that are accepted are answered by 202 without a body.", "basic/transports, Sending Messages to the Server", "2025-03-26"},
	{"http-stream-closed", Should, "A stream that answers a POST does not end before the response.", "basic/transports, Sending Messages to the Server", "2025-03-26"},
	{"http-stream-after-response", Should, "A stream that answers a POST ends after the response.", "basic/transports, Sending Messages to the Server", "2025-03-26"},
	{"http-response-elsewhere", Should, "A response comes on the stream of the POST that it answers.", "basic/transports, Sending Messages to the Server", "2025-03-26"},
	{"http-get-response", Must, "A stream of a GET has no responses, unless it resumes another.", "basic/transports, Listening for Messages from the Server", "2025-03-26"},
	{"http-event-id", Must, "The ids of events are unique within a session.", "basic/transports, Resumability and Redelivery", "2025-03-26"},
	{"http-replay", Must, "A stream that resumes another replays no messages of other streams.", "basic/transports, Resumability and Redelivery", "2025-03-26"},
	{"http-authenticate", Should, "A 401 has the header WWW-Authenticate.", "basic/authorization", "2025-03-26"},
	{"http-token-in-query", Must, "Access tokens are not part of the URL.", "basic/authorization, Token Requirements", "2025-03-26"},
	{"sse-endpoint", Must, "The first event of a stream of HTTP with SSE is endpoint.", "basic/transports, HTTP with SSE", ""},
	{"unjudged", Note, "A message is passed on and not judged.", "", ""},
	{"method-unknown", Note, "A method is of no revision.", "", ""},
	{"revision-unknown", Note, "A protocol version is none that this program knows.", "", ""},
	{"no-initialize", Note, "A recording has no initialize, so that rules between messages hold as far as they can be told.", "", ""},
	{"crossed", Note, "Messages may have overtaken each other.", "", ""},
	{"schema-unchecked", Note, "A schema or a value cannot be checked, as with a dialect that is not known.", "", ""},
}
