// Package authorization holds tests only: what the specification requires of a protected server and how
// it answers attacks, over HTTP as a client writes it.
package authorization
