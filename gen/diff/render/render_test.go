package render_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/gen/diff"
	"github.com/mcpgen/mcpgen/gen/diff/render"
)

// output has a finding in which nothing is to be trusted.
func output() render.Output {
	evil := "x\n::error::owned\x1b[2J|<b>`y`\u202e\u009b"
	f := &diff.Finding{
		Rule: "tool-removed", Category: diff.CategoryTools, Level: diff.LevelErr, Effect: diff.EffectNarrows, Direction: diff.ToServer,
		Verdicts: diff.Verdicts{ReceiverFirst: diff.LevelErr, SenderFirst: diff.LevelOK},
		Subject:  evil, Message: evil, Uses: []string{evil}, Fingerprint: "0123456789ab",
		Witnesses:   []diff.Witness{{Breaks: diff.ReceiverFirst, Of: evil, Value: json.RawMessage("{\"a\":\"\\n\u009b\"}"), AcceptedBy: evil, RefusedBy: evil}},
		ServerFirst: diff.Outcome{Level: diff.LevelErr, Says: evil}, ClientFirst: diff.Outcome{Level: diff.LevelErr, Says: evil + "2"},
		OldPosition: &diff.Position{Line: 1, Column: 2}, NewPosition: &diff.Position{Line: 3, Column: 4}, Unproven: evil,
	}
	return render.Output{Reports: []*diff.Report{{Old: evil, New: evil, Kind: "tools", Upgrade: diff.UpgradeServer, Suggested: diff.Major, Findings: []*diff.Finding{f},
		Warnings: []string{evil}, Problems: []string{evil}, Skipped: []diff.Skipped{{Where: diff.Place{Path: evil, Pointer: evil}, Why: evil}}}}}
}

// TestUntrusted checks that no name writes a line of its own, or markup.
func TestUntrusted(t *testing.T) {
	for _, format := range render.Formats() {
		var b bytes.Buffer
		if err := render.Write(&b, format, output(), render.Options{Files: []render.Files{{Old: "a,b:c\n.json", New: "a,b:c\n.json"}}}); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		if strings.Contains(text, "\n::error::owned") || strings.Contains(text, "\x1b") {
			t.Errorf("%s: a name writes a line of its own:\n%s", format, text)
		}
		if format != render.JSON && format != render.SARIF && strings.ContainsAny(text, "\u202e\u009b") {
			t.Errorf("%s: a name has hidden characters: %q", format, text)
		}
		switch format {
		case render.JUnit:
			if err := xml.Unmarshal(b.Bytes(), new(struct{})); err != nil {
				t.Errorf("%s: %v:\n%s", format, err, text)
			}
		case render.JSON, render.SARIF, render.GitLab:
			if !json.Valid(b.Bytes()) {
				t.Errorf("%s is not JSON:\n%s", format, text)
			}
		case render.Markdown:
			for _, line := range strings.Split(text, "\n") {
				if cells := strings.Count(line, "|") - strings.Count(line, "\\|"); strings.HasPrefix(line, "| Breaks") && cells != 7 {
					t.Errorf("%d bars in %s", cells, line)
				}
			}
		}
		if format != render.JSON && format != render.SARIF && format != render.GitLab && !strings.Contains(text, "0 tools compared") {
			t.Errorf("%s has no summary:\n%s", format, text)
		}
	}
}

// TestNothingFound checks that a report without findings says so.
func TestNothingFound(t *testing.T) {
	for _, format := range []render.Format{render.Text, render.Markdown, render.GitHub} {
		var b bytes.Buffer
		out := render.Output{Reports: []*diff.Report{{Old: "a", New: "b", Kind: "revisions"}}}
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
		for _, r := range diff.Rules() {
			if !strings.Contains(b.String(), r.ID) {
				t.Errorf("%s: no rule %s", format, r.ID)
			}
		}
	}
	if err := render.Rules(&bytes.Buffer{}, render.SARIF); err == nil {
		t.Error("rules are written as SARIF")
	}
}

// TestGroups checks that the findings of a tool stand together, that of a tool with many only the
// first are shown, and that other programs get all of them.
func TestGroups(t *testing.T) {
	r := &diff.Report{Old: "a", New: "b", Kind: "tools", Upgrade: diff.UpgradeServer}
	for _, name := range []string{"wave", "greet", "wave", "wave"} {
		r.Findings = append(r.Findings, &diff.Finding{
			Rule: "member-removed", Level: diff.LevelErr, Tool: name, Subject: name + ".input", Message: fmt.Sprintf("member `a%d` removed", len(r.Findings)), Fails: true, Fingerprint: fmt.Sprint(len(r.Findings)),
		})
	}
	r.Findings[3].Accepted = &diff.Acceptance{Reason: "nobody uses it"}
	for format, want := range map[render.Format]string{
		render.Text:     `(?s)wave.*a0.*wave.*a2.*1 more finding about wave; --most 0 shows all.*greet`,
		render.Markdown: "(?s)### `wave`: 2 err\n.*member `a0` removed.*member `a2` removed.*1 more finding about wave.*### `greet`: 1 err\n",
		render.GitHub:   `(?s)a0.*a2.*a1.*1 more finding; --most 0 shows all`,
		render.JUnit:    `(?s)tests="4" failures="3" skipped="1".*classname="wave" name="wave\.input: member .a0. removed \(0\) \[member-removed\]" file="b\.json">\s*<failure.*<skipped message="accepted: nobody uses it">`,
		render.GitLab:   `(?s)a0.*"check_name": "member-removed".*"severity": "major".*"path": "b\.json".*a1.*a2`,
	} {
		var b bytes.Buffer
		if err := render.Write(&b, format, render.Output{Reports: []*diff.Report{r}}, render.Options{Most: 2, Files: []render.Files{{New: "b.json"}}}); err != nil {
			t.Fatal(err)
		}
		if !regexp.MustCompile(want).MatchString(b.String()) {
			t.Errorf("%s: no %s in\n%s", format, want, b.String())
		}
	}
}

// TestUnproven checks that every format shows a finding without an example, what was
// left out and what mcpgen found wrong with itself, and asks for a report of that.
func TestUnproven(t *testing.T) {
	f := &diff.Finding{
		Rule: "tool-removed", Level: diff.LevelErr, Subject: "greet", Message: "tool removed", Direction: diff.ToServer,
		ServerFirst: diff.Outcome{Level: diff.LevelErr, Says: "An old client may call this tool."}, ClientFirst: diff.Outcome{Level: diff.LevelOK},
		Unproven: "the pattern of a sibling cannot be sampled",
	}
	r := &diff.Report{
		Old: "a", New: "b", Kind: "tools", Upgrade: diff.UpgradeServer, Suggested: diff.Major, Findings: []*diff.Finding{f},
		Skipped:  []diff.Skipped{{Where: diff.Place{Path: "wave", Pointer: "/tools/1"}, Why: "the input schema is no object"}},
		Problems: []string{"the counts of greet do not add up"},
	}
	for _, format := range render.Formats() {
		var b bytes.Buffer
		if err := render.Write(&b, format, render.Output{Reports: []*diff.Report{r}}, render.Options{}); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		wants := []string{f.Unproven, r.Skipped[0].Why, "/tools/1", r.Problems[0], "An old client may call this tool."}
		if format != render.JSON {
			wants = append(wants, "err, no example found: "+f.Unproven, "Please report it", "server first: err (client first: ok)")
		}
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", format, want, text)
			}
		}
		if format == render.Text && !strings.HasSuffix(text, "problem: the counts of greet do not add up\n"+render.Bug+"\n") {
			t.Errorf("the problems are not at the end:\n%s", text)
		}
	}
}

// TestFailsByTheOtherOrder checks that a finding which fails by the order of upgrades
// that does not count is shown in full.
func TestFailsByTheOtherOrder(t *testing.T) {
	f := &diff.Finding{
		Rule: "member-added", Level: diff.LevelInfo, Subject: "greet.input.a", Direction: diff.ToServer, Fails: true,
		ServerFirst: diff.Outcome{Level: diff.LevelOK}, ClientFirst: diff.Outcome{Level: diff.LevelErr, Says: "A new client may send `a`."},
		Witnesses: []diff.Witness{{Breaks: diff.SenderFirst, Value: json.RawMessage(`{"a":1}`)}},
	}
	r := &diff.Report{Kind: "tools", Upgrade: diff.UpgradeServer, Findings: []*diff.Finding{f}}
	for format, want := range map[render.Format]string{
		render.Text: "example, which", render.GitHub: "::error ", render.SARIF: `"level": "error"`, render.Markdown: "refuses `{\"a\":1}`",
	} {
		var b bytes.Buffer
		if err := render.Write(&b, format, render.Output{Reports: []*diff.Report{r}}, render.Options{}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s: no %q in\n%s", format, want, b.String())
		}
	}
}
