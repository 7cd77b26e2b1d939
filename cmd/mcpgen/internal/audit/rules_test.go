package audit_test

import (
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/audit"
	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/recording"
)

// violation is a session that breaks a rule. Lines have the form of [said]: "c {...}" for the
// client and "s {...}" for the server. "r {...}" is a line of a recording.
type violation struct {
	rule     audit.Rule
	name     string
	revision string // 2025-11-25 by default
	client   string // all capabilities by default
	server   string
	bare     bool // leaves out the handshake
	lines    []string
	also     []audit.Rule // the broken rule
	from     audit.Side   // the side to blame, or ""
}

const (
	allOfClient = `{"roots":{"listChanged":true},"sampling":{"tools":{},"context":{}},"elicitation":{"form":{},"url":{}},"tasks":{"list":{},"cancel":{},"requests":{"sampling":{"createMessage":{}},"elicitation":{"create":{}}}}}`
	allOfServer = `{"tools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"prompts":{"listChanged":true},"logging":{},"completions":{},"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}}`
)

// judged returns the findings of a recording's lines.
func judged(t *testing.T, opts audit.Options, lines []string) []audit.Finding {
	t.Helper()
	var text strings.Builder
	for _, line := range lines {
		who, rest, _ := strings.Cut(line, " ")
		rest = strings.ReplaceAll(rest, `{"@`, `{"jsonrpc":"2.0","`)
		if who == "r" {
			text.WriteString(rest + "\n")
			continue
		}
		direction := map[string]string{"c": "client->server", "s": "server->client"}[who]
		quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(rest)
		text.WriteString(`{"kind":"message","direction":"` + direction + `","transport":"stdio","message":"` + quoted + `"}` + "\n")
	}
	return judgedText(t, opts, text.String())
}

func judgedText(t *testing.T, opts audit.Options, text string) []audit.Finding {
	t.Helper()
	r, err := recording.NewReader(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	judge := audit.NewRecording(opts)
	var all []audit.Finding
	for {
		e, err := r.Next()
		if err != nil {
			return append(all, judge.Close()...)
		}
		all = append(all, judge.Entry(e)...)
	}
}

func (v violation) session() []string {
	or := func(s, other string) string {
		if s == "" {
			return other
		}
		return s
	}
	if v.bare {
		return v.lines
	}
	return append(opening(or(v.revision, "2025-11-25"), or(v.client, allOfClient), or(v.server, allOfServer)), v.lines...)
}

// TestEveryRule checks that each rule is broken by its own session, which breaks no other rule.
func TestEveryRule(t *testing.T) {
	t.Parallel()
	shown := map[audit.Rule]bool{"roundtrip": true, "undeclared": true} // rules that options enable have their own tests
	levels := map[audit.Rule]audit.Level{}
	for _, r := range audit.Rules() {
		levels[r.ID] = r.Level
	}
	for _, v := range violations() {
		t.Run(string(v.rule)+"/"+v.name, func(t *testing.T) {
			shown[v.rule] = true
			found := false
			allowed := map[audit.Rule]bool{v.rule: true}
			for _, rule := range v.also {
				allowed[rule] = true
			}
			for _, f := range judged(t, audit.Options{}, v.session()) {
				if f.Rule == v.rule && (v.from == "" || f.From == v.from) {
					found = true
					if f.Level != levels[v.rule] {
						t.Errorf("level %s, want %s", f.Level, levels[v.rule])
					}
				}
				if !allowed[f.Rule] {
					t.Errorf("also found %s %s at %s line %d: %s", f.Level, f.Rule, f.Pointer, f.Place, f.Problem)
				}
			}
			if !found {
				t.Error("not found")
			}
		})
	}
	for _, r := range audit.Rules() {
		if !shown[r.ID] && r.Level != audit.Note {
			t.Errorf("no session breaks the rule the rule %s", r.ID)
		}
	}
}

// TestRuleTable checks that rule ids are unique and that each rule cites the specification.
func TestRuleTable(t *testing.T) {
	seen := map[audit.Rule]bool{}
	for _, r := range audit.Rules() {
		if seen[r.ID] || r.Text == "" || r.Level != audit.Note && r.Section == "" && r.ID != "roundtrip" {
			t.Errorf("%+v", r)
		}
		seen[r.ID] = true
	}
}

// TestWithoutSides expects the same findings in messages without senders, except those that
// depend on the sender.
func TestWithoutSides(t *testing.T) {
	t.Parallel()

	sided := map[audit.Rule]bool{"method-side": true, "stdout-text": true, "stdin-text": true, "id-reused": true, "cancel-not-listen": true}
	for _, v := range violations() {
		if sided[v.rule] || v.name == "of the other side" {
			continue
		}
		lines := v.session()
		for i, line := range lines {
			if line[0] != 'r' {
				lines[i] = "r" + line[1:]
			}
		}
		found := false
		allowed := map[audit.Rule]bool{v.rule: true}
		for _, rule := range v.also {
			allowed[rule] = true
		}
		for _, f := range judged(t, audit.Options{}, lines) {
			found = found || f.Rule == v.rule
			if !allowed[f.Rule] {
				t.Errorf("%s/%s: also %s %s: %s\n%s", v.rule, v.name, f.Level, f.Rule, f.Problem, strings.Join(lines[min(3, len(lines)):], "\n"))
			}
		}
		if !found {
			t.Errorf("%s/%s not found", v.rule, v.name)
		}
	}
}
