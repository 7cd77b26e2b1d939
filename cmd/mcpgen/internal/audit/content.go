package audit

import (
	"encoding/base64"
	"mime"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file checks content in all messages: binary data, MIME types, times, icons and _meta.

// data are the members whose values belong to applications; the protocol has no rules for them.
var data = map[string]bool{
	"arguments": true, "structuredContent": true, "inputSchema": true, "outputSchema": true, "requestedSchema": true,
	"experimental": true, "metadata": true, "data": true, "input": true, "default": true, "extensions": true,
}

// signs are texts of which a message has at least one if there is anything to check.
var signs = []string{`"data"`, `"blob"`, `"_meta"`, `"icons"`, `"lastModified"`, `"resource"`}

// content checks params or a result.
func (c *check) content(s *Session, value wire.Raw, pointer string) {
	if slices.ContainsFunc(signs, func(sign string) bool { return strings.Contains(string(value), sign) }) {
		walk{c, s}.value(value, pointer)
	}
}

// walk checks the values of a message recursively.
type walk struct {
	c *check
	s *Session
}

func (w walk) value(value wire.Raw, pointer string) {
	switch value.Kind() {
	case wire.KindArray:
		for i, element := range value.Elements() {
			w.value(element, ptr(pointer, i))
		}
	case wire.KindObject:
		w.object(wire.Object(value), pointer)
	}
}

func (w walk) object(o wire.Object, pointer string) {
	w.media(o, pointer)
	for name, value := range o.All() {
		at := wire.ChildPointer(pointer, name)
		switch {
		case name == "_meta" && value.Kind() == wire.KindObject:
			w.meta(wire.Object(value), at)
		case name == "icons" && w.s.since("2025-11-25"):
			w.icons(value, at)
		case name == "lastModified" && value.Kind() == wire.KindString && w.s.since("2025-06-18"):
			if !isTime(text(value)) {
				w.c.breaks("last-modified", at, "%q is not a time in ISO 8601 form", cut(text(value), 80))
			}
		case !data[name]:
			w.value(value, at)
		}
	}
}

// media checks blocks of content and the contents of resources.
func (w walk) media(o wire.Object, pointer string) {
	kind, _ := o.Get("type")
	encoded := ""
	switch text(kind) {
	case "image", "audio":
		encoded = "data"
		if raw, ok := o.Get("mimeType"); ok && !isMIME(text(raw)) {
			w.c.breaks("mime-type", pointer+"/mimeType", "%q is not a MIME type", cut(text(raw), 80))
		}
	case "resource":
		if declared, known := w.s.capabilities[Server]; known && w.s.since("2025-06-18") && w.c.from == Server && strings.Contains(pointer, "/result/content/") {
			if _, ok := declared.Get("resources"); !ok {
				w.c.breaks("embedded-resource", pointer, "the server embeds a resource but has not declared resources")
			}
		}
	case "":
		encoded = "blob"
	}
	if raw, ok := o.Get(encoded); ok && raw.Kind() == wire.KindString {
		if problem := base64Problem(text(raw)); problem != "" {
			w.c.breaks("base64", pointer+"/"+encoded, "invalid base64: %s", problem)
		}
	}
}

func isMIME(s string) bool {
	kind, _, err := mime.ParseMediaType(s)
	main, sub, ok := strings.Cut(kind, "/")
	return err == nil && ok && main != "" && sub != "" && !strings.Contains(sub, "/")
}

// base64Problem returns why text is not base64 (RFC 4648, section 4), or "".
func base64Problem(s string) string {
	_, err := base64.StdEncoding.DecodeString(s)
	switch {
	case strings.ContainsAny(s, "\r\n"): // which the decoder skips
		return "it contains a line end"
	case err != nil && strings.ContainsAny(s, "-_"):
		return "it has characters of the alphabet for URLs"
	case err != nil:
		return strings.TrimPrefix(err.Error(), "illegal base64 data ")
	}
	return ""
}

// icons checks the sources of icons.
func (w walk) icons(list wire.Raw, pointer string) {
	for i, icon := range list.Elements() {
		source := strings.ToLower(text(member(icon, "src")))
		if source != "" && !strings.HasPrefix(source, "https://") && !strings.HasPrefix(source, "data:") {
			w.c.breaks("icon-source", ptr(pointer, i, "src"), "%q is neither an https: nor a data: URI", cut(source, 80))
		}
	}
}

var (
	metaPrefix = regexp.MustCompile(`^[A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])?)*$`)
	metaName   = regexp.MustCompile(`^([A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?)?$`)
)

// defined are the keys with a reserved prefix that revisions define.
var defined = map[string]bool{
	"io.modelcontextprotocol/related-task":             true,
	"io.modelcontextprotocol/model-immediate-response": true,
}

// newer are the keys that a later revision defines. Programs that support several revisions may
// send them.
var newer = map[string]bool{
	"protocolVersion": true, "clientInfo": true, "clientCapabilities": true, "serverInfo": true, "logLevel": true, "subscriptionId": true,
}

// extended reports whether keys may belong to an extension: either side declares one, or the
// capabilities are unknown.
func (s *Session) extended() bool {
	for _, side := range []Side{Client, Server} {
		declared, known := s.capabilities[side]
		if s.stateless && side == Server {
			break // an extension that the client has not declared does not apply
		}
		if !known {
			return true
		}
		for _, name := range []string{"extensions", "experimental"} {
			if raw, ok := declared.Get(name); ok && !empty(raw) {
				return true
			}
		}
	}
	return false
}

// meta checks the keys of a _meta object.
func (w walk) meta(o wire.Object, pointer string) {
	if !w.s.since("2025-06-18") {
		return
	}
	for key := range o.All() {
		prefix, name, found := strings.Cut(key, "/")
		if !found {
			prefix, name = "", key
		}
		at := wire.ChildPointer(pointer, key)
		switch {
		case found && !metaPrefix.MatchString(prefix), !metaName.MatchString(name):
			w.c.breaks("meta-key", at, "%q is not a valid _meta key: an optional prefix of labels and a slash, then a name of letters, digits, -, _ and .", cut(key, 80))
		case found && !defined[key] && w.s.reserved(strings.Split(prefix, ".")):
			if w.s.extensions.named(key) != nil && w.s.extended() {
				continue // an extension may have a key of its own name
			}
			if s := w.s; s.stateless && prefix == "io.modelcontextprotocol" && newer[name] {
				continue
			}
			if prefix == "io.modelcontextprotocol" && (newer[name] || w.s.extended()) {
				w.c.note("meta-reserved", at, "revision %[2]s does not define %[1]q", cut(key, 80), w.s.revision.ID)
				continue
			}
			w.c.breaks("meta-reserved", at, "the prefix of %q is reserved, and the protocol does not define the key", cut(key, 80))
		}
	}
}

// reserved reports whether the protocol reserves a prefix with these labels. In 2025-06-18, a
// reserved label stands before another label; since 2025-11-25 it is the second label.
func (s *Session) reserved(labels []string) bool {
	if s.since("2025-11-25") {
		return len(labels) > 1 && ours(labels[1])
	}
	return slices.ContainsFunc(labels[:len(labels)-1], ours) || len(labels) == 2 && ours(labels[1])
}

func ours(label string) bool { return label == "mcp" || label == "modelcontextprotocol" }
