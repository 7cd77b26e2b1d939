package resource

import "time"

const (
	// beforeStart is how long before its nbf a token is accepted, and how far in the future a proof may
	// be made: the clocks of servers differ a little, and nobody is harmed.
	beforeStart = 10 * time.Second
	// refusedFor is how long a token that was refused is not verified again, so that a client that
	// repeats it costs little. A token with the key that its issuer has just begun to use is refused for
	// at most this long.
	refusedFor = 10 * time.Second
)
