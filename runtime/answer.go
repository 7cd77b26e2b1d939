package runtime

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Answer handles one request with a typed handler: it decodes and validates params,
// calls h and validates the result. Absent params are read as an empty object, and members
// that are null but may only be absent as absent, because some peers write them so. Bad
// params are a *jsonrpc.Error with CodeInvalidParams that names each problem with its
// JSON Pointer; a bad result is an ordinary error, so the peer reads of an internal
// error and the log tells which.
func Answer[P any, R wire.Appender, PP interface {
	*P
	wire.Value
}](ctx context.Context, params wire.Raw, h func(context.Context, *P) (R, error)) (wire.Appender, error) {
	p := PP(new(P))
	if err := decodeParams(ctx, params, p); err != nil {
		return nil, err
	}
	result, err := h(ctx, (*P)(p))
	return checkResult(result, err)
}

func checkResult[R wire.Appender](result R, err error) (wire.Appender, error) {
	if err != nil {
		return nil, err
	}
	if err := wire.Validate(result); err != nil {
		return nil, fmt.Errorf("runtime: invalid result: %w", err)
	}
	return result, nil
}

// AnswerValue is Answer for params that cannot be made by new: it decodes them
// into p.
func AnswerValue[P wire.Value, R wire.Appender](ctx context.Context, params wire.Raw, p P, h func(context.Context, P) (R, error)) (wire.Appender, error) {
	if err := decodeParams(ctx, params, p); err != nil {
		return nil, err
	}
	result, err := h(ctx, p)
	return checkResult(result, err)
}

// Receive handles one notification with a typed handler, as Answer does a request.
func Receive[P any, PP interface {
	*P
	wire.Value
}](ctx context.Context, params wire.Raw, h func(context.Context, *P) error) error {
	p := PP(new(P))
	if err := decodeParams(ctx, params, p); err != nil {
		return err
	}
	return h(ctx, (*P)(p))
}

// ReceiveValue is Receive for params that cannot be made by new.
func ReceiveValue[P wire.Value](ctx context.Context, params wire.Raw, p P, h func(context.Context, P) error) error {
	if err := decodeParams(ctx, params, p); err != nil {
		return err
	}
	return h(ctx, p)
}

// Params makes the params of a call of a pointer to them: nil stays nil, which
// a nil pointer in an interface would not.
func Params[P any, PP interface {
	*P
	wire.Value
}](p *P) wire.Appender {
	if p == nil {
		return nil
	}
	return PP(p)
}

func decodeParams(ctx context.Context, params wire.Raw, v wire.Value) error {
	lenience := wire.AbsentNulls
	if c := CallOf(ctx); c != nil && c.params == params { // and not made by middleware
		lenience |= wire.WellFormed
	}
	if params == "" || params == "null" {
		params = "{}"
	}
	_, _, err := wire.UnmarshalLenient(params, v, lenience)
	if err == nil {
		err = wire.Validate(v)
	}
	if err != nil {
		return invalidParams(err)
	}
	return nil
}

// maxProblems bounds the message of an error, as do the widths of what is printed: a
// list of a million bad items must not be answered with a million problems.
const maxProblems = 50

func invalidParams(err error) error {
	var text strings.Builder
	text.WriteString("invalid params: ")
	if e, ok := errors.AsType[*wire.ValidationError](err); ok {
		for i, p := range e.Problems {
			if i == maxProblems {
				fmt.Fprintf(&text, "; and %d more", len(e.Problems)-i)
				break
			}
			if i > 0 {
				text.WriteString("; ")
			}
			writeProblem(&text, p.Pointer, p.Message)
		}
	} else if e, ok := errors.AsType[*wire.Error](err); ok {
		writeProblem(&text, e.Pointer, e.Problem)
	} else {
		fmt.Fprintf(&text, "%.500s", err)
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: text.String()}
}

func writeProblem(text *strings.Builder, pointer, problem string) {
	if pointer != "" {
		fmt.Fprintf(text, "%.200s: ", pointer)
	}
	fmt.Fprintf(text, "%.500s", problem)
}

// MethodNotFound is the *jsonrpc.Error for a method that a side does not know or offer.
func MethodNotFound(method string) error {
	return jsonrpc.Errorf(jsonrpc.CodeMethodNotFound, "method not found: %.100q", method)
}

func isMethodNotFound(err error) bool {
	e, ok := errors.AsType[*jsonrpc.Error](err)
	return ok && e.Code == jsonrpc.CodeMethodNotFound
}
