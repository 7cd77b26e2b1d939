package typed_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/typed"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// shouted is a text that its schema cannot describe.
type shouted string

func (s *shouted) UnmarshalText(text []byte) error {
	*s = shouted(text)
	if strings.ToUpper(string(text)) != string(text) {
		return errors.New("must be in capitals")
	}
	return nil
}

func (s shouted) MarshalText() ([]byte, error) { return []byte(s), nil }

type arguments struct {
	Small int8           `json:"small,omitempty"`
	Time  time.Time      `json:"time,omitzero"`
	Bytes []byte         `json:"bytes,omitempty"`
	Float float32        `json:"float,omitempty"`
	Addr  netip.Addr     `json:"addr,omitzero"`
	List  []shouted      `json:"list,omitempty"`
	Map   map[string]int `json:"map,omitempty"`
	Word  string         `json:"word,omitempty"`
	Large int            `json:"large,omitempty"`
	Count uint64         `json:"count,omitempty"`
	Page  *page          `json:"page,omitempty"`
	Any   any            `json:"any,omitempty"`
	Text  int            `json:"text,omitempty,string"`
	Exact json.Number    `json:"exact,omitempty"`
	Keys  map[int8]bool  `json:"keys,omitempty"`
	Ports map[uint8]bool `json:"ports,omitempty"`
}

// page has methods of encoding/json, whose errors name Go types.
type page struct {
	Limit int     `json:"limit"`
	Small uint8   `json:"small"`
	Share float32 `json:"share"`
	Tags  []town  `json:"tags"`
}

type town struct {
	Name string `json:"name"`
}

func (p *page) UnmarshalJSON(text []byte) error {
	type plain page
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode((*plain)(p))
}

func (p page) MarshalJSON() ([]byte, error) { return []byte("{}"), nil }

type wrongDefault struct {
	Word shouted `json:"word,omitempty" jsonschema:"default=small"`
	N    int     `json:"n,omitempty"`
}

// TestInvalidArguments checks that the texts about invalid arguments, which a model reads, name the argument and
// not a place in the text.
func TestInvalidArguments(t *testing.T) {
	many := typed.ContentTool(wire.Object(`{"name":"t"}`), func(context.Context, *arguments) ([]wire.Raw, error) { return nil, nil })
	for _, tt := range []struct {
		tool      func(context.Context, wire.Object) (wire.Appender, error)
		arguments wire.Object
		at        string
	}{
		{many.Call, `{"small":"x"}`, "/small: "},
		{many.Call, `{"small":300}`, "/small: "},
		{many.Call, `{"time":5}`, "/time: "},
		{many.Call, `{"time":"noon"}`, "/time: "},
		{many.Call, `{"bytes":"%"}`, "/bytes: "},
		{many.Call, `{"float":1e300}`, "/float: "},
		{many.Call, `{"addr":"here"}`, "/addr: "},
		{many.Call, `{"list":["A","b"]}`, "/list/1: "},
		{many.Call, `{"map":{"a/b":1e40}}`, "/map/a~1b: "},
		{many.Call, `{"word":null}`, "/word: "},
		{many.Call, `{"large":9223372036854775808}`, "/large: must be at most 9223372036854775807, found 9223372036854775808"},
		{many.Call, `{"count":1e20}`, "/count: must be at most 18446744073709551615, found 100000000000000000000"},
		{many.Call, `{"count":18446744073709551615.5}`, "/count: must be an integer, found 18446744073709551615.5"},
		{many.Call, `{"other":1}`, "/other: "},
		{many.Call, `{"page":{"limit":1.5}}`, `/page: the member "limit" must be an integer, found 1.5`},
		{many.Call, `{"page":{"limit":"x"}}`, `/page: the member "limit" must be an integer, found a string`},
		{many.Call, `{"page":{"limit":1.0}}`, `/page: the member "limit" must be an integer of 64 bits in digits, found 1.0`},
		{many.Call, `{"page":{"small":-1}}`, `/page: the member "small" must be an integer of 8 bits in digits without a sign, found -1`},
		{many.Call, `{"page":{"share":1e300}}`, `/page: the member "share" must be a number in range, found 1e300`},
		{many.Call, `{"page":{"tags":[{"name":true}]}}`, `/page: the member "tags.name" must be a string, found a boolean`},
		{many.Call, `{"page":{"tags":{}}}`, `/page: the member "tags" must be an array, found an object`},
		{many.Call, `{"page":{"limt":1}}`, `/page: unknown field "limt"`},
		{many.Call, `{"page":[]}`, `/page: must be an object, found an array`},
		{many.Call, `{"any":[1e400]}`, `/any: must be a number in range, found 1e400`},
		{many.Call, `{"bytes":"%"}`, "/bytes: must be bytes in base64: illegal"},
		{many.Call, `{"text":"1.5"}`, "/text: must be an integer in a string"},
		{many.Call, `{"keys":{"500":true}}`, `/keys/500: the name "500" of a member is not valid: must be an integer of 8 bits`},
		{many.Call, `{"ports":{"-5":true}}`, `/ports/-5: the name "-5" of a member is not valid: must be an integer of 8 bits without a sign`},
		{many.Call, `{"exact":"1"}`, `/exact: must be a number, found the string "1"`},
	} {
		_, err := tt.tool(t.Context(), tt.arguments)
		if err == nil || !strings.Contains(err.Error(), "invalid arguments: at "+tt.at) || strings.Contains(err.Error(), "wire:") || strings.Contains(err.Error(), "Go ") || strings.Contains(err.Error(), ", byte ") {
			t.Errorf("%s: %v", tt.arguments, err)
		}
	}
}
