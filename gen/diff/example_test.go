package diff_test

import (
	"fmt"
	"log"

	"github.com/mcpgen/mcpgen/gen/catalog"
	"github.com/mcpgen/mcpgen/gen/diff"
)

// A comparison of two tool lists: what a new server would break for clients of the old one.
func ExampleTools() {
	side := func(label, text string) diff.ToolList {
		c, err := catalog.Read(label, []byte(text))
		if err != nil {
			log.Fatal(err)
		}
		return diff.ToolList{Label: label, List: c.Tools, Catalog: c}
	}
	report, err := diff.Tools(
		side("old.json", `[{"name":"get_weather","inputSchema":{"type":"object","properties":{"city":{"type":"string"}}}}]`),
		side("new.json", `[{"name":"get_weather","inputSchema":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}]`),
	)
	if err != nil {
		log.Fatal(err)
	}
	for _, finding := range report.Findings {
		fmt.Println(finding.Level, finding.Rule, finding.Subject)
	}
	// Output:
	// err member-became-required get_weather.input.city
}
