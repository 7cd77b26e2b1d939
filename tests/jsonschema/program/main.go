// Program answers with the verdicts of check functions. It decodes valid values into their types.
package main

import (
	"bufio"
	"encoding/json"
	"os"

	"github.com/mcpgen/mcpgen/runtime/schema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// tool has the generated code of a tool.
type tool struct {
	check func(*schema.Checker)
	fresh func() wire.Decoder
}

// tools are the tools. Generated code adds them.
var tools []tool

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<24)
	out := json.NewEncoder(os.Stdout)
	for in.Scan() {
		var question struct {
			Tool  int
			Value json.RawMessage
		}
		if err := json.Unmarshal(in.Bytes(), &question); err != nil {
			panic(err)
		}
		answer := ""
		t := tools[question.Tool]
		if err := schema.Check(wire.Raw(question.Value), t.check); err != nil {
			answer = err.Error()
		} else if err := wire.Unmarshal(question.Value, t.fresh()); err != nil {
			answer = "valid, but not decoded: " + err.Error()
		}
		if err := out.Encode(answer); err != nil {
			panic(err)
		}
	}
}
