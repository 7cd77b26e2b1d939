// Package page renders the reports of package diff as one HTML file. The file is
// self-contained: it loads nothing, and its text is readable without JavaScript.
//
// A page with one report shows its findings, the worst first. Findings of a tool list are
// grouped by tool. A page with several reports of tool lists shows one after the other, or is the
// changelog of a history. One with several reports of revisions shows which servers and clients
// work together, and the changes of each revision. The same input gives the same file.
//
// Reports and sides may contain text from untrusted servers. html/template escapes it, and the
// Content Security Policy of the page allows only the page's own style and script.
package page

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"html/template"
	"io"
	"io/fs"
	"strings"

	"github.com/mcpgen/mcpgen/gen/diff"
	"github.com/mcpgen/mcpgen/gen/diff/render"
	"github.com/mcpgen/mcpgen/gen/report"
)

//go:embed template style script
var files embed.FS

// Side is an input of the comparisons.
type Side struct {
	Label string
	// Source is the JSON text that the pointers of findings refer to.
	Source []byte
	// Definitions has the names of the definitions, Subjects those of the methods or tools.
	Definitions, Subjects []string
}

// Input is the content of a page.
type Input struct {
	Reports []*diff.Report
	// Sides has every side of the reports. Revisions are in the order of their dates.
	Sides []Side
	// Steps has the step of each report of a history. Other pages have none.
	Steps []render.Step
}

// Write writes the page.
func Write(w io.Writer, in Input) error {
	t, err := template.New("page").Funcs(template.FuncMap{
		"plural": report.Plural, "word": word, "visible": visible, "sentence": sentence, "text": func(raw json.RawMessage) string { return visible(string(raw)) },
	}).ParseFS(files, "template/*.html")
	if err != nil {
		return err
	}
	v, err := newView(in)
	if err != nil {
		return err
	}
	css, err := concat("style")
	if err != nil {
		return err
	}
	js, err := concat("script")
	if err != nil {
		return err
	}
	v.CSS, v.JS = template.CSS(css), template.JS(js)
	v.Policy = "default-src 'none'; img-src data:; style-src " + hash(css) + "; script-src " + hash(js) + "; base-uri 'none'; form-action 'none'"
	return t.ExecuteTemplate(w, "page.html", v)
}

// concat returns the concatenated files of a folder.
func concat(dir string) (string, error) {
	entries, err := fs.ReadDir(files, dir)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, e := range entries {
		text, err := fs.ReadFile(files, dir+"/"+e.Name())
		if err != nil {
			return "", err
		}
		b.Write(text)
	}
	return b.String(), nil
}

// hash returns the source expression of a Content Security Policy for an inline text.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// sentence returns a text that begins with a capital letter.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + visible(text[1:])
}

// word returns the words for a level.
func word(l diff.Level) string {
	switch l {
	case diff.LevelErr:
		return "breaks"
	case diff.LevelWarn:
		return "may break"
	case diff.LevelInfo:
		return "safe"
	}
	return "works"
}
