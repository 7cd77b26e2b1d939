// Package jsonschema checks generated check functions with the JSON Schema test suite, and
// against another validator on random schemas and values.
package jsonschema
