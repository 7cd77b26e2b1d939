package wire_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// formatTexts returns texts that are in a format, or nearly so.
func formatTexts() map[string][]string {
	long := strings.Repeat("a", 63)
	name := long + "." + long + "." + long + "."
	return map[string][]string{
		"date": {"2024-01-31", "2024-02-29", "2023-02-29", "1900-02-29", "2000-02-29", "2024-04-31", "2024-12-31", "2024-13-01", "2024-00-01", "2024-01-00",
			"2024-01-32", "0000-01-01", "9999-12-31", "2024-1-1", "20240101", "2024/01/01", "24-01-01", "12024-01-01", "2024-01-01 ", " 2024-01-01", "2024-01-1x",
			"-024-01-01", "+024-01-01", "2024-+1-01", "2024-01-+1", "2024-01- 1", "２024-01-01", "", "2024-01-01T00:00:00Z", "1 24-01-01", "202x-01-01"},
		"time": {"12:00x00Z", "12x00:00Z", "12:00:00Z", "00:00:00Z", "23:59:59z", "23:59:60Z", "22:59:60Z", "23:58:60Z", "24:00:00Z", "00:60:00Z", "00:00:61Z", "12:00:00", "12:00:00.5Z", "12:00:00.Z",
			"12:00:00.123456789012Z", "12:00:00,5Z", "12:00:00+00:00", "12:00:00-23:59", "12:00:00+24:00", "12:00:00+00:60", "12:00:00+0000", "12:00:00+00",
			"22:59:60-01:00", "00:59:60+01:00", "00:29:60+00:30", "15:59:60-08:00", "23:59:60+01:00", "01:59:60+02:00", "23:59:60-24:00", "00:00:60-00:01", "00:00:60+00:01",
			"+1:00:00Z", "-1:00:00Z", "-0:00:00Z", "12:+5:00Z", "12:00:-0Z", "12:00:00++1:00", "12:00:00+-1:00", "12:00:00+-0:00", "12:00:00+00:-0", "12:00:00+00:+5",
			"1 :00:00Z", "1::00:00Z", "12:0:000Z", "1200:00:Z", "12:00:0Z", "12:00:00ZZ", "12:00:00 Z", "12:00:00.5+01:00", "12:00:00.５Z", "", "Z", "12:00:60Z", "23:59:60.5Z",
			"12:00:00+1:000", "12:00:00x00:00", "47:59:60+24:00", "_1:00:00Z", "23:59:60-00:00"},
		"date-time": {"2024-01-31T00:00:00Z", "2024-01-31t00:00:00z", "2024-01-31 00:00:00Z", "2024-02-30T00:00:00Z", "2024-01-31T24:00:00Z", "2024-01-31T00:00:00",
			"2024-01-31T00:00:00+01:00", "2024-01-31T23:59:60Z", "2016-12-31T23:59:60.123-00:00", "2024-01-31", "", "2024-01-31T00:00Z", "2024-01-31T00:00:00.1234Z", "2024-01-31T00:00:00Zx", "2024-01-31T00:00:0Zxx"},
		"duration": {"P1Y", "P1Y2M3D", "P1YT1H", "PT1H2M3S", "P1W", "P", "PT", "P1YT", "P1M1Y", "P1D1M", "PT1S1H", "P1", "1Y", "PY", "P1W1D", "P1D1W", "PW", "P1.5Y", "P-1Y",
			"PT1HT1M", "P1YTT", "p1y", "", "P1H", "PT1D", "P1Y1Y", "P１Y", "P1YW", "PT1W", "P1S"},
		"period": {"2024-01-31T00:00:00Z/2024-01-31T00:00:00Z", "2024-01-31T00:00:00Z/P1Y", "P1Y/2024-01-31T00:00:00Z", "P1Y/P1Y", "P1Y", "/", "", "P/2024-01-31T00:00:00Z",
			"2024-01-31T00:00:00Z/P", "2024-01-31T00:00:00Z/", "2024-01-31T00:00:00Z/P1Y/P1Y", "x/P1Y"},
		"email": {"a@b", "a@b.c", "a.b@c.d", ".a@b", "a.@b", "a..b@c", "@b", "a@", "a", "", "a@b@c", `"a b"@c`, `"a\b"@c`, `"a"b"@c`, `""@c`, `"@c`, `"a@c`, "a b@c", "a@b c", "!#$%&'*+-/=?^_`{|}~@b",
			"a(@b", "é@b", "a@é", "a@[127.0.0.1]", "a@[256.0.0.1]", "a@[IPv6:::1]", "a@[IPv6:x]", "a@[ipv6:::1]", "a@[]", "a@[", "a@]", "a@[1.2.3.4", long + "a@b", long + "aa@b",
			"a@" + name + "bbbb", "a@-b", "a@b.", "a@b..", "a\xff@b", strings.Repeat("a", 64) + "@" + strings.Repeat("b.", 94) + "b", strings.Repeat("a", 64) + "@" + strings.Repeat("b.", 95) + "b"},
		"uuid": {"123e4567-e89b-12d3-a456-426614174000", "123E4567-E89B-12D3-A456-426614174000", "123e4567e89b12d3a456426614174000", "123e4567-e89b-12d3-a456-42661417400", "123e4567-e89b-12d3-a456-4266141740000",
			"g23e4567-e89b-12d3-a456-426614174000", "123e4567-e89b-12d3-a45-6426614174000", "{123e4567-e89b-12d3-a456-426614174000}", "", "----", "123e4567-e89b-12d3-a456-42661417é000", "@23e4567-e89b-12d3-a456-426614174000", "`23e4567-e89b-12d3-a456-426614174000", "00000000-0000-0000-0000-000000000000"},
		"hostname":      {"a", "a.b", "a.b.", "a..b", ".", "", "..", ".a", "-a", "a-", "a-b", "a_b", "a b", "é", "A1", "1", long, long + "a", name + long, name + long + ".", name + long + "a", name + long[:60], name + long[:61], name + long[:62], "a.-b", "a@b", "[", "`", "a\x00"},
		"ipv4":          {"0.0.0.0", "255.255.255.255", "256.0.0.0", "1.2.3", "1.2.3.4.5", "01.2.3.4", "1.2.3.04", "1.2.3.+4", "1.2.3.-4", "1.2.3.-0", "1.2.3.", "1..3.4", "", "1.2.3.4 ", "1.2.3.x", "1.2.3.0x4", "+01.2.3.4", "1.2.3.00", "1.2.3.4/24", "1.2.3.99999999999999999999", "１.2.3.4", "1.2.3.1_0", "...."},
		"ipv6":          {"::", "::1", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "::ffff:1.2.3.4", "::1%eth0", "::1%", "1.2.3.4", "", ":", ":::", "1::2::3", "12345::", "::g", "fe80::1/64", "[::1]", "::1.2.3", "::ffff:01.2.3.4", "FE80::A"},
		"uri":           {"http://a", "http://a/b?c#d", "a", "", "/a", "//a/b", "urn:a:b", "mailto:a@b", "http://[::1]:80/", "http://[::1", "http://::1/", "http://[1.2.3.4]/", "http://[x]/", "http://a b/", "http://a/b c", "http://a/%zz", "http://a/%20", `http://a\b`, "1a:b", "a+b.c-d:e", "é:a", "http://é/", ":a", "http://a:x/", "http://a:80/", "http:///a", "file:///a", "http://[fe80::1%25en0]/", "data:,x", "http://a\x7f", "http://a/\n", "x:", "http://user:pass@host", "http://us er@h", "a:b:c", "http://[::1]a/", "http://%41/", "http://%zz/", "#", "?", "x://a%20b", "x://a%2Fb%20c?d=%20#e", "x://%20/a%20b", "x://a%20b:%31/", "x://a%20%", "x://a%20%zz", "x://a%2", "x:/y//%20", "x://[%20]", "//%20", "x://%20%C3%BC"},
		"uri-reference": {"", "a", "/a", "//a", "http://a", `a\b`, `\`, "a b", "%zz", "#a", "?a", "a:b", ":a", "1:2", "//[::1]", "//::1", "//[x]", "./a:b", "é", "//a:b", "http://[::1%25x]"},
		"uri-template": {"", "http://a/{b}", "http://a/{b", "http://a/b}", "http://a/{{b}}", "http://a/{b}{c}", "http://a/{b/c}", "{a}", "{a", "a}", "file:///{path}", "file:///{+path}", "/{a}/{b", "http://a/%7Bb", "http://a/%7b%7D", "http://a/{b}?{c", "http://{a}/b", "urn:{a", "a/}b{", "/%zz{", "x:/{a}%20{b", "/é{a", "/{a}é", "http://a/b?x={y}", "/{a}%2f{b}", "/{a%2fb}", "/{a/%2f}",
			"notes://{id}", "notes://{+path}", "notes://{a}%4F", "http://{host}:{port}/", "db://{table}/rows{?limit,offset}", "x{#a}", "x{;a*,b:3}", "x{&a.b_c%20}", "{scheme}://x", "{}", "{?}", "{a,}", "{,a}", "{a:0}", "{a:10000}", "{a:9999}", "{a:}", "{a*:1}", "{a:1*}", "{a**}",
			"{.a}", "{a.}", "{a..b}", "{..a}", "{=a}", "{+ a}", "notes://{a-b}", "notes://{a%2}", "notes://{é}", "notes://{a}é", "notes://{a} ", "notes://{a}'", `notes://{a}"`, "notes://{a}%", "notes://{a}%4", "notes://{a}%zz", "notes://{a}<", "notes://{a}\x7f", "notes://}{a}", "x://ab/{b c}", "x://a%20b/{b c}"},
		"json-pointer":          {"", "/", "/a", "a", "/~0~1", "/~", "/~2", "/a~", "//", "/~/", "/a/~01", "#/a", "/\x00", "/é~", "/\xff", "~0", "/~~0"},
		"relative-json-pointer": {"", "0", "1", "10", "01", "00", "0#", "0##", "1/a", "1a", "#", "/a", "0/~", "-1", "+1", "99999999999999999999/a", "１", "1/~1", "0 "},
		"semver":                {"1.2.3", "0.0.0", "01.2.3", "1.02.3", "1.2", "1.2.3.4", "1.2.3-a", "1.2.3-a.b", "1.2.3-01", "1.2.3-0", "1.2.3-0a", "1.2.3-01a", "1.2.3-", "1.2.3-a..b", "1.2.3+a", "1.2.3+01", "1.2.3+", "1.2.3+a..b", "1.2.3-a+b", "1.2.3+a-b", "1.2.3+a+b", "1.2.3-a-b", "1.2.x", "", "..", "v1.2.3", "1.2.3-é", "1.2.3+_", "-1.2.3", "1.2.3--", "1.2.3-00", "1.2.3-a.00"},
		"iri":                   {"http://é/", "é", ""},
		"iri-reference":         {"é", `\`, "http://[x]"},
		"byte":                  {"!", ""},
		"unknown":               {"x"},
	}
}

// judges returns another package's judgement for each format.
func judges(t testing.TB) map[string]func(s string) bool {
	judges := map[string]func(s string) bool{}
	for format := range formatTexts() {
		c := jsonschema.NewCompiler()
		c.AssertFormat()
		if err := c.AddResource("format.json", map[string]any{"format": format}); err != nil {
			t.Fatal(err)
		}
		schema, err := c.Compile("format.json")
		if err != nil {
			t.Fatal(err)
		}
		judges[format] = func(s string) bool { return schema.Validate(s) == nil }
	}
	lenient, exact := judges["uri-template"], template()
	judges["uri-template"] = func(s string) bool { return lenient(s) || exact.MatchString(s) }
	// The escapes in the name of a host, of which that package refuses those of ASCII.
	host, escape := regexp.MustCompile(`^([^/?#]*//)([^/?#\[]*)([/?#]|$)`), regexp.MustCompile(`%[0-9A-Fa-f]{2}`)
	for _, format := range []string{"uri", "uri-reference", "iri", "iri-reference"} {
		lenient := judges[format]
		judges[format] = func(s string) bool {
			return lenient(s) || lenient(host.ReplaceAllStringFunc(s, func(host string) string { return escape.ReplaceAllString(host, "a") }))
		}
	}
	return judges
}

// template is the grammar of RFC 6570, which that package takes for one of URLs.
func template() *regexp.Regexp {
	const (
		encoded  = `%[0-9A-Fa-f]{2}`
		literal  = `[!#$&'()*+,\-./0-9:;=?@A-Z\[\]_a-z~\x{80}-\x{10FFFF}]|` + encoded
		char     = `(?:[0-9A-Za-z_]|` + encoded + `)`
		variable = char + `(?:\.?` + char + `)*(?::[1-9][0-9]{0,3}|\*)?`
	)
	return regexp.MustCompile(`^(?:` + literal + `|\{[+#./;?&]?` + variable + `(?:,` + variable + `)*\})*$`)
}

func inFormat(format, s string) bool {
	var c wire.Collector
	c.Format(format, s)
	return c.Err() == nil
}

// TestFormat puts the texts of all formats to each.
func TestFormat(t *testing.T) {
	for format, judge := range judges(t) {
		in, out := 0, 0
		for of, texts := range formatTexts() {
			for _, s := range texts {
				want := judge(s)
				if got := inFormat(format, s); got != want {
					t.Errorf("format %s: %q is in it: %v, want %v", format, s, got, want)
				}
				if of == format && want {
					in++
				} else if of == format {
					out++
				}
			}
		}
		if known := format != "byte" && format != "unknown"; in == 0 || known && out == 0 {
			t.Errorf("format %s: %d texts in it and %d out of it: the test tells nothing", format, in, out)
		}
	}
}

func FuzzFormat(f *testing.F) {
	var formats []string
	judges := judges(f)
	for format, texts := range formatTexts() {
		formats = append(formats, format)
		for _, s := range texts {
			f.Add(s)
		}
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, format := range formats {
			if got, want := inFormat(format, s), judges[format](s); got != want {
				t.Errorf("format %s: %q is in it: %v, want %v", format, s, got, want)
			}
		}
	})
}
