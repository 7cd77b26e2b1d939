package docs_test

import (
	"fmt"
	"log"

	"github.com/mcpgen/mcpgen/gen/catalog"
	"github.com/mcpgen/mcpgen/gen/docs"
)

// The table of a server's tools in a README, between the two lines that mark its place.
func ExampleInsert() {
	described, err := catalog.Read("tools.json", []byte(`[
		{"name": "get_weather", "description": "Returns the weather of a city.",
		 "inputSchema": {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}, "required": ["city"]}},
		{"name": "list_stations", "description": "Lists the stations.", "inputSchema": {"type": "object"}}
	]`))
	if err != nil {
		log.Fatal(err)
	}
	readme := "# Weather\n\n" + docs.Begin + "\n" + docs.End + "\n"
	page, err := docs.Insert(readme, docs.Tables(described))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(page)
	// Output:
	// # Weather
	//
	// <!-- mcpgen docs -->
	//
	// | Tool | Purpose | Arguments |
	// | --- | --- | --- |
	// | `get_weather` | Returns the weather of a city. | `city`, `days` (optional) |
	// | `list_stations` | Lists the stations. |  |
	//
	// <!-- end of mcpgen docs -->
}
