package random

// formatted returns a string in a format of JSON Schema.
func (s *Source) formatted(format string) string {
	switch format {
	case "uri":
		return pick(s, []string{
			"file:///a/b.txt", "https://example.com", "https://user:pw@example.com:8080/p/a/t/h?query=1&b=%20#frag",
			"urn:isbn:0451450523", "mailto:a@example.com", "http://[2001:db8::1]/", "http://[::ffff:192.0.2.1]:80/x", "a:", "x-y+z.1:opaque",
			"data:text/plain;base64,SGVsbG8=", "custom://host/%E2%82%AC", "http://example.com/ünï", "test://static/resource/1", "http://a/b c",
		})
	case "uri-template":
		return pick(s, []string{
			"file:///{path}", "https://example.com/{a}/{b}", "plain", "", "/{+path}/here", "{a}{b}",
			"http://example.com/%7Bnot%7D", "test://template/{id}/data", "http://h/{a,b*}/c?d={e}", "x/{y:3}",
		})
	case "date-time":
		return pick(s, []string{"2025-06-18T00:00:00Z", "1985-04-12T23:20:50.52z", "1990-12-31t23:59:60Z", "1996-12-19T16:39:57-08:00", "2024-02-29T12:00:00.123456789+14:00"})
	case "date":
		return pick(s, []string{"2025-06-18", "2024-02-29", "0000-01-01"})
	case "time":
		return pick(s, []string{"00:00:00Z", "23:59:60Z", "12:34:56.789+01:00"})
	case "email":
		return pick(s, []string{"a@b.c", "first.last+tag@example.com", "\"quoted\"@example.com", "x@[127.0.0.1]"})
	case "uuid":
		return "123e4567-E89B-12d3-a456-426614174000"
	case "ipv4":
		return "192.0.2.1"
	case "ipv6":
		return "2001:db8::1"
	case "hostname":
		return "example.com"
	case "byte":
		return pick(s, []string{"", "aGVsbG8=", "AA==", "/+8=", "not base64!", "aGVsbG8"})
	}
	return s.text()
}

// deformed returns a string similar to a format. Most of these strings are invalid; the
// validators must agree on each.
func (s *Source) deformed(format string) string {
	if s.chance(0.3) {
		return s.broken(s.formatted(format))
	}
	switch format {
	case "uri":
		return pick(s, []string{
			"", "no scheme", "//host/path", "/abs/path", "rel/path", "?q", "#f", ":", "://x", "1http://x", "http://[::1", "http://::1]/", "http://[zz]/",
			"http://a:port/", "http://%zz/", "http://x/%zz", "ht tp://x", "http://a b/", "http://[fe80::1%25en0]/", "http://1:2:3/", "http://x\\y", "a_b:c",
			"http://example.com:99999999/", "http://\u0000/", "é://x", "http://x/\n", "-a:b", "a:b:c", "http://[127.0.0.1]/", "http://[::1]x/", "{x}:y",
		})
	case "uri-template":
		return pick(s, []string{"{", "}", "{a", "a}", "{{a}}", "{a}}", "{a/b}", "http://x/{a{b}}", "%zz", "http://[::1/{a}", "http://a b/{c}", ":{a}", "{a}/{", "{}", "\u0000{a}", "%7B", "x/%7B/{a"})
	case "date-time":
		return pick(s, []string{"", "2025-06-18", "2025-06-18 00:00:00Z", "2025-13-01T00:00:00Z", "2023-02-29T00:00:00Z", "2025-06-18T24:00:00Z", "2025-06-18T00:00:60Z", "2025-06-18T00:00:00", "2025-06-18T00:00:00.Z", "2025-06-18T00:00:00+24:00"})
	}
	return s.broken(s.formatted(format))
}

// template returns a URI template.
func (s *Source) template() string {
	return pick(s, []string{"greeting://{name}", "http://{host}:{port}/", "/search{?q,r}", "x{#frag}", "{scheme}://x", "db://{a.b}/rows{;c*,d:3}{&e%20}"})
}

// broken changes a string slightly.
func (s *Source) broken(text string) string {
	runes := []rune(text)
	at := s.rng.IntN(len(runes) + 1)
	head, tail := string(runes[:at]), string(runes[at:])
	switch s.rng.IntN(4) {
	case 0:
		return head
	case 1:
		return tail
	case 2:
		return head + pick(s, []string{" ", "%", "{", "}", ":", "\\", "[", "]", "é", "\t", "/", "#", "\x7f"}) + tail
	}
	return tail + head
}
