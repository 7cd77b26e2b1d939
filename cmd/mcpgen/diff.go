package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/gen/compat"
	"github.com/mcpgen/mcpgen/gen/compat/page"
	"github.com/mcpgen/mcpgen/gen/compat/render"
	"github.com/mcpgen/mcpgen/spec"
)

// differ is one run of diff.
type differ struct {
	all, schema            bool
	format, failOn, config string
	project                *spec.Spec
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
  FILE, URL or -     a schema.json or a tool list: the answer to tools/list
  git:REV:PATH       either, as it is in a commit of the git repository
  REVISION=SIDE      a schema, and the revision it is of

Messages are compared, not definitions: a definition renamed, moved behind a
reference or repeated is no change. Each finding has two verdicts, as one side
of a connection is upgraded before the other, and a finding of level err has a
witness: a value that one side accepts and the other refuses.

Findings that are known are accepted in mcpgen.yaml, by their fingerprint:

  compat:
    accept:
      - fingerprint: 0123456789ab
        reason: why it is fine
        until: 2026-12-31

The exit code is 1 when a finding that is not accepted is as bad as --fail-on,
and 2 when the sides could not be compared. mcpgen rules lists the rules.`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case d.schema && len(args) > 0, d.all && len(args) > 0:
				return errors.New("--all and --schema take no arguments")
			case !d.schema && !d.all && len(args) != 2:
				return fmt.Errorf("diff takes two sides, OLD and NEW, or --all; got %d", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return d.run(cmd, args) },
	}
	cmd.Flags().BoolVar(&d.all, "all", false, "compare every pinned revision with every newer one")
	cmd.Flags().StringVar(&d.format, "format", "text", "text, json, markdown, html (a page that stands alone), github or sarif")
	cmd.Flags().StringVar(&d.failOn, "fail-on", "err", "the level, err or warn, that makes the exit code 1")
	cmd.Flags().StringVar(&d.config, "config", "", "file with accepted findings (default: mcpgen.yaml, if there is one)")
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
	failOn := compat.Level(d.failOn)
	if failOn != compat.LevelErr && failOn != compat.LevelWarn {
		return fmt.Errorf("unknown level %q: --fail-on is err or warn", d.failOn)
	}
	config, err := d.readConfig()
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
		var report *compat.Report
		report, options.File, err = d.pair(cmd, args[0], args[1])
		out.Reports = []*compat.Report{report}
	}
	if err != nil {
		return err
	}
	fails := false
	for _, r := range out.Reports {
		r.Accept(config.Accept, time.Now())
		fails = fails || r.Fails(failOn)
	}
	if d.format == formatHTML {
		err = page.Write(cmd.OutOrStdout(), page.Input{Reports: out.Reports, Sides: d.sides})
	} else {
		err = render.Write(cmd.OutOrStdout(), render.Format(d.format), out, options)
	}
	if err != nil {
		return err
	}
	if fails {
		return errFindings
	}
	return nil
}

func (d *differ) readConfig() (*compat.Config, error) {
	name := d.config
	if name == "" {
		name = "mcpgen.yaml"
	}
	src, err := os.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && d.config == "":
		return &compat.Config{}, nil
	case err != nil:
		return nil, err
	}
	return compat.ParseConfig(name, src)
}

// pair compares two sides.
func (d *differ) pair(cmd *cobra.Command, old, new string) (report *compat.Report, file string, err error) {
	if old == "-" && new == "-" {
		return nil, "", errors.New("only one side can be standard input")
	}
	was, err := d.side(cmd, old)
	if err != nil {
		return nil, "", err
	}
	is, err := d.side(cmd, new)
	if err != nil {
		return nil, "", err
	}
	report, err = compareSides(was, is)
	return report, is.file, err
}

// compareSides compares two sides of one kind.
func compareSides(old, new *diffSide) (*compat.Report, error) {
	var report *compat.Report
	var err error
	switch {
	case old.revision != nil && new.revision != nil:
		report, err = compat.Revisions(*old.revision, *new.revision)
	case old.tools != nil && new.tools != nil:
		report, err = compat.Tools(*old.tools, *new.tools)
	default:
		err = fmt.Errorf("%s is %s and %s is %s: they cannot be compared", old.label, old.kind(), new.label, new.kind())
	}
	if err != nil {
		return nil, fmt.Errorf("comparing %s with %s: %w", old.label, new.label, err)
	}
	return report, nil
}

// matrix compares every pinned revision with every newer one.
func (d *differ) matrix(cmd *cobra.Command) ([]*compat.Report, error) {
	var sides []*diffSide
	for _, revision := range d.project.Revisions() {
		side, err := d.side(cmd, revision)
		if err != nil {
			return nil, err
		}
		sides = append(sides, side)
	}
	var reports []*compat.Report
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
accepted, from which the verdicts follow. A guard is a reason why a finding that
would be err is not.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return render.Rules(cmd.OutOrStdout(), render.Format(strings.ToLower(format)))
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text, json or markdown")
	return cmd
}
