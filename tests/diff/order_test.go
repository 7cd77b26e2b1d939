package diff

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/gen/diff"
	"github.com/mcpgen/mcpgen/gen/tools"
)

// TestMemberOrder checks that findings about random schemas, and so their fingerprints, do not depend on the order of
// the members of the schemas.
func TestMemberOrder(t *testing.T) {
	count := setting(t, "MCPGEN_DIFF_RANDOM", 400)
	rng := rand.New(rand.NewPCG(uint64(setting(t, "MCPGEN_DIFF_SEED", 1)), 7))
	for range count {
		s := schemas{rng}
		old := s.of(2)
		new := s.changed(old, 2)
		prints := func(encode func(v any) string) (list []string) {
			var sides [2]diff.ToolList
			for i, schema := range []any{old, new} {
				read, err := tools.Read([]byte(inInput(`{"type":"object","required":["v"],"properties":{"v":` + encode(schema) + `}}`)))
				if err != nil {
					return nil
				}
				sides[i] = diff.ToolList{List: read}
			}
			report, err := diff.Tools(sides[0], sides[1])
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range report.Findings {
				list = append(list, f.Fingerprint+" "+f.Rule+" at "+f.Subject)
			}
			slices.Sort(list)
			return list
		}
		if was, is := prints(encode), prints(backwards); !slices.Equal(was, is) {
			t.Errorf("%q, but with the members in the opposite order %q\n\t%s\n\t%s", was, is, encode(old), encode(new))
		}
	}
}

// backwards encodes a value with the members of objects in the opposite order of their names.
func backwards(v any) string {
	var parts []string
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			parts = append(parts, encode(name)+":"+backwards(value))
		}
		slices.SortFunc(parts, func(x, y string) int { return strings.Compare(y, x) })
		return "{" + strings.Join(parts, ",") + "}"
	case []any:
		for _, element := range v {
			parts = append(parts, backwards(element))
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	text, _ := json.Marshal(v)
	return string(text)
}
