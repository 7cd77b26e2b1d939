//go:build !bootstrap

package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/audit"
	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/proxy"
	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/recording"
	"github.com/mcpgen/mcpgen/gen/report"
	"github.com/mcpgen/mcpgen/generated"
)

const proxyHelp = `Forward every byte between a client and a server unchanged. Check the messages
against the negotiated revision and against the rules between messages, as verify
does with a recording.

With --cmd or after --, the server is a command, and the client connects to mcpgen over
standard input and output: put "mcpgen proxy --" before the server's command in the
client's configuration. The server receives the signals of mcpgen and ends with it.
With --url, the server uses Streamable HTTP or HTTP+SSE, and the client connects to
the address of --listen. Tokens of --login and --token-file, and the headers of
--header, are added on the way and are not recorded. Log in before the client connects.

Secrets in messages are replaced in the recording and in findings, each by a digest
that is the same wherever the secret occurs: the values of members with names such as
password, api_key and token, texts that have the form of a credential, and the headers
Mcp-Param-* that repeat them. --redact names further values. What is forwarded is
unchanged.

Findings are printed on standard error as they occur. --report also writes them to a
file, one JSON object a line. Errors make the exit code 1 once the session has ended;
with --fail-on warning, warnings do too.

--record writes all messages to a file, which verify reads. Its first line is
{"mcpgen":"recording","version":1}. Each other line is an object:

	time       time in RFC 3339 form
	kind       message or close; for HTTP request, response, event or end
	direction  client->server or server->client
	transport  stdio or http
	session    digest of the session id
	exchange   number of the HTTP request, shared by its response and events
	http       method, path, status and headers; secrets are redacted
	event      id and type of a server-sent event
	message    the text, byte by byte; messageBase64 if it is not UTF-8`

func proxyCommand() *cobra.Command {
	var server origin
	var listen, findings, record, revision, failOn string
	var redact []string
	cmd := &cobra.Command{
		Use:   `proxy --cmd "COMMAND ARG..." | --url URL | -- COMMAND ARG...`,
		Short: "Forward messages between a client and a server, and report violations of the protocol",
		Long:  proxyHelp,
		Args:  beforeDash(noArguments),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := server.one(afterDash(cmd, args)); err != nil {
				return err
			}
			var opts audit.Options
			if revision != "" {
				r, ok := generated.Lookup(revision)
				if !ok {
					return unknownRevision(revision)
				}
				opts.Revision = &r
			}
			out := &liveReport{w: cmd.ErrOrStderr()}
			if findings != "" && findings == record {
				return fmt.Errorf("--record and --report are the same file, %s", findings)
			}
			if err := errors.Join(replaceable(findings, "a report of findings", `{"type":"finding"`), replaceable(record, "a recording", `{"mcpgen":"recording"`)); err != nil {
				return err
			}
			if findings != "" {
				f, err := os.Create(findings)
				if err != nil {
					return err
				}
				defer f.Close()
				out.enc = json.NewEncoder(f)
			}
			redactor, err := recording.NewRedactor(redact...)
			if err != nil {
				return fmt.Errorf("--redact: %w", err)
			}
			var recorded *recording.Writer
			if record != "" {
				f, err := os.OpenFile(record, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
				if err != nil {
					return err
				}
				defer f.Close()
				recorded = recording.NewWriter(f)
			}
			tap := proxy.NewTap(opts, redactor, recorded, out.finding)
			if server.url == "" {
				err = proxyProcess(cmd, tap, server.program)
			} else {
				err = proxyURL(cmd.Context(), cmd.ErrOrStderr(), tap, server.url, listen, &server.access)
			}
			tap.Close()
			n := tap.Counts()
			if err == nil || n.Messages > 0 {
				fmt.Fprintf(cmd.ErrOrStderr(), "mcpgen proxy: %s, %s\n", report.Plural(n.Messages, "message"), counts(n.Tally))
			}
			if recorded != nil && recorded.Err() != nil {
				err = cmp.Or(err, fmt.Errorf("--record: %w", recorded.Err()))
			}
			return ended(cmp.Or(err, out.err), n.Reaches(audit.Level(failOn)))
		},
	}
	server.locating(cmd)
	cmd.Flags().StringVar(&listen, "listen", "localhost:8808", "address to listen on with --url")
	cmd.Flags().StringVar(&findings, "report", "", "file for the findings as JSON, one object a line")
	cmd.Flags().StringVar(&record, "record", "", "file for a recording of all messages")
	cmd.Flags().StringArrayVar(&redact, "redact", nil, "JSON Pointer of a further secret in messages, such as /params/arguments/note, with * for any member; may be repeated; none alone records secrets too")
	cmd.Flags().StringVar(&revision, "revision", "", "revision to check against (default: the negotiated one)")
	levelFlag(cmd, &failOn, audit.Must)
	needs(cmd, accessFlags+" listen", "url")
	completeValues(cmd, "revision", knownRevisions()...)
	return cmd
}

// proxyProcess stands between the client at standard input and output and the command with the given words.
func proxyProcess(cmd *cobra.Command, tap *proxy.Tap, words []string) error {
	server := exec.Command(words[0], words[1:]...)
	stderr := &printableLines{w: cmd.ErrOrStderr()}
	defer stderr.flush()
	server.Stderr = stderr
	server.WaitDelay = serverEnd
	release, err := hold(cmd.Context())
	if err != nil {
		return err
	}
	defer release()
	// The end of ctx or of the client is not an error here: it ends the server.
	in, out := cmd.InOrStdin(), cmd.OutOrStdout()
	if i, ok := in.(*interruptible); ok {
		in = i.r
	}
	if o, ok := out.(*output); ok {
		out = o.w
	}
	signal.Ignore(syscall.SIGPIPE)
	if err := tap.Stdio(cmd.Context(), server, in, out); err != nil {
		return fmt.Errorf("the server %s: %w", words[0], err)
	}
	return nil
}

// proxyURL serves until ctx ends.
func proxyURL(ctx context.Context, stderr io.Writer, tap *proxy.Tap, target, address string, a *access) error {
	server, err := url.Parse(target)
	if err != nil || server.Host == "" || server.Scheme != "http" && server.Scheme != "https" {
		return fmt.Errorf("--url: expected the URL of a server such as http://localhost:8080/mcp, got %q", target)
	}
	upstream := proxy.Upstream{URL: server}
	if upstream.Header, err = a.header(); err != nil {
		return err
	}
	if a.login || a.tokenFile != "" { // without them, the proxy adds nothing
		a.base = proxy.NewTransport()
		if upstream.Transport, err = a.transport(ctx, target, stderr, nil); err != nil {
			return err
		}
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	here := *server
	here.Scheme, here.Host = "http", listener.Addr().String()
	fmt.Fprintf(stderr, "mcpgen proxy: %s forwards to %s\n", &here, server)
	web := &http.Server{
		Handler:           tap.HTTP(upstream, log.New(stderr, "mcpgen proxy: ", 0)),
		ReadHeaderTimeout: 10 * time.Second,
	}
	stop := context.AfterFunc(ctx, func() { web.Close() })
	defer stop()
	if err := web.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// liveReport prints findings as they occur.
type liveReport struct {
	mu  sync.Mutex
	w   io.Writer
	enc *json.Encoder
	err error

	shown string // the last message that was printed
}

func (r *liveReport) finding(f proxy.Finding) {
	r.mu.Lock()
	defer r.mu.Unlock()
	place := fmt.Sprintf("message %d", f.Number)
	if f.Session != "" {
		place = fmt.Sprintf("session %.15s, %s", f.Session, place)
	}
	if f.From != audit.Unknown {
		place += " of the " + string(f.From)
	}
	line := printable(fmt.Sprintf("mcpgen proxy: %s: %s", place, f.Finding))
	// The findings of a message come one after the other; print the message once.
	if f.Message != "" && f.Message != r.shown {
		r.shown = f.Message
		line += "\n\t" + printable(fmt.Sprintf("%.160s", f.Message))
	}
	fmt.Fprintln(r.w, line)
	if r.enc == nil {
		return
	}
	err := r.enc.Encode(struct {
		Type    string      `json:"type"`
		Time    time.Time   `json:"time"`
		Session string      `json:"session,omitempty"`
		Number  int         `json:"number"`
		From    audit.Side  `json:"from"`
		Level   audit.Level `json:"level"`
		Rule    audit.Rule  `json:"rule"`
		Pointer string      `json:"pointer"`
		Problem string      `json:"problem"`
		Message string      `json:"message"`
	}{"finding", time.Now(), f.Session, f.Number, f.From, f.Level, f.Rule, f.Pointer, f.Problem, f.Message})
	r.err = cmp.Or(r.err, err)
}

// printableLines copies the lines of a server's standard error with control characters escaped.
type printableLines struct {
	w    io.Writer
	line []byte
}

func (p *printableLines) Write(text []byte) (int, error) {
	p.line = append(p.line, text...)
	for {
		i := bytes.IndexByte(p.line, '\n')
		if i < 0 && len(p.line) < 64<<10 {
			return len(text), nil
		}
		end := i
		if i < 0 {
			i, end = len(p.line)-1, len(p.line)
		}
		if _, err := fmt.Fprintln(p.w, printable(string(bytes.TrimSuffix(p.line[:end], []byte("\r"))))); err != nil {
			return 0, err
		}
		p.line = append(p.line[:0], p.line[i+1:]...)
	}
}

func (p *printableLines) flush() {
	if len(p.line) > 0 {
		fmt.Fprintln(p.w, printable(string(p.line)))
	}
}
