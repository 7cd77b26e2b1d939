// Package tasks implements the tasks of revision 2025-11-25 (section
// basic/utilities/tasks): requests that are answered at once with a task, run in the
// background and have their result fetched later.
//
// [Tasks.Over] implements the receiver's side, which is that of a server for tools/call and
// that of a client for sampling/createMessage and elicitation/create. [Await] implements
// the requester's side.
//
// The package works on the text of messages and supports any implementation of a binding. A task belongs to the
// session in which it was created and ends with it. It is a record in the [Store], where each process that has the
// session finds it. [Tasks.Over] declares the capability of tasks, unless the program declares it itself, as in
//
//	{"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}}
//
// Requests that are not declared there do not become tasks ("Task Support and Handling").
//
// Over a transport with a stream for each request, a task sends its requests to the
// requester on the stream of a tasks/result request for the task, and waits until there is
// one. A requester that sees the status input_required should therefore request the result
// ("Input Required Status").
//
// [Tasks.Extend] and [ExtendClient] implement the extension io.modelcontextprotocol/tasks of revision
// 2026-07-28 on the same handlers and records. Its tasks belong to no session, so any process may continue
// them ([Tasks.Serve]).
package tasks
