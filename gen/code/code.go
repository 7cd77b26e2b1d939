// Package code writes generated Go files through jennifer. Text that hardly varies, and expressions and statements that
// consist of parts, are written as Go source, which names packages as source does; jennifer imports them.
package code

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/dave/jennifer/jen"
)

// Module is the path of the module that generated code imports.
const Module = "github.com/mcpgen/mcpgen"

// packages has the import paths of the packages that [Go] knows, by their names.
var packages = func() map[string]string {
	all := map[string]string{}
	for _, p := range []string{"context", "errors", "iter", "log/slog", "slices", "testing", "time"} {
		all[path.Base(p)] = p
	}
	for _, p := range []string{"generated", "generated/compat", "generated/mcp", "runtime", "runtime/catalog", "runtime/convert",
		"runtime/jsonrpc", "runtime/rest", "runtime/schema", "runtime/schema/ecma", "runtime/schema/fallback", "runtime/tasks",
		"runtime/tools", "runtime/tools/contract", "runtime/wire"} {
		all[path.Base(p)] = path.Join(Module, p)
	}
	return all
}()

var (
	// pasted matches what Go replaces in a text.
	pasted = regexp.MustCompile(`\$[1-9]`)
	// tokens matches what Go replaces by code: $1 to $9, and a package or an import path with a name after it. It also
	// matches literals, comments and other identifiers, so that Go skips what looks like a package in them.
	tokens = regexp.MustCompile("\"(?:[^\"\\\\\n]|\\\\.)*\"|`[^`]*`|//[^\n]*|" + `\$[1-9]|((?:` +
		regexp.QuoteMeta(Module) + `/[\w/]+|` + strings.Join(slices.Collect(maps.Keys(packages)), "|") + `))\.([A-Z]` + letter + `*)|` + letter + `+`)
)

// letter matches a letter or digit of an identifier. All characters that are not ASCII and occur outside literals and
// comments are letters or digits.
const letter = `[\w\x{80}-\x{10FFFF}]`

// Go renders source text. The text names packages as source does, as in wire.Raw, or by their import paths, see [Name].
// $1 stands for the first of the parts, and so on: a jen.Code, or a string that is pasted.
func Go(text string, parts ...any) *jen.Statement {
	part := func(mark string) any {
		if i := int(mark[1] - '1'); i < len(parts) {
			return parts[i]
		}
		return nil
	}
	text = pasted.ReplaceAllStringFunc(text, func(mark string) string {
		if source, ok := part(mark).(string); ok {
			return source
		}
		return mark
	})
	s, done := jen.Null(), 0
	for _, at := range tokens.FindAllStringSubmatchIndex(text, -1) {
		switch {
		case text[at[0]] == '$':
			s.Op(text[done:at[0]]).Add(part(text[at[0]:at[1]]).(jen.Code))
		case at[2] < 0:
			continue // a literal or a comment
		default:
			in := text[at[2]:at[3]]
			if known := packages[in]; known != "" {
				in = known
			}
			s.Op(text[done:at[0]]).Qual(in, text[at[4]:at[5]])
		}
		done = at[1]
	}
	return s.Op(text[done:])
}

// Name returns a name in a package as [Go] reads it: the name alone if the path is "".
func Name(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// Declare adds a blank line, a doc comment and a declaration of source text.
func Declare(f *jen.File, text, source string, parts ...any) {
	f.Line()
	f.Add(Comment(text))
	f.Add(Go(source, parts...))
}

// Writer writes source text.
type Writer struct{ strings.Builder }

// P writes a line, or several.
func (w *Writer) P(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }

// Case writes a case of a switch.
func (w *Writer) Case(values, body string) { w.WriteString("case " + values + ":\n" + body) }

// Literal returns the literal of a string, an int64 or a float64.
func Literal(value any) string {
	if _, ok := value.(int64); ok {
		return fmt.Sprintf("int64(%v)", value)
	}
	text := fmt.Sprintf("%#v", value)
	if _, ok := value.(float64); ok && !strings.ContainsAny(text, ".e") {
		return text + ".0"
	}
	return text
}

// Kind renders the constant of package wire for a type of JSON Schema.
func Kind(name string) string {
	if name == "boolean" {
		name = "bool"
	}
	return "wire.Kind" + strings.ToUpper(name[:1]) + name[1:]
}

// String returns a string literal, a raw one if the text has quotes or backslashes and can be one.
func String[S ~string](s S) string {
	if strings.ContainsAny(string(s), "\"\\") && strconv.CanBackquote(string(s)) {
		return "`" + string(s) + "`"
	}
	return strconv.Quote(string(s))
}

// Quoted returns strings as a list of literals.
func Quoted(all []string) string {
	quoted := make([]string, len(all))
	for i, s := range all {
		quoted[i] = strconv.Quote(s)
	}
	return strings.Join(quoted, ", ")
}

// Strings returns strings as the literal of a slice.
func Strings(all []string) string { return "[]string{" + Quoted(all) + "}" }

// Comment renders a wrapped comment, and nothing for an empty text.
func Comment(text string) jen.Code {
	if text == "" {
		return jen.Null()
	}
	return jen.Comment(CommentText(text))
}

// Doc returns a comment with the source that it is about.
func Doc(text, source string) string {
	if text == "" {
		return source
	}
	return CommentText(text) + "\n" + source
}

// CommentText returns text as the lines of a comment. Text from schemas is not trusted: each line gets its own slashes,
// and characters that Go source must not contain are removed.
func CommentText(text string) string {
	const width = 77
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' || r == '\ufeff' {
			return -1
		}
		return r
	}, text)
	var lines []string
	for i, paragraph := range strings.Split(strings.TrimSpace(text), "\n\n") {
		if i > 0 {
			lines = append(lines, "//")
		}
		line := "//"
		for _, word := range strings.Fields(paragraph) {
			if len(line)+1+len(word) > width && line != "//" {
				lines = append(lines, line)
				line = "//"
			}
			line += " " + word
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}
