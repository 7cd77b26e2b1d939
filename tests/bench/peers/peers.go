// Package peers contains the common parts of the servers on other libraries: the tool of
// package weather as a user of these libraries would write it.
package peers

import (
	_ "embed"
	"encoding/json"
	"fmt"
)

// Input has the arguments of get_weather.
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

// Nowhere is a city for which the handlers return a result that the output schema refuses.
const Nowhere = "Nowhere"

// Weather returns the result for a city.
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

// Definition returns the definition of the tool in the generated server.
func Definition() Tool {
	var all struct{ Tools []Tool }
	if err := json.Unmarshal(list, &all); err != nil {
		panic(err) // the definition is part of the program
	}
	return all.Tools[0]
}

// Name returns the name of the nth tool. The first is get_weather.
func Name(i int) string {
	if i == 0 {
		return "get_weather"
	}
	return fmt.Sprintf("get_weather_%d", i)
}
