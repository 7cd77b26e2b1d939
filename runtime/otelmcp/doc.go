// Package otelmcp makes OpenTelemetry traces and metrics of the requests and
// notifications of a server or a client, as middleware of the runtime. A program that does
// not import it links nothing of OpenTelemetry.
//
// It follows the semantic conventions for the Model Context Protocol, which are in
// development (https://opentelemetry.io/docs/specs/semconv/gen-ai/mcp/). Their client is
// the sender of a message and their server the receiver, whichever side of the session
// that is:
//
//	message        span of kind    histogram, in seconds
//	sent           CLIENT          mcp.client.operation.duration
//	received       SERVER          mcp.server.operation.duration
//
// A span is called by the method and, where there is one, the name of the tool or prompt.
// Spans and measurements have the attributes
//
//	mcp.method.name           _OTHER in measurements of a method that was not found
//	mcp.protocol.version      the negotiated revision
//	gen_ai.tool.name          of tools/call; in measurements not when the peer refused it
//	gen_ai.prompt.name        of prompts/get; likewise
//	gen_ai.operation.name     execute_tool, of tools/call
//	rpc.response.status_code  the code of a JSON-RPC error
//	error.type                of what failed, see below
//
// and spans besides
//
//	jsonrpc.request.id        of requests
//	mcp.session.id            runtime.LogID of it, where the transport has one
//	mcp.resource.uri          where the params have one
//
// The error.type is the code of a JSON-RPC error as text; tool_error for the result of a
// tool that says it is an error; panic, cancelled, timeout, closed; or _OTHER. What a
// handler fails with that is not for the peer is -32603, as the peer sees it.
//
// # Trace context
//
// The context travels in the params' _meta, in the members traceparent, tracestate and
// baggage: what is sent carries that of the caller's context, and a handler's context
// continues the trace of the peer. A span that is current where a message is received,
// such as one of the transport's, becomes a link.
package otelmcp
