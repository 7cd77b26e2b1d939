// Package contract has the tests that mcpgen generates beside a server: what holds of
// every right implementation of its tools, whatever they do.
//
// They run against a fake implementation, so that nothing of the user's is called, over
// the generated server and the generated client, which are connected in memory: the list
// that the server gives is the one it was generated from; samples of arguments are
// accepted, decoded and written again; arguments that lack a member or have one of a
// wrong type are refused, and the refusal names the place; a call of each method of the
// client arrives at the method of the server and comes back; a panic and an error are
// results that say so; a result that breaks the output schema does not leave.
package contract

import (
	"context"
	"testing"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/tools"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Suite is what is tested of a generated package.
type Suite struct {
	// SHA256 is the checksum, in hexadecimal digits, of the array of definitions in the
	// list, without white space between tokens.
	SHA256 string
	// Definitions are what the package holds of the list.
	Definitions []wire.Object
	// Caller calls the generated server, which calls Fake.
	Caller runtime.Caller
	Fake   *Fake
	Tools  []Tool
}

// Tool is what is tested of a tool. Make it with [Structured] or [Content].
type Tool struct {
	tool    *tools.Tool
	samples Samples
	// round decodes arguments and writes them again.
	round func(wire.Raw) (wire.Raw, error)
	// call calls the tool through the client.
	call func(ctx context.Context, arguments wire.Raw) (wire.Raw, error)
	// answer is the result of a handler that returns a value that is no Out.
	answer func(ctx context.Context, arguments wire.Object, result wire.Raw) error
}

// Samples are values for the schemas of a tool. Where there is none, none was found.
type Samples struct {
	// Inputs satisfy the input schema.
	Inputs []wire.Raw
	// Refused do not.
	Refused []Refused
	// Output satisfies the output schema, and BadOutputs do not.
	Output     wire.Raw
	BadOutputs []Refused
}

// Refused is a value that does not satisfy a schema. Make it with [Lacking] or
// [WrongType].
type Refused struct {
	value   wire.Raw
	pointer string // where the trouble is
	member  string // that the object there lacks; "" where the value there is of a wrong type
}

// Lacking is a value in which the object at pointer lacks a member.
func Lacking(value wire.Raw, pointer, member string) Refused { return Refused{value, pointer, member} }

// WrongType is a value in which the one at pointer is of a wrong type.
func WrongType(value wire.Raw, pointer string) Refused { return Refused{value, pointer, ""} }

// Connect serves a session in memory until the test is over and returns the client's end.
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
