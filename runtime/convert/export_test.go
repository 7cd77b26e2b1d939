package convert

import (
	"testing"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// SetPolicy adds a function for the tables of a test.
func SetPolicy(t *testing.T, name string, f func(*Conversion, wire.Raw) wire.Raw) {
	policies()[name] = f
	t.Cleanup(func() { delete(policies(), name) })
}

// Policy returns a function of the policy.
func Policy(name string) func(*Conversion, wire.Raw) wire.Raw { return policies()[name] }
