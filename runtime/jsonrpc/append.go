package jsonrpc

import "github.com/mcpgen/mcpgen/runtime/wire"

// AppendJSON appends the message as one line of compact JSON.
func (m *Message) AppendJSON(dst []byte) ([]byte, error) {
	switch {
	case m.Kind == Request:
		return AppendRequest(dst, m.ID, m.Method, optional(m.Params))
	case m.Kind == Notification:
		return AppendNotification(dst, m.Method, optional(m.Params))
	case m.Error != nil:
		return AppendError(dst, m.ID, m.Error)
	}
	return AppendResult(dst, m.ID, m.Result)
}

func optional(params wire.Raw) wire.Appender {
	if params == "" {
		return nil
	}
	return params
}

// AppendRequest appends a request. Nil params omit the member; other params must append an
// object.
func AppendRequest(dst []byte, id wire.Scalar, method string, params wire.Appender) ([]byte, error) {
	dst, err := BeginRequest(dst, id, method)
	if err == nil {
		dst, err = AppendParams(dst, params)
	}
	return append(dst, '}'), err
}

// AppendNotification appends a notification. Nil params omit the member; other params must
// append an object.
func AppendNotification(dst []byte, method string, params wire.Appender) ([]byte, error) {
	dst, err := BeginNotification(dst, method)
	if err == nil {
		dst, err = AppendParams(dst, params)
	}
	return append(dst, '}'), err
}

// BeginRequest appends the part of a request that comes before the member params. After that, only a closing
// brace is left to append.
func BeginRequest(dst []byte, id wire.Scalar, method string) ([]byte, error) {
	dst, err := appendID(append(dst, `{"jsonrpc":"2.0","id":`...), id)
	if err != nil {
		return dst, err
	}
	return appendMethod(dst, method)
}

// BeginNotification is BeginRequest for a notification.
func BeginNotification(dst []byte, method string) ([]byte, error) {
	return appendMethod(append(dst, `{"jsonrpc":"2.0"`...), method)
}

func appendMethod(dst []byte, method string) ([]byte, error) {
	dst, err := wire.AppendString(append(dst, `,"method":`...), method)
	return dst, wire.In(err, "method")
}

// AppendParams appends the member params. It appends nothing if params is nil.
func AppendParams(dst []byte, params wire.Appender) ([]byte, error) {
	if params == nil {
		return dst, nil
	}
	dst, err := params.AppendJSON(append(dst, `,"params":`...))
	return dst, wire.In(err, "params")
}

// AppendResult appends a response with a result to the request with the given ID.
func AppendResult(dst []byte, id wire.Scalar, result wire.Appender) ([]byte, error) {
	dst, err := BeginResult(dst, id)
	if err != nil {
		return dst, err
	}
	if dst, err = result.AppendJSON(dst); err != nil {
		return dst, wire.In(err, "result")
	}
	return append(dst, '}'), nil
}

// BeginResult appends the part of a response that comes before the result. After the result, only a
// closing brace is left to append.
func BeginResult(dst []byte, id wire.Scalar) ([]byte, error) {
	dst, err := appendID(append(dst, `{"jsonrpc":"2.0","id":`...), id)
	return append(dst, `,"result":`...), err
}

// AppendError appends a response with an error to the request with the given ID. If the ID
// is unknown, JSON-RPC requires null, and revisions since 2025-11-25 require its absence: a
// zero ID is omitted.
func AppendError(dst []byte, id wire.Scalar, e *Error) ([]byte, error) {
	dst = append(dst, `{"jsonrpc":"2.0"`...)
	var err error
	if !id.IsZero() {
		if dst, err = appendID(append(dst, `,"id":`...), id); err != nil {
			return dst, err
		}
	}
	if dst, err = e.AppendJSON(append(dst, `,"error":`...)); err != nil {
		return dst, wire.In(err, "error")
	}
	return append(dst, '}'), nil
}

func appendID(dst []byte, id wire.Scalar) ([]byte, error) {
	dst, err := id.AppendJSON(dst)
	return dst, wire.In(err, "id")
}
