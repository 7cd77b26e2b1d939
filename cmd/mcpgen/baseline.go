package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/mcpgen/mcpgen/gen/config"
	"github.com/mcpgen/mcpgen/gen/diff"
	"github.com/mcpgen/mcpgen/gen/diff/render"
	"github.com/mcpgen/mcpgen/gen/files"
	"github.com/mcpgen/mcpgen/gen/report"
	"github.com/mcpgen/mcpgen/gen/yaml"
)

// writeBaseline adds an acceptance for each finding that fails to the policy file, with a reason to
// fill in.
func (d *differ) writeBaseline(ctx context.Context, w io.Writer, reports []*diff.Report) error {
	name := cmp.Or(d.config, configName)
	src, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var entries []*diff.Finding
	seen := map[string]bool{}
	for _, r := range reports {
		for _, f := range r.Findings {
			if f.Fails && !seen[f.Fingerprint] {
				seen[f.Fingerprint] = true
				entries = append(entries, f)
			}
		}
	}
	if len(entries) > 0 {
		if src, err = withAcceptances(src, entries); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if _, err := readPolicy(name, src); err != nil {
			return fmt.Errorf("adding acceptances: %w", err)
		}
		if err := replace(ctx, "", files.File{Path: name, Content: src}); err != nil {
			return err
		}
	}
	if !d.quiet {
		fmt.Fprintf(w, "%s: %s added\n", name, report.Plural(len(entries), "acceptance"))
		for _, f := range entries {
			fmt.Fprintf(w, "  %s %s: %s\n", f.Fingerprint, printable(f.Subject), f.Rule)
		}
		if len(entries) > 0 {
			fmt.Fprintf(w, "Say why in place of each %q.\n", diff.NoReason)
		}
	}
	return nil
}

// withAcceptances returns the text of a policy file with acceptances of findings before those that it
// has. The rest of the text stays as it is.
func withAcceptances(src []byte, findings []*diff.Finding) ([]byte, error) {
	entries := func(indent int) string {
		var b strings.Builder
		for _, f := range findings {
			b.WriteString(render.Acceptance(f, indent))
		}
		return b.String()
	}
	if len(src) > 0 && !bytes.HasSuffix(src, []byte("\n")) {
		src = append(src, '\n')
	}
	compat, err := memberOf(src, "compat")
	if err != nil {
		return nil, err
	}
	if compat == nil {
		return append(src, "compat:\n  accept:\n"+entries(4)...), nil
	}
	members, ok := yaml.Members(compat.Value)
	switch {
	case yaml.IsNull(compat.Value):
		return insertLine(src, compat.Key.Line, "  accept:\n"+entries(4)), nil
	case !ok || len(members) == 0 || yaml.IsFlow(yaml.Content(compat.Value)):
		return nil, errors.New("compat is not a mapping over several lines, so nothing can be added")
	}
	for _, m := range members {
		if m.Name != "accept" {
			continue
		}
		switch list, ok := yaml.Elements(m.Value); {
		case yaml.IsNull(m.Value):
			return insertLine(src, m.Key.Line, entries(m.Key.Column+1)), nil
		case !ok || len(list) == 0 || yaml.IsFlow(yaml.Content(m.Value)):
			return nil, errors.New("accept is not a list over several lines, so nothing can be added")
		default:
			return insertLine(src, m.Key.Line, entries(m.Value.Column-1)), nil
		}
	}
	indent := members[0].Key.Column - 1
	return insertLine(src, members[0].Key.Line-1, strings.Repeat(" ", indent)+"accept:\n"+entries(indent+2)), nil
}

// memberOf returns a member of the mapping that a text is, or nil.
func memberOf(src []byte, name string) (*yaml.Member, error) {
	docs, err := yaml.Parse(src)
	if err != nil || len(docs) == 0 {
		return nil, err
	}
	members, _ := yaml.Members(docs[0])
	for _, m := range members {
		if m.Name == name {
			return &m, nil
		}
	}
	return nil, nil
}

// insertLine returns a text with lines after its first n lines.
func insertLine(src []byte, n int, lines string) []byte {
	at := 0
	for range n {
		at += bytes.IndexByte(src[at:], '\n') + 1
	}
	return append(append(bytes.Clone(src[:at]), lines...), src[at:]...)
}

// readPolicy reads the policy in the text of an mcpgen.yaml.
func readPolicy(name string, src []byte) (*diff.Policy, error) {
	return diff.ParseConfig(name, src, func(*config.File) map[string]config.Reader {
		return map[string]config.Reader{"generate": func(*yaml.Node) {}} // what mcpgen generate reads
	})
}
