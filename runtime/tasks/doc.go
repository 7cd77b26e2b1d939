// Package tasks keeps the tasks of revision 2025-11-25 (section basic/utilities/tasks):
// requests that are answered at once with a task, go on in the background and have their
// result fetched later.
//
// [Tasks.Over] is the receiver's side, that of a server for tools/call and that of a
// client for sampling/createMessage and elicitation/create. [Await] is the requester's.
//
// The package works on the text of messages and fits any implementation of a binding. A
// task belongs to the session in which it was made and ends with it; nothing is stored
// beyond that. Capabilities are declared by the program, as all others:
//
//	{"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}}
//
// What is not declared under requests is not made a task ("Task Support and Handling").
//
// Over a transport with a stream for each request, what a task asks its requester goes out
// on the stream of the tasks/result that waits for the task, and waits for one: a
// requester that finds the status input_required is to ask for the result ("Input
// Required Status").
package tasks
