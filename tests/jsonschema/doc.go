// Package jsonschema holds generated check functions against the test suite of
// JSON Schema, and against another validator on random schemas and values.
package jsonschema
