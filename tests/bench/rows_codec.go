package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	gomcp "github.com/mark3labs/mcp-go/mcp"
	sdkrpc "github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	segmentio "github.com/segmentio/encoding/json"

	mcp "github.com/mcpgen/mcpgen/generated/mcp20251125"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
	"github.com/mcpgen/mcpgen/tests/bench/peers"
)

// stdlib is the subject of codec rows that uses encoding/json with plain structs.
const stdlib = "encoding/json"

// codec reads and writes a message for a subject.
type codec struct {
	name   string
	decode func(text []byte) (value any, err error)
	encode func(dst []byte, value any) ([]byte, error)
	// share, if not nil, decodes a string whose memory the value shares, as mcpgen's runtime
	// does.
	share func(text string) (value any, err error)
}

// codecRows decode and encode messages of several sizes.
func codecRows() []*Row {
	var rows []*Row
	add := func(name, title string, text []byte, codecs ...codec) {
		decode := &Row{
			Name: "codec/decode/" + name, Title: "decoding " + title,
			Subjects: []Subject{{floor, func(context.Context, *Lab) (*Work, error) { return scan(text), nil }}},
			Targets:  []Target{timesFloor(2)},
		}
		encode := &Row{
			Name: "codec/encode/" + name, Title: "encoding " + title,
			Subjects: []Subject{{floor, func(context.Context, *Lab) (*Work, error) { return move(text), nil }}},
			Targets:  []Target{timesOf(0.25, stdlib)},
		}
		for _, c := range codecs {
			decode.Subjects = append(decode.Subjects, Subject{c.name, func(context.Context, *Lab) (*Work, error) { return c.decodes(text) }})
			encode.Subjects = append(encode.Subjects, Subject{c.name, func(context.Context, *Lab) (*Work, error) { return c.encodes(text) }})
			if c.share != nil {
				decode.Subjects = append(decode.Subjects, Subject{c.name + ", a string", func(context.Context, *Lab) (*Work, error) {
					s := string(text)
					c.decode = func([]byte) (any, error) { return c.share(s) }
					return c.decodes(text)
				}})
			}
		}
		rows = append(rows, decode, encode)
	}
	add("request", "a call (140 B)", []byte(callText), requestCodecs...)
	add("result", "a result (1.5 KB)", resultText(1),
		generated[mcp.CallToolResult](), standard[stdResult](), onMCPGoCodec[gomcp.CallToolResult](), onGoSDKCodec[sdk.CallToolResult]())
	add("list", "a list of tools (40 KB)", listText(70),
		generated[mcp.ListToolsResult](), standard[stdList](), onMCPGoCodec[gomcp.ListToolsResult](), onGoSDKCodec[sdk.ListToolsResult]())
	add("blob", "a resource (1 MB)", blobText(1<<20),
		generated[mcp.ReadResourceResult](), standard[stdResources](), onMCPGoReading, onGoSDKCodec[sdk.ReadResourceResult]())
	return append(rows, growthRows()...)
}

// growthRows decode and encode the same message at 1, 10 and 100 times its length.
func growthRows() []*Row {
	var rows []*Row
	for _, times := range []int{1, 10, 100} {
		text := resultText(times)
		own := generated[mcp.CallToolResult]()
		name := func(verb string, times int) string { return fmt.Sprintf("growth/%s/%dx", verb, times) }
		decode := &Row{
			Name: name("decode", times), Title: fmt.Sprintf("decoding %d times the content of a result", times), Unit: perByte,
			Subjects: []Subject{
				{floor, func(context.Context, *Lab) (*Work, error) { return scan(text), nil }},
				{mcpgen, func(context.Context, *Lab) (*Work, error) { return own.decodes(text) }},
			},
		}
		encode := &Row{
			Name: name("encode", times), Title: fmt.Sprintf("encoding %d times the content of a result", times), Unit: perByte,
			Subjects: []Subject{
				{floor, func(context.Context, *Lab) (*Work, error) { return move(text), nil }},
				{mcpgen, func(context.Context, *Lab) (*Work, error) { return own.encodes(text) }},
			},
		}
		if times > 1 {
			// A quarter is left for processor caches and garbage collection.
			decode.Targets = []Target{timesRow(1.25, name("decode", 1))}
			encode.Targets = []Target{timesRow(1.25, name("encode", 1))}
		}
		rows = append(rows, decode, encode)
	}
	return rows
}

// scan is the floor of decoding: it checks the text and keeps nothing.
func scan(text []byte) *Work {
	whole := string(text)
	return &Work{Bytes: len(text), Do: func(n int) error {
		for range n {
			if _, err := wire.Parse(whole); err != nil {
				return err
			}
		}
		return nil
	}}
}

// move is the floor of encoding: it copies the text.
func move(text []byte) *Work {
	buf := make([]byte, 0, len(text))
	return &Work{Bytes: len(text), Do: func(n int) error {
		for range n {
			buf = append(buf[:0], text...)
		}
		return nil
	}}
}

// decodes returns the work of decoding a text.
func (c codec) decodes(text []byte) (*Work, error) {
	if err := c.keeps(text); err != nil {
		return nil, err
	}
	return &Work{Bytes: len(text), Do: func(n int) error {
		for range n {
			if _, err := c.decode(text); err != nil {
				return err
			}
		}
		return nil
	}}, nil
}

// encodes returns the work of encoding a value into a buffer, which is reused if the codec
// allows it.
func (c codec) encodes(text []byte) (*Work, error) {
	if err := c.keeps(text); err != nil {
		return nil, err
	}
	value, err := c.decode(text)
	if err != nil {
		return nil, err
	}
	buf := make([]byte, 0, 2*len(text))
	return &Work{Bytes: len(text), Do: func(n int) error {
		for range n {
			out, err := c.encode(buf, value)
			if err != nil {
				return err
			}
			if len(out) < len(text)-len(text)/20 {
				return fmt.Errorf("%d bytes of %d", len(out), len(text))
			}
		}
		return nil
	}}, nil
}

// keeps checks that a codec loses no part of a text.
func (c codec) keeps(text []byte) error {
	value, err := c.decode(text)
	if err != nil {
		return err
	}
	again, err := c.encode(nil, value)
	if err != nil {
		return err
	}
	var want, got any
	if err := errors.Join(json.Unmarshal(text, &want), json.Unmarshal(again, &got)); err != nil {
		return err
	}
	if !holds(got, want) {
		return fmt.Errorf("another value: %.300s", again)
	}
	return nil
}

// holds reports whether a value contains all of another. Some codecs add members.
func holds(got, want any) bool {
	switch want := want.(type) {
	case map[string]any:
		object, _ := got.(map[string]any)
		for name, value := range want {
			if !holds(object[name], value) {
				return false
			}
		}
		return true
	case []any:
		array, _ := got.([]any)
		return slices.EqualFunc(array, want, holds)
	}
	return got == want
}

func generated[T any, P interface {
	*T
	wire.Value
	wire.Appender
}]() codec {
	return codec{
		name: mcpgen,
		decode: func(text []byte) (any, error) {
			v := P(new(T))
			return v, wire.Unmarshal(text, v)
		},
		encode: func(dst []byte, value any) ([]byte, error) { return value.(P).AppendJSON(dst) },
		share: func(text string) (any, error) {
			v := P(new(T))
			return v, wire.UnmarshalString(text, v)
		},
	}
}

func standard[T any]() codec {
	return codec{
		name: stdlib,
		decode: func(text []byte) (any, error) {
			v := new(T)
			return v, json.Unmarshal(text, v)
		},
		encode: marshal,
	}
}

func marshal(_ []byte, value any) ([]byte, error) { return json.Marshal(value) }

// onMCPGoCodec uses the types of mcp-go with encoding/json.
func onMCPGoCodec[T any]() codec {
	c := standard[T]()
	c.name = mcpGo
	return c
}

// onMCPGoReading reads the contents of resources, which have no UnmarshalJSON, as mcp-go does.
var onMCPGoReading = codec{
	name: mcpGo,
	decode: func(text []byte) (any, error) {
		raw := json.RawMessage(text)
		return gomcp.ParseReadResourceResult(&raw)
	},
	encode: marshal,
}

// onGoSDKCodec uses the types of the Go SDK. It reads them with segmentio's package and exact
// names, and writes them with encoding/json.
func onGoSDKCodec[T any]() codec {
	return codec{
		name: goSDK,
		decode: func(text []byte) (any, error) {
			v := new(T)
			return v, readGoSDK(text, v)
		},
		encode: marshal,
	}
}

func readGoSDK(text []byte, v any) error {
	d := segmentio.NewDecoder(bytes.NewReader(text))
	d.DontMatchCaseInsensitiveStructFields()
	return d.Decode(v)
}

// request is a call in mcpgen: the message and its params.
type request struct {
	message jsonrpc.Message
	params  mcp.CallToolRequestParams
}

func readRequest(text string) (any, error) {
	m, err := jsonrpc.Parse(text)
	if err != nil {
		return nil, err
	}
	r := &request{message: m}
	return r, wire.UnmarshalChecked(m.Params, &r.params)
}

// sdkRequest is a call in the Go SDK.
type sdkRequest struct {
	message *sdkrpc.Request
	params  sdk.CallToolParamsRaw
}

var requestCodecs = []codec{
	{
		name:   mcpgen,
		decode: func(text []byte) (any, error) { return readRequest(string(text)) },
		encode: func(dst []byte, value any) ([]byte, error) {
			r := value.(*request)
			dst, err := r.message.Begin(dst)
			if err == nil {
				dst, err = r.params.AppendJSON(append(dst, `,"params":`...))
			}
			return append(dst, '}'), err
		},
		share: readRequest,
	},
	standard[stdRequest](),
	onMCPGoCodec[struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      gomcp.RequestId `json:"id"`
		gomcp.CallToolRequest
	}](),
	{
		name: goSDK,
		decode: func(text []byte) (any, error) {
			m, err := sdkrpc.DecodeMessage(text)
			if err != nil {
				return nil, err
			}
			r := &sdkRequest{message: m.(*sdkrpc.Request)}
			return r, readGoSDK(r.message.Params, &r.params)
		},
		encode: func(_ []byte, value any) ([]byte, error) {
			r := value.(*sdkRequest)
			params, err := json.Marshal(&r.params)
			if err != nil {
				return nil, err
			}
			return sdkrpc.EncodeMessage(&sdkrpc.Request{ID: r.message.ID, Method: r.message.Method, Params: params})
		},
	},
}

// The messages as a user would declare them for encoding/json.
type (
	stdRequest struct {
		JSONRPC string `json:"jsonrpc"`
		ID      int64  `json:"id"`
		Method  string `json:"method"`
		Params  struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"params"`
	}
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
	stdResources struct {
		Contents []stdResource `json:"contents"`
	}
	stdList struct {
		Tools []stdTool `json:"tools"`
	}
	stdTool struct {
		Name         string          `json:"name"`
		Description  string          `json:"description,omitempty"`
		InputSchema  json.RawMessage `json:"inputSchema"`
		OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	}
)

// resultText returns a CallToolResult of 1.5 KB, with its blocks and its structured content
// repeated.
func resultText(times int) []byte {
	blocks := `{"type":"text","text":"` + strings.Repeat(`The build of module 7 took 12.5 s and left 3 warnings.\n`, 10) +
		`"},{"type":"image","data":"` + strings.Repeat("iVBORw0KGgoAAAANSUhEUgAA", 15) + `","mimeType":"image/png"},` +
		`{"type":"resource","resource":{"uri":"file:///build/log.txt","mimeType":"text/plain","text":"ok 1\nok 2\nok 3\n"}}`
	build := `{"module":7,"seconds":12.5,"warnings":[{"file":"a.go","line":3,"text":"unused variable count"},` +
		`{"file":"b.go","line":41,"text":"shadowed err"},{"file":"c.go","line":7,"text":"missing doc comment"}],` +
		`"passed":true,"log":null,"tags":["build","linux","amd64"],"environment":{"os":"linux","cores":2,"memory":25769803776}}`
	return fmt.Appendf(nil, `{"content":[%s],"structuredContent":{"builds":[%s]}}`, repeat(blocks, times), repeat(build, times))
}

// listText returns a ListToolsResult.
func listText(n int) []byte {
	d := peers.Definition()
	all := make([]stdTool, n)
	for i := range all {
		all[i] = stdTool{peers.Name(i), d.Description, d.InputSchema, d.OutputSchema}
	}
	text, err := json.Marshal(stdList{all})
	if err != nil {
		panic(err) // strings and JSON
	}
	return text
}

// blobText returns a ReadResourceResult with a blob of the given number of base64 bytes.
func blobText(n int) []byte {
	return fmt.Appendf(nil, `{"contents":[{"uri":"file:///build/image.png","mimeType":"image/png","blob":"%s"}]}`, strings.Repeat("iVBORw0K", n/8))
}

// repeat repeats a text with commas between.
func repeat(text string, times int) string {
	return strings.TrimSuffix(strings.Repeat(text+",", times), ",")
}
