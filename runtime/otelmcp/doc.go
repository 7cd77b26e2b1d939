// Package otelmcp provides middleware that records OpenTelemetry traces and metrics for the
// requests and notifications of a server or a client. A program that does not import it
// does not link OpenTelemetry.
//
// It follows the semantic conventions for the Model Context Protocol, which are in
// development (https://opentelemetry.io/docs/specs/semconv/gen-ai/mcp/). In these, the
// client is the sender of a message and the server its receiver, whichever side of the
// session that is:
//
//	message        span of kind    histogram, in seconds
//	sent           CLIENT          mcp.client.operation.duration
//	received       SERVER          mcp.server.operation.duration
//
// The name of a span is the method, followed by the name of the tool or prompt if there is
// one. Spans and measurements have the attributes
//
//	mcp.method.name           _OTHER in measurements of an unknown method
//	mcp.protocol.version      the negotiated revision
//	gen_ai.tool.name          of tools/call; omitted in measurements if the peer refused it
//	gen_ai.prompt.name        of prompts/get; likewise
//	gen_ai.operation.name     execute_tool, of tools/call
//	rpc.response.status_code  the code of a JSON-RPC error
//	error.type                of failed operations, see below
//
// and spans also have
//
//	jsonrpc.request.id        of requests
//	mcp.session.id            runtime.LogID of the id, if the transport has one
//	mcp.resource.uri          if the params have one
//
// The error.type is the code of a JSON-RPC error as text; tool_error for a tool result with
// isError; panic, cancelled, timeout, closed; or _OTHER. An error of a handler that is not
// sent to the peer is -32603, which is what the peer receives.
//
// [Observe] reports what a handler over HTTP does: requests in progress, sessions, subscriptions, refusals.
//
// # Trace context
//
// The trace context travels in the members traceparent, tracestate and baggage of the
// params' _meta. A sent message carries that of the caller's context, and a handler's
// context continues the trace of the peer. All baggage is sent. If a message is received while a span is
// current, such as one of the transport's, that span becomes a link.
package otelmcp
