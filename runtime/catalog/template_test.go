package catalog

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func parse(t testing.TB, text string) *entry {
	t.Helper()
	e := &entry{kind: kindTemplate, key: text}
	if err := e.setTemplate(Template{}); err != nil {
		t.Fatal(err)
	}
	return e
}

func TestMatch(t *testing.T) {
	for _, row := range []struct {
		template, uri string
		want          map[string][]string // nil: does not fit
	}{
		{"a://{x}/b", "a://1/b", map[string][]string{"x": {"1"}}},
		{"a://{x}/b", "a:///b", map[string][]string{"x": {""}}},
		{"a://{x}/b", "a://1/2/b", nil},
		{"a://{x}/b", "a://1/b/", nil},
		{"a://{x}/b", "A://1/b", nil},
		{"a://{x}/b", "a://%2E%2e%2Fetc/b", map[string][]string{"x": {"../etc"}}},
		{"a://{+x}", "a://1/2?3", map[string][]string{"x": {"1/2?3"}}},
		{"a://b{?x,y}", "a://b?x=1&y=2", map[string][]string{"x": {"1"}, "y": {"2"}}},
		{"a://b{/x*}", "a://b/1/2", map[string][]string{"x": {"1", "2"}}},
		{"a://{x}/{x}", "a://1/1", map[string][]string{"x": {"1"}}},
		{"a://{x}/{x}", "a://1/2", nil},
		{"a://{x}{?x}", "a://1", map[string][]string{"x": {"1"}}},
		{"a://b{/x*}/c{/x*}", "a://b/1/2/c/1/2", map[string][]string{"x": {"1", "2"}}},
		{"a://{x:3}", "a://123", map[string][]string{"x": {"123"}}},
		{"a://{x:1}/{x}", "a://1/123", map[string][]string{"x": {"123"}}},
		{"a://b{/x*}", "a://b", map[string][]string{}},
		{"a://b", "a://b", map[string][]string{}},
		{"a://b", "a://bc", nil},
	} {
		got, ok := parse(t, row.template).match(row.uri)
		if ok != (row.want != nil) {
			t.Errorf("%s, %s: fits %v", row.template, row.uri, ok)
		} else if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s, %s (-want +got):\n%s", row.template, row.uri, diff)
		}
	}
}

// TestMatchHostile matches the longest URIs there can be, of every unit that a template
// may have to look at again and again: it is to come to an end.
func TestMatchHostile(t *testing.T) {
	for _, text := range []string{"a:{x}", "a:{+x}", "a:{/x*}", "a:{+x}{+y}{+z}", "a:{/x*,y*}{?z*}", "a:{;z*}", "a:{x:9999}"} {
		for _, unit := range []string{"a", "/a", "%41", "/", ",", "?z=1&", "%", "%4"} {
			uri := ("a:" + strings.Repeat(unit, maxURI))[:maxURI]
			parse(t, text).match(uri)
		}
	}
}

// FuzzMatch is for panics.
func FuzzMatch(f *testing.F) {
	f.Add("a:{x}", "a:1")
	f.Add("a:{+x}", "a:%")
	f.Add("a:{x}", "a:%4")
	f.Add("a:{/x*}", "a:/%zz/2")
	f.Fuzz(func(t *testing.T, text, uri string) {
		if len(text) > 100 || len(uri) > 100 {
			return
		}
		e := &entry{kind: kindTemplate, key: text}
		if err := e.setTemplate(Template{}); err != nil {
			return
		}
		e.match(uri)
	})
}
