// Package fallback validates by github.com/santhosh-tekuri/jsonschema what
// generated check functions do not cover. Only code generated from a schema that
// needs it imports this package.
package fallback

import "github.com/mcpgen/mcpgen/runtime/schema"

// MustCompile returns the check of a schema.
func MustCompile(text string) func(*schema.Checker) { panic("to come") }
