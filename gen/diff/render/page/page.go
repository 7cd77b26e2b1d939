// Package page renders reports of package compat as one HTML file that stands
// alone: it loads nothing from anywhere, and its text can be read without
// JavaScript.
//
// A page of one report shows its findings, the worst first; those of a list of
// tools are grouped by tool. A page of several reports is about revisions of the
// protocol: it answers what breaks between a server of one and clients of
// another, and follows the revisions in time. The file is the same for the same
// input.
//
// Everything in a report or a side may come from a stranger's server. The
// templates are of html/template, which escapes it, and the page's policy allows
// no style and no script but its own.
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
)

//go:embed template style script
var files embed.FS

// Side is one of the things that were compared.
type Side struct {
	Label string
	// Source is the JSON text that the pointers of findings lead into.
	Source []byte
	// Definitions are the names of the definitions, Subjects those of the methods
	// or tools.
	Definitions, Subjects []string
}

// Input is what a page shows.
type Input struct {
	Reports []*diff.Report
	// Sides has every side of the reports, revisions in the order of their dates.
	Sides []Side
}

// Write writes the page.
func Write(w io.Writer, in Input) error {
	t, err := template.New("page").Funcs(template.FuncMap{
		"plural": plural, "word": word, "visible": visible, "text": func(raw json.RawMessage) string { return visible(string(raw)) },
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

// concat returns the files of a folder, one after the other.
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

// hash returns the source expression of a Content Security Policy that allows one
// inline text.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// word says what a level means.
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
