package runtime

import (
	"fmt"

	"github.com/mcpgen/mcpgen/runtime/internal/form"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Both sides check that the content of a form which the user has accepted matches the requested schema
// ("Form Mode Security" in client/elicitation, 2026-07-28; "Security Considerations" in the revisions before it):
// the client before it sends the content, the server before its handler gets it.

// checkForm encodes the result of the client's handler for a form, or returns an error if it does not match
// the form.
func checkForm(params wire.Raw, result wire.Appender) (wire.Appender, error) {
	if result == nil {
		return nil, nil
	}
	text, err := wire.MarshalString(result)
	if err == nil {
		err = form.CheckResult(wire.Object(params), wire.Object(text))
	}
	if err != nil {
		return nil, fmt.Errorf("runtime: result of %s: %w", methodElicit, err)
	}
	return wire.Raw(text), nil
}

// checkAnswered returns an error if the text answers a form and does not match it.
func (q *request) checkAnswered(text wire.Raw) error {
	if q.method != methodElicit || q.params == nil {
		return nil
	}
	params, err := wire.MarshalString(q.params)
	if err != nil {
		return err
	}
	return form.CheckResult(wire.Object(params), wire.Object(text))
}
