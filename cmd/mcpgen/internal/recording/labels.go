package recording

import (
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// labels reads messages that come with other text: objects that contain a message in a member,
// and lines of a log, such as
//
//	write: {"jsonrpc":"2.0", ...
//	2025-06-18T12:00:00Z [github] Message from client: {"jsonrpc":"2.0", ...
//
// The text beside a message tells the sender. It names a side ("client", "server->client") or
// an action of the program that wrote the log (read, write, send, receive). That program is the
// client if it sent initialize, and the server otherwise.
type labels struct {
	writer Side
}

// entry returns the entry of a value or line.
func (l *labels) entry(line string) Entry {
	line = strings.TrimSpace(line)
	beside := ""
	if !IsValue(line) {
		i := strings.Index(line, "{\"")
		if j := strings.Index(line, "[{\""); j >= 0 && j < i {
			i = j
		}
		if i < 0 || !strings.Contains(line[i:], `"jsonrpc"`) {
			return Entry{Kind: Log, Text: line}
		}
		raw := wire.Raw(line[i:]).Reader().ReadRaw() // which ends before the text after it
		if raw == "" {
			raw = wire.Raw(line[i:]) // A broken value is a broken message.
		}
		beside, line = line[:i], string(raw)
	} else if inner, label, ok := enveloped(line); ok {
		beside, line = label, inner
	}
	from, did := read(beside)
	e := Entry{Kind: Message, From: from, Text: line, Beside: beside, Plain: beside == ""}
	if from != Unknown || did == nothing {
		return e
	}
	if l.writer == Unknown && strings.Contains(line, `"initialize"`) {
		if l.writer = Client; did == received {
			l.writer = Server
		}
	}
	if e.From = l.writer; did == received {
		e.From = l.writer.Other()
	}
	return e
}

// enveloped finds the message in a member of an object that is not a message itself. If the
// object names the sender, the member is the text that was sent, even if that is not a message.
func enveloped(line string) (message, label string, ok bool) {
	r := wire.Raw(line).Reader()
	if r.Kind() != wire.KindObject {
		return "", "", false
	}
	other, sided := "", false
	for r.BeginObject(); r.Member(); {
		name := r.Name()
		switch name {
		case "jsonrpc":
			return "", "", false
		case "message", "msg", "payload", "data", "raw", "frame", "text", "line":
			raw := r.ReadRaw()
			inner := string(raw)
			if raw.Kind() == wire.KindString {
				inner = strings.TrimSpace(stringOf(raw))
				other = inner
			}
			if strings.Contains(inner, `"jsonrpc"`) && strings.HasPrefix(strings.TrimLeft(inner, "[ \t\r\n"), "{") {
				message = inner
			}
		case "direction", "dir", "from", "sender", "side", "source", "type", "event":
			if raw := r.ReadRaw(); raw.Kind() == wire.KindString {
				label += " " + stringOf(raw)
				if side, _ := read(stringOf(raw)); side != Unknown && strings.HasPrefix(name, "dir") {
					sided = true
				}
			}
		default:
			r.Skip()
		}
	}
	if message == "" && sided {
		message = other
	}
	return message, label, message != "" && r.Err() == nil
}

// deed is an action of the program that wrote a log.
type deed int

const (
	nothing deed = iota
	sent
	received
)

// read finds the sender of a message in the text beside it.
func read(label string) (Side, deed) {
	label = strings.ToLower(label)
	for _, sign := range []string{"→", "=>", "-->", "->", "»", ">>"} {
		label = strings.ReplaceAll(label, sign, " to ")
	}
	for _, sign := range []string{"←", "<=", "<--", "<-", "«", "<<"} {
		label = strings.ReplaceAll(label, sign, " by ")
	}
	words := strings.FieldsFunc(label, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	from, did := Unknown, nothing
	for i, word := range words {
		previous := ""
		if i > 0 {
			previous = words[i-1]
		}
		side := Unknown
		switch word {
		case "client", "c", "host":
			side = Client
		case "server", "s", "child":
			side = Server
		case "c2s", "fromclient", "toserver":
			return Client, did
		case "s2c", "fromserver", "toclient":
			return Server, did
		case "write", "wrote", "written", "send", "sent", "sending", "out", "outgoing", "outbound":
			did = sent
		case "read", "recv", "receive", "received", "receiving", "in", "incoming", "inbound":
			did = received
		}
		switch {
		case side == Unknown:
		case previous == "to" || previous == "by" && i > 1:
			// "server to client" was matched above. With "by", or an arrow that points back,
			// the sender comes last.
			if previous == "by" {
				return side, did
			}
			if from == Unknown {
				from = side.Other()
			}
		default:
			from = side
		}
	}
	return from, did
}
