package samples

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// strings returns strings that may satisfy the schemas.
func (g *sampler) strings(flat []*jsonschema.Schema) iter.Seq[wire.Raw] {
	return func(yield func(wire.Raw) bool) {
		least := atLeast(flat, func(s *jsonschema.Schema) *int64 { return s.MinLength })
		most := atMost(flat, func(s *jsonschema.Schema) *int64 { return s.MaxLength })
		if least > 10*tooMany {
			return
		}
		var all []string
		for _, s := range flat {
			if s.Format != "" {
				all = append(all, formatted(s.Format, g.turn)...)
			}
		}
		for _, s := range flat {
			if s.Pattern != nil {
				all = append(all, matching(*s.Pattern, int(least), g.turn)...)
			}
		}
		plain := "text"
		if g.turn > 0 {
			plain += strconv.Itoa(g.turn)
		}
		all = append(all, plain, strings.Repeat("a", g.turn))
		fit := func(s string) string {
			if n := int(least) - utf8.RuneCountInString(s); n > 0 {
				s += strings.Repeat("a", n)
			}
			if most >= 0 && utf8.RuneCountInString(s) > int(most) {
				r := []rune(s)
				s = string(r[len(r)-int(most):])
			}
			return s
		}
		for _, s := range all {
			for _, s := range slices.Compact([]string{s, fit(s)}) {
				text, err := wire.AppendString(nil, s)
				if err == nil && !yield(wire.Raw(text)) {
					return
				}
			}
		}
	}
}

// formatted returns strings with a format.
func formatted(format string, n int) []string {
	number := strconv.Itoa(n)
	if n == 0 {
		number = ""
	}
	day := fmt.Sprintf("%02d", n%28+1)
	switch format {
	case "uuid":
		return []string{fmt.Sprintf("123e4567-e89b-42d3-a456-%012d", n)}
	case "date-time":
		return []string{"2025-01-" + day + "T12:00:00Z"}
	case "date":
		return []string{"2025-01-" + day}
	case "time":
		return []string{fmt.Sprintf("12:00:%02dZ", n%60)}
	case "duration":
		return []string{fmt.Sprintf("P%dD", n+1)}
	case "email", "idn-email":
		return []string{"ada" + number + "@example.com"}
	case "hostname", "idn-hostname":
		return []string{"example" + number + ".com"}
	case "ipv4":
		return []string{fmt.Sprintf("192.0.2.%d", n%250+1)}
	case "ipv6":
		return []string{fmt.Sprintf("2001:db8::%x", n%0xffff+1)}
	case "uri", "url", "iri", "uri-reference", "iri-reference", "uri-template":
		return []string{"https://example.com/" + number, "https://example.com"}
	case "json-pointer":
		return []string{"/member" + number}
	case "relative-json-pointer":
		return []string{strconv.Itoa(n)}
	case "regex":
		return []string{"^text" + number + "$"}
	case "byte", "base64":
		return []string{"dGV4dA=="}
	}
	return nil
}
