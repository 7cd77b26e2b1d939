package purity

import (
	"io"
	"testing"
)

// subject is a server on a library.
type subject struct {
	module string
	// serve runs the server on a pair of streams until the test ends.
	serve func(t *testing.T, in io.ReadCloser, out io.WriteCloser) changes
}

// changes cause notifications of a server.
type changes struct {
	updated func() // the resource file:///r
	removed func() // the tool "roots"
}

// The servers use the features that all three libraries have, which excludes tasks. They are
// written for the newest revision and do not ask for the revision of a session.

// newest is the revision that the servers are written for.
const newest = "2025-11-25"

// tools lists the tools and the features that they use.
var tools = []string{
	"content",      // every kind of content, with annotations
	"structured",   // structuredContent beside its text
	"form",         // elicitation with defaults and a choice with titles
	"page",         // elicitation by URL
	"sample",       // sampling with a text
	"sample_audio", // sampling with a sound
	"sample_tools", // sampling with tools
	"roots",
	"news", // progress with a message, a log message, the end of an elicitation
}

// Texts that the servers share.
const (
	inputSchema  = `{"type":"object","properties":{}}`
	outputSchema = `{"type":"object","properties":{"sum":{"type":"number"}}}`
	formSchema   = `{"type":"object","properties":{` +
		`"name":{"type":"string","default":"Ada"},` +
		`"colour":{"type":"string","oneOf":[{"const":"r","title":"Red"},{"const":"g","title":"Green"}]}}}`
	instructions = "Try everything."
	modified     = "2025-01-01T00:00:00Z"
	icon         = "https://example.com/icon.png"
)
