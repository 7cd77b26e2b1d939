package runtime

import (
	"fmt"
	"slices"
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

// greeting holds what one side says of itself, in the params or the result of initialize or in the result of
// server/discover.
type greeting struct {
	revision     string
	versions     []string // in results of server/discover only
	capabilities wire.Object
	info         wire.Object
	instructions string // in results only
}

// read reads a greeting, whose own members are the required ones, instructions and _meta. The values are copies, so that
// the session does not retain the whole message.
func (g *greeting) read(text wire.Raw, required ...string) error {
	r := wire.NewStringReader(string(text))
	var seen [1]uint64
	var named wire.Raw // in _meta, which has the name of a server in results of server/discover
	for r.BeginObject(); r.Member(); {
		name := r.Name()
		switch i := slices.Index(required, name); {
		case i >= 0:
			r.Once(&seen[0], uint(i))
		case name != "instructions" && name != "_meta":
			r.Skip() // it may be that of another greeting, but here it is unknown
			continue
		}
		switch name {
		case "protocolVersion":
			g.revision = strings.Clone(r.ReadString())
		case "supportedVersions":
			for r.BeginArray(); r.Element(); {
				g.versions = append(g.versions, strings.Clone(r.ReadString()))
			}
		case "capabilities":
			g.capabilities = r.ReadObject().Clone()
		case "clientInfo", "serverInfo":
			g.info = r.ReadObject().Clone()
		case "instructions":
			if !r.ReadNull() { // some servers write null for none
				g.instructions = strings.Clone(r.ReadString())
			}
		case "_meta":
			named, _ = wire.Object(r.ReadRaw()).Get(metaServerInfo)
		}
	}
	if g.info == "" && named.Kind() == wire.KindObject {
		g.info = wire.Object(named).Clone()
	}
	r.Missing(seen[:], required...)
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
