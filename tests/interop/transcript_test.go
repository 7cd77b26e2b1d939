package interop

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/internal/testkit/mcptest"
	"github.com/mcpgen/mcpgen/runtime"
)

// The sides of a session.
const (
	fromClient = "client"
	fromServer = "server"
)

// transcript is the recorded messages of a session; a request comes before its answer. [check]
// validates it.
type transcript struct {
	mu       sync.Mutex
	messages []message

	// closed is the number of calls that the client cancels by closing the response, of which no message
	// tells.
	closed int
}

type message struct {
	from string
	text string
}

func (tr *transcript) add(from, text string) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.messages = append(tr.messages, message{from, text})
}

func (tr *transcript) list() []message {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return tr.messages[:len(tr.messages):len(tr.messages)]
}

// envelope has the members of a message that tests read.
type envelope struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name            string          `json:"name"`
		ProtocolVersion string          `json:"protocolVersion"`
		Progress        float64         `json:"progress"`
		RequestID       json.RawMessage `json:"requestId"`
		Arguments       json.RawMessage `json:"arguments"`
		Meta            struct {
			Revision string `json:"io.modelcontextprotocol/protocolVersion"`
		} `json:"_meta"`
	} `json:"params"`
	Result struct {
		ProtocolVersion string `json:"protocolVersion"`
	} `json:"result"`
}

// find returns the messages of a side that match a function.
func (tr *transcript) find(t *testing.T, from string, accept func(envelope) bool) []envelope {
	t.Helper()
	var found []envelope
	for _, m := range tr.list() {
		if m.from != from || strings.HasPrefix(m.text, "[") {
			continue
		}
		var e envelope
		if err := json.Unmarshal([]byte(m.text), &e); err != nil {
			t.Errorf("the %s sent %q: %v", from, m.text, err)
		} else if accept(e) {
			found = append(found, e)
		}
	}
	return found
}

// recorder is a client transport that records messages.
type recorder struct {
	runtime.Transport
	log *transcript
}

func (r recorder) Open(ctx context.Context) error {
	if o, ok := r.Transport.(runtime.Remote); ok {
		return o.Open(ctx)
	}
	return nil
}

func (r recorder) Server() string { return "" }

func (r recorder) Restart() (runtime.Transport, error) { return nil, errors.ErrUnsupported }

func (r recorder) Fallback(_ context.Context, refused error) (runtime.Transport, error) {
	return nil, refused
}

func (r recorder) SessionID() string { return "" }

func (r recorder) Start(in runtime.Inbox, max int) {
	r.Transport.Start(mcptest.Tap{Inbox: in, Heard: func(in *runtime.Incoming) bool {
		r.log.add(fromServer, in.Text)
		return true
	}}, max)
}

func (r recorder) Send(ctx context.Context, m runtime.Outgoing) error {
	r.log.add(fromClient, string(m.Text))
	return r.Transport.Send(ctx, m)
}

func (r recorder) Negotiated(h runtime.Handshake) error {
	if n, ok := r.Transport.(runtime.Identified); ok {
		return n.Negotiated(h)
	}
	return nil
}

// relayArgument makes the test binary forward and record messages between a client and a server
// that it starts:
//
//	interop.test relay TRANSCRIPT LOG COMMAND [ARG]...
//
// The server's standard error goes to the file LOG.
const relayArgument = "relay"

func TestMain(m *testing.M) {
	if len(os.Args) > 4 && os.Args[1] == relayArgument {
		os.Exit(relay(os.Args[2], os.Args[3], os.Args[4:]))
	}
	if len(os.Args) == 3 && os.Args[1] == eraArgument {
		os.Exit(serveEra(os.Args[2]))
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	var err error
	if built, err = os.MkdirTemp("", "interop"); err != nil {
		panic(err)
	}
	defer os.RemoveAll(built)
	return m.Run()
}

func relay(transcript, log string, command []string) int {
	const mode = os.O_CREATE | os.O_APPEND | os.O_WRONLY
	file, err := os.OpenFile(transcript, mode, 0o666)
	if err != nil {
		panic(err)
	}
	stderr, err := os.OpenFile(log, mode, 0o666)
	if err != nil {
		panic(err)
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stderr = stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		panic(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		panic(err)
	}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	go func() {
		relayLines(file, fromClient, in, os.Stdin)
		in.Close()
	}()
	relayLines(file, fromServer, os.Stdout, out)
	cmd.Wait()
	return cmd.ProcessState.ExitCode()
}

// relayLines copies lines and first appends each with its side to the transcript.
func relayLines(transcript io.Writer, from string, to io.Writer, lines io.Reader) {
	for r := bufio.NewReader(lines); ; {
		line, err := r.ReadString('\n')
		if err != nil {
			return
		}
		io.WriteString(transcript, from+" "+line) // one write that appends
		if _, err := io.WriteString(to, line); err != nil {
			return
		}
	}
}

// readTranscript reads the recording of a relay.
func readTranscript(t *testing.T, file string) *transcript {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	tr := new(transcript)
	for line := range strings.Lines(string(text)) {
		from, message, _ := strings.Cut(strings.TrimRight(line, "\r\n"), " ")
		tr.add(from, message)
	}
	return tr
}
