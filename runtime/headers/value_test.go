package headers_test

import (
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/headers"
)

// TestEncode checks which texts are encoded, and that decoding reverses it (H29, H39, H40, H41, H42).
func TestEncode(t *testing.T) {
	for _, c := range []struct{ name, text, value string }{
		{"H39 plain", "us-west1", "us-west1"},
		{"H39 inner space", "a b  c", "a b  c"},
		{"H39 all visible ASCII", "!\"#$%&'()*+,-./09:;<=>?@AZ[\\]^_`az{|}~", "!\"#$%&'()*+,-./09:;<=>?@AZ[\\]^_`az{|}~"},
		{"H39 empty", "", ""},
		{"H40 not ASCII", "Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="},
		{"H40 spaces around", " padded ", "=?base64?IHBhZGRlZCA=?="},
		{"H40 space before", " a", "=?base64?IGE=?="},
		{"H40 space after", "a ", "=?base64?YSA=?="},
		{"H40 only a space", " ", "=?base64?IA==?="},
		{"H40 tab before", "\ta", "=?base64?CWE=?="},
		{"H40 tab within", "a\tb", "=?base64?YQli?="},
		{"H40 line feed", "line1\nline2", "=?base64?bGluZTEKbGluZTI=?="},
		{"H40 line end and header", "a\r\nX-Evil: 1", "=?base64?YQ0KWC1FdmlsOiAx?="},
		{"H40 NUL", "\x00", "=?base64?AA==?="},
		{"H40 delete", "\x7f", "=?base64?fw==?="},
		{"H40 no-break space", "\u00a0", "=?base64?wqA=?="},
		{"H41 looks encoded", "=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="},
		{"H41 looks encoded and is empty", "=?base64??=", "=?base64?PT9iYXNlNjQ/Pz0=?="},
		{"H41 the marks overlap", "=?base64?=", "=?base64?PT9iYXNlNjQ/PQ==?="},
		{"H41 prefix alone", "=?base64?SGVsbG8=", "=?base64?SGVsbG8="},
		{"H41 suffix alone", "SGVsbG8=?=", "SGVsbG8=?="},
		{"H40 marks of another case", "=?BASE64?SGVsbG8=?=", "=?BASE64?SGVsbG8=?="},
		{"H29 a URI", "file:///a%20b?c=d#e", "file:///a%20b?c=d#e"},
		{"H29 a name that is not ASCII", "日本", "=?base64?5pel5pys?="},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := headers.Encode(c.text); got != c.value {
				t.Errorf("Encode(%q) = %q, want %q", c.text, got, c.value)
			}
			if got, err := headers.Decode(c.value); err != nil || got != c.text {
				t.Errorf("Decode(%q) = %q, %v, want %q", c.value, got, err, c.text)
			}
		})
	}
}

// TestDecode checks values that Encode does not return.
func TestDecode(t *testing.T) {
	const bad = "an error"
	for _, c := range []struct{ name, value, want string }{
		{"H64 white space around", " \ta b\t ", "a b"},
		{"H64 white space around an encoded value", " =?base64?YQ==?= ", "a"},
		{"H42 encoded without need", "=?base64?SGVsbG8=?=", "Hello"},
		{"H42 encoded empty text", "=?base64??=", ""},
		{"H42 no prefix", "SGVsbG8=", "SGVsbG8="},
		{"H42 no suffix", "=?base64?SGVsbG8=", "=?base64?SGVsbG8="},
		{"H40 the marks are case-sensitive", "=?Base64?SGVsbG8=?=", "=?Base64?SGVsbG8=?="},
		{"H42 the marks overlap", "=?base64?=", "=?base64?="},
		{"H46 no padding", "=?base64?SGVsbG8?=", bad},
		{"H46 not the alphabet", "=?base64?SGVs!!!bG8=?=", bad},
		{"H46 the alphabet of URLs", "=?base64?_-8=?=", bad},
		{"H46 bits after the end", "=?base64?SGVsbG9=?=", bad},
		{"H46 white space in base64", "=?base64?SGVs bG8=?=", bad},
		{"H46 two encoded values", "=?base64?YQ==?==?base64?YQ==?=", bad},
		{"H46 not UTF-8", "=?base64?/w==?=", bad},
		{"H46 a byte beyond ASCII", "caf\u00e9", bad},
		{"H46 a control character", "a\x01b", bad},
		{"H46 a line feed", "a\nb", bad},
		{"H46 delete", "a\x7f", bad},
		{"H46 an inner tab is allowed", "a\tb", "a\tb"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := headers.Decode(c.value)
			switch {
			case c.want == bad && err == nil:
				t.Errorf("Decode(%q) = %q, want an error", c.value, got)
			case c.want != bad && (err != nil || got != c.want):
				t.Errorf("Decode(%q) = %q, %v, want %q", c.value, got, err, c.want)
			}
		})
	}
}

// FuzzValue checks that an encoded text is safe in a header and that decoding returns the text, and
// that Decode has an answer to any value.
func FuzzValue(f *testing.F) {
	for _, s := range []string{"", " ", "a", "é", "=?base64??=", "=?base64?=", "\r\n", "\xff", "=?base64?YQ==?="} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		value := headers.Encode(text)
		if i := strings.IndexFunc(value, func(c rune) bool { return c < ' ' || c > '~' }); i >= 0 || value != strings.TrimSpace(value) {
			t.Errorf("Encode(%q) = %q is not safe in a header", text, value)
		}
		if got, err := headers.Decode(value); err == nil && got != text || err != nil && strings.ToValidUTF8(text, "") == text {
			t.Errorf("Decode(%q) = %q, %v, want %q", value, got, err, text)
		}
		if got, err := headers.Decode(text); err == nil && strings.ToValidUTF8(got, "") != got {
			t.Errorf("Decode(%q) = %q is not UTF-8", text, got)
		}
	})
}
