//go:build !bootstrap

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/audit"
	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/recording"
	"github.com/mcpgen/mcpgen/generated"
)

// verifier is one run of verify.
type verifier struct {
	definition string
	opts       audit.Options
	failOn     audit.Level
	out        reporter

	// spoken are the revisions that files were judged by.
	spoken   []string
	sum      summary
	progress *progress
}

const verifyHelp = `Decode and validate JSON values. The files, or "-" for standard input, hold one value,
values one after the other, a value a line, or a recording of "mcpgen proxy --record".
They are read as a stream, as UTF-8 or UTF-16, and may be compressed with gzip.

Without --definition every value is a JSON-RPC message. The params of requests and
notifications are checked by their method, and results by the request they answer.

A file with initialize in it is a recorded session. It is checked against the revision
that it negotiates, unless --revision names another, and by the rules that hold between
messages. "mcpgen verify --rules" lists them.

A recording may have each message in an object with its direction and time, or in the
line of a log:

	{"time":"12:00:01","direction":"client->server","message":{"jsonrpc":"2.0",...}}
	write: {"jsonrpc":"2.0",...}

With --against all, or a list of revisions, the question is which of them would
accept the messages.

Each finding is a line: an error breaks a MUST of the protocol, a warning a SHOULD, a
note breaks nothing. Errors and warnings make the exit code 1, or only errors with
--fail-on error. A file that cannot be read makes it 2, after the others are checked.`

func verifyCommand() *cobra.Command {
	var v verifier
	var revision, format, against, failOn string
	var rules bool
	cmd := &cobra.Command{
		Use:   "verify [--revision R] FILE...",
		Short: "Check JSON messages and recorded sessions against a revision",
		Long:  verifyHelp,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch format {
			case "text":
				v.out = &textReporter{cmd.OutOrStdout()}
			case "json":
				v.out = &jsonReporter{json.NewEncoder(cmd.OutOrStdout())}
			default:
				return fmt.Errorf("unknown format %q: it is text or json", format)
			}
			if rules {
				v.out.rules(audit.Rules())
				return nil
			}
			if len(args) == 0 {
				return errors.New(`verify needs a file, or "-" for standard input`)
			}
			if v.failOn = audit.Level(failOn); v.failOn != audit.Must && v.failOn != audit.Should {
				return fmt.Errorf("unknown --fail-on %q: it is error or warning", failOn)
			}
			v.progress = &progress{w: cmd.ErrOrStderr(), last: time.Now()}
			if against != "" {
				if v.definition != "" || revision != "" {
					return errors.New("--against takes the place of --revision, and judges messages")
				}
				return v.against(cmd, against, args)
			}
			if err := v.judgeBy(revision); err != nil {
				return err
			}
			err := v.all(cmd, args, v.file)
			v.sum.Revision = strings.Join(v.spoken, ", ")
			v.out.summary(v.sum)
			if err == nil && v.fails() {
				return errFindings
			}
			return err
		},
	}
	cmd.Flags().StringVar(&revision, "revision", "", "revision to check against (default: the one that the session in a file negotiates)")
	cmd.Flags().StringVar(&against, "against", "", `revisions that may accept the messages: "all", or a list with commas`)
	cmd.Flags().StringVar(&v.definition, "definition", "", "definition that every value is of (default: JSON-RPC messages)")
	cmd.Flags().BoolVar(&v.opts.Lenient, "lenient", false, "note what a receiver can decode although the schema does not allow it")
	cmd.Flags().BoolVar(&v.opts.Roundtrip, "roundtrip", false, "also encode what was decoded and demand the same JSON value")
	cmd.Flags().BoolVar(&v.opts.Undeclared, "undeclared", false, "note members that the revision does not define")
	cmd.Flags().StringVar(&failOn, "fail-on", "warning", "lowest level that makes the exit code 1: warning or error")
	cmd.Flags().StringVar(&format, "format", "text", "text or json (an object a line)")
	cmd.Flags().BoolVar(&rules, "rules", false, "list the rules and their levels")
	return cmd
}

// fails reports whether there are findings of the level that fails.
func (v *verifier) fails() bool {
	return v.sum.Errors > 0 || v.failOn == audit.Should && v.sum.Warnings > 0
}

// judgeBy takes in --revision, and whether --definition goes with it.
func (v *verifier) judgeBy(revision string) error {
	if revision != "" {
		r, ok := generated.Lookup(revision)
		if !ok {
			return fmt.Errorf("no generated code for revision %q; there is for %q", revision, knownRevisions())
		}
		v.opts.Revision = &r
	}
	if v.definition == "" {
		return nil
	}
	if v.opts.Revision == nil {
		return errors.New("--definition needs --revision")
	}
	if _, ok := v.opts.Revision.New(v.definition); !ok {
		return fmt.Errorf("revision %s has no definition %q", revision, v.definition)
	}
	return nil
}

// all reads the files, each to its end even after an error with another.
func (v *verifier) all(cmd *cobra.Command, names []string, read func(*cobra.Command, string) error) error {
	var errs []error
	for _, name := range names {
		if err := read(cmd, name); err != nil {
			errs = append(errs, err)
		}
		if cmd.Context().Err() != nil {
			break
		}
	}
	return errors.Join(errs...)
}

func knownRevisions() []string {
	var names []string
	for _, r := range generated.Revisions() {
		names = append(names, r.ID)
	}
	return names
}

// input opens the file called name, "-" for standard input. It returns the reader, the
// name for messages and a function that closes the file.
func (v *verifier) input(cmd *cobra.Command, name string) (in io.Reader, file string, closed func(), err error) {
	if name == "-" {
		v.progress.start(0)
		return cmd.InOrStdin(), "standard input", func() {}, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, name, nil, err
	}
	size := int64(0)
	if info, err := f.Stat(); err == nil {
		size = info.Size()
	}
	v.progress.start(size)
	return &interruptible{cmd.Context(), f}, name, func() { f.Close() }, nil
}

// entries calls f with the entries of a file, until it returns an error.
func (v *verifier) entries(cmd *cobra.Command, name string, f func(file string, e recording.Entry) error) error {
	in, file, closed, err := v.input(cmd, name)
	if err != nil {
		return err
	}
	defer closed()
	r, err := recording.NewReader(in)
	for err == nil {
		var e recording.Entry
		if e, err = r.Next(); err == nil {
			v.progress.step(file, len(e.Text), v.sum.Errors+v.sum.Warnings)
			err = f(file, e)
		}
	}
	if err == io.EOF {
		return nil
	}
	return fmt.Errorf("%s: %w", file, err)
}

// values calls f with the values of a file and the lines they start in.
func (v *verifier) values(cmd *cobra.Command, name string, f func(file, value string, line int)) error {
	in, file, closed, err := v.input(cmd, name)
	if err != nil {
		return err
	}
	defer closed()
	if in, err = recording.Decode(in); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	values := recording.NewStream(in)
	for {
		src, line, err := values.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		v.progress.step(file, len(src), v.sum.Errors+v.sum.Warnings)
		f(file, string(src), line)
	}
}

// file judges the values of a file.
func (v *verifier) file(cmd *cobra.Command, name string) error {
	if v.definition != "" {
		return v.definitions(cmd, name)
	}
	session := audit.NewRecording(v.opts)
	shown := name
	err := v.entries(cmd, name, func(file string, e recording.Entry) error {
		shown = file
		v.report(file, session.Entry(e))
		return nil
	})
	if name == "-" {
		shown = "standard input"
	}
	v.report(shown, session.Close()) // what was read before an error counts
	counts := session.Counts()
	v.sum.Files++
	v.sum.Values += counts.Messages
	if v.sum.Others == 0 && counts.Others > 0 {
		v.sum.FirstOther = fmt.Sprintf("%s:%d", shown, counts.First)
	}
	v.sum.Others += counts.Others
	if counts.Messages == 0 && err == nil {
		v.empty(shown)
	}
	for _, spoken := range session.Revisions() {
		v.judged(spoken)
	}
	return err
}

// definitions judges the values of a file by --definition.
func (v *verifier) definitions(cmd *cobra.Command, name string) error {
	before, shown := v.sum.Values, name
	err := v.values(cmd, name, func(file, value string, line int) {
		v.sum.Values++
		findings := audit.Value(*v.opts.Revision, v.definition, value, v.opts)
		for i := range findings {
			findings[i].Place = line
		}
		v.report(file, findings)
	})
	if err != nil {
		return err
	}
	if name == "-" {
		shown = "standard input"
	}
	v.sum.Files++
	if v.sum.Values == before {
		v.empty(shown)
	}
	v.judged(v.opts.Revision.ID)
	return nil
}

func (v *verifier) empty(file string) {
	v.report(file, []audit.Finding{{Rule: "not-a-message", Level: audit.Must, Place: 1, Problem: "the file holds no message"}})
}

func (v *verifier) judged(revision string) {
	if !slices.Contains(v.spoken, revision) {
		v.spoken = append(v.spoken, revision)
	}
}

func (v *verifier) report(file string, findings []audit.Finding) {
	for _, f := range findings {
		switch f.Level {
		case audit.Must:
			v.sum.Errors++
		case audit.Should:
			v.sum.Warnings++
		default:
			v.sum.Notes++
		}
		v.out.finding(finding{File: file, Line: f.Place + f.Line, Pointer: f.Pointer, Level: f.Level, Problem: f.Problem, Rule: f.Rule, From: f.From, Session: f.Session})
	}
}
