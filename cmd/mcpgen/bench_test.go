package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
)

// BenchmarkVerify checks a recorded session of calls with progress notifications and results of
// a kilobyte.
func BenchmarkVerify(b *testing.B) {
	var text bytes.Buffer
	text.WriteString(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`)
	for i := 1; i <= 10000; i++ {
		fmt.Fprintf(&text, `{"jsonrpc":"2.0","id":%[1]d,"method":"tools/call","params":{"name":"get_weather","arguments":{"city":"Paris","days":3},"_meta":{"progressToken":%[1]d}}}
{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%[1]d,"progress":1}}
{"jsonrpc":"2.0","id":%[1]d,"result":{"content":[{"type":"text","text":"%[2]s"}],"structuredContent":{"a":1,"b":[1,2,3]}}}
`, i, strings.Repeat("x", 1000))
	}
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if code := run(b.Context(), []string{"verify", "-"}, bytes.NewReader(text.Bytes()), io.Discard, io.Discard); code != exitDone {
			b.Fatalf("exit code %d", code)
		}
	}
}
