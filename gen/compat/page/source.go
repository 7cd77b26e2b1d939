package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/gen/compat"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// source is a side that pointers can be followed in.
type source struct {
	Side
}

func newSource(s Side) (*source, error) {
	if !json.Valid(s.Source) {
		return nil, fmt.Errorf("%s: the source is not JSON", s.Label)
	}
	return &source{s}, nil
}

func (s *source) has(name string) bool {
	return slices.Contains(s.Subjects, name) || slices.Contains(s.Definitions, name)
}

// at is the text of a place, "" where there is none.
func (s *source) at(p compat.Place) string {
	if p.Pointer == "" {
		return ""
	}
	found := json.RawMessage(s.Source)
	for _, segment := range strings.Split(p.Pointer, "/")[1:] {
		segment = wire.PointerName(segment)
		var object map[string]json.RawMessage
		var list []json.RawMessage
		switch i, err := strconv.Atoi(segment); {
		case json.Unmarshal(found, &object) == nil && object[segment] != nil:
			found = object[segment]
		case err == nil && json.Unmarshal(found, &list) == nil && i >= 0 && i < len(list):
			found = list[i]
		default:
			return ""
		}
	}
	var b bytes.Buffer
	if json.Indent(&b, found, "", "  ") != nil {
		return ""
	}
	return b.String()
}
