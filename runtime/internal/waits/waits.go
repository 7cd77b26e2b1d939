// Package waits holds the durations in the runtime that were chosen by judgement, each with its
// reason. The defaults of options are documented with the options.
package waits

import (
	"math/rand/v2"
	"time"
)

// ListChanged is the delay between a change of a list and its notification. A program often
// makes several changes in a row; clients then request the list once.
const ListChanged = 10 * time.Millisecond

// Sessions.
const (
	// Turn is how long a goroutine may keep the right to read while it handles a request or waits
	// for an answer. It is a hundred times the duration of a quick request, and too short to be
	// noticed by people or over a network.
	Turn = time.Millisecond
	// Slot is how long a request waits when the session handles its maximum number of requests.
	// Nothing is read meanwhile, not even a cancellation, so it is short.
	Slot = time.Second
	// Cancelled is how long handlers have to return after a shutdown has ended their contexts,
	// before the session sends an error in their place. It is enough to close a file or to roll
	// back a transaction.
	Cancelled = time.Second
	// Unread is how long the end of a session over stdio waits for a peer to read answers when every request
	// is handled. Supervisors of processes often wait five seconds before they kill one.
	Unread = 2 * time.Second
	// Abandoned is how long the end of a session waits for handlers that ignore the end of their
	// contexts, so that a program which ends does not hang.
	Abandoned = time.Second
	// Sending is how long the end of a session waits for messages that are being sent, such as
	// cancellations, and for a read that cannot be interrupted. A pipe or socket accepts a message
	// within microseconds if the peer reads.
	Sending = 100 * time.Millisecond
)

// Probe is how long a client waits for the answer to server/discover before it sends initialize as
// well, over a transport on which a server may be silent. Some servers of older revisions ignore a request
// before initialize, and each connection to one takes that much longer. A server that starts slowly loses
// nothing, because a later answer still counts.
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
	// Refused limits how long the body of a refused request is read, which net/http does before it closes the
	// connection. It is as long as the header of a request may take.
	Refused = 10 * time.Second
	// Sweep is the least time between two searches for sessions that have been idle for too long, each of which looks
	// at all sessions.
	Sweep = time.Second
	// Finish limits the wait for other requests to an http.Server after its last session has
	// ended. What they carry is not MCP, and the grace period is over.
	Finish = 2 * time.Second
)

// HTTP clients.
const (
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

// Lasting is how long a subscription must last for its end not to make the next pause longer. A server or
// proxy that ends each stream soon after its beginning would otherwise be asked without end ten times a second.
const Lasting = 5 * time.Second

// What replicas share.
const (
	// Bus limits the wait for a bus, which answers within milliseconds.
	Bus = 5 * time.Second
	// BusFault is the shortest time between two logs of what fails at a bus.
	BusFault = time.Minute
	// ClockSkew is how much longer a used state is remembered than it can be used, because the clocks of
	// replicas differ.
	ClockSkew = time.Minute
	// News is how long a replica that is asked for news of a stream waits for some. It bounds how late
	// the end of the replica is noticed when a bus notices nothing.
	News = 5 * time.Second
)

// Tasks.
const (
	// CancelTask limits the wait for the answer to tasks/cancel of a caller that has given up. The task
	// is cancelled in any case.
	CancelTask = time.Second
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

// Backoff returns the pause after a number of failures, from RetryFirst to RetryFailed. A part of it is random, so that
// programs that lost their connections together do not come back together.
func Backoff(failures int) time.Duration {
	d := min(RetryFirst<<min(failures-1, 12), RetryFailed)
	return d/2 + rand.N(d/2+1)
}

// Authorization of clients.
const (
	// LockedFile is how often a program tries to lock a file that another one has locked, to renew a
	// token. Renewing takes tens of milliseconds or, with a user, minutes.
	LockedFile = 50 * time.Millisecond
	// AuthorizationServer limits a request to an authorization server, or for metadata, with its
	// response, and the storing of a token. Some authorization servers need seconds when they have not been
	// used for long.
	AuthorizationServer = 30 * time.Second
	// ProxiedName limits how long a name is looked up that a proxy is going to resolve. Networks with proxies
	// often have no other way to resolve names.
	ProxiedName = 2 * time.Second
	// LoginRefused is how long a refusal by an authorization server is given to all requests, instead
	// of asking again: the answer would be the same, and each request would ask.
	LoginRefused = time.Minute
	// Visits is the time within which a server can make a user log in only a few times. It would otherwise
	// send the user to the browser at each call.
	Visits = 10 * time.Minute
	// ExpiresSoon is how long before its end a token is renewed, so that it does not end on the way.
	// It is what golang.org/x/oauth2 uses.
	ExpiresSoon = 10 * time.Second
	// Assertion is how long a JWT that authenticates a client is valid. It allows for the difference
	// between the clocks of two servers.
	Assertion = time.Minute
	// BrowserPage limits how long the page that ends an authorization takes to leave for the browser.
	BrowserPage = time.Second
)

// Keys and metadata of authorization servers, as a protected server needs them.
const (
	// AuthFetch limits the time for a document of an authorization server to arrive. Requests with
	// tokens of new keys wait for it.
	AuthFetch = 10 * time.Second
	// AuthIdle is how long a connection to an authorization server stays open without a request.
	AuthIdle = time.Minute
	// KeysFresh is the age from which on keys are read again while they are used. It bounds how long
	// a key is accepted that its issuer has withdrawn, and costs one request.
	KeysFresh = 10 * time.Minute
	// KeysUsable is the age at which keys that cannot be read again are no longer used. An
	// authorization server may be out of order for a night without locking out its users.
	KeysUsable = 12 * time.Hour
	// NotYetValid is how long before its nbf a token is accepted, and how far in the future a DPoP proof
	// may be made. The clocks of servers differ a little, and accepting them that early is harmless.
	NotYetValid = 10 * time.Second
	// TokenRefused is how long a refused token is not verified again, so that a client that repeats it
	// costs little. A token with a key that its issuer has just begun to use is refused at most that long.
	TokenRefused = 10 * time.Second
	// Nonce is how long a DPoP nonce is accepted. A client gets a new one after half of that time.
	Nonce = 5 * time.Minute
	// KeysAgain is the time between two requests for keys. Anybody can send tokens that name unknown
	// keys; issuers publish a key well before they use it.
	KeysAgain = 10 * time.Second
)
