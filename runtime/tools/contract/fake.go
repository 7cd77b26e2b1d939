package contract

import (
	"errors"

	"github.com/mcpgen/mcpgen/runtime/catalog"
)

// Fake holds the answers of the generated fake implementation and records its calls.
type Fake struct {
	called  string // the tool, or the method of another item, that was called last
	uri     string // of a resource
	value   string // to complete
	settled map[string]string
	fail    error
	panics  bool
}

// errFake is the error that a fake tool returns.
var errFake = errors.New("fake error")

// Text is the text that a fake prompt or resource returns.
const Text = "an answer"

// Call records the call of a fake tool and returns the error that it answers with.
func (f *Fake) Call(tool string) error {
	f.called = tool
	if f.panics {
		panic("fake panic")
	}
	return errFake
}

// Answer returns the result of a fake prompt or resource, and records the call: the name of the
// method, and the URI of the resource.
func Answer[R any](f *Fake, method, uri string, result R) (R, error) {
	if f.called, f.uri = method, uri; f.fail != nil {
		var none R
		return none, f.fail
	}
	return result, nil
}

// Proposed returns the completion of a fake argument, and records the call.
func Proposed(f *Fake, method, value string, settled map[string]string) (catalog.Completion, error) {
	f.called, f.value, f.settled = method, value, settled
	return catalog.Completion{Values: []string{Text}}, f.fail
}
