package main

import (
	"context"
	"net/http"
)

// library is how a library does the work that is the same for all.
type library struct {
	name string
	// handler serves tools over Streamable HTTP, the first of which is get_weather. If stream
	// is set, it answers with event streams.
	handler func(tools int, stream bool) (http.Handler, error)
	// inProcess creates a server with tools and connects clients to it in memory.
	inProcess func(tools int) (dial, error)
	// dialHTTP connects a client over Streamable HTTP.
	dialHTTP func(ctx context.Context, url string, over *http.Client) (client, error)
	// start starts a server process and connects a client to it.
	start func(ctx context.Context, program string) (client, error)
	// loses says that a handler's notifications may be lost, and late that the client may
	// receive them after the answer.
	loses, late bool
	// unchecked says that the server checks neither arguments nor results by default.
	unchecked bool
}

// dial connects a client.
type dial func(ctx context.Context) (client, error)

// client is a library's client in a session.
type client interface {
	// weather calls get_weather with the common arguments and checks the result. If progress is
	// set, it requests progress notifications.
	weather(ctx context.Context, progress bool) error
	// refused calls get_weather for a city and returns an error if the server accepts the call.
	// A server must refuse no city, because the arguments are invalid, and peers.Nowhere,
	// because the result is invalid.
	refused(ctx context.Context, city string) error
	// tools lists the tools and checks their number.
	tools(ctx context.Context, want int) error
	// progress returns how many progress notifications the client has received.
	progress() int64
	close()
}

// librariesAt are all libraries at a revision; mcpgen, which must be faster, is first.
func librariesAt(revision string) []library {
	return []library{onMcpgen(revision), onMCPGo(revision), onGoSDK(revision)}
}

// libraries are all libraries at the usual revision.
var libraries = librariesAt(revision)

// calls is the work of a client: one call after the other.
func calls(ctx context.Context, c client) *Work {
	return &Work{
		Do: func(n int) error {
			for range n {
				if err := c.weather(ctx, false); err != nil {
					return err
				}
			}
			return nil
		},
		Close: c.close,
	}
}

// subjects returns one subject for the floor and one for each library.
func subjects(below func(context.Context, *Lab) (*Work, error), start func(context.Context, *Lab, library) (*Work, error)) []Subject {
	return subjectsAt(revision, below, start)
}

// subjectsAt is subjects for libraries at a revision.
func subjectsAt(revision string, below func(context.Context, *Lab) (*Work, error), start func(context.Context, *Lab, library) (*Work, error)) []Subject {
	all := []Subject{{floor, below}}
	for _, l := range librariesAt(revision) {
		all = append(all, Subject{l.name, func(ctx context.Context, lab *Lab) (*Work, error) { return start(ctx, lab, l) }})
	}
	return all
}
