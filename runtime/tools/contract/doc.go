// Package contract contains the tests that mcpgen generates with a server. Every correct
// implementation of its tools passes them.
//
// They use a fake implementation, so that none of the user's code runs, with the generated
// server and a client connected in memory. They check that the server's lists are those it was
// generated from; that samples of arguments are accepted and reach the method of their item; that
// arguments with a missing member or one of a wrong type are rejected with the location of the
// problem and do not reach it; that a panic and an error of a tool become results with isError; and
// that the server does not send a result that violates the output schema.
package contract

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/tools"
)

// Run tests a generated package. File is the name of the file with the samples that mcpgen has generated, and items
// are those of the package, in the order of their lists. Serve returns the generated server with the fake implementation
// that keeps its calls in f, and bindings are those of the client.
func Run(t *testing.T, file string, items []*tools.Item, serve func(f *Fake) (*runtime.Server, error), bindings ...runtime.Binding) {
	checksum, rows := read(t, file)
	session := func(t *testing.T, f *Fake) *runtime.Session {
		server, err := serve(f)
		if err != nil {
			t.Fatal(err)
		}
		client := runtime.NewClient(runtime.ClientOptions{Name: "contract", Version: "1"}, bindings...)
		s, err := client.Connect(t.Context(), Connect(t, server))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	t.Run("lists", func(t *testing.T) { lists(t, session(t, new(Fake)), items, checksum) })
	for _, item := range items {
		name := item.Kind + " " + item.Key
		t.Run(name, func(t *testing.T) {
			of, ok := rows[name]
			if !ok {
				t.Fatalf("%s has no line for the %s %q", file, item.Kind, item.Key)
			}
			f := new(Fake)
			(&test{t, session(t, f), f, item, of}).run()
		})
	}
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

// Fake holds the answer of the generated fake implementation and records its calls.
type Fake struct {
	called string // the method that was called last
	got    string // the URI of a resource, or the value to complete and the values of other arguments
	fail   error
	panics bool
}

// Text is the text of the result of a fake prompt or resource, and the value that a fake completion proposes.
const Text = "an answer"

// Call records the call of a method with some of its arguments, and returns the error that it answers with.
func (f *Fake) Call(method string, got ...any) error {
	f.called, f.got = method, strings.TrimSuffix(fmt.Sprintln(got...), "\n")
	if f.panics {
		panic("fake panic")
	}
	return f.fail
}
