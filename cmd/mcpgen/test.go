//go:build !bootstrap

package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/recording"
	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/replay"
	"github.com/mcpgen/mcpgen/gen/report"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// tester is one run of test.
type tester struct {
	from   origin
	ignore []string
	console
}

func testCommand() *cobra.Command {
	var t tester
	cmd := &cobra.Command{
		Use:   `test RECORDING --cmd "COMMAND ARG..." | --url URL | -- COMMAND ARG...`,
		Short: "Play a recorded session again, and report the answers that differ",
		Long: `Send the requests of a recording of mcpgen proxy to a server, one after the other,
and compare the answers with the recorded ones. The questions of the server get the
answers that the recorded client gave. Each recorded session is a session of its own,
in the same revision.

A difference is a line with the request, the JSON Pointer of the place in the answer,
and the two values. Places that differ each time, such as a time, are left out with
--ignore: a pointer in which * stands for any name or index. A cursor may differ; the
server gets its own back. Tasks and subscriptions are not played.

The exit code is 0 if the answers are the same, and 1 otherwise. A Go test of a
generated server can run it:

	cmd := exec.Command("go", "tool", "-modfile=mcpgen.mod", "mcpgen", "test", "session.rec", "--cmd", "go run .")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%s", out)
	}`,
		Args: beforeDash(oneArgument("RECORDING")),
		RunE: t.run,
	}
	t.from.locating(cmd)
	needs(cmd, accessFlags, "url")
	cmd.Flags().StringArrayVar(&t.ignore, "ignore", nil, "`POINTER` of a place that may differ, such as /result/content/*/text")
	t.console.flags(cmd)
	return cmd
}

// tested is the report of test.
type tested struct {
	Recording string          `json:"recording"`
	Requests  int             `json:"requests"`
	Changes   []replay.Change `json:"changes"`
	Skipped   map[string]int  `json:"skipped,omitempty"` // requests that were not played, by method and reason
}

func (t *tester) run(cmd *cobra.Command, args []string) error {
	t.from.quiet = t.quiet
	if err := t.from.one(afterDash(cmd, args)); err != nil {
		return err
	}
	var ignored []recording.Pattern
	for _, text := range t.ignore {
		p, err := recording.ParsePattern(text)
		if err != nil {
			return fmt.Errorf("--ignore: %w", err)
		}
		ignored = append(ignored, p)
	}
	done := tested{Recording: args[0], Changes: []replay.Change{}, Skipped: map[string]int{}}
	sessions, err := readSessions(cmd, args[0])
	if err != nil {
		return named(args[0], err)
	}
	for _, s := range sessions {
		for reason, n := range s.Skipped {
			done.Skipped[reason] += n
		}
		if len(s.Requests) == 0 {
			continue
		}
		changes, err := t.play(cmd, s, ignored)
		if err != nil {
			return named(args[0], err)
		}
		done.Requests += len(s.Requests)
		done.Changes = append(done.Changes, changes...)
	}
	if done.Requests == 0 {
		return fmt.Errorf("%s: has no request that can be played", args[0])
	}
	return ended(t.report(cmd, done, done.text), len(done.Changes) > 0)
}

// readSessions reads a recording.
func readSessions(cmd *cobra.Command, name string) ([]*replay.Session, error) {
	if name == "-" {
		return replay.Read(&interruptible{cmd.Context(), cmd.InOrStdin()})
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return replay.Read(f)
}

// play opens a session and plays the requests of a recorded one.
func (t *tester) play(cmd *cobra.Command, s *replay.Session, ignored []recording.Pattern) ([]replay.Change, error) {
	binding, err := s.Binding()
	if err != nil {
		return nil, err
	}
	session, end, err := t.from.open(cmd.Context(), cmd.ErrOrStderr(), binding)
	if err != nil {
		return nil, err
	}
	defer end()
	return s.Play(cmd.Context(), session, ignored)
}

// longestShown is how much of a value the text report shows, in characters.
const longestShown = 200

func (t tested) text(w io.Writer) {
	p := report.Printer{W: w}
	for _, c := range t.Changes {
		name := c.Method
		if c.Subject != "" {
			name += " " + c.Subject
		}
		switch {
		case c.Old == "":
			p.Line("%s:%d: %s: %s: added %s", t.Recording, c.Line, name, c.Pointer, abbreviated(c.New, ""))
		case c.New == "":
			p.Line("%s:%d: %s: %s: removed, was %s", t.Recording, c.Line, name, c.Pointer, abbreviated(c.Old, ""))
		default:
			p.Line("%s:%d: %s: %s: %s, was %s", t.Recording, c.Line, name, c.Pointer, abbreviated(c.New, c.Old), abbreviated(c.Old, c.New))
		}
	}
	for _, reason := range slices.Sorted(maps.Keys(t.Skipped)) {
		p.Line("not played: %s%s", reason, times(t.Skipped[reason]))
	}
	p.Line("%s: %s, %s", t.Recording, report.Plural(t.Requests, "request"), report.Plural(len(t.Changes), "difference"))
}

// abbreviated returns the beginning of a value, or of a long one what is around its first difference from another.
func abbreviated(value, other wire.Raw) string {
	text, like := []rune(value), []rune(other)
	same := 0
	for same < min(len(text), len(like)) && text[same] == like[same] {
		same++
	}
	if same < longestShown/2 || max(len(text), len(like)) <= longestShown {
		return report.Short(value, longestShown)
	}
	return "..." + report.Short(string(text[same-longestShown/4:]), longestShown)
}

// times returns a remark for what has happened more than once.
func times(n int) string {
	if n < 2 {
		return ""
	}
	return fmt.Sprintf(" (%d times)", n)
}
