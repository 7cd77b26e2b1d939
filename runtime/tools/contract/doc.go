// Package contract contains the tests that mcpgen generates with a server. Every correct
// implementation of its tools passes them.
//
// They use a fake implementation, so that none of the user's code runs, with the generated
// server and a client connected in memory. They check that the server's list is the one it was
// generated from; that samples of arguments are accepted and reach the method of their tool; that
// arguments with a missing member or one of a wrong type are rejected with the location of the
// problem and do not reach it; that a panic and an error become results with isError; and that the
// server does not send a result that violates the output schema.
package contract

import (
	"context"
	"testing"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Samples holds values for the schemas of an item. A list is empty if no value was found.
type Samples struct {
	// Inputs are valid under the input schema.
	Inputs []wire.Raw
	// Refused are changes that make the second of Inputs, or the only one, invalid.
	Refused []Refused
	// Output is valid under the output schema. BadOutputs are changes that make it invalid.
	Output     wire.Raw
	BadOutputs []Refused
}

// Session returns a session with a server, which ends with the test.
func Session(t *testing.T, server *runtime.Server, bindings ...runtime.Binding) *runtime.Session {
	t.Helper()
	client := runtime.NewClient(runtime.ClientOptions{Name: "contract", Version: "1"}, bindings...)
	session, err := client.Connect(t.Context(), Connect(t, server))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

// Connect serves a session in memory until the end of the test and returns the client's
// end.
func Connect(t *testing.T, server *runtime.Server) runtime.Transport {
	t.Helper()
	near, far := inproc.Pair()
	served := make(chan error, 1)
	go func() { served <- server.Serve(context.WithoutCancel(t.Context()), far) }()
	t.Cleanup(func() {
		near.Close()
		if err := <-served; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return near
}
