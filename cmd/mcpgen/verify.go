//go:build !bootstrap

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/generated"
)

// verifier is one run of verify.
type verifier struct {
	definition string
	lenient    bool
	roundtrip  bool
	revision   generated.Revision
	out        reporter

	files, values, problems, notes int
	progress                       *progress
}

func verifyCommand() *cobra.Command {
	var v verifier
	var revision, format string
	cmd := &cobra.Command{
		Use:   "verify --revision R FILE...",
		Short: "Check JSON messages against a revision",
		Long: `Decode and validate JSON values: files, or "-" for standard input, that hold one
value, values one after the other, or a value a line. They are read as a stream.

Without --definition every value is a JSON-RPC message. The params of requests
and notifications are checked by their method, and so is the result of a
response whose request came earlier in the same file.

A line is printed for each problem, and a summary always; problems make the
exit code 1. A file that cannot be read makes it 2, after the others are checked.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var ok bool
			if v.revision, ok = generated.Lookup(revision); !ok {
				return fmt.Errorf("no generated code for revision %q; there is for %q", revision, knownRevisions())
			}
			if v.definition != "" {
				if _, ok := v.revision.New(v.definition); !ok {
					return fmt.Errorf("revision %s has no definition %q", revision, v.definition)
				}
			}
			switch format {
			case "text":
				v.out = &textReporter{cmd.OutOrStdout()}
			case "json":
				v.out = &jsonReporter{json.NewEncoder(cmd.OutOrStdout())}
			default:
				return fmt.Errorf("unknown format %q: it is text or json", format)
			}
			v.progress = &progress{w: cmd.ErrOrStderr(), last: time.Now()}
			var errs []error
			for _, name := range args {
				if err := v.file(cmd, name); err != nil {
					errs = append(errs, err)
				}
				if cmd.Context().Err() != nil {
					break
				}
			}
			v.out.summary(summary{Revision: revision, Files: v.files, Values: v.values, Problems: v.problems, Notes: v.notes})
			if v.problems > 0 && len(errs) == 0 {
				return errFindings
			}
			return errors.Join(errs...)
		},
	}
	cmd.Flags().StringVar(&revision, "revision", "", "revision to check against (required)")
	cmd.Flags().StringVar(&v.definition, "definition", "", "definition that every value is of (default: JSON-RPC messages)")
	cmd.Flags().BoolVar(&v.lenient, "lenient", false, "only what a receiver could not decode is a problem; values the revision does not know are notes")
	cmd.Flags().BoolVar(&v.roundtrip, "roundtrip", false, "also encode what was decoded and demand the same JSON value")
	cmd.Flags().StringVar(&format, "format", "text", "text or json (an object a line)")
	cmd.MarkFlagRequired("revision")
	return cmd
}

func knownRevisions() []string {
	var names []string
	for _, r := range generated.Revisions() {
		names = append(names, r.ID)
	}
	return names
}

func (v *verifier) file(cmd *cobra.Command, name string) error {
	in, display := cmd.InOrStdin(), "standard input"
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		in, display = &interruptible{cmd.Context(), f}, name
	}
	conversation := newConversation(v.revision)
	values := newStream(in)
	found := false
	for {
		src, line, err := values.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return fmt.Errorf("%s: %w", display, err)
		}
		found = true
		v.values++
		v.progress.step(display, len(src), v.problems)
		c := check{lenient: v.lenient, roundtrip: v.roundtrip, src: string(src)}
		if v.definition != "" {
			c.value(v.revision, v.definition, c.src, "", 0)
		} else {
			c.message(conversation)
		}
		for _, f := range c.findings {
			f.File, f.Line = display, line+f.Line
			if f.Note {
				v.notes++
			} else {
				v.problems++
			}
			v.out.finding(f)
		}
	}
	v.files++
	if !found {
		v.problems++
		v.out.finding(finding{File: display, Line: 1, Problem: "holds no JSON value"})
	}
	return nil
}

// finding is a problem, or a note on what is no problem but worth a line.
type finding struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Pointer string `json:"pointer"`
	Problem string `json:"problem"`
	Note    bool   `json:"note,omitempty"`
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
	summary(summary)
}

type textReporter struct{ w io.Writer }

func (r *textReporter) finding(f finding) {
	pointer := f.Pointer
	if pointer == "" {
		pointer = "(whole value)"
	}
	note := ""
	if f.Note {
		note = "note: "
	}
	fmt.Fprintf(r.w, "%s:%d: %s: %s%s\n", f.File, f.Line, pointer, note, f.Problem)
}

func (r *textReporter) summary(s summary) {
	notes := ""
	if s.Notes > 0 {
		notes = fmt.Sprintf(", %s", count(s.Notes, "note"))
	}
	fmt.Fprintf(r.w, "%s: checked %s in %s: %s%s\n", s.Revision, count(s.Values, "value"), count(s.Files, "file"), count(s.Problems, "problem"), notes)
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

func (r *jsonReporter) summary(s summary) {
	r.enc.Encode(struct {
		Type string `json:"type"`
		summary
	}{"summary", s})
}

// progress prints a line every two seconds, so that a long run is seen to live.
type progress struct {
	w      io.Writer
	last   time.Time
	values int
	bytes  int64
}

func (p *progress) step(file string, size, problems int) {
	p.values++
	p.bytes += int64(size)
	if p.values%256 != 0 && size < 1<<20 || time.Since(p.last) < 2*time.Second {
		return
	}
	p.last = time.Now()
	fmt.Fprintf(p.w, "%s: %d values, %d MB, %d problems so far\n", file, p.values, p.bytes/1e6, problems)
}

// lineOf counts the lines before an offset of a value.
func lineOf(src string, offset int) int {
	return bytes.Count([]byte(src[:min(max(offset, 0), len(src))]), []byte{'\n'})
}
