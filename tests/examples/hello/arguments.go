package main

import "github.com/mcpgen/mcpgen/runtime/wire"

// The arguments of the tools, with decoders of the same form as generated ones: names are
// exact, a member of the wrong kind is an error, and all missing members are named.
// Members that are not looked for are allowed, as in the schemas of the tools.

type greetArguments struct {
	name   string
	formal bool
}

// DecodeJSON reads the arguments of greet.
func (a *greetArguments) DecodeJSON(r *wire.Reader) error {
	var seen [1]uint64
	for r.BeginObject(); r.Member(); {
		switch r.Name() {
		case "name":
			r.Once(&seen[0], 0)
			a.name = r.ReadString()
		case "formal":
			r.Once(&seen[0], 1)
			a.formal = r.ReadBool()
		default:
			r.Skip()
		}
	}
	if seen[0]&1 == 0 {
		r.Missing(seen[:], "name")
	}
	return r.Err()
}

type divideArguments struct{ dividend, divisor float64 }

// DecodeJSON reads the arguments of divide.
func (a *divideArguments) DecodeJSON(r *wire.Reader) error {
	var seen [1]uint64
	for r.BeginObject(); r.Member(); {
		switch r.Name() {
		case "dividend":
			r.Once(&seen[0], 0)
			a.dividend = r.ReadFloat64()
		case "divisor":
			r.Once(&seen[0], 1)
			a.divisor = r.ReadFloat64()
		default:
			r.Skip()
		}
	}
	if seen[0] != 0b11 {
		r.Missing(seen[:], "dividend", "divisor")
	}
	return r.Err()
}

type countArguments struct{ to int64 }

// DecodeJSON reads the arguments of count.
func (a *countArguments) DecodeJSON(r *wire.Reader) error {
	var seen [1]uint64
	for r.BeginObject(); r.Member(); {
		switch r.Name() {
		case "to":
			r.Once(&seen[0], 0)
			a.to = r.ReadInt64()
		default:
			r.Skip()
		}
	}
	if seen[0] != 1 {
		r.Missing(seen[:], "to")
	}
	return r.Err()
}

type waitArguments struct{ seconds float64 }

// DecodeJSON reads the arguments of wait.
func (a *waitArguments) DecodeJSON(r *wire.Reader) error {
	var seen [1]uint64
	for r.BeginObject(); r.Member(); {
		switch r.Name() {
		case "seconds":
			r.Once(&seen[0], 0)
			a.seconds = r.ReadFloat64()
		default:
			r.Skip()
		}
	}
	if seen[0] != 1 {
		r.Missing(seen[:], "seconds")
	}
	return r.Err()
}
