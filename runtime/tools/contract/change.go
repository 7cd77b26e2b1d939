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

// refusal is a change that makes a sample invalid.
type refusal struct {
	pointer string   // location of the problem
	member  string   // missing member of the object there; "" if the value has a wrong type
	wrong   wire.Raw // the value of a wrong type
}

// each returns the changes of a list.
func each(all []Refused) []refusal {
	var list []refusal
	for _, r := range all {
		for _, member := range r.members {
			list = append(list, refusal{pointer: r.pointer, member: member})
		}
		for _, pointer := range r.pointers {
			list = append(list, refusal{pointer: pointer, wrong: r.wrong})
		}
	}
	return list
}

// String describes the changed sample.
func (r refusal) String() string {
	if r.member != "" {
		return fmt.Sprintf("the sample without the member %q at %q", r.member, r.pointer)
	}
	return fmt.Sprintf("the sample with %s at %q", r.wrong, r.pointer)
}

// of returns the changed sample.
func (r refusal) of(t *testing.T, sample wire.Raw) wire.Raw {
	t.Helper()
	changed, err := change(sample, r.pointer, func(v wire.Raw) (wire.Raw, error) {
		if r.wrong != "" {
			return r.wrong, nil
		}
		if v.Kind() != wire.KindObject {
			return "", errNothing
		}
		return wire.Raw(wire.Object(v).Without(r.member)), nil
	})
	if err != nil {
		t.Fatalf("the sample %s cannot be changed at %q: %v", sample, r.pointer, err)
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
	switch value.Kind() {
	case wire.KindObject:
		name := wire.PointerName(token)
		part, ok := wire.Object(value).Get(name)
		if !ok {
			return "", errNothing
		}
		part, err := change(part, rest, of)
		if err != nil {
			return "", err
		}
		changed, err := wire.Object(value).With(name, part)
		return wire.Raw(changed), err
	case wire.KindArray:
		all := value.Elements()
		i, err := strconv.Atoi(token)
		if err != nil || i < 0 || i >= len(all) {
			return "", errNothing
		}
		if all[i], err = change(all[i], rest, of); err != nil {
			return "", err
		}
		text := []byte{'['}
		for _, element := range all {
			text = append(wire.AppendComma(text), element...)
		}
		return wire.Raw(append(text, ']')), nil
	}
	return "", errNothing
}
