// Package engine has the parts of a connection that do not depend on the meaning of messages.
//
// [Lifetime] counts the goroutines of a connection, has its contexts and ends both. [Pending] holds the requests
// sent to the peer that wait for answers: their ids, timeouts and progress. [Queue] holds the notifications of the
// peer, and [Room] is what the reading goroutine waits for when there are too many of something. [Reader] decides
// which goroutine reads. [Backlog] holds what waits for a peer or a function that may be slow. Each part has its own
// state and its own lock, except that a Room uses the lock of its owner.
// The parts are independent, except that a Queue is a Backlog within a Lifetime that waits for a Room.
package engine
