//go:build !bootstrap

package main

import (
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
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/audit"
	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/proxy"
	"github.com/mcpgen/mcpgen/generated"
)

func proxyCommand() *cobra.Command {
	var command, target, listen, report, revision string
	cmd := &cobra.Command{
		Use:   `proxy --cmd "COMMAND ARG..." | --url URL`,
		Short: "Stand between a client and a server, and tell what either does wrong",
		Long: `Pass every byte between a client and a server on unchanged, and judge what they
say by the revision that they negotiate and by the rules that hold between messages,
as verify does with a recording.

With --cmd the server is a command, and the client speaks to mcpgen over standard
input and output: put "mcpgen proxy --cmd ..." where the client's configuration has
the server's command. With --url the server is that of Streamable HTTP, or of HTTP
with SSE, and the client speaks to the address that is listened on.

Problems are told on standard error as they happen. --report has them written to a
file as well, an object a line. Problems make the exit code 1, once it has ended.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var opts audit.Options
			if revision != "" {
				r, ok := generated.Lookup(revision)
				if !ok {
					return fmt.Errorf("no generated code for revision %q; there is for %q", revision, knownRevisions())
				}
				opts.Revision = &r
			}
			out := &liveReport{w: cmd.ErrOrStderr()}
			if report != "" {
				f, err := os.Create(report)
				if err != nil {
					return err
				}
				defer f.Close()
				out.enc = json.NewEncoder(f)
			}
			tap := proxy.NewTap(out.finding)
			var err error
			if command != "" {
				err = proxyCommandLine(cmd, tap, command, opts)
			} else {
				err = proxyURL(cmd.Context(), cmd.ErrOrStderr(), tap, target, listen, opts)
			}
			tap.Close()
			messages, problems := tap.Counts()
			fmt.Fprintf(cmd.ErrOrStderr(), "mcpgen proxy: %s, %s\n", count(messages, "message"), count(problems, "problem"))
			if err := cmp.Or(err, out.err); err != nil {
				return err
			}
			if problems > 0 {
				return errFindings
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&command, "cmd", "", "command that starts the server")
	cmd.Flags().StringVar(&target, "url", "", "URL of the server")
	cmd.Flags().StringVar(&listen, "listen", "localhost:8808", "address to listen on, with --url")
	cmd.Flags().StringVar(&report, "report", "", "file for the findings, as JSON")
	cmd.Flags().StringVar(&revision, "revision", "", "revision to judge by (default: the one that is negotiated)")
	cmd.MarkFlagsOneRequired("cmd", "url")
	cmd.MarkFlagsMutuallyExclusive("cmd", "url")
	return cmd
}

func proxyCommandLine(cmd *cobra.Command, tap *proxy.Tap, command string, opts audit.Options) error {
	words, err := splitWords(command)
	if err != nil {
		return fmt.Errorf("--cmd: %w", err)
	}
	server := exec.Command(words[0], words[1:]...)
	server.Stderr = cmd.ErrOrStderr()
	if err := tap.Stdio(cmd.Context(), server, cmd.InOrStdin(), cmd.OutOrStdout(), opts); err != nil {
		return fmt.Errorf("the server %s: %w", words[0], err)
	}
	return nil
}

// proxyURL serves until ctx ends, as nothing else ends it.
func proxyURL(ctx context.Context, stderr io.Writer, tap *proxy.Tap, target, address string, opts audit.Options) error {
	server, err := url.Parse(target)
	if err != nil || server.Host == "" || server.Scheme != "http" && server.Scheme != "https" {
		return fmt.Errorf("--url: %q is not the URL of a server, as http://localhost:8080/mcp is", target)
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	here := *server
	here.Scheme, here.Host = "http", listener.Addr().String()
	fmt.Fprintf(stderr, "mcpgen proxy: %s leads to %s\n", &here, server)
	web := &http.Server{
		Handler:           tap.HTTP(server, opts, log.New(stderr, "mcpgen proxy: ", 0)),
		ReadHeaderTimeout: 10 * time.Second,
	}
	stop := context.AfterFunc(ctx, func() { web.Close() })
	defer stop()
	if err := web.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// liveReport tells of findings as they come.
type liveReport struct {
	mu  sync.Mutex
	w   io.Writer
	enc *json.Encoder
	err error
}

func (r *liveReport) finding(f proxy.Finding) {
	r.mu.Lock()
	defer r.mu.Unlock()
	place := fmt.Sprintf("message %d", f.Number)
	if f.Session != "" {
		place = fmt.Sprintf("session %.8s, %s", f.Session, place)
	}
	from := cmp.Or(string(f.From), "unknown side")
	note := ""
	if f.Note {
		note = "note: "
	}
	pointer := ""
	if f.Pointer != "" {
		pointer = f.Pointer + ": "
	}
	fmt.Fprintf(r.w, "mcpgen proxy: %s of the %s: %s%s%s\n\t%.160s\n", place, from, pointer, note, f.Problem, f.Message)
	if r.enc == nil {
		return
	}
	err := r.enc.Encode(struct {
		Type    string     `json:"type"`
		Time    time.Time  `json:"time"`
		Session string     `json:"session,omitempty"`
		Number  int        `json:"number"`
		From    audit.Side `json:"from"`
		Rule    audit.Rule `json:"rule,omitempty"`
		Pointer string     `json:"pointer"`
		Problem string     `json:"problem"`
		Note    bool       `json:"note,omitempty"`
		Message string     `json:"message"`
	}{"finding", time.Now(), f.Session, f.Number, f.From, f.Rule, f.Pointer, f.Problem, f.Note, f.Message})
	r.err = cmp.Or(r.err, err)
}
