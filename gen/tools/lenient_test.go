package tools_test

import (
	"testing"

	"github.com/mcpgen/mcpgen/gen/tools"
)

// TestLenientOwnMembers checks that comparisons do not see the members of this project, since clients do not.
func TestLenientOwnMembers(t *testing.T) {
	var l tools.Lenient
	l.Add("/0", "", `{"name":"a","x-mcp-scopes":["s"],"x-openapi":{"method":"GET","path":"/"},"inputSchema":{"type":"object"}}`)
	if len(l.List.Tools) != 1 || l.List.Tools[0].Definition != `{"name":"a","inputSchema":{"type":"object"}}` {
		t.Errorf("%+v", l.List.Tools)
	}
}
