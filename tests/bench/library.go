package main

import (
	"context"
	"net/http"
)

// library is how a library is used where a row has all of them do the same.
type library struct {
	name string
	// handler serves a number of tools over Streamable HTTP, of which get_weather is the
	// first, and answers with event streams if stream is set.
	handler func(tools int, stream bool) (http.Handler, error)
	// inProcess makes a server of so many tools, and connects clients with it in memory.
	inProcess func(tools int) (dial, error)
	// dialHTTP connects a client over Streamable HTTP.
	dialHTTP func(ctx context.Context, url string, over *http.Client) (client, error)
	// start starts a server process and connects a client with it.
	start func(ctx context.Context, program string) (client, error)
	// loses says that a notification which a handler has sent may not leave the server, late
	// that its client may be told of one after the answer.
	loses, late bool
	// unchecked says that the server checks neither arguments nor results unless told to.
	unchecked bool
}

// dial connects a client.
type dial func(ctx context.Context) (client, error)

// client is the client of a library in a session.
type client interface {
	// weather calls get_weather with the arguments that all use, and checks the result. If
	// progress is set, it asks to be told of progress.
	weather(ctx context.Context, progress bool) error
	// refused calls get_weather for a city. It is an error when the server does not refuse
	// that, as it must without a city, for arguments that are not valid, and for
	// peers.Nowhere, for a result that is not valid.
	refused(ctx context.Context, city string) error
	// tools asks for the list of tools and checks how many there are.
	tools(ctx context.Context, want int) error
	// progress is how often the client was told of progress.
	progress() int64
	close()
}

// libraries are all of them, the one that is to be better first.
var libraries = []library{onMcpgen, onMCPGo, onGoSDK}

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

// subjects makes one of the floor and one of each library.
func subjects(below func(context.Context, *Lab) (*Work, error), start func(context.Context, *Lab, library) (*Work, error)) []Subject {
	all := []Subject{{floor, below}}
	for _, l := range libraries {
		all = append(all, Subject{l.name, func(ctx context.Context, lab *Lab) (*Work, error) { return start(ctx, lab, l) }})
	}
	return all
}
