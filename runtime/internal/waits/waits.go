// Package waits holds the durations in the runtime that were chosen by judgement, each with its
// reason. The defaults of options are documented with the options.
package waits

import "time"

// ListChanged is the delay between a change of a list and its notification. A program often
// makes several changes in a row; clients then request the list once.
const ListChanged = 10 * time.Millisecond

// Sessions.
const (
	// Turn is how long a goroutine may keep the right to read while it handles a request or waits
	// for an answer. It is a hundred times the duration of a quick request, and too short to be
	// noticed by people or over a network.
	Turn = time.Millisecond
	// Place is how long a request waits when the session handles its maximum number of requests.
	// Nothing is read meanwhile, not even a cancellation, so it is short.
	Place = time.Second
	// Cancelled is how long handlers have to return after a shutdown has ended their contexts,
	// before the session sends an error in their place. It is enough to close a file or to roll
	// back a transaction.
	Cancelled = time.Second
	// Abandoned is how long the end of a session waits for handlers that ignore the end of their
	// contexts, so that a program which ends does not hang.
	Abandoned = time.Second
	// Sending is how long the end of a session waits for messages that are being sent, such as
	// cancellations, and for a read that cannot be interrupted. A pipe or socket accepts a message
	// within microseconds if the peer reads.
	Sending = 100 * time.Millisecond
)

// Probe is how long a client waits for the answer to server/discover before it sends initialize as
// well. Some servers of older revisions ignore a request before initialize, and each connection to one
// takes that much longer. A server that starts slowly loses nothing, because a later answer still counts.
const Probe = 3 * time.Second

// Server processes.
const (
	// Killed limits the wait for the end of a process that was killed. A process in an
	// uninterruptible system call may never end.
	Killed = 5 * time.Second
	// Output limits how long the output of a process is read after the end of the process, which
	// matters only if a child of the process holds the pipe open. It also limits the wait for the
	// end of a process after the end of its output.
	Output = time.Second
)

// HTTP servers.
const (
	// FirstUse is how long a session stays open if its client sends nothing after initialize.
	// Clients send notifications/initialized at once, so 10 seconds allow for a slow network and
	// limit what a flood of initialize requests can occupy.
	FirstUse = 10 * time.Second
	// Flush is how long a handler's notification may stay in the buffer of a response. Most
	// handlers return before that, and the notification leaves in the same write as the answer,
	// which saves both sides a tenth of the call. People do not notice a millisecond.
	Flush = time.Millisecond
	// Finish limits the wait for other requests to an http.Server after its last session has
	// ended. What they carry is not MCP, and the grace period is over.
	Finish = 2 * time.Second
)

// HTTP clients.
const (
	// Cancel is how long an HTTP request that waits for its response goes on after its context
	// has ended, because ending it earlier can fail other requests; see web.Request. Servers end
	// the response to a cancelled call by themselves well within a second.
	Cancel = time.Second
	// Sent limits how long the notification that cancels a request waits until that request has
	// been sent. Servers ignore a cancellation that arrives before its request.
	Sent = time.Second
	// Delete limits the request that ends a session. A busy server may drop the first two
	// attempts to connect, which TCP makes after one and three seconds.
	Delete = 5 * time.Second
	// ErrorBody limits the wait for the body of a refusal. Servers send it with the header.
	ErrorBody = time.Second
	// Drain limits the wait for the rest of a body that nobody reads. Reading it lets the
	// connection be used again, which saves about as much as opening another one.
	Drain = 100 * time.Millisecond
	// Listen limits how long a session waits for the server to open the stream of its own
	// messages. Some servers lose what they send before that, and many have no such stream.
	Listen = 500 * time.Millisecond
)

// Retries of HTTP clients. The waits between them grow from the first to a maximum.
const (
	// RetryFirst is the shortest wait before a request is repeated, whatever the server asks for,
	// so that a broken server is not flooded.
	RetryFirst = 100 * time.Millisecond
	// RetryQuiet limits the waits while the server answers with streams that carry no messages. It
	// is short because a message may come at any time.
	RetryQuiet = 5 * time.Second
	// RetryFailed limits the waits while the server refuses requests or cannot be reached.
	RetryFailed = 30 * time.Second
	// RetryTold limits the waits that a server asks for: a larger number is more likely a mistake.
	RetryTold = 5 * time.Minute
)
