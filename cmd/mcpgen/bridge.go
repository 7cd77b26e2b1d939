//go:build !bootstrap

//lint:file-ignore SA1019 A bridge serves the clients that have only the deprecated transport.

package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/generated"
	"github.com/mcpgen/mcpgen/generated/compat"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/bridge"
	"github.com/mcpgen/mcpgen/runtime/stdio"
	"github.com/mcpgen/mcpgen/runtime/streamable"
)

const bridgeHelp = `Connect clients and a server of different revisions, with sessions or without. Convert
their messages, and report what is lost. To change no byte, use proxy.

The server is a command, given with --cmd or after --, or a URL, which may be that of
Streamable HTTP or of HTTP+SSE. Clients connect to mcpgen over standard input and output:
put "mcpgen bridge --" before the server's command in the client's configuration. With
--listen, they connect over Streamable HTTP at /mcp or HTTP+SSE at /sse instead.

Every session of a client has a session of its own with the server, and thus a process of
its own if the server is a command. Requests without a session share one if they have the
same client and capabilities. While the server of a session asks a client without one, its
call waits for the answer, for at most 15 minutes.

The two sides agree on the newest revision that both speak. --client-revision and
--server-revision limit the choice, for a peer that does not work well in a revision that it announces.

At the end, the losses are printed on standard error. --report writes all of them to a file:

	losses   list of objects:
	count    how often
	from, to revisions
	method   of the message; absent for what is agreed on at the beginning
	item     name or URI of the item, if it is one of a list
	pointer  JSON Pointer of the part that is lost
	reason   why it is lost, and what replaces it
	more     number of losses that did not fit into the list`

func bridgeCommand() *cobra.Command {
	var server origin
	var listen, report string
	var clients, servers []string
	cmd := &cobra.Command{
		Use:   `bridge --cmd "COMMAND ARG..." | --url URL | -- COMMAND ARG...`,
		Short: "Connect clients and a server of different revisions, and report what is lost",
		Long:  bridgeHelp,
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, id := range slices.Concat(clients, servers) {
				if _, ok := generated.Lookup(id); !ok {
					return unknownRevision(id)
				}
			}
			if err := replaceable(report, "a report of losses", `{"losses":`); err != nil {
				return err
			}
			connect, err := server.dialer(cmd.Context(), cmd.ErrOrStderr(), args)
			if err != nil {
				return err
			}
			var file *os.File
			if report != "" {
				if file, err = os.Create(report); err != nil {
					return err
				}
				defer file.Close()
			}
			lost := new(losses)
			release, err := hold(cmd.Context())
			if err != nil {
				return err
			}
			defer release()
			b := bridge.New(connect, compat.Table(), bridge.Options{Name: "mcpgen bridge", Version: programVersion(), ClientRevisions: clients, ServerRevisions: servers, Lost: lost.add})
			if listen == "" {
				err = b.Serve(cmd.Context(), &stdio.Transport{})
			} else {
				err = listenBridge(cmd.Context(), cmd.ErrOrStderr(), b, listen)
			}
			err = errors.Join(err, b.Close())
			if cmd.Context().Err() != nil {
				err = nil // a signal ends the bridge as intended
			}
			if unreached := b.Unreached(); unreached != nil {
				err = cmp.Or(err, unreached)
			} else {
				lost.print(cmd.ErrOrStderr())
			}
			if file != nil {
				err = cmp.Or(err, json.NewEncoder(file).Encode(lost.report()))
			}
			return err
		},
	}
	server.locating(cmd)
	needs(cmd, accessFlags, "url")
	cmd.Flags().StringVar(&listen, "listen", "", "`ADDRESS` to listen on for clients over HTTP, such as localhost:8808")
	cmd.Flags().StringSliceVar(&clients, "client-revision", nil, "`REVISION` to speak to clients; may be repeated (default: all)")
	cmd.Flags().StringSliceVar(&servers, "server-revision", nil, "`REVISION` to speak to the server; may be repeated (default: all)")
	cmd.Flags().StringVar(&report, "report", "", "`FILE` for the losses as JSON")
	return cmd
}

// dialer returns the function that opens a connection with the server, after a login if necessary. Args
// are the words of a command.
func (o *origin) dialer(ctx context.Context, stderr io.Writer, args []string) (func() runtime.Transport, error) {
	if err := o.one(args); err != nil {
		return nil, err
	}
	if o.url != "" {
		if err := streamable.URL(o.url, streamable.ClientOptions{}).Open(ctx); err != nil {
			return nil, fmt.Errorf("--url: %w", err)
		}
		opts, err := o.access.options(ctx, o.url, stderr)
		if err != nil {
			return nil, err
		}
		if opts.HTTPClient == nil { // no credentials but those of --header
			opts.HTTPClient = &http.Client{Transport: &advised{RoundTripper: http.DefaultTransport, verb: "bridge", stderr: stderr}}
		}
		return func() runtime.Transport { return streamable.URL(o.url, opts) }, nil
	}
	if _, err := exec.LookPath(o.program[0]); err != nil {
		return nil, err
	}
	return func() runtime.Transport {
		cmd := serverProcess(ctx, o.program)
		cmd.Stderr = &printableLines{w: stderr}
		return stdio.Command(cmd)
	}, nil
}

// listenBridge serves clients over HTTP until ctx ends.
func listenBridge(ctx context.Context, stderr io.Writer, b *bridge.Bridge, address string) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	current := streamable.NewHandler(b, streamable.Options{})
	older := streamable.NewSSEHandler(b, streamable.Options{})
	mux := http.NewServeMux()
	mux.Handle("/mcp", current)
	mux.Handle("/sse", older)
	fmt.Fprintf(stderr, "mcpgen bridge: http://%s/mcp (Streamable HTTP), http://%[1]s/sse (HTTP+SSE)\n", listener.Addr())
	return streamable.Serve(ctx, listener, streamable.NewServer(mux), current, older)
}
