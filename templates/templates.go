// Package templates contains the templates of the files that are written once and belong to
// the user from then on, such as main.go, the handlers and go.mod. Code that is regenerated
// does not come from templates.
package templates

import "embed"

// Files contains a template for each file, in the language of text/template. Its name is that
// of the file with the suffix .tmpl.
//
//go:embed *.tmpl
var Files embed.FS
