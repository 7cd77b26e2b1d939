package uritemplate_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	library "github.com/yosida95/uritemplate/v3"

	"github.com/mcpgen/mcpgen/runtime/internal/uritemplate"
)

func parse(t testing.TB, text string) *uritemplate.Template {
	t.Helper()
	parsed, err := uritemplate.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

// TestMatchLists has URIs that clients may make in another way than by an expansion.
func TestMatchLists(t *testing.T) {
	for _, row := range []struct {
		template, uri string
		want          map[string][]string // nil: does not fit
	}{
		{"a:b{?tag*}", "a:b?tag=a&tag=b", map[string][]string{"tag": {"a", "b"}}},
		{"a:b{?tag*}", "a:b?tag=", map[string][]string{"tag": {""}}},
		{"a:b{?tag*}", "a:b?tag=x&tag=&tag=y", map[string][]string{"tag": {"x", "", "y"}}},
		{"a:b{?tag*}", "a:b?tag=a%26tag%3Db", map[string][]string{"tag": {"a&tag=b"}}},
		{"a:b{?tag*}", "a:b?tag=a&other=b", nil},
		{"a:b{?tag*}", "a:b?tag=a,b", nil},
		{"a:b{?tag*}", "a:b", map[string][]string{}},
		{"a:b{?q,tag*}", "a:b?tag=1&tag=2", map[string][]string{"tag": {"1", "2"}}},
		{"a:b{?tag*,q}", "a:b?tag=1&tag=2&q=3", map[string][]string{"tag": {"1", "2"}, "q": {"3"}}},
		{"a:b?c=d{&tag*}", "a:b?c=d&tag=1&tag=2", map[string][]string{"tag": {"1", "2"}}},
		{"a:b{;p*}", "a:b;p;p=1;p=", map[string][]string{"p": {"", "1", ""}}},
		{"a:b{;p}", "a:b;p", map[string][]string{"p": {""}}},
		{"a:b{/p*}", "a:b/", map[string][]string{"p": {""}}},
		{"a:b{/p*}", "a:b/%2F/%2e%2E/%252C", map[string][]string{"p": {"/", "..", "%2C"}}},
		{"a:b{/x,p*}", "a:b/1", map[string][]string{"x": {"1"}}},
		{"a:b{/p*,x}", "a:b/1/2/3", map[string][]string{"p": {"1", "2"}, "x": {"3"}}},
		{"a:b{/p*}/c", "a:b/1/c/c", map[string][]string{"p": {"1", "c"}}},
		{"a:b{.p*}", "a:b.tar.gz", map[string][]string{"p": {"tar", "gz"}}},
		{"a:{p*}", "a:", map[string][]string{}},
		{"a:{p*}", "a:,", map[string][]string{"p": {"", ""}}},
		{"a:{+p*}", "a:/b,c?d", map[string][]string{"p": {"/b", "c?d"}}},
		{"a:{#p*}", "a:#b,c", map[string][]string{"p": {"b", "c"}}},
		{"a:{x:2}", "a:%E6%97%A5%C3%BC", map[string][]string{"x": {"\u65e5ü"}}},
		{"a:{x:2}", "a:%E6%97%A5%C3%BCz", nil},
		{"a:{x:1001}", "a:" + strings.Repeat("%C3%BC", 1001), map[string][]string{"x": {strings.Repeat("ü", 1001)}}},
		{"a:{x:1001}", "a:" + strings.Repeat("z", 1002), nil},
		{"a:{x*}{?x}", "a:1,2?x=1,2", map[string][]string{"x": {"1", "2"}}},
		{"a:{x*}{?x}", "a:1,2?x=1%2C2", nil},
		{"a:ü/{x}é", "a:%C3%BC/1%C3%A9", map[string][]string{"x": {"1"}}},
		{"a:ü/{x}é", "a:ü/1é", map[string][]string{"x": {"1"}}},
	} {
		got, ok := parse(t, row.template).Match(row.uri)
		if ok != (row.want != nil) {
			t.Errorf("%s, %s: fits %v", row.template, row.uri, ok)
		} else if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s, %s (-want +got):\n%s", row.template, row.uri, diff)
		}
	}
}

const beyondASCII = "ü\u65e5\U0001f600"

// randomText returns a short text with the characters that matter to expansions, except for some.
func randomText(r *rand.Rand, without string) string {
	units := slices.DeleteFunc([]string{"a", "p", "q", "=", "&", ";", ",", "/", ".", "%", "%2C", "?", "#", "+", " ", "ü", "\u65e5", "\U0001f600", "{", "*"},
		func(unit string) bool { return strings.ContainsAny(unit, without) })
	var text strings.Builder
	for range r.IntN(4) {
		text.WriteString(units[r.IntN(len(units))])
	}
	return text.String()
}

// TestRoundTrip expands lists of random values and matches the URI. Some URIs stand for more than
// one list, because the operator does not encode the character between the elements; their lists
// must expand to the same URI.
func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for operator, ambiguous := range map[string]string{"": "", "+": ",", "#": ",", ".": ".", "/": "", ";": "", "?": "", "&": ""} {
		for _, form := range []string{"a:b{%p*}", "a:b{%p*}!end", "a:{first}/b{%p*}"} {
			text := strings.Replace(form, "%", operator, 1)
			template := parse(t, text)
			for round := range 1000 {
				without := ambiguous
				if round%2 == 1 {
					without = ""
				}
				var list []string
				for range r.IntN(4) {
					list = append(list, randomText(r, without))
				}
				first := []string{randomText(r, "")}
				uri := template.Expand(map[string][]string{"first": first, "p": list})
				if strings.Trim(uri, "abcdefghijklmnopqrstuvwxyzABCDEF0123456789%-._~:/?#[]@!$&'()*+,;=") != "" {
					t.Fatalf("%s is not a URI", uri)
				}
				found, ok := template.Match(uri)
				if !ok {
					t.Fatalf("%s does not match %s, its expansion with %q", text, uri, list)
				}
				if strings.Contains(form, "first") && !slices.Equal(found["first"], first) {
					t.Fatalf("%s: %q in %s is matched as %q", text, first, uri, found["first"])
				}
				if again := template.Expand(found); again != uri {
					t.Fatalf("%s: the list %q in %s is matched as %q, which is in %s", text, list, uri, found["p"], again)
				}
				if slices.Equal(list, []string{""}) && (operator == "" || operator == "+") {
					list = nil // a single empty element leaves nothing in the URI
				}
				if without == ambiguous && !slices.Equal(found["p"], list) {
					t.Fatalf("%s: the list %q in %s is matched as %q", text, list, uri, found["p"])
				}
			}
		}
	}
}

// TestUndefined expands templates of which some variables have no values, and matches the URIs. What is found expands to
// the same URI.
func TestUndefined(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	operators := []string{"", "+", "#", ".", "/", "?", "&", ";"}
	for range 5000 {
		names, values := []string{"p", "q", "r", "s"}, map[string][]string{}
		for _, name := range names {
			if r.IntN(2) > 0 {
				values[name] = []string{randomText(r, "")}
			}
		}
		cut := 1 + r.IntN(3)
		text := "a:{" + operators[r.IntN(len(operators))] + strings.Join(names[:cut], ",") + "}:{" +
			operators[r.IntN(len(operators))] + strings.Join(names[cut:], ",") + "}"
		template := parse(t, text)
		uri := template.Expand(values)
		found, ok := template.Match(uri)
		if again := template.Expand(found); !ok || again != uri {
			t.Fatalf("%s: %q in %s is matched as %q, %t, which is in %s", text, values, uri, found, ok, again)
		}
	}
	for _, row := range [][2]string{{"a:{p:2,q}", "a:xyz"}, {"a:{?p,q}", "a:?p=1q=2"}, {"a:{?p,q}", "a:&p=1&q=2"}, {"a:{?p,q}", "a:?p=1?q=2"}} {
		if found, ok := parse(t, row[0]).Match(row[1]); ok {
			t.Errorf("%s: %q", row, found)
		}
	}
}

// TestExpand compares expansions with those of another library, for values in ASCII.
func TestExpand(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 5000 {
		text := randomTemplate(r, true)
		values, theirs := map[string][]string{}, library.Values{}
		for _, name := range []string{"p", "q", "r"} {
			if r.IntN(3) > 0 {
				values[name] = []string{randomText(r, beyondASCII)}
				theirs.Set(name, library.String(values[name][0]))
			}
		}
		for range r.IntN(3) {
			values["list"] = append(values["list"], randomText(r, beyondASCII))
		}
		theirs.Set("list", library.List(values["list"]...))
		want, err := library.MustNew(text).Expand(theirs)
		if err != nil {
			t.Fatal(err)
		}
		if got := parse(t, text).Expand(values); got != want {
			t.Fatalf("%s with %q: got %s, want %s", text, values, got, want)
		}
	}
	// The library encodes code points and not UTF-8.
	for _, row := range []struct{ template, want string }{
		{"a:{x}", "a:%C3%BC%E6%97%A5"},
		{"a:{?x}", "a:?x=%C3%BC%E6%97%A5"},
		{"a:{+x:1}", "a:%C3%BC"},
		{"a:é%C3%A9/{x:1}é", "a:%C3%A9%C3%A9/%C3%BC%C3%A9"},
	} {
		if got := parse(t, row.template).Expand(map[string][]string{"x": {"ü\u65e5"}}); got != row.want {
			t.Errorf("%s: got %s, want %s", row.template, got, row.want)
		}
	}
}

// randomTemplate returns a template, with an exploded variable if lists is set.
func randomTemplate(r *rand.Rand, lists bool) string {
	operators := []string{"", "+", "#", ".", "/", "?", "&", ";"}
	names := []string{"p", "q", "r:2", "q:1", "list*"}
	if !lists {
		operators, names = operators[:7], names[:4] // the library does not find the p in ;p
	}
	var text strings.Builder
	text.WriteString("a:")
	for range 1 + r.IntN(3) {
		text.WriteString("{" + operators[r.IntN(len(operators))])
		for i := range 1 + r.IntN(3) {
			text.WriteString([]string{"", ","}[min(i, 1)] + names[r.IntN(len(names))])
		}
		text.WriteString("}" + []string{"", "/", "x", "?"}[r.IntN(4)])
	}
	return text.String()
}

// TestMatchStrings compares the variables of random templates without lists with those that
// the other library finds, for values in ASCII, because that counts octets. Expressions have one variable, because
// that finds values without separators between them.
func TestMatchStrings(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	matched := 0
	for range 15000 {
		text := randomTemplate(r, false)
		if strings.Contains(text, ",") {
			continue
		}
		template := parse(t, text)
		values := map[string][]string{}
		for _, name := range []string{"p", "q", "r"} {
			if r.IntN(3) > 0 {
				values[name] = []string{randomText(r, beyondASCII)}
			}
		}
		uri := template.Expand(values)
		want := library.MustNew(text).Match(uri)
		got, ok := template.Match(uri)
		if !ok {
			continue // a variable has different values, which the library does not compare
		}
		matched++
		for name, values := range got {
			all, found := want[name]
			for _, limited := range []string{":2", ":1"} {
				if !found {
					all, found = want[name+limited]
				}
			}
			// The library appends the values of all occurrences.
			if joined := strings.Join(all.V, ","); !strings.HasPrefix(joined+",", values[0]+",") {
				t.Fatalf("%s, %s: %s is %q, want %q", text, uri, name, values, joined)
			}
		}
	}
	if matched < 2000 {
		t.Errorf("only %d URIs match", matched)
	}
}
