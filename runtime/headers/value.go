package headers

import (
	"encoding/base64"
	"errors"
	"strings"
	"unicode/utf8"
)

// The marks around the base64 text of an encoded value. They are case-sensitive.
const (
	encodedPrefix = "=?base64?"
	encodedSuffix = "?="
)

// Encode returns the header value for a text. The value is the text itself, unless that has bytes
// other than visible ASCII characters and inner spaces, or looks like an encoded value; then it is
// =?base64?...?= with the base64 of the text ("Value Encoding").
func Encode(text string) string {
	if isPlain(text) {
		return text
	}
	return encodedPrefix + base64.StdEncoding.EncodeToString([]byte(text)) + encodedSuffix
}

// isPlain reports whether a text is its own header value. A tab would be allowed within a value, but
// not every program between a client and a server keeps it.
func isPlain(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return text == trim(text) && !(strings.HasPrefix(text, encodedPrefix) && strings.HasSuffix(text, encodedSuffix))
}

// Decode returns the text that a header value stands for. It ignores spaces and tabs around the value.
// It returns an error if the value has bytes other than visible ASCII characters, spaces and tabs, or
// if it is marked as encoded and is not the base64 of a UTF-8 text.
func Decode(value string) (string, error) {
	value = trim(value)
	for i := range len(value) {
		if c := value[i]; c != '\t' && (c < ' ' || c > '~') {
			return "", errors.New("the value has invalid characters")
		}
	}
	encoded, ok := strings.CutPrefix(value, encodedPrefix)
	if ok {
		encoded, ok = strings.CutSuffix(encoded, encodedSuffix)
	}
	if !ok {
		return value, nil
	}
	text, err := strictBase64.DecodeString(encoded)
	if err != nil || !utf8.Valid(text) {
		return "", errors.New("the value is not the base64 of a UTF-8 text")
	}
	return string(text), nil
}

// strictBase64 accepts only one encoding of each text, so that two programs cannot read the same value
// differently.
var strictBase64 = base64.StdEncoding.Strict()

// trim removes the white space that may surround a value (RFC 9110, section 5.5).
func trim(value string) string { return strings.Trim(value, " \t") }
