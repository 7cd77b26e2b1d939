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
	"github.com/mcpgen/mcpgen/generated"
)

// verifier is one run of verify.
type verifier struct {
	definition string
	opts       audit.Options
	out        reporter

	// spoken are the revisions that files were judged by.
	spoken                         []string
	files, values, problems, notes int
	progress                       *progress
}

func verifyCommand() *cobra.Command {
	var v verifier
	var revision, format, against string
	cmd := &cobra.Command{
		Use:   "verify [--revision R] FILE...",
		Short: "Check JSON messages and recorded sessions against a revision",
		Long: `Decode and validate JSON values: files, or "-" for standard input, that hold one
value, values one after the other, or a value a line. They are read as a stream.

Without --definition every value is a JSON-RPC message. The params of requests
and notifications are checked by their method, and so is the result of a
response whose request came earlier in the same file.

A file that begins with initialize is a recorded session. It is checked against
the revision that it negotiates, unless --revision says another, and by the rules
that hold between messages: the order of the lifecycle, ids, capabilities, who
sends what, progress, cancellation, log levels, subscriptions.

A recording may have each message in an object with its direction and time, or in
the line of a log:

	{"time":"12:00:01","direction":"client->server","message":{"jsonrpc":"2.0",...}}
	write: {"jsonrpc":"2.0",...}

With --against all, or a list of revisions, the question is which of them would
accept the messages.

A line is printed for each problem, and a summary always; problems make the
exit code 1. A file that cannot be read makes it 2, after the others are checked.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch format {
			case "text":
				v.out = &textReporter{cmd.OutOrStdout()}
			case "json":
				v.out = &jsonReporter{json.NewEncoder(cmd.OutOrStdout())}
			default:
				return fmt.Errorf("unknown format %q: it is text or json", format)
			}
			v.progress = &progress{w: cmd.ErrOrStderr(), last: time.Now()}
			if against != "" {
				if v.definition != "" || revision != "" {
					return errors.New("--against takes the place of --revision, and judges messages")
				}
				return v.against(cmd, against, args)
			}
			if revision != "" {
				r, ok := generated.Lookup(revision)
				if !ok {
					return fmt.Errorf("no generated code for revision %q; there is for %q", revision, knownRevisions())
				}
				v.opts.Revision = &r
			}
			if v.definition != "" {
				if v.opts.Revision == nil {
					return errors.New("--definition needs --revision")
				}
				if _, ok := v.opts.Revision.New(v.definition); !ok {
					return fmt.Errorf("revision %s has no definition %q", revision, v.definition)
				}
			}
			err := v.all(cmd, args, v.file)
			v.out.summary(summary{Revision: strings.Join(v.spoken, ", "), Files: v.files, Values: v.values, Problems: v.problems, Notes: v.notes})
			if v.problems > 0 && err == nil {
				return errFindings
			}
			return err
		},
	}
	cmd.Flags().StringVar(&revision, "revision", "", "revision to check against (default: the one that the session in a file negotiates)")
	cmd.Flags().StringVar(&against, "against", "", `revisions that may accept the messages: "all", or a list with commas`)
	cmd.Flags().StringVar(&v.definition, "definition", "", "definition that every value is of (default: JSON-RPC messages)")
	cmd.Flags().BoolVar(&v.opts.Lenient, "lenient", false, "only what a receiver could not decode is a problem; values the revision does not know are notes")
	cmd.Flags().BoolVar(&v.opts.Roundtrip, "roundtrip", false, "also encode what was decoded and demand the same JSON value")
	cmd.Flags().StringVar(&format, "format", "text", "text or json (an object a line)")
	return cmd
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

// each calls f with the values of a file and the lines they start in, until it returns
// an error, and reports how many there were.
func (v *verifier) each(cmd *cobra.Command, name string, f func(file, value string, line int) error) error {
	in, file := cmd.InOrStdin(), "standard input"
	size := int64(0)
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		if info, err := f.Stat(); err == nil {
			size = info.Size()
		}
		in, file = &interruptible{cmd.Context(), f}, name
	}
	v.progress.start(size)
	values := newStream(in)
	if v.definition == "" {
		values.isValue = audit.IsValue
	}
	for {
		src, line, err := values.next()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			v.progress.step(file, len(src), v.problems)
			err = f(file, string(src), line)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
}

// file judges the values of a file.
func (v *verifier) file(cmd *cobra.Command, name string) error {
	session, transcript := audit.NewSession(v.opts), audit.Transcript{}
	before := v.values
	display := ""
	err := v.each(cmd, name, func(file, value string, line int) error {
		var findings []audit.Finding
		if v.definition != "" {
			findings = audit.Value(*v.opts.Revision, v.definition, value, v.opts)
		} else {
			from, message := transcript.Message(value)
			if message == "" {
				return nil // a line of a log that is about something else
			}
			findings = session.Message(from, message)
			if v.opts.Revision == nil && !session.Recorded() {
				return errors.New("the file does not begin with initialize: --revision has to say what the messages are checked against")
			}
		}
		v.values++
		v.report(file, line, findings)
		return nil
	})
	if err != nil {
		return err
	}
	if display = name; name == "-" {
		display = "standard input"
	}
	v.files++
	if v.values == before {
		v.report(display, 1, []audit.Finding{{Problem: "holds no JSON value"}})
	}
	if spoken := session.Revision(); !slices.Contains(v.spoken, spoken) {
		v.spoken = append(v.spoken, spoken)
	}
	return nil
}

func (v *verifier) report(file string, line int, findings []audit.Finding) {
	for _, f := range findings {
		if f.Note {
			v.notes++
		} else {
			v.problems++
		}
		v.out.finding(finding{File: file, Line: line + f.Line, Pointer: f.Pointer, Problem: f.Problem, Note: f.Note, Rule: f.Rule, From: f.From})
	}
}

// finding is a problem, or a note on what is no problem but worth a line.
type finding struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Pointer string `json:"pointer"`
	Problem string `json:"problem"`
	Note    bool   `json:"note,omitempty"`
	// Rule is what a problem breaks, unless that is the schema.
	Rule audit.Rule `json:"rule,omitempty"`
	// From is the side that sent the message, if it is known.
	From audit.Side `json:"from,omitempty"`
}

type summary struct {
	Revision string `json:"revision"`
	Files    int    `json:"files"`
	Values   int    `json:"values"`
	Problems int    `json:"problems"`
	Notes    int    `json:"notes"`
}

type reporter interface {
	finding(finding)
	verdict(verdict)
	summary(summary)
}

type textReporter struct{ w io.Writer }

func (r *textReporter) finding(f finding) { fmt.Fprintln(r.w, f) }

// String is the finding in one line.
func (f finding) String() string {
	pointer := f.Pointer
	if pointer == "" {
		pointer = "(whole value)"
	}
	note := ""
	if f.Note {
		note = "note: "
	}
	return fmt.Sprintf("%s:%d: %s: %s%s", f.File, f.Line, pointer, note, f.Problem)
}

func (r *textReporter) verdict(v verdict) {
	if v.Accepted {
		fmt.Fprintf(r.w, "%s: accepted\n", v.Revision)
		return
	}
	fmt.Fprintf(r.w, "%s: refused, %s, the first: %s\n", v.Revision, count(v.Problems, "problem"), v.First)
}

func (r *textReporter) summary(s summary) {
	notes := ""
	if s.Notes > 0 {
		notes = fmt.Sprintf(", %s", count(s.Notes, "note"))
	}
	revision := ""
	if s.Revision != "" {
		revision = s.Revision + ": "
	}
	fmt.Fprintf(r.w, "%schecked %s in %s: %s%s\n", revision, count(s.Values, "value"), count(s.Files, "file"), count(s.Problems, "problem"), notes)
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

type jsonReporter struct{ enc *json.Encoder }

func (r *jsonReporter) finding(f finding) {
	r.enc.Encode(struct {
		Type string `json:"type"`
		finding
	}{"finding", f})
}

func (r *jsonReporter) verdict(v verdict) {
	r.enc.Encode(struct {
		Type string `json:"type"`
		verdict
	}{"verdict", v})
}

func (r *jsonReporter) summary(s summary) {
	r.enc.Encode(struct {
		Type string `json:"type"`
		summary
	}{"summary", s})
}

// progress prints how far a run is, every two seconds, so that a long one is seen to
// live.
type progress struct {
	w      io.Writer
	last   time.Time
	values int
	read   int64 // bytes, of this file
	size   int64 // of this file, 0 where it is not known
}

// start begins with a file.
func (p *progress) start(size int64) { p.read, p.size = 0, size }

// step is called after each value, with its length.
func (p *progress) step(file string, length, problems int) {
	p.values++
	p.read += int64(length)
	if p.values%256 != 0 && length < 1<<20 || time.Since(p.last) < 2*time.Second {
		return
	}
	p.last = time.Now()
	bar := ""
	if p.size > 0 {
		const width = 20
		done := int(min(p.read*width/p.size, width))
		bar = fmt.Sprintf("[%s%s] %d%%, ", strings.Repeat("#", done), strings.Repeat(".", width-done), min(p.read*100/p.size, 100))
	}
	fmt.Fprintf(p.w, "%s: %s%d values, %d MB, %d problems so far\n", file, bar, p.values, p.read/1e6, problems)
}
