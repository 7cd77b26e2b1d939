package main

import (
	"cmp"
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
	"github.com/mcpgen/mcpgen/gen/diff/render"
	"github.com/mcpgen/mcpgen/gen/diff/render/page"
	"github.com/mcpgen/mcpgen/spec"
)

// differ is one run of diff.
type differ struct {
	all, schema, quiet, baseline    bool
	format, failOn, upgrade, config string
	strictness                      string // --profile
	project                         *spec.Spec
	// live is the server on the new side. Its headers also apply to url: sides.
	live origin
	// overlay is a file with rows for the schemas of extensions.
	overlay string
	// extension is the extension that a side names, or "".
	extension string
	// profile is that of the policy.
	profile diff.Profile
	// versions is the file with the versions of the sides, versionInList, or "".
	versions string
	// bumps are the versions of the sides of each comparison, or nil.
	bumps []*bump
	// most is the greatest number of findings about a tool that are shown.
	most int
	// sides are the sides that were read, for the HTML page.
	sides   []page.Side
	counter *counter
}

// formatHTML is the only format that package render does not write.
const formatHTML = "html"

func diffCommand() *cobra.Command {
	var d differ
	cmd := &cobra.Command{
		Use:   "diff OLD NEW | git:OLD..NEW:PATH",
		Short: "Report what a revision, a schema or a tool list changes on the wire",
		Long: `Compare two sides and report what changes on the wire. A side is

  2025-06-18         a pinned revision
  FILE, URL or -     a schema.json, or a list of what a server offers
  FOLDER             all lists of a folder, compared with those of the same names
  git:REV:PATH       such a file or folder in a commit of the git repository
  REVISION=SIDE      a schema with its revision
  EXTENSION          a pinned extension, such as io.modelcontextprotocol/tasks
  EXTENSION=SIDE     a schema.json of an extension; the other side may leave out
                     EXTENSION=
  cmd:COMMAND        a server that the command starts
  url:URL            a server over HTTP

--cmd and --url name the new side: mcpgen diff tools.json --cmd ./server.

A list that a commit lacks, or one of the folders, was added or removed. Instead of
two sides, git:OLD..NEW:PATH compares each version of a list with the next one: those
of the tags between two commits, or without tags those of the commits. The formats
markdown and html are then a changelog: mcpgen diff git:v1.2..HEAD:tools.json.

A list is the answer to tools/list, an array of tools, or an object with some of
the members tools, prompts, resources, resourceTemplates, instructions and
capabilities; all of these are compared. It may be JSON, JSON lines or YAML.
The comparison leaves out the parts of a schema or list that cannot be read, and
the report names them.

The comparison is about messages, not definitions: renaming, repeating or moving
a definition is not a change. Each finding has two levels, one for upgrading the
servers first and one for upgrading the clients first. A finding of level err has
an example: a value that one side accepts and the other refuses. A finding is
undecided if mcpgen has found neither an example nor a proof that there is none.

--upgrade selects the order. With "server", the default for tool lists, servers
are upgraded first: they receive values from old clients and send values to old
clients. "client" is the other order. "either", the default for revisions, takes
the worse level of the two. The level of the other order is shown for information.

--fail-on selects the findings that make the exit code 1: a level (err, undecided,
warn or info), none, or comma-separated conditions, of which a finding must meet
one. The default is undecided, which includes err:

  err                            level in the selected order
  server=err,client=warn         levels with servers first and with clients first
  to-server=err,to-client=warn   levels for values sent to servers and to clients

--profile selects what the comparison is about, and so what fails by default:

  wire     messages that a peer refuses; changes of texts are only information
  typed    also programs that do not compile, or mean something else, with the generated Go client
  model    also texts, defaults and promises by which a model chooses what it does

The suggested version change is major if there is a finding of level err or
undecided, accepted or not. Otherwise it is minor for findings about values or
their use, patch for changes of descriptions, titles or remarks, and none without
findings. --check-version compares it with the versions of the two sides, and fails
if they differ by less.

mcpgen.yaml holds the policy of a project; flags take precedence over it:

  compat:
    upgrade: server
    profile: typed
    fail-on: err
    severity:                         # levels by rule
      tool-description-changed: info
    ignore:                           # findings to leave out
      - tool: experimental_*
    accept:                           # known findings, with the reason
      - fingerprint: 0123456789ab
        reason: every caller sends it
        until: 2026-12-31
      - rule: member-removed
        tool: admin_*
        path: input.debug*
        reason: nobody uses it

An entry of ignore or accept matches findings by rule, tool or path, or several of
them; * matches any characters and ? matches one. Expired and unused acceptances, and
those without a reason, produce a warning. --write-baseline adds acceptances of all
findings that fail.

The exit code is 0 without such findings, 1 with one, and 2 if the sides cannot
be compared or have nothing to compare. mcpgen rules lists the rules.`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case d.schema || d.all: // what they exclude is declared with the flags
				return nil
			case d.live.given() && len(args) != 1:
				return fmt.Errorf("with --cmd or --url for the new side, diff takes one argument, the old side; got %d", len(args))
			case !d.live.given() && len(args) != 2 && (len(args) != 1 || !strings.HasPrefix(args[0], "git:")):
				return fmt.Errorf("diff takes two arguments, OLD and NEW, or --all; got %d", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return d.run(cmd, args) },
	}
	cmd.Flags().BoolVar(&d.all, "all", false, "compare every pinned revision with every newer one")
	cmd.Flags().StringVar(&d.format, "format", "text", "text, json, markdown, html (a self-contained page), github, gitlab (code quality), junit or sarif")
	cmd.Flags().StringVar(&d.upgrade, "upgrade", "", "the side that is upgraded first: server, client or either (default: server for tool lists, either for revisions)")
	cmd.Flags().StringVar(&d.failOn, "fail-on", "", "findings that make the exit code 1: err, undecided, warn, info, none or conditions such as server=err,client=warn (default: undecided)")
	cmd.Flags().StringVar(&d.overlay, "overlay", "", "YAML file with rows for the schemas of an extension, as for spec generate (default: those of the pinned extension)")
	cmd.Flags().StringVar(&d.config, "config", "", "policy file (default: mcpgen.yaml if it exists)")
	cmd.Flags().StringVar(&d.strictness, "profile", "", "what the comparison is about: wire, typed or model")
	cmd.Flags().StringVar(&d.versions, "check-version", "", "fail if the version of the server has changed less than suggested: `list` for the version in the lists, or a file beside them such as manifest.json, server.json or a bundle")
	cmd.Flags().BoolVar(&d.baseline, "write-baseline", false, "accept all findings that fail: add them to the policy file, with reasons to fill in, in place of a report")
	cmd.Flags().IntVar(&d.most, "most", 20, "greatest number of findings about one tool in the formats text, markdown and github; 0 shows all")
	cmd.Flags().BoolVarP(&d.quiet, "quiet", "q", false, "print no report, only set the exit code")
	jsonFormat(cmd, &d.format)
	d.live.locating(cmd)
	d.live.declares.flag(cmd)
	completeValues(cmd, "format", "text", "json", "markdown", formatHTML, "github", "gitlab", "junit", "sarif")
	completeValues(cmd, "profile", "wire", "typed", "model")
	completeValues(cmd, "upgrade", "server", "client", "either")
	completeValues(cmd, "fail-on", "err", "undecided", "warn", "info", "none")
	completeFiles(cmd, "config", "yaml", "yml")
	completeFiles(cmd, "overlay", "yaml", "yml")
	cmd.Flags().BoolVar(&d.schema, "schema", false, "print the JSON Schema of --format json and exit")
	alone(cmd, "schema")
	alone(cmd, "all", "format", "json", "quiet", "upgrade", "fail-on", "config", "most", "write-baseline", "profile")
	side := func(args []string, prefix string) bool {
		return slices.ContainsFunc(args, func(arg string) bool { return strings.HasPrefix(arg, prefix) })
	}
	idle(cmd, accessFlags, "needs --url or a side url:URL", func(args []string) bool { return d.live.url == "" && !side(args, "url:") })
	idle(cmd, "capabilities", "needs --cmd, --url or a side cmd:COMMAND or url:URL", func(args []string) bool {
		return !d.live.given() && !side(args, "url:") && !side(args, "cmd:")
	})
	excludes(cmd, "url", "cmd")
	excludes(cmd, "quiet", "most")
	excludes(cmd, "write-baseline", "format", "json", "most")
	situation(cmd, func([]string) error {
		if given(cmd, "most") && !slices.Contains([]string{"text", "markdown", "github"}, d.format) {
			return fmt.Errorf("--most has no effect with --format %s", d.format)
		}
		return nil
	})
	return cmd
}

func (d *differ) run(cmd *cobra.Command, args []string) error {
	d.live.quiet = d.quiet
	if d.schema {
		return printOutputSchema(cmd.OutOrStdout())
	}
	if d.format != formatHTML && !slices.Contains(render.Formats(), render.Format(d.format)) {
		return fmt.Errorf("unknown format %q: expected text, json, markdown, html, github, gitlab, junit or sarif", d.format)
	}
	policy, err := d.policy()
	if err != nil {
		return err
	}
	if d.project, err = spec.Load(spec.Embedded()); err != nil {
		return err
	}
	d.profile = policy.Profile
	d.counter = newCounter(cmd.ErrOrStderr(), d.quiet, "item", "compared")
	defer d.counter.end()
	var out render.Output
	options := render.Options{Most: d.most}
	if d.all {
		out.Reports, err = d.matrix(cmd)
	} else {
		out, options.Files, err = d.compare(cmd, args)
	}
	if err != nil {
		return err
	}
	d.counter.end()
	policy.Apply(out.Reports, time.Now())
	for i, b := range d.bumps {
		if b != nil {
			if err := out.Reports[i].CheckVersion(b.old, b.new); err != nil {
				return fmt.Errorf("--check-version: %w", err)
			}
		}
	}
	if d.baseline {
		return d.writeBaseline(cmd.Context(), cmd.OutOrStdout(), out.Reports)
	}
	if !d.quiet {
		err = d.write(cmd.OutOrStdout(), out, options)
	}
	return ended(err, slices.ContainsFunc(out.Reports, (*diff.Report).Failed))
}

// write writes the reports in the requested format.
func (d *differ) write(w io.Writer, out render.Output, options render.Options) error {
	if d.format == formatHTML {
		return page.Write(w, page.Input{Reports: out.Reports, Sides: d.sides, Steps: out.Steps})
	}
	return render.Write(w, render.Format(d.format), out, options)
}

// policy reads the policy file and applies the flags, which take precedence.
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
	if d.strictness != "" {
		policy.Profile = diff.Profile(d.strictness)
		if !slices.Contains(diff.Profiles(), policy.Profile) {
			return nil, fmt.Errorf("--profile: unknown value %q: expected wire, typed or model", d.strictness)
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
	name := cmp.Or(d.config, configName)
	src, err := os.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && (d.config == "" || d.baseline):
		return &diff.Policy{}, nil
	case err != nil:
		return nil, err
	}
	return readPolicy(name, src)
}

// compare makes the comparisons that arguments ask for.
func (d *differ) compare(cmd *cobra.Command, args []string) (out render.Output, files []render.Files, err error) {
	if args, err = d.live.sides(args); err != nil {
		return out, nil, err
	}
	pairs, err := d.pairings(cmd, args)
	if err != nil {
		return out, nil, err
	}
	for _, p := range pairs {
		report, of, err := d.pair(cmd, p)
		if err != nil {
			return out, nil, err
		}
		b, err := d.bump(cmd, p)
		if err != nil {
			return out, nil, err
		}
		d.bumps = append(d.bumps, b)
		out.Reports, files = append(out.Reports, report), append(files, of)
		if p.step != nil {
			out.Steps = append(out.Steps, *p.step)
		}
	}
	return out, files, nil
}

// pair compares two sides.
func (d *differ) pair(cmd *cobra.Command, p pairing) (*diff.Report, render.Files, error) {
	if p.old == "-" && p.new == "-" {
		return nil, render.Files{}, errors.New("only one side can be standard input")
	}
	for _, arg := range []string{p.old, p.new} {
		if extension, _ := d.extensionOf(arg); extension != "" {
			d.extension = extension
		}
	}
	if d.overlay != "" && d.extension == "" {
		return nil, render.Files{}, errors.New("--overlay needs a side EXTENSION or EXTENSION=SIDE")
	}
	was, is, err := d.bothSides(cmd, p)
	if err != nil {
		return nil, render.Files{}, err
	}
	report, err := d.compareSides(was, is)
	if err != nil {
		return nil, render.Files{}, err
	}
	report.Locate(was.text, is.text)
	if d.profile.Code() && was.tools != nil {
		compareGo(report, was.tools.List, is.tools.List)
	}
	return report, render.Files{Old: was.file, New: is.file}, nil
}

// bothSides reads the sides of a comparison.
func (d *differ) bothSides(cmd *cobra.Command, p pairing) (was, is *diffSide, err error) {
	if !p.added {
		if was, err = d.side(cmd, p.old); err != nil {
			return nil, nil, err
		}
	}
	if !p.removed {
		if is, err = d.side(cmd, p.new); err != nil {
			return nil, nil, err
		}
	}
	note := func(text string) {
		if !d.quiet {
			fmt.Fprintf(cmd.ErrOrStderr(), text, p.old, p.new)
		}
	}
	switch {
	case p.added:
		note("note: %s does not exist: everything in %s is new\n")
		was, err = d.none(p.old, is)
	case p.removed:
		note("note: %[2]s does not exist: everything in %[1]s was removed\n")
		is, err = d.none(p.new, was)
	}
	return was, is, err
}

// compareSides compares two sides of the same kind.
func (d *differ) compareSides(old, new *diffSide) (*diff.Report, error) {
	var report *diff.Report
	var err error
	switch {
	case old.revision != nil && new.revision != nil:
		new.revision.Progress = d.counter.step
		report, err = diff.Revisions(*old.revision, *new.revision)
	case old.tools != nil && new.tools != nil:
		new.tools.Progress = d.counter.step
		if report, err = diff.Tools(*old.tools, *new.tools); err == nil && report.Compared.Items == 0 {
			err = fmt.Errorf("%w: the lists have no items of the same kind", diff.ErrNothing)
		}
	default:
		err = fmt.Errorf("%s is %s but %s is %s: cannot compare them", old.label, old.kind(), new.label, new.kind())
	}
	if errors.Is(err, diff.ErrNothing) && old.revision != nil {
		err = fmt.Errorf("%w; give the schema of an extension as EXTENSION=%s", err, old.label)
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
			report, err := d.compareSides(old, new)
			if err != nil {
				return nil, err
			}
			reports = append(reports, report)
		}
	}
	return reports, nil
}
