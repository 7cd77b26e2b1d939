package skeleton_test

import (
	"fmt"
	"log"

	"github.com/mcpgen/mcpgen/gen/skeleton"
)

// A typed server from a tool list, as mcpgen server generates it. The files are in memory.
func ExampleServer() {
	list, err := skeleton.Read("tools.yaml", []byte(`
tools:
  - name: get_weather
    inputSchema:
      type: object
      properties: {city: {type: string}}
      required: [city]
`))
	if err != nil {
		log.Fatal(err)
	}
	made, err := skeleton.Server(skeleton.Options{List: list, Source: "tools.yaml", Package: "weather"})
	if err != nil {
		log.Fatal(err)
	}
	for _, file := range made.Files {
		fmt.Println(file.Path)
	}
	for _, tool := range made.Tools {
		fmt.Println(tool.Tool.Name, "is the method", tool.Go, "with the arguments", tool.Input.Name)
	}
	// Output:
	// server.gen.go
	// get_weather_tool.gen.go
	// contract.gen_test.go
	// contract.gen.txt
	// definitions.gen.txt
	// get_weather is the method GetWeather with the arguments GetWeatherInput
}
