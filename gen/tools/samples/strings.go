package samples

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// strings returns strings that may satisfy the schemas.
func (g *sampler) strings(flat []*jsonschema.Schema) (list []wire.Raw) {
	least, most := lengths(flat, func(s *jsonschema.Schema) (least, most *int64) { return s.MinLength, s.MaxLength })
	if least > 10*tooMany {
		return nil
	}
	var all []string
	for _, s := range flat {
		if s.Format != "" {
			all = append(all, formatted(s.Format, g.turn)...)
		}
	}
	for _, s := range flat {
		if s.Pattern != nil {
			all = append(all, matching(*s.Pattern, least, g.turn)...)
		}
	}
	plain := "text"
	if g.turn > 0 {
		plain += strconv.Itoa(g.turn)
	}
	for _, s := range append(all, plain, strings.Repeat("a", g.turn)) {
		fit := []rune(s)
		fit = append(fit, []rune(strings.Repeat("a", max(0, least-len(fit))))...)
		fit = fit[max(0, len(fit)-most):]
		for _, s := range slices.Compact([]string{s, string(fit)}) {
			if text, err := wire.AppendString(nil, s); err == nil {
				list = append(list, wire.Raw(text))
			}
		}
	}
	return list
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
