// Package contract contains the tests that mcpgen generates with a server. Every correct
// implementation of its tools passes them.
//
// They use a fake implementation, so that none of the user's code runs, with the generated
// server and the generated client connected in memory. They check that the server's list is
// the one it was generated from; that samples of arguments are accepted and survive
// decoding and encoding; that arguments with a missing member or one of a wrong type are
// rejected with the location of the problem; that a call of each of the client's methods
// reaches the server's method and returns its result; that a panic and an error become
// results with isError; and that the server does not send a result that violates the output
// schema.
package contract

import (
	"context"
	"testing"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/tools"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Tool describes the tests of a tool. Create it with [Structured] or [Content].
type Tool struct {
	tool    *tools.Tool
	samples Samples
	// round decodes and encodes arguments.
	round func(wire.Raw) (wire.Raw, error)
	// call calls the tool through the client.
	call func(ctx context.Context, arguments wire.Raw) (wire.Raw, error)
	// answer returns the error for a handler that returns a value other than an Out.
	answer func(ctx context.Context, arguments wire.Object, result wire.Raw) error
}

// Samples holds values for the schemas of a tool. A list is empty if no value was found.
type Samples struct {
	// Inputs are valid under the input schema.
	Inputs []wire.Raw
	// Refused are changes that make the second of Inputs, or the only one, invalid.
	Refused []Refused
	// Output is valid under the output schema. BadOutputs are changes that make it invalid.
	Output     wire.Raw
	BadOutputs []Refused
}

// Refused is a change that makes a sample invalid. Create it with [Without] or [With].
type Refused struct {
	pointer string   // location of the problem
	member  string   // missing member of the object there; "" if the value has a wrong type
	wrong   wire.Raw // the value of a wrong type
}

// Without returns the change that removes a member from the object at a JSON Pointer.
func Without(pointer, member string) Refused { return Refused{pointer: pointer, member: member} }

// With returns the change that puts a value of a wrong type at a JSON Pointer.
func With(pointer string, wrong wire.Raw) Refused { return Refused{pointer: pointer, wrong: wrong} }

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
