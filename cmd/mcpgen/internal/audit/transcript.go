package audit

import (
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Transcript makes messages of the values or lines of a recording. These are
// messages as they are; objects that have one in a member, beside its direction and
// other things; and lines of a log, such as
//
//	write: {"jsonrpc":"2.0", ...
//	2025-06-18T12:00:00Z [github] Message from client: {"jsonrpc":"2.0", ...
//
// Who sent a message is taken from what stands beside it, where that tells: a side
// ("client", "server->client"), or what the writer of the log did (read, write, send,
// receive), who is the client when it sent initialize, and else the server.
type Transcript struct {
	writer Side
}

// Message returns the message in a value or line, and who sent it. It returns "" for a
// line of something else.
func (t *Transcript) Message(line string) (from Side, message string) {
	line = strings.TrimSpace(line)
	beside := ""
	if !IsValue(line) {
		i := strings.Index(line, "{\"")
		if j := strings.Index(line, "[{\""); j >= 0 && j < i {
			i = j
		}
		if i < 0 || !strings.Contains(line[i:], `"jsonrpc"`) {
			return Unknown, ""
		}
		r := wire.NewStringReader(line[i:])
		raw := r.ReadRaw()
		if raw == "" {
			raw = wire.Raw(line[i:]) // broken: so is the message
		}
		beside, line = line[:i], string(raw)
	} else if inner, label, ok := enveloped(line); ok {
		beside, line = label, inner
	}
	from, did := read(beside)
	if from != Unknown || did == nothing {
		return from, line
	}
	if t.writer == Unknown && strings.Contains(line, `"initialize"`) {
		if t.writer = Client; did == received {
			t.writer = Server
		}
	}
	if did == received {
		return t.writer.other(), line
	}
	return t.writer, line
}

// IsValue tells the text of messages from the line of a log.
func IsValue(text string) bool {
	if strings.HasPrefix(text, "[") {
		return len(text) == 1 || strings.IndexByte("{[] \t\r\n", text[1]) >= 0
	}
	return strings.HasPrefix(text, "{")
}

// enveloped finds the message in a member of an object that is none itself.
func enveloped(line string) (message, label string, ok bool) {
	r := wire.NewStringReader(line)
	if r.Kind() != wire.KindObject {
		return "", "", false
	}
	for r.BeginObject(); r.Member(); {
		name := r.Name()
		switch name {
		case "jsonrpc":
			return "", "", false
		case "message", "msg", "payload", "data", "raw", "frame":
			raw := r.ReadRaw()
			inner := string(raw)
			if raw.Kind() == wire.KindString {
				inner = strings.TrimSpace(text(raw))
			}
			if strings.Contains(inner, `"jsonrpc"`) && strings.HasPrefix(strings.TrimLeft(inner, "["), "{") {
				message = inner
			}
		case "direction", "dir", "from", "sender", "side", "source", "type", "event":
			if raw := r.ReadRaw(); raw.Kind() == wire.KindString {
				label += " " + text(raw)
			}
		default:
			r.Skip()
		}
	}
	return message, label, message != "" && r.Err() == nil
}

// deed is what the writer of a log did with a message.
type deed int

const (
	nothing deed = iota
	sent
	received
)

// read finds who sent a message in what stands beside it.
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
			// "server to client" has told already; "by" of an arrow that points back
			// has the sender behind it.
			if previous == "by" {
				return side, did
			}
			if from == Unknown {
				from = side.other()
			}
		default:
			from = side
		}
	}
	return from, did
}
