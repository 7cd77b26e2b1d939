package render_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/gen/compat"
	"github.com/mcpgen/mcpgen/gen/compat/render"
)

// output has a finding in which nothing is to be trusted.
func output() render.Output {
	evil := "x\n::error::owned\x1b[2J|<b>`y`"
	f := &compat.Finding{
		Rule: "tool-removed", Category: compat.CategoryTools, Level: compat.LevelErr, Effect: compat.EffectNarrows, Direction: compat.ToServer,
		Verdicts: compat.Verdicts{ReceiverFirst: compat.LevelErr, SenderFirst: compat.LevelOK},
		Subject:  evil, Message: evil, Uses: []string{evil}, Fingerprint: "0123456789ab",
		Witnesses:   []compat.Witness{{Breaks: compat.ReceiverFirst, Of: evil, Value: json.RawMessage(`{"a":"\n"}`), AcceptedBy: evil, RefusedBy: evil}},
		ServerFirst: compat.Outcome{Level: compat.LevelErr, Says: evil}, ClientFirst: compat.Outcome{Level: compat.LevelErr, Says: evil + "2"},
		OldPosition: &compat.Position{Line: 1, Column: 2}, NewPosition: &compat.Position{Line: 3, Column: 4}, Unproven: evil,
	}
	return render.Output{Reports: []*compat.Report{{Old: evil, New: evil, Kind: "tools", Upgrade: compat.UpgradeServer, Suggested: compat.Major, Findings: []*compat.Finding{f},
		Warnings: []string{evil}, Problems: []string{evil}, Skipped: []compat.Skipped{{Where: compat.Place{Path: evil, Pointer: evil}, Why: evil}}}}}
}

// TestUntrusted holds that no name writes a line of its own, or markup.
func TestUntrusted(t *testing.T) {
	for _, format := range render.Formats() {
		var b bytes.Buffer
		if err := render.Write(&b, format, output(), render.Options{Old: "a,b:c\n.json", New: "a,b:c\n.json"}); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		if strings.Contains(text, "\n::error::owned") || strings.Contains(text, "\x1b") {
			t.Errorf("%s: a name writes a line of its own:\n%s", format, text)
		}
		switch format {
		case render.JSON, render.SARIF:
			if !json.Valid(b.Bytes()) {
				t.Errorf("%s is not JSON:\n%s", format, text)
			}
		case render.Markdown:
			for _, line := range strings.Split(text, "\n") {
				if cells := strings.Count(line, "|") - strings.Count(line, "\\|"); strings.HasPrefix(line, "| `") && cells != 6 {
					t.Errorf("%d bars in %s", cells, line)
				}
			}
		}
		if format != render.JSON && format != render.SARIF && !strings.Contains(text, "0 tools compared") {
			t.Errorf("%s has no summary:\n%s", format, text)
		}
	}
}

// TestNothingFound holds that a clean result is said.
func TestNothingFound(t *testing.T) {
	for _, format := range []render.Format{render.Text, render.Markdown, render.GitHub} {
		var b bytes.Buffer
		out := render.Output{Reports: []*compat.Report{{Old: "a", New: "b", Kind: "revisions"}}}
		if err := render.Write(&b, format, out, render.Options{}); err != nil || !strings.Contains(b.String(), "a -> b: 0 methods compared") {
			t.Errorf("%s: %v: %q", format, err, b.String())
		}
	}
}

func TestRules(t *testing.T) {
	for _, format := range []render.Format{render.Text, render.Markdown, render.JSON} {
		var b bytes.Buffer
		if err := render.Rules(&b, format); err != nil {
			t.Fatal(err)
		}
		for _, r := range compat.Rules() {
			if !strings.Contains(b.String(), r.ID) {
				t.Errorf("%s: no rule %s", format, r.ID)
			}
		}
	}
	if err := render.Rules(&bytes.Buffer{}, render.SARIF); err == nil {
		t.Error("rules are written as SARIF")
	}
}
