// Package traces records what a server sends for what a client sends, byte for byte, over every transport and
// in every revision. It knows nothing of the inside of the runtime, so the inside may change and the traces may not.
// It contains only tests.
//
// A trace is a file testdata/TRANSPORT/NAME.txtar. What a client does is in the sections that begin with ">"; what the
// server sends then, until it has nothing more to do, is in those that begin with "<", which the flag -update
// rewrites. A trace is recorded in every revision of its list, or in all that the transport has. A section of the
// server that differs between revisions appears once for each of them, with the revisions that have it.
//
// The comment of the file says what the trace shows. Its lines "name: value" are settings:
//
//	revisions: 2025-03-26 2025-06-18   the revisions to record
//	session: {"sampling":{}}           begin with a handshake, which is not recorded, and these capabilities
//	page size: 2                       of lists
//	max message: 500                   bytes
//	max concurrent: 1                  requests
//	grace: 1s                          of a shutdown
//	keep alive: 10s                    until a silent client is pinged
//	timeout: 45s                       of a question to the client
//	stateless                          Options.Stateless of Streamable HTTP
//	disconnect                         Options.Disconnect of Streamable HTTP
//	$NAME = text                       a variable
//
// # What a client does
//
//	> client             write these lines at once, over stdio
//	> client unfinished  the same without the last newline
//	> close              end the input of the server, over stdio
//	> stall              read no more after what arrives next, over stdio
//	> read               read again
//	> POST NAME          send a request, whose response is called NAME; GET, DELETE and others likewise
//	> cut NAME           close the connection of a response
//	> release NAME       let the tool "hold" that has this name return
//	> wait 2s            let time pass
//	> remove NAME        remove a tool, prompt or resource from the server
//	> update URI         announce a change of a resource
//	> shutdown           shut the server down
//
// A request is its headers, an empty line and its body. The headers may be missing; then a request has those that a
// client of its revision sends. A header in the trace replaces one of these, or removes it if it is empty.
//
// Requests are handled concurrently, so a trace does not send at once what may be answered in any order.
//
// # What the server sends
//
//	< server    lines, over stdio
//	< NAME      the response with that name: status, headers except Date and Content-Length, an empty line, and
//	            as much of the body as has arrived. A later section has the rest. "(end)" is the end of an event stream
//	< handlers  what happens in handlers, in alphabetical order
//	< shutdown  "(done)" when the shutdown is done
//
// Texts that are made up at random have a name in place of their value, in both directions: $SESSION-1, $EVENT-1,
// $STATE-1, $CURSOR-1 and $QUESTION-1 are the first of their kind. $META is what requests of revisions without
// sessions must have in their _meta. $REVISION is the revision, and in the names of members
// and headers that carry it. $BYTES(n) stands for n times the letter x, and $FF for a byte that is not UTF-8.
package traces
