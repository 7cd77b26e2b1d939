package mcplog

import (
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// add adds an attribute to an object. A later attribute replaces one with the same name.
func add(to *wire.Members, a slog.Attr) {
	v := a.Value.Resolve()
	if v.Kind() != slog.KindGroup {
		if a.Key != "" || !a.Value.Equal(slog.Value{}) { // an empty attribute is ignored
			to.Set(valid(a.Key), value(v))
		}
		return
	}
	if a.Key == "" { // the attributes of a group without a name are inlined
		addAll(to, v.Group())
		return
	}
	var members wire.Members
	if addAll(&members, v.Group()); len(members) > 0 {
		to.Set(valid(a.Key), wire.Raw(object(members)))
	}
}

func addAll(to *wire.Members, attrs []slog.Attr) {
	for _, a := range attrs {
		add(to, a)
	}
}

// object returns the object with the given members. They come from add, so they are valid
// JSON.
func object(members wire.Members) wire.Object {
	o, _ := wire.NewObject(members...)
	return o
}

// value returns the JSON of a resolved value that is not a group.
func value(v slog.Value) wire.Raw {
	switch v.Kind() {
	case slog.KindBool:
		return wire.Raw(strconv.FormatBool(v.Bool()))
	case slog.KindInt64:
		return wire.Raw(strconv.FormatInt(v.Int64(), 10))
	case slog.KindUint64:
		return wire.Raw(strconv.FormatUint(v.Uint64(), 10))
	case slog.KindFloat64:
		if number, err := wire.AppendFloat64(nil, v.Float64()); err == nil {
			return wire.Raw(number)
		}
	case slog.KindTime:
		return text(v.Time().Format(time.RFC3339Nano))
	case slog.KindAny:
		return anything(v.Any())
	}
	return text(v.String())
}

func anything(v any) wire.Raw {
	switch v := v.(type) {
	case nil:
		return "null"
	case wire.Appender:
		// Invalid JSON would make the text of the whole object empty.
		if data, err := wire.MarshalString(v); err == nil {
			var raw wire.Raw
			if wire.UnmarshalString(data, &raw) == nil {
				return raw
			}
		}
	case error:
		return text(v.Error())
	}
	return text(fmt.Sprintf("%+v", v))
}

func text(s string) wire.Raw {
	t, _ := wire.AppendString(nil, valid(s))
	return wire.Raw(t)
}

func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
