package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/gen/diff"
	"github.com/mcpgen/mcpgen/gen/diff/render/page"
	"github.com/mcpgen/mcpgen/gen/diff/render"
	"github.com/mcpgen/mcpgen/spec"
)

// differ is one run of diff.
type differ struct {
	all, schema, quiet              bool
	format, failOn, upgrade, config string
	project                         *spec.Spec
	// live is the server that is the new side; its headers are for url: sides too.
	live origin
	// sides are those that were read, for the page.
	sides []page.Side
}

// formatHTML is the format that is not one of package render's.
const formatHTML = "html"

func diffCommand() *cobra.Command {
	var d differ
	cmd := &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "Tell what a revision, a schema or a tool list changes on the wire",
		Long: `Compare two sides and tell what changes on the wire. A side is

  2025-06-18         a pinned revision
  FILE, URL or -     a schema.json, or a list of what a server offers
  git:REV:PATH       either, as it is in a commit of the git repository
  REVISION=SIDE      a schema, and the revision it is of
  cmd:COMMAND        what a server offers that the command starts
  url:URL            what a server offers that is reached over HTTP

--cmd and --url name the new side: mcpgen diff tools.json --cmd ./server.

A list is the answer to tools/list, an array of tools, or an object with some of
the members tools, prompts, resources, resourceTemplates, instructions and
capabilities; all of these are compared. It may be JSON, JSON lines or YAML.
What cannot be read in a schema or a list is left out of the comparison, and the
report says so.

Messages are compared, not definitions: a definition renamed, moved behind a
reference or repeated is no change. A finding has a level for each order of
upgrades, as one side of a connection is upgraded before the other, and a finding
of level err has an example: a value that one side accepts and the other refuses.

--upgrade says whose order counts. "server", the default for tool lists, means
that servers are upgraded first: what they receive comes from old clients, and
what they send goes to old clients. "client" is the other way round. "either", the
default for revisions, takes the worse level of the two. The level of the order
that does not count is shown as information.

--fail-on says which findings make the exit code 1: a level (err, warn or info),
none, or conditions with commas between them, one of which a finding has to meet:

  err                            of the order that counts
  server=err,client=warn         with servers, and with clients, upgraded first
  to-server=err,to-client=warn   of values sent to servers, and to clients

The suggested version change is major if a finding is err (accepted or not), minor
if another finding is about values or their use, patch if only descriptions,
titles or remarks changed, and none if nothing did.

mcpgen.yaml holds the policy of a project; flags take precedence over it:

  compat:
    upgrade: server
    fail-on: err
    severity:                         # the level of a rule's findings
      tool-description-changed: info
    ignore:                           # findings that are left out
      - tool: experimental_*
    accept:                           # findings that are known, and why
      - fingerprint: 0123456789ab
        reason: every caller sends it
        until: 2026-12-31
      - rule: member-removed
        tool: admin_*
        path: input.debug*
        reason: nobody uses it

An entry of ignore and accept has a rule, a tool, a path of the finding's subject,
or several of them; * stands for any characters and ? for one. An acceptance that
has expired, or that matches no finding, is a warning.

The exit code is 0 without such findings, 1 with one, and 2 when the sides could
not be compared. mcpgen rules lists the rules.`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case d.schema && len(args) > 0, d.all && len(args) > 0:
				return errors.New("--all and --schema take no arguments")
			case len(d.live.headers) > 0 && d.live.url == "" && !slices.ContainsFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "url:") }):
				return errors.New("--header is for --url and for sides url:URL")
			case d.live.given() && len(args) != 1:
				return fmt.Errorf("with --cmd or --url, which is the new side, diff takes the old one; got %d", len(args))
			case !d.live.given() && !d.schema && !d.all && len(args) != 2:
				return fmt.Errorf("diff takes two sides, OLD and NEW, or --all; got %d", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return d.run(cmd, args) },
	}
	cmd.Flags().BoolVar(&d.all, "all", false, "compare every pinned revision with every newer one")
	cmd.Flags().StringVar(&d.format, "format", "text", "text, json, markdown, html (a page that stands alone), github or sarif")
	cmd.Flags().StringVar(&d.upgrade, "upgrade", "", "the side that is upgraded first: server, client or either (default: server for tool lists, either for revisions)")
	cmd.Flags().StringVar(&d.failOn, "fail-on", "", "the findings that make the exit code 1: err, warn, info, none or conditions such as server=err,client=warn (default: err)")
	cmd.Flags().StringVar(&d.config, "config", "", "file with the policy (default: mcpgen.yaml, if there is one)")
	cmd.Flags().BoolVarP(&d.quiet, "quiet", "q", false, "print no report; the exit code has the answer")
	d.live.flags(cmd)
	cmd.Flags().BoolVar(&d.schema, "schema", false, "print the JSON Schema of --format json, and compare nothing")
	return cmd
}

func (d *differ) run(cmd *cobra.Command, args []string) error {
	if d.schema {
		return printOutputSchema(cmd.OutOrStdout())
	}
	if d.format != formatHTML && !slices.Contains(render.Formats(), render.Format(d.format)) {
		return fmt.Errorf("unknown format %q: it is text, json, markdown, html, github or sarif", d.format)
	}
	policy, err := d.policy()
	if err != nil {
		return err
	}
	if d.project, err = spec.Load(spec.Embedded()); err != nil {
		return err
	}
	var out render.Output
	var options render.Options
	if d.all {
		out.Reports, err = d.matrix(cmd)
	} else {
		var report *diff.Report
		if args, err = d.live.sides(args); err != nil {
			return err
		}
		report, options, err = d.pair(cmd, args[0], args[1])
		out.Reports = []*diff.Report{report}
	}
	if err != nil {
		return err
	}
	policy.Apply(out.Reports, time.Now())
	if !d.quiet {
		err = d.write(cmd.OutOrStdout(), out, options)
	}
	if err != nil {
		return err
	}
	if slices.ContainsFunc(out.Reports, (*diff.Report).Failed) {
		return errFindings
	}
	return nil
}

// write writes the reports in the format of the flags.
func (d *differ) write(w io.Writer, out render.Output, options render.Options) error {
	if d.format == formatHTML {
		return page.Write(w, page.Input{Reports: out.Reports, Sides: d.sides})
	}
	return render.Write(w, render.Format(d.format), out, options)
}

// policy reads the policy's file, and the flags that take precedence over it.
func (d *differ) policy() (*diff.Policy, error) {
	policy, err := d.readConfig()
	if err != nil {
		return nil, err
	}
	if d.upgrade != "" {
		policy.Upgrade = diff.Upgrade(d.upgrade)
		if !slices.Contains(diff.Upgrades(), policy.Upgrade) {
			return nil, fmt.Errorf("--upgrade: unknown value %q: expected server, client or either", d.upgrade)
		}
	}
	if d.failOn != "" {
		if policy.FailOn, err = diff.ParseFailOn(d.failOn); err != nil {
			return nil, fmt.Errorf("--fail-on: %w", err)
		}
	}
	return policy, nil
}

func (d *differ) readConfig() (*diff.Policy, error) {
	name := d.config
	if name == "" {
		name = "mcpgen.yaml"
	}
	src, err := os.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && d.config == "":
		return &diff.Policy{}, nil
	case err != nil:
		return nil, err
	}
	return diff.ParseConfig(name, src)
}

// pair compares two sides.
func (d *differ) pair(cmd *cobra.Command, old, new string) (*diff.Report, render.Options, error) {
	if old == "-" && new == "-" {
		return nil, render.Options{}, errors.New("only one side can be standard input")
	}
	was, err := d.side(cmd, old)
	if err != nil {
		return nil, render.Options{}, err
	}
	is, err := d.side(cmd, new)
	if err != nil {
		return nil, render.Options{}, err
	}
	report, err := compareSides(was, is)
	if err != nil {
		return nil, render.Options{}, err
	}
	report.Locate(was.text, is.text)
	return report, render.Options{Old: was.file, New: is.file}, nil
}

// compareSides compares two sides of one kind.
func compareSides(old, new *diffSide) (*diff.Report, error) {
	var report *diff.Report
	var err error
	switch {
	case old.revision != nil && new.revision != nil:
		report, err = diff.Revisions(*old.revision, *new.revision)
	case old.tools != nil && new.tools != nil:
		report, err = diff.Tools(*old.tools, *new.tools)
	default:
		err = fmt.Errorf("%s is %s and %s is %s: they cannot be compared", old.label, old.kind(), new.label, new.kind())
	}
	if err != nil {
		return nil, fmt.Errorf("comparing %s with %s: %w", old.label, new.label, err)
	}
	return report, nil
}

// matrix compares every pinned revision with every newer one.
func (d *differ) matrix(cmd *cobra.Command) ([]*diff.Report, error) {
	var sides []*diffSide
	for _, revision := range d.project.Revisions() {
		side, err := d.side(cmd, revision)
		if err != nil {
			return nil, err
		}
		sides = append(sides, side)
	}
	var reports []*diff.Report
	for i, old := range sides {
		for _, new := range sides[i+1:] {
			report, err := compareSides(old, new)
			if err != nil {
				return nil, err
			}
			reports = append(reports, report)
		}
	}
	return reports, nil
}

func rulesCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "rules",
		Short: "List the rules of diff, and what lowers their levels",
		Long: `List the rules of diff. A rule has an effect on the set of values that are
accepted, and its levels follow from the effect: for the receiver of a value
upgraded first, and for the sender. A server receives arguments and sends results.
A guard is a reason why a finding that would be err is not. The version is the
least that a finding asks for: a finding of level err asks for major.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return render.Rules(cmd.OutOrStdout(), render.Format(strings.ToLower(format)))
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text, json or markdown")
	return cmd
}
