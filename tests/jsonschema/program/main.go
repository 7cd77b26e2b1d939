// Program answers with the verdicts of check functions.
package main

import (
	"bufio"
	"encoding/json"
	"os"

	"github.com/mcpgen/mcpgen/runtime/schema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// checks are the check functions. Generated code adds them.
var checks []func(*schema.Checker)

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
		if err := schema.Check(wire.Raw(question.Value), checks[question.Tool]); err != nil {
			answer = err.Error()
		}
		if err := out.Encode(answer); err != nil {
			panic(err)
		}
	}
}
