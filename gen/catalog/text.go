package catalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/mcpgen/mcpgen/gen/yaml"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// SyntaxError reports a syntax error of JSON or YAML, and its place if it is known.
type SyntaxError = yaml.Error

func syntaxError(text []byte, offset int, problem string) error {
	e := yaml.Place(text, offset)
	e.Problem = problem
	return &e
}

// IsYAML reports whether a text is YAML. A name that ends in .yaml or .yml means YAML, one
// that ends in .json means JSON. For any other name, text that does not begin like JSON is
// YAML.
func IsYAML(name string, text []byte) bool {
	switch path.Ext(name) {
	case ".yaml", ".yml":
		return true
	case ".json", ".jsonl", ".ndjson", ".jsonc", ".json5":
		return false
	}
	text = bytes.TrimSpace(text)
	return len(text) > 0 && text[0] != '{' && text[0] != '[' && text[0] != '/'
}

// document is one JSON value of a text.
type document struct {
	// at is the JSON Pointer of the value: "" if it is the only one, and otherwise its
	// index.
	at   string
	text wire.Raw
}

// documents returns the JSON values of a text in any of the forms in which lists are
// stored: one or several JSON values, JSON with comments and trailing commas, the lines of
// an event stream, or YAML. Notes report what was not read as written.
func documents(name string, text []byte) (docs []document, notes []string, err error) {
	if text, err = plain(text); err != nil {
		return nil, nil, err
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, nil, errors.New("is empty")
	}
	var values [][]byte
	if events := dataOf(text); events != nil {
		values, err = split(events)
	} else if IsYAML(name, text) {
		if values, err = yaml.Documents(text); err != nil || len(values) == 1 && wire.Raw(values[0]).Kind() == wire.KindString {
			if lines := messageLines(text); lines != nil {
				values, err = lines, nil
				notes = append(notes, "lines that are not JSON are ignored")
			}
		}
	} else if values, err = split(text); err != nil {
		if bare := withoutComments(text); !bytes.Equal(bare, text) {
			values, err = split(bare)
		}
	}
	if err != nil {
		return nil, nil, err
	}
	for i, value := range values {
		doc := document{text: wire.Raw(value)}
		if len(values) > 1 {
			doc.at = fmt.Sprintf("/%d", i)
		}
		in := wire.NewStringReader(string(value))
		in.ReadRaw()
		in.End()
		var trouble *wire.Error
		if errors.As(in.Err(), &trouble) {
			// It is JSON with a repeated member or a lone surrogate.
			notes = append(notes, doc.at+trouble.Pointer+": "+trouble.Problem)
			doc.text = lastOfEach(value)
		}
		docs = append(docs, doc)
	}
	return docs, notes, nil
}

// JSON returns the text of a file as JSON, without a byte order mark. A YAML text, see [IsYAML], is one document. The
// syntax of a JSON text is not checked. An error is a [*SyntaxError].
func JSON(name string, text []byte) ([]byte, error) {
	text, err := plain(text)
	if err != nil || !IsYAML(name, text) {
		return text, err
	}
	return yaml.ToJSON(text)
}

// Schema returns the text of a JSON Schema with definitions as JSON. It reports whether the
// text is one.
func Schema(name string, text []byte) ([]byte, bool) {
	docs, _, err := documents(name, text)
	if err != nil || len(docs) != 1 || docs[0].text.Kind() != wire.KindObject {
		return nil, false
	}
	o := wire.Object(docs[0].text)
	if list, ok := o.Get("tools"); ok && list.Kind() == wire.KindArray {
		return nil, false
	}
	for _, container := range []string{"$defs", "definitions"} {
		if defs, ok := o.Get(container); ok && defs.Kind() == wire.KindObject {
			return []byte(o), true
		}
	}
	return nil, false
}

// lastOfEach returns a value without repeated members. The last one of each name counts.
func lastOfEach(value []byte) wire.Raw {
	dec := json.NewDecoder(bytes.NewReader(value))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return "null"
	}
	text, err := json.Marshal(v)
	if err != nil {
		return "null"
	}
	return wire.Raw(text)
}

// plain returns a text as UTF-8 without a byte order mark.
func plain(text []byte) ([]byte, error) {
	text, _, err := transform.Bytes(unicode.BOMOverride(transform.Nop), text)
	if err != nil {
		return nil, err
	}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			return nil, syntaxError(text, i, "is not UTF-8")
		}
		i += size
	}
	return text, nil
}

// split returns the consecutive JSON values of a text.
func split(text []byte) ([][]byte, error) {
	var values [][]byte
	end := len(bytes.TrimRight(text, " \t\r\n"))
	dec := json.NewDecoder(bytes.NewReader(text))
	for {
		var value json.RawMessage
		err := dec.Decode(&value)
		var syntax *json.SyntaxError
		switch {
		case err == nil:
			values = append(values, value)
			continue
		case errors.As(err, &syntax):
			return nil, syntaxError(text, int(syntax.Offset)-1, "is not JSON: "+syntax.Error())
		case dec.InputOffset() < int64(end):
			return nil, syntaxError(text, end, "is not JSON: it ends too early")
		}
		return values, nil
	}
}

// dataOf returns the data lines of an event stream, or nil for any other text.
func dataOf(text []byte) []byte {
	var data []byte
	for line := range bytes.Lines(text) {
		line = bytes.TrimRight(line, "\r\n")
		field, value, ok := bytes.Cut(line, []byte(":"))
		switch {
		case len(line) == 0:
		case !ok && data == nil:
			return nil
		case string(field) == "data":
			data = append(append(data, value...), '\n')
		case string(field) == "event", string(field) == "id", string(field) == "retry", len(field) == 0:
		default:
			return nil
		}
	}
	return data
}

// messageLines returns the lines that are JSON objects or arrays, for a text in which a
// program has also written other lines.
func messageLines(text []byte) [][]byte {
	var lines [][]byte
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(line)
		if len(line) > 0 && (line[0] == '{' || line[0] == '[') && json.Valid(line) {
			lines = append(lines, line)
		}
	}
	return lines
}

// withoutComments replaces comments, and commas before a closing bracket, by spaces. All
// other text keeps its position.
func withoutComments(text []byte) []byte {
	out := bytes.Clone(text)
	blank := func(from, to int) {
		for i := from; i < to; i++ {
			if out[i] != '\n' {
				out[i] = ' '
			}
		}
	}
	comma := -1 // index of the last token if it is a comma, or -1
	for i := 0; i < len(out); i++ {
		switch c := out[i]; {
		case c == '"':
			comma = -1
			for i++; i < len(out) && out[i] != '"'; i++ {
				if out[i] == '\\' {
					i++
				}
			}
		case c == '/' && bytes.HasPrefix(out[i:], []byte("//")):
			end := len(out)
			if n := bytes.IndexByte(out[i:], '\n'); n >= 0 {
				end = i + n
			}
			blank(i, end)
		case c == '/' && bytes.HasPrefix(out[i:], []byte("/*")):
			end := len(out)
			if n := bytes.Index(out[i:], []byte("*/")); n >= 0 {
				end = i + n + 2
			}
			blank(i, end)
		case c == ',':
			comma = i
		case c == '}' || c == ']':
			if comma >= 0 {
				out[comma] = ' '
			}
			comma = -1
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
		default:
			comma = -1
		}
	}
	return out
}
