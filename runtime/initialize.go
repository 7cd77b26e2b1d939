package runtime

import (
	"fmt"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// implementation is how one side introduces itself in clientInfo or serverInfo.
type implementation struct {
	name, title, version string
	details              wire.Members
}

// in returns the Implementation object of a revision.
func (i implementation) in(revision string) wire.Appender {
	return appendFunc(func(dst []byte) ([]byte, error) {
		w := wire.ObjectWriter(dst)
		w.String("name", i.name)
		if i.title != "" && revision >= revisionTitle {
			w.String("title", i.title)
		}
		w.String("version", i.version)
		if revision >= revisionDetails {
			w.Members(i.details, "name", "title", "version")
		}
		return w.Close()
	})
}

// text returns the Implementation object with which a server names itself in results.
func (i implementation) text() (wire.Raw, error) {
	text, err := wire.MarshalString(i.in(revisionDetails))
	if err != nil {
		err = fmt.Errorf("runtime: the server's name: %w", err)
	}
	return wire.Raw(text), err
}

// greeting holds the members of the params or the result of initialize that the runtime uses.
type greeting struct {
	revision     string
	capabilities wire.Object
	info         wire.Object
	instructions string // in results only
}

// read reads a greeting. Info is the name of the member with the Implementation. The values are
// copies, so that the session does not retain the whole message.
func (g *greeting) read(text wire.Raw, info string) error {
	r := wire.NewStringReader(string(text))
	var seen [1]uint64
	var extra wire.Members
	for r.BeginObject(); r.Member(); {
		switch r.Name() {
		case "protocolVersion":
			r.Once(&seen[0], 0)
			g.revision = strings.Clone(r.ReadString())
		case "capabilities":
			r.Once(&seen[0], 1)
			g.capabilities = r.ReadObject().Clone()
		case info:
			r.Once(&seen[0], 2)
			g.info = r.ReadObject().Clone()
		case "instructions":
			if r.Once(&seen[0], 3); !r.ReadNull() { // some servers write null for none
				g.instructions = strings.Clone(r.ReadString())
			}
		default:
			*extra.Entry(r) = r.ReadRaw()
		}
	}
	if seen[0]&0b111 != 0b111 {
		r.Missing(seen[:], "protocolVersion", "capabilities", info)
	}
	return r.Err()
}

// maxPeerSize limits the Implementation and the capabilities of a client, in bytes. A session keeps them for
// its whole life, also while its client is not connected. Most clients need 300 bytes; the rest is for icons.
const maxPeerSize = 16 << 10

// checkPeerSize returns an error for params if a server does not keep as much about a client. At says
// where in the params both are.
func checkPeerSize(at string, info, capabilities wire.Object) error {
	if n := len(info) + len(capabilities); n > maxPeerSize {
		return jsonrpc.Errorf(jsonrpc.CodeInvalidParams,
			"invalid params: %s: the Implementation and the capabilities take %d bytes; at most %d are accepted", at, n, maxPeerSize)
	}
	return nil
}

// appendGreeting writes a greeting. Capabilities may be nil.
func appendGreeting(dst []byte, revision string, capabilities wire.Appender, info string, self implementation, instructions string) ([]byte, error) {
	if capabilities == nil {
		capabilities = emptyResult
	}
	w := wire.ObjectWriter(dst)
	w.String("protocolVersion", revision)
	w.Value("capabilities", capabilities)
	w.Value(info, self.in(revision))
	if instructions != "" {
		w.String("instructions", instructions)
	}
	return w.Close()
}

// appendFunc is a function that is a wire.Appender.
type appendFunc func(dst []byte) ([]byte, error)

// AppendJSON calls f.
func (f appendFunc) AppendJSON(dst []byte) ([]byte, error) { return f(dst) }
