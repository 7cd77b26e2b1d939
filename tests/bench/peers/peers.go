// Package peers has what the servers on other libraries have in common: the tool of package
// weather as a Go user of theirs would write it.
package peers

import (
	_ "embed"
	"encoding/json"
	"fmt"
)

// Input is the arguments of get_weather.
type Input struct {
	City  string `json:"city"`
	Units string `json:"units,omitempty"`
	Hours int64  `json:"hours,omitempty"`
}

// Output is the structured result of get_weather.
type Output struct {
	City        string  `json:"city"`
	Sky         string  `json:"sky"`
	Temperature float64 `json:"temperature"`
	Wind        float64 `json:"wind"`
}

// Nowhere is a city for which the handlers answer what the output schema does not allow.
const Nowhere = "Nowhere"

// Weather is what the handlers answer.
func Weather(in Input) Output {
	out := Output{City: in.City, Sky: "snow", Temperature: -13.5, Wind: 12.25}
	if in.City == Nowhere {
		out.Temperature = 1000
	}
	return out
}

// Tool is the definition of get_weather.
type Tool struct {
	Name, Description         string
	InputSchema, OutputSchema json.RawMessage
}

//go:embed tools.json
var list []byte

// Definition reads the definition of the tool, the same as the generated server has.
func Definition() Tool {
	var all struct{ Tools []Tool }
	if err := json.Unmarshal(list, &all); err != nil {
		panic(err) // it is a part of the program
	}
	return all.Tools[0]
}

// Name is that of a tool of many: the first is get_weather.
func Name(i int) string {
	if i == 0 {
		return "get_weather"
	}
	return fmt.Sprintf("get_weather_%d", i)
}
