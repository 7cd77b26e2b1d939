package runtime

import (
	"context"
	"log/slog"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// filtered holds what a client listens to in an extension.
type filtered struct {
	ExtensionFilter
	values []string
}

// readExtensions returns the members of the filter that belong to extensions. A client that has not
// declared the extension gets an error.
func (c *Call) readExtensions(filter wire.Object) ([]filtered, error) {
	var all []filtered
	for _, x := range c.terms.bound.Extensions {
		for _, f := range x.Filters {
			list, ok := filter.Get(f.Member)
			if !ok || list == "null" {
				continue
			}
			if !c.Extension(x.Name) {
				return nil, missingExtension(x.Name)
			}
			if list.Kind() != wire.KindArray {
				return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "invalid params: /notifications/%s: expected an array", f.Member)
			}
			var values []string
			for i, element := range list.Elements() {
				value, ok := element.Str()
				if !ok {
					return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "invalid params: /notifications/%s/%d: expected a string", f.Member, i)
				}
				values = append(values, strings.Clone(value))
			}
			slices.Sort(values)
			all = append(all, filtered{f, slices.Compact(values)})
		}
	}
	return all, nil
}

// honourExtensions keeps the values that the binding accepts.
func (l *subscriber) honourExtensions(ctx context.Context) {
	listen := l.call.terms.bound.Listen
	for i := range l.filtered {
		f := &l.filtered[i]
		f.values = slices.DeleteFunc(f.values, func(value string) bool {
			if listen == nil {
				return false
			}
			err := listen(ctx, f.Member, value)
			if err != nil {
				l.call.peer.debug("subscription refused", slog.String("filter", f.Member), slog.String("value", value), slog.Any("error", err))
			}
			return err != nil
		})
	}
	l.filtered = slices.DeleteFunc(l.filtered, func(f filtered) bool { return len(f.values) == 0 })
}

// sendsExtension reports whether the client has asked for a notification of an extension.
func (l *subscriber) sendsExtension(method string, params wire.Appender) bool {
	for _, f := range l.filtered {
		if f.Notification != method {
			continue
		}
		text, err := wire.MarshalString(params)
		if err != nil {
			return true // so that the sender gets the error
		}
		if slices.Contains(f.values, wire.Object(text).GetString(f.Param)) {
			return true
		}
	}
	return false
}
