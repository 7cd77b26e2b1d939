// Package report has what reports and pages share: the escaping and shortening of texts that come
// from a server, Markdown, and workflow commands of GitHub.
package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"unicode"
)

// Printer writes lines and remembers the first error. Texts in its lines may come from a server
// that is not trusted.
type Printer struct {
	W   io.Writer
	Err error
}

// Line writes a line. It escapes characters of string arguments that could start a new line,
// control the terminal or change the direction of text.
func (p *Printer) Line(format string, args ...any) {
	for i, arg := range args {
		if text, ok := arg.(string); ok {
			args[i] = Escape(text, Hidden)
		}
	}
	if p.Err == nil {
		_, p.Err = fmt.Fprintf(p.W, format+"\n", args...)
	}
}

// Table writes rows in columns of the same width. The first row is the header.
func (p *Printer) Table(rows [][]string) {
	w := tabwriter.NewWriter(p.W, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	if err := w.Flush(); p.Err == nil {
		p.Err = err
	}
}

// JSON writes a value as indented JSON.
func (p *Printer) JSON(v any) {
	enc := json.NewEncoder(p.W)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); p.Err == nil {
		p.Err = err
	}
}

// Command writes a workflow command of GitHub: error, warning or notice. File is a path, or ""
// for a command without a place.
func (p *Printer) Command(command, title, file string, line, column int, text string) {
	properties := "title=" + property(title)
	if file != "" {
		at := "file=" + property(filepath.ToSlash(file))
		if line > 0 {
			at += fmt.Sprintf(",line=%d,col=%d", line, column)
		}
		properties = at + "," + properties
	}
	p.Line("::%s %s::%s", command, properties, data(text))
}

// data escapes the text of a workflow command.
func data(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

// property escapes a property of a workflow command.
func property(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
}

// Escape replaces the characters of s for which hidden returns true with \u escapes.
func Escape(s string, hidden func(r rune) bool) string {
	if !strings.ContainsFunc(s, hidden) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if hidden(r) {
			fmt.Fprintf(&b, "\\u%04x", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Visible escapes the hidden characters of a text that may have several lines.
func Visible(s string) string {
	return Escape(s, func(r rune) bool { return r != '\n' && Hidden(r) })
}

// Hidden reports whether a character is a control character, a line separator, a bidirectional
// control or a byte order mark.
func Hidden(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029' || r == '\ufeff'
}

// Plural returns a number with its noun, which gets an s unless the number is 1.
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Short returns at most the given number of characters of a text, and "..." if there are more.
func Short[T ~string](text T, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return string(text)
}

// Sentence returns the first sentence of a text, on one line.
func Sentence(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	for i := range text {
		if strings.HasPrefix(text[i:], ". ") || strings.HasPrefix(text[i:], "! ") || strings.HasPrefix(text[i:], "? ") {
			return text[:i+1]
		}
	}
	return text
}

// Indented returns a JSON text with a line for each member and element, and a newline at the end. The
// indentation is that of another text, or two spaces.
func Indented(text, like []byte) []byte {
	indent := []byte("  ")
	_, rest, _ := bytes.Cut(like, []byte("\n"))
	if n := len(rest) - len(bytes.TrimLeft(rest, " \t")); n > 0 {
		indent = rest[:n]
	}
	var b bytes.Buffer
	if json.Indent(&b, text, "", string(indent)) != nil {
		return text
	}
	b.WriteByte('\n')
	return b.Bytes()
}
