package purity

import (
	"io"
	"testing"
)

// subject is a server on one of the libraries.
type subject struct {
	module string
	// serve runs the server on a pair of streams until the test ends.
	serve func(t *testing.T, in io.ReadCloser, out io.WriteCloser) changes
}

// changes are what a server has notifications for.
type changes struct {
	updated func() // the resource file:///r
	removed func() // the tool "roots"
}

// What the servers have is what all three libraries can say; tasks are not among it.
// Each is written as one would against the newest revision, and asks nobody which revision is
// spoken: whether that has to be known is what is compared.

// newest is the revision they are written against.
const newest = "2025-11-25"

// tools are the names of the tools, and what they use.
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

// Texts that the servers have in common.
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
