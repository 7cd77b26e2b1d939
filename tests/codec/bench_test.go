// Package codec measures generated codecs against encoding/json.
package codec

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	mcp "github.com/mcpgen/mcpgen/generated/mcp20250618"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// result is a typical answer to tools/call: three content blocks and
// structured content, 1.5 KB of JSON.
func result() *mcp.CallToolResult {
	report := strings.Repeat("The build of module 7 took 12.5 s and left 3 warnings.\n", 10)
	return &mcp.CallToolResult{
		Content: []mcp.ContentBlock{
			&mcp.TextContent{Text: report},
			&mcp.ImageContent{Data: strings.Repeat("iVBORw0KGgoAAAANSUhEUgAA", 15), MIMEType: "image/png"},
			&mcp.EmbeddedResource{Resource: &mcp.TextResourceContents{URI: "file:///build/log.txt", MIMEType: new("text/plain"), Text: "ok 1\nok 2\nok 3\n"}},
		},
		StructuredContent: wire.Object(`{"module":7,"seconds":12.5,"warnings":[{"file":"a.go","line":3,"text":"unused variable count"},{"file":"b.go","line":41,"text":"shadowed err"},{"file":"c.go","line":7,"text":"missing doc comment"}],"passed":true,"log":null,"tags":["build","linux","amd64"],"environment":{"os":"linux","cores":2,"memory":25769803776}}`),
		IsError:           new(false),
	}
}

// The same message as one would write it for encoding/json: a struct for all
// kinds of content, told apart by its type member.
type (
	stdResult struct {
		Content           []stdContent    `json:"content"`
		StructuredContent json.RawMessage `json:"structuredContent,omitempty"`
		IsError           *bool           `json:"isError,omitempty"`
	}
	stdContent struct {
		Type     string       `json:"type"`
		Text     string       `json:"text,omitempty"`
		Data     string       `json:"data,omitempty"`
		MIMEType string       `json:"mimeType,omitempty"`
		Resource *stdResource `json:"resource,omitempty"`
	}
	stdResource struct {
		URI      string `json:"uri"`
		MIMEType string `json:"mimeType,omitempty"`
		Text     string `json:"text,omitempty"`
		Blob     string `json:"blob,omitempty"`
	}
)

func text(tb testing.TB) []byte {
	tb.Helper()
	src, err := wire.Marshal(result())
	if err != nil {
		tb.Fatal(err)
	}
	return src
}

// TestSame makes sure that both sides of the benchmarks do the same work, and
// holds the allocations, which unlike times are the same everywhere.
func TestSame(t *testing.T) {
	src := text(t)
	if len(src) < 1400 || len(src) > 1600 {
		t.Errorf("the message has %d bytes, not about 1.5 KB", len(src))
	}
	var std stdResult
	if err := json.Unmarshal(src, &std); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(std)
	if err != nil {
		t.Fatal(err)
	}
	if !wire.Equal(wire.Raw(src), wire.Raw(again)) {
		t.Errorf("encoding/json writes another value:\n%s\n%s", src, again)
	}
	var decoded mcp.CallToolResult
	if err := wire.Unmarshal(src, &decoded); err != nil {
		t.Fatal(err)
	}
	want := result()
	for _, block := range want.Content {
		switch block := block.(type) {
		case *mcp.TextContent:
			block.Type = "text"
		case *mcp.ImageContent:
			block.Type = "image"
		case *mcp.EmbeddedResource:
			block.Type = "resource"
		}
	}
	if diff := cmp.Diff(want, &decoded); diff != "" {
		t.Error(diff)
	}
}

func TestAllocations(t *testing.T) {
	src, value := text(t), result()
	if n := testing.AllocsPerRun(100, func() {
		var decoded mcp.CallToolResult
		if err := wire.Unmarshal(src, &decoded); err != nil {
			t.Fatal(err)
		}
	}); n > 12 {
		t.Errorf("decoding allocates %v times, want at most 12", n)
	}
	buf := make([]byte, 0, 2*len(src))
	if n := testing.AllocsPerRun(100, func() {
		if _, err := value.AppendJSON(buf); err != nil {
			t.Fatal(err)
		}
	}); n > 0 {
		t.Errorf("encoding into a buffer allocates %v times", n)
	}
}

func BenchmarkEncode(b *testing.B) {
	src := text(b)
	b.Run("generated", func(b *testing.B) {
		value, buf := result(), make([]byte, 0, 2*len(src))
		b.SetBytes(int64(len(src)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := value.AppendJSON(buf); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encoding-json", func(b *testing.B) {
		var value stdResult
		if err := json.Unmarshal(src, &value); err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(len(src)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := json.Marshal(&value); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	src := text(b)
	b.Run("generated", func(b *testing.B) {
		b.SetBytes(int64(len(src)))
		b.ReportAllocs()
		for b.Loop() {
			var value mcp.CallToolResult
			if err := wire.Unmarshal(src, &value); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encoding-json", func(b *testing.B) {
		b.SetBytes(int64(len(src)))
		b.ReportAllocs()
		for b.Loop() {
			var value stdResult
			if err := json.Unmarshal(src, &value); err != nil {
				b.Fatal(err)
			}
		}
	})
	// The floor: the grammar checked and nothing kept.
	b.Run("scan", func(b *testing.B) {
		s := string(src)
		b.SetBytes(int64(len(src)))
		b.ReportAllocs()
		for b.Loop() {
			r := wire.NewStringReader(s)
			if r.Skip(); r.Err() != nil {
				b.Fatal(r.Err())
			}
		}
	})
}

func BenchmarkValidate(b *testing.B) {
	value := result()
	b.ReportAllocs()
	for b.Loop() {
		if err := value.Validate(); err != nil {
			b.Fatal(err)
		}
	}
}
