package audit

import (
	"mime"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file keeps what holds for content wherever it is: binary data, MIME types, times,
// icons and _meta.

// data are the members whose values are those of applications, so that what is in them
// says nothing about the protocol.
var data = map[string]bool{
	"arguments": true, "structuredContent": true, "inputSchema": true, "outputSchema": true, "requestedSchema": true,
	"experimental": true, "metadata": true, "data": true, "input": true, "default": true, "extensions": true,
}

// signs are texts without which there is nothing to be checked.
var signs = []string{`"data"`, `"blob"`, `"_meta"`, `"icons"`, `"lastModified"`, `"resource"`}

// content checks params or a result.
func (c *check) content(s *Session, value wire.Raw, src, name, pointer string, base int) {
	for _, sign := range signs {
		if strings.Contains(string(value), sign) {
			w := walk{c, s, base + offsetOf(src, name)}
			w.value(value, pointer+name)
			return
		}
	}
}

// walk goes through the values of a message.
type walk struct {
	c    *check
	s    *Session
	base int
}

func (w walk) value(value wire.Raw, pointer string) {
	switch value.Kind() {
	case wire.KindArray:
		each(value, func(i int, element wire.Raw) { w.value(element, ptr(pointer, i)) })
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
				w.c.breaks("last-modified", at, w.base, "%q is no time in the form of ISO 8601", cut(text(value), 80))
			}
		case !data[name]:
			w.value(value, at)
		}
	}
}

// media checks blocks of content, and what a resource holds.
func (w walk) media(o wire.Object, pointer string) {
	kind, _ := o.Get("type")
	encoded := ""
	switch text(kind) {
	case "image", "audio":
		encoded = "data"
		if raw, ok := o.Get("mimeType"); ok && !isMIME(text(raw)) {
			w.c.breaks("mime-type", pointer+"/mimeType", w.base, "%q is no MIME type", cut(text(raw), 80))
		}
	case "resource":
		if declared, known := w.s.capabilities[Server]; known && w.s.since("2025-06-18") && w.c.from == Server && strings.Contains(pointer, "/result/content/") {
			if _, ok := declared.Get("resources"); !ok {
				w.c.breaks("embedded-resource", pointer, w.base, "the server embeds a resource and has not declared resources")
			}
		}
	case "":
		encoded = "blob"
	}
	if raw, ok := o.Get(encoded); ok && raw.Kind() == wire.KindString {
		if problem := base64Problem(text(raw)); problem != "" {
			w.c.breaks("base64", pointer+"/"+encoded, w.base, "is no base64: %s", problem)
		}
	}
}

func isMIME(s string) bool {
	kind, _, err := mime.ParseMediaType(s)
	main, sub, ok := strings.Cut(kind, "/")
	return err == nil && ok && main != "" && sub != "" && !strings.Contains(sub, "/")
}

// base64Problem says what keeps text from being base64 (RFC 4648, section 4), or "".
func base64Problem(s string) string {
	body := strings.TrimRight(s, "=")
	for i := range len(body) {
		switch b := body[i]; {
		case 'A' <= b && b <= 'Z', 'a' <= b && b <= 'z', '0' <= b && b <= '9', b == '+', b == '/':
		case b == '-' || b == '_':
			return "the character " + string(rune(b)) + " at " + itoa(i) + " is of the alphabet for URLs"
		default:
			return "a character that is not of its alphabet at " + itoa(i)
		}
	}
	if len(s)%4 != 0 || len(s)-len(body) > 2 || len(body)%4 == 1 {
		return "its length, with padding, is no multiple of 4"
	}
	return ""
}

// icons checks where icons come from.
func (w walk) icons(list wire.Raw, pointer string) {
	each(list, func(i int, icon wire.Raw) {
		source := strings.ToLower(text(member(icon, "src")))
		if source != "" && !strings.HasPrefix(source, "https://") && !strings.HasPrefix(source, "data:") {
			w.c.breaks("icon-source", ptr(pointer, i, "src"), w.base, "%q is neither an https nor a data URI", cut(source, 80))
		}
	})
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

// newer are the names of keys that a later revision defines. Clients and servers of several
// revisions may send them.
var newer = map[string]bool{
	"protocolVersion": true, "clientInfo": true, "clientCapabilities": true, "serverInfo": true, "logLevel": true, "subscriptionId": true,
}

// extended reports whether keys may be those of an extension: a side has declared one, or
// what the sides have declared is not known.
func (s *Session) extended() bool {
	for _, side := range []Side{Client, Server} {
		declared, known := s.capabilities[side]
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

// meta checks the keys of a _meta.
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
			w.c.breaks("meta-key", at, w.base, "%q is no key of _meta: labels and a slash may come before a name of letters, digits, -, _ and .", cut(key, 80))
		case found && !defined[key] && w.s.reserved(strings.Split(prefix, ".")):
			if prefix == "io.modelcontextprotocol" && (newer[name] || w.s.extended()) {
				w.c.note("meta-reserved", at, w.base, "%q is not defined by revision %s", cut(key, 80), w.s.revision.ID)
				continue
			}
			w.c.breaks("meta-reserved", at, w.base, "the prefix of %q is for the protocol, which does not define the key", cut(key, 80))
		}
	}
}

// reserved reports whether a prefix with these labels is for the protocol alone. In
// 2025-06-18 one of two labels stands before another one; since 2025-11-25 it is the second.
func (s *Session) reserved(labels []string) bool {
	if s.since("2025-11-25") {
		return len(labels) > 1 && ours(labels[1])
	}
	return slices.ContainsFunc(labels[:len(labels)-1], ours) || len(labels) == 2 && ours(labels[1])
}

func ours(label string) bool { return label == "mcp" || label == "modelcontextprotocol" }
