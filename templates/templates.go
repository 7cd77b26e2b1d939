// Package templates holds the text of files that belong to the user after they have been
// made once: a program's main.go, its handlers, its go.mod. Code that is regenerated is
// not made from templates.
package templates

import "embed"

// Files are the templates, each named by the file it makes with .tmpl behind it, in the
// language of text/template.
//
//go:embed *.tmpl
var Files embed.FS
