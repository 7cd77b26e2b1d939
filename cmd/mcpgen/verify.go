//go:build !bootstrap

package main

import (
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
	failOn     string
	out        findings
	extension  extensionFlags

	// spoken are the revisions that files were checked against.
	spoken   []string
	sum      summary
	progress *progress
}

const verifyHelp = `Decode and validate JSON values. A file, or "-" for standard input, contains one value,
several values, one value a line, or a recording of "mcpgen proxy --record". Files are
read as a stream of UTF-8 or UTF-16 text and may be compressed with gzip.

Without --definition, every value is a JSON-RPC message. The method determines how
the params of a request or notification are checked, and the request how its result is.

A file with an initialize request is a recorded session. It is checked against the
revision that it negotiates, unless --revision names another, and against the rules
between messages. "mcpgen verify --rules" lists the rules.

In a recording, a message may also be in an object with its direction and time, or in a
line of a log:

	{"time":"12:00:01","direction":"client->server","message":{"jsonrpc":"2.0",...}}
	write: {"jsonrpc":"2.0",...}

With --schema, a schema.json checks the messages in place of generated code, so its
revision need not be pinned. --revision names the revision; it defaults to the last date
in the name of the file, or the pinned revision that is most like it.

Messages of the extensions with generated code are checked when the client declares the
extension. With --extension and --schema, a schema.json checks those of any extension,
and --overlay has the rows that it cannot express, such as the results that it adds to
methods of the revision.

--against all, or --against with a list of revisions, reports which of them accept the
messages.

Each finding is one line. An error breaks a MUST of the protocol, a warning a SHOULD,
and a note neither. Errors and warnings make the exit code 1; with --fail-on error,
only errors do. If a file cannot be read, the others are still checked and the exit
code is 2.`

func verifyCommand() *cobra.Command {
	var v verifier
	var revision, schema, format, against string
	var rules, quiet bool
	cmd := &cobra.Command{
		Use:   "verify [--revision R] FILE...",
		Short: "Check JSON messages and recorded sessions against a revision",
		Long:  verifyHelp,
		RunE: func(cmd *cobra.Command, args []string) error {
			out := cmd.OutOrStdout()
			if quiet {
				out = io.Discard
			}
			if format != "text" && format != "json" {
				return fmt.Errorf("unknown format %q: expected text or json", format)
			}
			v.out = findings{out, format == "json"}
			if rules {
				v.out.rules(audit.Rules())
				return nil
			}
			if len(args) == 0 {
				return errors.New(`verify needs a file, or "-" for standard input`)
			}
			v.progress = &progress{w: cmd.ErrOrStderr(), last: time.Now()}
			if against != "" {
				return v.against(cmd, against, args)
			}
			if err := v.judgeBy(cmd, revision, schema); err != nil {
				return err
			}
			err := v.all(cmd, args, v.file)
			v.sum.Revision = strings.Join(v.spoken, ", ")
			if err == nil || v.sum.Values > 0 {
				v.out.summary(v.sum)
			}
			return ended(err, v.sum.Reaches(audit.Level(v.failOn)))
		},
	}
	cmd.Flags().StringVar(&revision, "revision", "", "revision to check against (default: the one that the session in a file negotiates)")
	cmd.Flags().StringVar(&schema, "schema", "", "schema.json of a revision to check against, which need not be pinned (file, https URL or -)")
	cmd.Flags().StringVar(&v.extension.name, "extension", "", "identifier of the extension that --schema or --definition belongs to, such as com.example/colors; --revision is the revision that it extends (default: the newest)")
	cmd.Flags().StringVar(&v.extension.overlay, "overlay", "", "YAML file with rows for the schema of the --extension, as for spec generate")
	cmd.Flags().StringVar(&against, "against", "", `report which revisions accept the messages: all, or a comma-separated list`)
	cmd.Flags().StringVar(&v.definition, "definition", "", "definition that every value must match (default: JSON-RPC messages)")
	cmd.Flags().BoolVar(&v.opts.Lenient, "lenient", false, "report as notes what a receiver can decode although the schema forbids it")
	cmd.Flags().BoolVar(&v.opts.Roundtrip, "roundtrip", false, "also check that each value stays the same when it is decoded and encoded again")
	cmd.Flags().BoolVar(&v.opts.Undeclared, "undeclared", false, "note members that the revision does not define")
	levelFlag(cmd, &v.failOn, audit.Should)
	cmd.Flags().StringVar(&format, "format", "text", "text or json (one object a line)")
	cmd.Flags().BoolVarP(&quiet, "quiet", "q", false, "print no report; the exit code is the answer")
	jsonFormat(cmd, &format)
	completeValues(cmd, "format", "text", "json")
	completeValues(cmd, "revision", knownRevisions()...)
	completeValues(cmd, "against", append([]string{"all"}, knownRevisions()...)...)
	completeFiles(cmd, "schema", "json")
	completeFiles(cmd, "overlay", "yaml", "yml")
	cmd.Flags().BoolVar(&rules, "rules", false, "list the rules and their levels")
	alone(cmd, "rules", "format", "json")
	excludes(cmd, "against", "revision", "schema", "extension", "overlay", "definition", "fail-on", "undeclared")
	needs(cmd, "overlay", "extension")
	excludes(cmd, "quiet", "undeclared") // which adds notes alone
	needs(cmd, "definition", "revision", "schema", "extension")
	idle(cmd, "roundtrip undeclared", "has no effect with --schema, which has no code that decodes values", func([]string) bool {
		return schema != "" && (v.extension.name == "" || v.definition != "")
	})
	return cmd
}

// levelFlag adds --fail-on to a command.
func levelFlag(cmd *cobra.Command, level *string, by audit.Level) {
	cmd.Flags().StringVar(level, "fail-on", string(by), "lowest level that makes the exit code 1: warning or error")
	completeValues(cmd, "fail-on", "warning", "error")
	situation(cmd, func([]string) error {
		if *level != string(audit.Must) && *level != string(audit.Should) {
			return fmt.Errorf("unknown --fail-on %q: expected error or warning", *level)
		}
		return nil
	})
}

// judgeBy applies --revision and --schema, and checks --definition.
func (v *verifier) judgeBy(cmd *cobra.Command, revision, schema string) error {
	switch {
	case v.extension.name != "":
		return v.judgeByExtension(cmd, revision, schema)
	case schema != "":
		r, err := schemaRevision(cmd, schema, revision, cmd.ErrOrStderr())
		if err != nil {
			return err
		}
		v.opts.Revision = r
	case revision != "":
		r, ok := generated.Lookup(revision)
		if !ok {
			return unknownRevision(revision)
		}
		v.opts.Revision = &r
	}
	return v.checkDefinition()
}

// checkDefinition returns an error if --definition names a definition that the revision does not have.
func (v *verifier) checkDefinition() error {
	if v.definition == "" {
		return nil
	}
	if _, ok := v.opts.Revision.New(v.definition); !ok {
		return fmt.Errorf("revision %s has no definition %q", v.opts.Revision.ID, v.definition)
	}
	return nil
}

// all reads the files. An error in one file does not keep it from reading the others.
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

func unknownRevision(name string) error {
	return fmt.Errorf("unknown revision %q; the revisions with generated code are %q", name, knownRevisions())
}

func knownRevisions() []string {
	var names []string
	for _, r := range generated.Revisions() {
		names = append(names, r.ID)
	}
	return names
}

// shownName returns the name of a file for messages.
func shownName(name string) string {
	if name == "-" {
		return "standard input"
	}
	return name
}

// input opens a file, or standard input for "-". It returns the reader and a function that closes the file.
func (v *verifier) input(cmd *cobra.Command, name string) (in io.Reader, closed func(), err error) {
	if name == "-" {
		v.progress.start(0)
		return cmd.InOrStdin(), func() {}, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	size := int64(0)
	if info, err := f.Stat(); err == nil {
		size = info.Size()
	}
	v.progress.start(size)
	return &interruptible{cmd.Context(), f}, func() { f.Close() }, nil
}

// entries calls f with the entries of a file until f returns an error.
func (v *verifier) entries(cmd *cobra.Command, name string, f func(e recording.Entry) error) error {
	in, closed, err := v.input(cmd, name)
	if err != nil {
		return err
	}
	defer closed()
	file := shownName(name)
	r, err := recording.NewReader(in)
	for err == nil {
		var e recording.Entry
		if e, err = r.Next(); err == nil {
			v.progress.step(file, len(e.Text), v.sum.Errors+v.sum.Warnings)
			err = f(e)
		}
	}
	if err == io.EOF {
		return nil
	}
	return fmt.Errorf("%s: %w", file, err)
}

// values calls f with the values of a file and the lines where they start.
func (v *verifier) values(cmd *cobra.Command, name string, f func(value string, line int)) error {
	in, closed, err := v.input(cmd, name)
	if err != nil {
		return err
	}
	defer closed()
	file := shownName(name)
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
		f(string(src), line)
	}
}

// file checks the values of a file.
func (v *verifier) file(cmd *cobra.Command, name string) error {
	if v.definition != "" {
		return v.definitions(cmd, name)
	}
	session, shown := audit.NewRecording(v.opts), shownName(name)
	err := v.entries(cmd, name, func(e recording.Entry) error {
		v.report(shown, session.Entry(e))
		return nil
	})
	v.report(shown, session.Close()) // entries before an error count too
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

// definitions checks the values of a file against --definition.
func (v *verifier) definitions(cmd *cobra.Command, name string) error {
	before, shown := v.sum.Values, shownName(name)
	err := v.values(cmd, name, func(value string, line int) {
		v.sum.Values++
		findings := audit.Value(*v.opts.Revision, v.definition, value, v.opts)
		for i := range findings {
			findings[i].Place = line
		}
		v.report(shown, findings)
	})
	if err != nil {
		return err
	}
	v.sum.Files++
	if v.sum.Values == before {
		v.empty(shown)
	}
	v.judged(v.opts.Revision.ID)
	return nil
}

func (v *verifier) empty(file string) {
	v.report(file, []audit.Finding{{Rule: "not-a-message", Level: audit.Must, Place: 1, Problem: "the file contains no message"}})
}

func (v *verifier) judged(revision string) {
	if !slices.Contains(v.spoken, revision) {
		v.spoken = append(v.spoken, revision)
	}
}

func (v *verifier) report(file string, findings []audit.Finding) {
	for _, f := range findings {
		v.sum.Add(f)
		v.out.finding(newFinding(file, f))
	}
}
