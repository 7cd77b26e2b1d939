// Package share holds what the replicas of a server share: a [Bus], which carries messages between them, and what
// they keep in a tasks.Store beside their tasks. [Memory] is a bus for the servers of one process; package
// runtime/natsmcp implements both with NATS.
//
// [Announce] connects servers, so that what one publishes, such as a change of a list, reaches the clients of all. The
// subject contains the server's name. The goroutine that publishes exists while something waits, and a failure is
// followed by a timer, so no call waits for the bus. A message names the replica that has sent it, which ignores it on
// its way back. [UseOnce] lets the replicas accept each state of a request once.
//
// # Sessions
//
// [NewHandler] returns a handler of package runtime/streamable whose sessions every replica serves. A request is served
// where it arrives. Only what belongs to another replica is handed over: the client's answer, cancellation or
// progress, the server's own messages, and a GET that resumes a stream.
//
// The id of a session is its name and a sealed text with what never changes in the session. The name is chosen when the
// session opens. The handler, both stores and the notices on the bus use it as their key.
//
// The runtime reports messages about requests that are not in flight here (runtime.Replicated.Forward). They go to all
// replicas, of which one has the request. The replica where the client opened its last GET tells the
// others, which pass the server's own messages to it; if there is none, messages wait where they are until a GET is
// opened. A replica that takes a session over asks who has the GET.
package share
