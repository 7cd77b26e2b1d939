package main

import (
	"bytes"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// outputOf runs a command line and returns its output.
func outputOf(t *testing.T, args ...string) any {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), args, nil, &stdout, &stderr); code == exitFailed {
		t.Fatalf("%q: %s", args, stderr.String())
	}
	value, err := jsonschema.UnmarshalJSON(&stdout)
	if err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	return value
}

// TestDiffSchema checks that the JSON output of diff matches its schema.
func TestDiffSchema(t *testing.T) {
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("mem:///diff.json", outputOf(t, "diff", "--schema")); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("mem:///diff.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(outputOf(t, "diff", "--all", "--format", "json")); err != nil {
		t.Error(err)
	}
	if schema.Validate(map[string]any{"reports": []any{map[string]any{}}}) == nil {
		t.Error("the schema accepts an empty report")
	}
}
