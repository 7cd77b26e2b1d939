package examples

import (
	"encoding/json"
	"fmt"

	"github.com/mcpgen/mcpgen/generated/mcp"
)

// A struct of your own decodes content blocks with their box.
func Example_unions() {
	text := []byte(`{"blocks": [{"type": "text", "text": "Hello!"}]}`)
	var page struct {
		Blocks []mcp.ContentBlockBox `json:"blocks"` // page.Blocks[0].V is a ContentBlock
	}
	err := json.Unmarshal(text, &page)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(page.Blocks[0].V.(*mcp.TextContent).Text)
	// Output: Hello!
}
