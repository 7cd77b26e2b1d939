//go:build pin

package jsonschema

// This module is only used for its copy of the JSON Schema test suite.
import _ "cuelang.org/go/cue/token"
