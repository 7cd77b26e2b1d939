package headers

import (
	"fmt"
	"strconv"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Table has the headers of a tool's calls: for each property of its inputSchema with the annotation
// x-mcp-header, a header that repeats the argument ("Custom Headers from Tool Parameters"). A nil
// Table has none. It is immutable.
type Table struct {
	params []param
}

// param is an argument that a header repeats.
type param struct {
	header string   // the canonical name
	path   []string // the names of the properties that lead to the argument
}

// Len returns the number of headers.
func (t *Table) Len() int {
	if t == nil {
		return 0
	}
	return len(t.params)
}

// Set sets the headers for the arguments of a call, which may be "". Arguments that are absent or null
// have no header. An argument that no header can repeat, because it is not a string, a boolean or an
// integer within ±(2^53-1), is an error.
func (t *Table) Set(h Header, arguments wire.Object) error {
	if t == nil {
		return nil
	}
	for i := range t.params {
		p := &t.params[i]
		value, ok := p.argument(arguments)
		if !ok {
			continue
		}
		text, err := repeat(value)
		if err != nil {
			return fmt.Errorf("headers: argument %.200q: %w", p.pointer(), err)
		}
		h[p.header] = []string{Encode(text)}
	}
	return nil
}

// Check compares the headers with the arguments of a call, which may be "". A header must be present
// if and only if the argument is present and not null. Integers are compared by value ("Server
// Validation"). Other headers are ignored. The error is a *MismatchError.
func (t *Table) Check(h Header, arguments wire.Object) error {
	if t == nil {
		return nil
	}
	for i := range t.params {
		if err := t.params[i].check(h, arguments); err != nil {
			return err
		}
	}
	return nil
}

func (p *param) check(h Header, arguments wire.Object) error {
	value, given := p.argument(arguments)
	text, sent, err := single(h, p.header)
	switch {
	case err != nil:
		return err
	case !given && !sent:
		return nil
	case !sent:
		return &MismatchError{p.header, fmt.Sprintf("the header is missing, but the message has the argument %.200q", p.pointer())}
	case !given:
		return &MismatchError{p.header, fmt.Sprintf("the message has no argument %.200q", p.pointer())}
	}
	if text, err = Decode(text); err != nil {
		return &MismatchError{p.header, err.Error()}
	}
	want, err := repeat(value)
	if err != nil {
		return &MismatchError{p.header, fmt.Sprintf("argument %.200q: %s", p.pointer(), err)}
	}
	if value.Kind() == wire.KindNumber {
		if v, ok := integer(text); ok {
			text = decimal(v)
		}
	}
	return same(p.header, text, want)
}

// argument returns the value at the path, or false if it is absent or null.
func (p *param) argument(arguments wire.Object) (wire.Raw, bool) {
	value := wire.Raw(arguments)
	for _, name := range p.path {
		if value.Kind() != wire.KindObject {
			return "", false
		}
		var ok bool
		if value, ok = wire.Object(value).Get(name); !ok {
			return "", false
		}
	}
	return value, value.Kind() != wire.KindNull
}

func (p *param) pointer() string {
	var text []byte
	for _, name := range p.path {
		text = wire.AppendPointer(text, name)
	}
	return string(text)
}

// repeat returns the text by which a header repeats a value, before it is encoded ("Value Encoding").
func repeat(value wire.Raw) (string, error) {
	switch value.Kind() {
	case wire.KindString:
		text, _ := value.Str()
		return text, nil
	case wire.KindBool:
		return string(value), nil
	case wire.KindNumber:
		v, ok := integer(string(value))
		if !ok {
			return "", fmt.Errorf("%.50s is not an integer within ±(2^53-1)", value)
		}
		return decimal(v), nil
	}
	return "", fmt.Errorf("no header can repeat a value of kind %s", value.Kind())
}

// maxInteger is the largest integer that every program reads exactly.
const maxInteger = 1<<53 - 1

// integer returns the value of a JSON number if it is an integer within ±maxInteger. 42.0 is one.
func integer(token string) (int64, bool) {
	var number wire.Scalar
	if wire.UnmarshalString(token, &number) != nil || number.String() != token {
		return 0, false
	}
	v, ok := number.Int64()
	return v, ok && -maxInteger <= v && v <= maxInteger
}

func decimal(v int64) string { return strconv.FormatInt(v, 10) }
