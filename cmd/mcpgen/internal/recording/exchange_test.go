package recording_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/recording"
)

// TestExchanges checks that answers find their requests, also where both sides use the same id, in batches and
// in recordings that do not say who sends.
func TestExchanges(t *testing.T) {
	exchanges, err := recording.Exchanges(strings.NewReader(`
{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}
{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{}}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
[{"jsonrpc":"2.0","id":2,"result":{"tools":[]}},{"jsonrpc":"2.0","method":"notifications/message"}]
{"jsonrpc":"2.0","id":"x","method":"prompts/get"}
{"jsonrpc":"2.0","id":3,"method":"ping"}
{"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"no"}}
{"jsonrpc":"2.0","id":9,"result":{}}
{"jsonrpc":"2.0","id":1,"result":{"content":[]}}
{"jsonrpc":"2.0","id":1,"result":{"action":"decline"}}
`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, x := range exchanges {
		got = append(got, fmt.Sprintf("%d %s %s %s%s", x.Line, x.From, x.Method, x.Result, x.Error))
	}
	want := []string{
		`4 client tools/list {"tools":[]}`,
		`7 client ping {"code":-32601,"message":"no"}`,
		`2 client tools/call {"content":[]}`,
		`3 server elicitation/create {"action":"decline"}`,
		`6 client prompts/get `,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
