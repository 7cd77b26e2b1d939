package catalog

import (
	"github.com/mcpgen/mcpgen/runtime/internal/params"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The params of the methods, as far as the catalog reads them. They are the same in all
// revisions up to 2025-11-25, except for the context of completion/complete, which
// 2025-06-18 introduced.

// readStrings reads an object with string members.
func readStrings(r *wire.Reader) map[string]string {
	m := make(map[string]string)
	for r.BeginObject(); r.Member(); {
		name := r.Name()
		if _, ok := m[name]; ok {
			r.Duplicate()
		}
		m[name] = r.ReadString()
	}
	return m
}

// callParams holds the params of tools/call (definition CallToolRequest).
type callParams struct {
	params.Received
	name      string
	arguments wire.Object // "{}" when absent
}

// DecodeJSON implements wire.Value.
func (p *callParams) DecodeJSON(r *wire.Reader) error {
	p.arguments = "{}"
	return params.Decode(r, []string{"name", "arguments"}, 1, func(member int) {
		if member == 0 {
			p.name = r.ReadString()
		} else {
			p.arguments = r.ReadObject()
		}
	})
}

// promptParams holds the params of prompts/get (definition GetPromptRequest).
type promptParams struct {
	params.Received
	name      string
	arguments map[string]string
}

// DecodeJSON implements wire.Value.
func (p *promptParams) DecodeJSON(r *wire.Reader) error {
	return params.Decode(r, []string{"name", "arguments"}, 1, func(member int) {
		if member == 0 {
			p.name = r.ReadString()
		} else {
			p.arguments = readStrings(r)
		}
	})
}

// uriParams holds the params of resources/read, resources/subscribe and resources/unsubscribe
// (definitions ReadResourceRequest, SubscribeRequest, UnsubscribeRequest).
type uriParams struct {
	params.Received
	uri string
}

// DecodeJSON implements wire.Value.
func (p *uriParams) DecodeJSON(r *wire.Reader) error {
	return params.Decode(r, []string{"uri"}, 1, func(int) { p.uri = r.ReadString() })
}

// maxURI limits the length of URIs in requests, in bytes. Subscriptions keep URIs in
// memory, and the time to match a template grows with the length.
const maxURI = 2 << 10

// Validate implements wire.Validator.
func (p *uriParams) Validate() error {
	var c wire.Collector
	c.Push("uri")
	if len(p.uri) > maxURI {
		c.Report("must not be longer than %d bytes", maxURI)
	} else {
		c.Format("uri", p.uri)
	}
	c.Pop()
	return c.Err()
}

// The values of CompleteRequest's ref.type.
const (
	refPrompt   = "ref/prompt"
	refTemplate = "ref/resource"
)

// completeParams holds the params of completion/complete (definition CompleteRequest).
type completeParams struct {
	params.Received
	ref      string // refPrompt or refTemplate
	key      string // the prompt's name or the template's URI
	argument string
	value    string
	settled  map[string]string // values of other arguments
}

// DecodeJSON implements wire.Value.
func (p *completeParams) DecodeJSON(r *wire.Reader) error {
	return params.Decode(r, []string{"ref", "argument", "context"}, 2, func(member int) {
		switch member {
		case 0:
			p.readRef(r)
		case 1:
			p.readArgument(r)
		case 2:
			p.readContext(r)
		}
	})
}

func (p *completeParams) readRef(r *wire.Reader) {
	key := "" // for an unknown type, which Validate reports
	switch kind, _ := r.PeekString("type"); kind {
	case refPrompt:
		key = "name"
	case refTemplate:
		key = "uri"
	}
	var seen [1]uint64
	for r.BeginObject(); r.Member(); {
		switch r.Name() {
		case "type":
			r.Once(&seen[0], 0)
			p.ref = r.ReadString()
		case key:
			r.Once(&seen[0], 1)
			p.key = r.ReadString()
		default:
			r.Skip()
		}
	}
	if seen[0]&1 == 0 || key != "" && seen[0]&2 == 0 {
		r.Missing(seen[:], "type", key)
	}
}

// Validate implements wire.Validator.
func (p *completeParams) Validate() error {
	var c wire.Collector
	c.Push("ref")
	c.Push("type")
	if p.ref != refPrompt && p.ref != refTemplate {
		c.Report("must be %q or %q", refPrompt, refTemplate)
	}
	return c.Err()
}

func (p *completeParams) readArgument(r *wire.Reader) {
	var seen [1]uint64
	for r.BeginObject(); r.Member(); {
		switch r.Name() {
		case "name":
			r.Once(&seen[0], 0)
			p.argument = r.ReadString()
		case "value":
			r.Once(&seen[0], 1)
			p.value = r.ReadString()
		default:
			r.Skip()
		}
	}
	if seen[0] != 3 {
		r.Missing(seen[:], "name", "value")
	}
}

func (p *completeParams) readContext(r *wire.Reader) {
	var seen uint64
	for r.BeginObject(); r.Member(); {
		switch r.Name() {
		case "arguments":
			if r.Present(&seen, 0) {
				p.settled = readStrings(r)
			}
		default:
			r.Skip()
		}
	}
}
