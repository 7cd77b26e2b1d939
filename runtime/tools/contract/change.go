package contract

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// base returns the sample that Refused changes: the one with the most members.
func (s Samples) base() wire.Raw {
	if len(s.Inputs) == 0 {
		return ""
	}
	return s.Inputs[min(1, len(s.Inputs)-1)]
}

// Refused is a change that makes a sample invalid.
type Refused struct {
	// Pointer is the JSON Pointer of the problem.
	Pointer string
	// Wrong is a value of a wrong type there. If it is "", Member is the missing member of the object there.
	Member string
	Wrong  wire.Raw
}

// String describes the changed sample.
func (r Refused) String() string {
	if r.Wrong == "" {
		return fmt.Sprintf("the sample without the member %q at %q", r.Member, r.Pointer)
	}
	return fmt.Sprintf("the sample with %s at %q", r.Wrong, r.Pointer)
}

// of returns the changed sample.
func (r Refused) of(t *testing.T, sample wire.Raw) wire.Raw {
	t.Helper()
	changed, err := change(sample, r.Pointer, func(v wire.Raw) (wire.Raw, error) {
		if r.Wrong != "" {
			return r.Wrong, nil
		}
		if v.Kind() != wire.KindObject {
			return "", errNothing
		}
		return wire.Raw(wire.Object(v).Without(r.Member)), nil
	})
	if err != nil {
		t.Fatalf("the sample %s cannot be changed at %q: %v", sample, r.Pointer, err)
	}
	return changed
}

var errNothing = errors.New("nothing is there")

// change returns a value in which the part at a JSON Pointer is what a function makes of it.
func change(value wire.Raw, pointer string, of func(wire.Raw) (wire.Raw, error)) (wire.Raw, error) {
	if pointer == "" {
		return of(value)
	}
	token, rest, deeper := strings.Cut(pointer[1:], "/")
	if deeper {
		rest = "/" + rest
	}
	name := wire.PointerName(token)
	part, ok := value.Child(name)
	if !ok {
		return "", errNothing
	}
	part, err := change(part, rest, of)
	if err != nil {
		return "", err
	}
	if value.Kind() == wire.KindObject {
		changed, err := wire.Object(value).With(name, part)
		return wire.Raw(changed), err
	}
	all := value.Elements()
	i, err := strconv.Atoi(name)
	all[i] = part
	return wire.ArrayOf(all), err
}
