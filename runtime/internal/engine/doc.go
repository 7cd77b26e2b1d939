// Package engine has the parts of a connection that do not depend on the meaning of messages.
//
// [Lifetime] counts the goroutines of a connection, has its contexts and ends both. [Pending] holds the requests
// sent to the peer that wait for answers: their ids, timeouts and progress. [Serving] holds the requests of the
// peer that are being handled: their limit, cancellation and refusal in a shutdown; and [Queue] its
// notifications. [Reader] decides which goroutine reads. Each part has its own state and its own lock. The parts
// are independent, except that a Queue runs its goroutine within a Lifetime.
package engine
