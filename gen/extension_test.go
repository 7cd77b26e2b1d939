package gen_test

import (
	"testing"

	"github.com/mcpgen/mcpgen/gen"
)

// V9: the identifier of an extension has a prefix.
func TestCheckExtension(t *testing.T) {
	for name, ok := range map[string]bool{
		"io.modelcontextprotocol/tasks": true, "com.example/my-colors_2": true,
		"": false, "tasks": false, "/tasks": false, "com.example/": false, "com.example/a/b": false, "-x/y": false, "com.example/a b": false, "com.example/1": false,
	} {
		if err := gen.CheckExtension(name); (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
	}
}
