//go:build !bootstrap

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/mock"
	"github.com/mcpgen/mcpgen/gen/catalog"
	"github.com/mcpgen/mcpgen/gen/report"
	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/stdio"
	"github.com/mcpgen/mcpgen/runtime/streamable"
)

const mockHelp = `Serve a list without its server. Every tool checks its arguments and answers with
a value of its output schema, or with a text. Prompts and resources answer too. The
list has one of the forms that mcpgen diff reads.

Clients connect over standard input and output, or with --listen over Streamable
HTTP. Every revision of the protocol is spoken.

--from answers from a recording of mcpgen proxy: a call with the arguments of a
recorded one gets its results, in the order of the recording and the last one from
then on. Other calls are answered as without a recording.

--error, --refuse and --hang name tools that fail, that refuse the call with an
error of the protocol, and that answer only when they are cancelled; * is every
tool. --error-rate fails a share of all calls, the same ones for the same --seed.`

func mockCommand() *cobra.Command {
	var o mock.Options
	var from, listen string
	cmd := &cobra.Command{
		Use:   "mock FILE",
		Short: "Serve a tool list with sample or recorded answers",
		Long:  mockHelp,
		Args:  oneArgument("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !(o.ErrorRate >= 0 && o.ErrorRate <= 1) { // also for NaN
				return fmt.Errorf("--error-rate %g: expected a share from 0 to 1", o.ErrorRate)
			}
			if o.Latency < 0 {
				return fmt.Errorf("--latency %s: expected a duration of at least 0", o.Latency)
			}
			if args[0] == "-" && listen == "" {
				return errors.New("the list can be standard input only with --listen")
			}
			src, err := readShared(cmd, args[0])
			if err != nil {
				return err
			}
			list, err := catalog.Read(args[0], src.Text)
			if err != nil {
				return named(args[0], err)
			}
			if from != "" {
				if o.Recorded, err = readRecorded(cmd, from); err != nil {
					return named(from, err)
				}
				if o.Recorded.Len() == 0 {
					return fmt.Errorf("--from %s: the recording has no answer", from)
				}
			}
			if err := knownTools(list, o); err != nil {
				return err
			}
			return serveMock(cmd, args[0], list, o, listen)
		},
	}
	cmd.Flags().StringVar(&from, "from", "", "`FILE` with a recording whose answers are given")
	cmd.Flags().StringVar(&listen, "listen", "", "`ADDRESS` to serve Streamable HTTP on, such as localhost:8080 (default: standard input and output)")
	cmd.Flags().DurationVar(&o.Latency, "latency", 0, "how long each call takes, such as 200ms")
	cmd.Flags().StringSliceVar(&o.Errors, "error", nil, "`TOOLS` whose result is an error")
	cmd.Flags().StringSliceVar(&o.Refused, "refuse", nil, "`TOOLS` whose calls are refused with an error of the protocol")
	cmd.Flags().StringSliceVar(&o.Hanging, "hang", nil, "`TOOLS` that answer only when they are cancelled")
	cmd.Flags().Float64Var(&o.ErrorRate, "error-rate", 0, "share of calls whose result is an error, from 0 to 1")
	cmd.Flags().Uint64Var(&o.Seed, "seed", 1, "selects the calls of --error-rate")
	idle(cmd, "seed", "needs --error-rate", func([]string) bool { return o.ErrorRate == 0 })
	idle(cmd, "error-rate", "has no effect with --error *", func([]string) bool { return slices.Contains(o.Errors, mock.All) })
	idle(cmd, "error-rate", "has no effect with --refuse *", func([]string) bool { return slices.Contains(o.Refused, mock.All) })
	idle(cmd, "error-rate latency", "has no effect with --hang *", func([]string) bool { return slices.Contains(o.Hanging, mock.All) })
	return cmd
}

func readRecorded(cmd *cobra.Command, name string) (*mock.Recorded, error) {
	src, err := readSource(cmd.Context(), cmd.InOrStdin(), name)
	if err != nil {
		return nil, err
	}
	return mock.ReadRecording(bytes.NewReader(src))
}

// knownTools requires that a list has the tools that flags name, and that each flag has an effect on its tools.
func knownTools(list *catalog.Catalog, o mock.Options) error {
	flags := []struct {
		name  string
		tools []string
	}{{"hang", o.Hanging}, {"refuse", o.Refused}, {"error", o.Errors}} // in their precedence
	for i, flag := range flags {
		for _, name := range flag.tools {
			if name != mock.All && !slices.ContainsFunc(list.Tools.Tools, func(t *tools.Tool) bool { return t.Name == name }) {
				return fmt.Errorf("the list has no tool %q", name)
			}
			for _, other := range flags[:i] {
				if slices.Contains(other.tools, name) || slices.Contains(other.tools, mock.All) {
					return fmt.Errorf("--%s has no effect on the tool %q, which is among those of --%s", flag.name, name, other.name)
				}
			}
		}
	}
	return nil
}

// serveMock serves a list until the client or the user ends it.
func serveMock(cmd *cobra.Command, name string, list *catalog.Catalog, o mock.Options, listen string) error {
	items, problems, err := mock.Items(list, o)
	if err != nil {
		return named(name, err)
	}
	for _, note := range list.Notes {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: %v\n", name, note)
	}
	for _, problem := range problems {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s\n", name, problem)
	}
	title := "mock of " + strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
	server, err := mcp.NewServer(runtime.ServerOptions{
		Name: title, Version: "1", Instructions: list.Instructions,
		Logger: slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil)),
	}, items...)
	if err != nil {
		return named(name, err)
	}
	summary := offersOf(list.Count).String()
	if o.Recorded != nil {
		summary += ", " + report.Plural(o.Recorded.Len(), "recorded answer")
	}
	if listen == "" {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s\n", title, summary)
		err := server.Serve(cmd.Context(), &stdio.Transport{In: cmd.InOrStdin(), Out: cmd.OutOrStdout()})
		if cmd.Context().Err() != nil && errors.Is(err, context.Canceled) {
			return nil // the user has ended the program
		}
		return err
	}
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s at http://%s/mcp\n", title, summary, l.Addr())
	h := streamable.NewHandler(server, streamable.Options{})
	mux := http.NewServeMux()
	mux.Handle("/mcp", h)
	return streamable.Serve(cmd.Context(), l, streamable.NewServer(mux), h)
}
