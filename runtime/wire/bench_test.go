package wire_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// smallText is a message as they come by: a few members, a few kinds.
const smallText = `{"type":"text","text":"The quick brown fox jumps over the lazy dog.",` +
	`"size":1024,"score":0.5,"done":true,"id":42,"labels":["alpha","beta"],` +
	`"notes":{"audience":["user","assistant"],"priority":0.75}}`

// largeText returns an array of about size bytes, in the style of a list of tools.
func largeText(size int) string {
	var b strings.Builder
	b.WriteByte('[')
	for i := 0; b.Len() < size; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		n := strconv.Itoa(i)
		b.WriteString(`{"name":"tool_` + n + `","title":"Tool number ` + n +
			`","description":"Reads a file from the disk and returns its content, line by line.\nLines are numbered.",` +
			`"inputSchema":{"type":"object","properties":{"path":{"type":"string"},"offset":{"type":"integer","minimum":0},` +
			`"limit":{"type":"integer","maximum":1000}},"required":["path"]},"annotations":{"readOnlyHint":true,"x":[1,2.5,-3e4,null]}}`)
	}
	b.WriteByte(']')
	return b.String()
}

func BenchmarkDecodeSmall(b *testing.B) {
	data := []byte(smallText)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		var x sample
		if err := wire.Unmarshal(data, &x); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncodeSmall(b *testing.B) {
	var x sample
	if err := wire.UnmarshalString(smallText, &x); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(smallText)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := wire.Marshal(&x); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppendSmall(b *testing.B) {
	var x sample
	if err := wire.UnmarshalString(smallText, &x); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(smallText)))
	b.ReportAllocs()
	var buf []byte
	for b.Loop() {
		buf, _ = x.AppendJSON(buf[:0])
	}
}

func BenchmarkParse(b *testing.B) {
	for name, text := range map[string]string{
		"tools":   largeText(1 << 20),
		"small":   smallText,
		"names":   manyMembers(1 << 20),
		"nested":  strings.Repeat(`{"a":[`, 400) + strings.Repeat(`]}`, 400),
		"strings": `["` + strings.Repeat(strings.Repeat("x", 200)+`","`, 5000) + `"]`,
		"unicode": `["` + strings.Repeat(strings.Repeat("日本", 30)+`","`, 5000) + `"]`,
		"numbers": `[` + strings.Repeat(`1,-2.5,1e10,123456,`, 50000) + `0]`,
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := wire.Parse(text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkOthers is what to compare BenchmarkParse/tools and BenchmarkDecodeSmall with.
func BenchmarkOthers(b *testing.B) {
	text := []byte(largeText(1 << 20))
	b.Run("jsontext.IsValid", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			jsontext.Value(text).IsValid()
		}
	})
	b.Run("json.Valid", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			json.Valid(text)
		}
	})
	b.Run("json.Unmarshal", func(b *testing.B) {
		b.SetBytes(int64(len(smallText)))
		b.ReportAllocs()
		for b.Loop() {
			var x struct {
				Type, Text string
				Size       int64
				Score      float64
				Done       bool
				ID         json.Number
				Labels     []string
				Notes      struct {
					Audience []string
					Priority float64
				}
			}
			if err := json.Unmarshal([]byte(smallText), &x); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkAppendRaw(b *testing.B) {
	compact := largeText(1 << 16)
	for name, text := range map[string]string{"compact": compact, "spaced": strings.ReplaceAll(compact, `,"`, ",\n  \"")} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			var buf []byte
			var err error
			for b.Loop() {
				if buf, err = wire.Raw(text).AppendJSON(buf[:0]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkMembers(b *testing.B) {
	text := manyMembers(4 << 20)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		var x notes
		if err := wire.UnmarshalString(text, &x); err != nil {
			b.Fatal(err)
		}
	}
}

// manyMembers returns an object of about size bytes with as many members as fit.
func manyMembers(size int) string {
	b := []byte{'{'}
	for i := 0; len(b) < size; i++ {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '"')
		b = strconv.AppendInt(b, int64(i), 36)
		b = append(b, `":0`...)
	}
	return string(append(b, '}'))
}
