//go:build pin

package jsonschema

// Of this module only the test suite of JSON Schema is used, which it carries
// among its test data.
import _ "cuelang.org/go/cue/token"
