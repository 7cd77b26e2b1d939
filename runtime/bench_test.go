package runtime_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/testkit/mcptest"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/stdio"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

const benchCall = `{"jsonrpc":"2.0","id":12345,"method":"tools/call","params":{"name":"echo","arguments":{"location":"Berlin","days":3,"units":"metric"}}}`

// rawPeer writes messages to a server's transport and reads the answers with as little
// work as possible, so that what is measured is the server.
type rawPeer interface {
	roundTrip(line string) error
}

// pipes is a raw peer of a stdio transport.
type pipes struct {
	in  io.Writer
	out *bufio.Reader
}

func (p pipes) roundTrip(line string) error {
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		return err
	}
	_, err := p.out.ReadSlice('\n')
	return err
}

// memory is a raw peer of an in-memory transport.
type memory struct{ t *mcptest.Raw }

func (m memory) roundTrip(line string) error {
	if err := m.t.Send(context.Background(), runtime.Outgoing{Text: []byte(line)}); err != nil {
		return err
	}
	_, err := m.t.Receive(context.Background())
	return err
}

// benchAlone is benchCall as a stateless request, with the members of _meta that clients send.
const benchAlone = `{"jsonrpc":"2.0","id":12345,"method":"tools/call","params":{"name":"echo","arguments":{"location":"Berlin","days":3,"units":"metric"},"_meta":{` +
	metaRevision + `,"io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1.0.0"},` + metaCapabilities + `}}}`

func benchServer() *runtime.Server {
	return runtime.NewServer(runtime.ServerOptions{Name: "bench", Version: "1", Capabilities: wire.Raw(`{"tools":{}}`)},
		tools.bind(r06, runtime.ToServer), tools.in(rA))
}

func osPipes(b testing.TB) (pipes, *os.File, *os.File) {
	inR, inW, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { inW.Close(); outR.Close() })
	return pipes{inW, bufio.NewReader(outR)}, inR, outW
}

// served opens a session with a server over each transport.
func served(b testing.TB) map[string]rawPeer {
	p, in, out := osPipes(b)
	go benchServer().Serve(b.Context(), &stdio.Transport{In: in, Out: out})
	client, server := mcptest.Pair()
	go benchServer().Serve(b.Context(), server)
	peers := map[string]rawPeer{"stdio": p, "inproc": memory{client}}
	for _, p := range peers {
		if err := p.roundTrip(fmt.Sprintf(initialize, r06)); err != nil {
			b.Fatal(err)
		}
	}
	return peers
}

// BenchmarkRequest is one tools/call after the other, answered by a handler that does nothing. A request, of a
// session or stateless, takes nine allocations: the raw peer's two, the text, the call with its context and
// goroutine, params and result. "stdio-echo" is what the same pipes take without any server.
func BenchmarkRequest(b *testing.B) {
	peers := served(b)
	p, in, out := osPipes(b)
	go func() {
		for r := bufio.NewReader(in); ; {
			line, err := r.ReadSlice('\n')
			if err != nil {
				return
			}
			out.Write(line)
		}
	}()
	peers["stdio-echo"] = p
	for _, name := range []string{"stdio-echo", "stdio", "inproc"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := peers[name].roundTrip(benchCall); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	for _, name := range []string{"stdio", "inproc"} {
		b.Run("stateless/"+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := peers[name].roundTrip(benchAlone); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkSession is a call through both sides in memory, one after the other and at
// the same time.
func BenchmarkSession(b *testing.B) {
	for _, parallel := range []bool{false, true} {
		b.Run(fmt.Sprintf("parallel=%t", parallel), func(b *testing.B) {
			session, end := connect(b, benchServer(), newClient(nil, r06))
			defer end()
			params := &toolParams{Name: "echo", Arguments: `{"location":"Berlin","days":3,"units":"metric"}`}
			call := func() {
				var result wire.Raw
				if err := session.Call(context.Background(), "tools/call", params, &result); err != nil {
					b.Error(err)
				}
			}
			b.ReportAllocs()
			if parallel {
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						call()
					}
				})
				return
			}
			for b.Loop() {
				call()
			}
		})
	}
}

// BenchmarkBulk is a long input at once, the throughput of a session.
func BenchmarkBulk(b *testing.B) {
	const n = 1000
	input := fmt.Sprintf(initialize, r06) + "\n"
	var lines strings.Builder
	for i := range n {
		lines.WriteString(strings.Replace(benchCall, "12345", fmt.Sprint(i), 1) + "\n")
	}
	input += lines.String()
	server := benchServer()
	b.ReportAllocs()
	for b.Loop() {
		if err := server.Serve(context.Background(), &stdio.Transport{In: strings.NewReader(input), Out: io.Discard}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/request")
}
