package lint_test

import (
	"fmt"
	"log"

	"github.com/mcpgen/mcpgen/gen/lint"
)

// The faults of a tool list that are worse than advice.
func ExampleLint() {
	report, err := lint.Lint("tools.json", []byte(`[{
  "name": "get_weather",
  "description": "Returns the weather of a city.",
  "inputSchema": {
    "type": "object",
    "properties": {"days": {"type": "integer", "description": "How many days.", "minimum": 5, "maximum": 1}},
    "required": ["days", "city"]
  }
}]`), lint.Options{Hosts: []lint.Host{}})
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range report.Findings {
		if f.Level.AtLeast(lint.Warn) {
			fmt.Printf("%d:%d: %s %s: %s\n", f.Position.Line, f.Position.Column, f.Level, f.Rule, f.Message)
		}
	}
	// Output:
	// 6:81: err bounds-contradict: minimum 5 and maximum 1 leave no number that is valid
	// 7:26: warn required-undeclared: "city" is required, but has no schema in properties
}

// Fix removes a character that people cannot see, and adds the properties that OpenAI demands of an object.
func ExampleFix() {
	fixed, changes, err := lint.Fix("tools.json", []byte(`[{
  "name": "stop",
  "description": "Stops the\u200b pump.",
  "inputSchema": {"type": "object"}
}]`), lint.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, change := range changes {
		fmt.Println(change.Rule, change.Subject, change.Pointer)
	}
	report, err := lint.Lint("tools.json", fixed, lint.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Count(lint.Err), "errors are left")
	// Output:
	// hidden-characters tool stop /0/description
	// openai-properties-missing tool stop /0/inputSchema
	// 0 errors are left
}
