package traces

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/stdio"
)

// lines is a client that writes lines to a server over stdio.
type lines struct {
	t        *testing.T
	revision string
	in       *io.PipeWriter
	stop     context.CancelFunc
	served   chan struct{}
	writing  sync.WaitGroup

	mu      sync.Mutex
	arrived strings.Builder
	stalled chan struct{} // closed when the client reads again; nil if it does
}

func newLines(t *testing.T, u *subject, v *variables, _ settings) peer {
	ctx, stop := context.WithCancel(t.Context())
	in, near := io.Pipe()
	far, out := io.Pipe()
	p := &lines{t: t, revision: v.revision, in: near, stop: stop, served: make(chan struct{})}
	go func() {
		defer close(p.served)
		_ = u.Serve(ctx, &stdio.Transport{In: in, Out: out}) // an error is about the connection, which the trace shows
	}()
	go func() {
		_, _ = io.Copy(p, far) // a pipe has no other error than that of its writer
		_, _ = p.Write([]byte("(end)\n"))
	}()
	return p
}

// Write keeps what the server writes. It returns when the client is to read on.
func (p *lines) Write(text []byte) (int, error) {
	p.mu.Lock()
	n, err := p.arrived.Write(text)
	stalled := p.stalled
	p.mu.Unlock()
	if stalled != nil {
		<-stalled
	}
	return n, err
}

// stall makes the client read nothing after what arrives next, or read again.
func (p *lines) stall(stop bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stalled != nil {
		close(p.stalled)
	}
	p.stalled = nil
	if stop {
		p.stalled = make(chan struct{})
	}
}

func (p *lines) take() []section {
	p.mu.Lock()
	defer p.mu.Unlock()
	text := p.arrived.String()
	p.arrived.Reset()
	return []section{{"server", text}}
}

func (p *lines) open(capabilities string) {
	p.do("client", "", fmt.Appendf(nil, "%s\n%s\n", initialize(p.revision, capabilities), initialized))
}

func (p *lines) do(verb, name string, data []byte) bool {
	switch {
	case verb == "client" && name == "":
	case verb == "client" && name == "unfinished":
		data = data[:len(data)-1]
	case verb == "stall", verb == "read":
		p.stall(verb == "stall")
		return true
	case verb == "close":
		p.in.Close()
		return true
	default:
		return false
	}
	p.writing.Go(func() { _, _ = p.in.Write(data) }) // a server that has ended reads nothing
	return true
}

func (p *lines) shutdown() {
	p.stop()
	<-p.served
}

func (p *lines) close() {
	p.stall(false)
	p.in.Close()
	<-p.served
	p.writing.Wait()
	p.stop()
}

func initialize(revision, capabilities string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":"open","method":"initialize","params":{"protocolVersion":%q,"capabilities":%s,"clientInfo":{"name":"raw","version":"1"}}}`, revision, capabilities)
}

const initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
