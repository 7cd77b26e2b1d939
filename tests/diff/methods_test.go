package diff

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/gen/diff"
	"github.com/mcpgen/mcpgen/tests/internal/pinned"
)

// revised is a pinned revision with its schema changed by hand.
func revised(t *testing.T, revision string, edit func(defs map[string]any)) *schemaSide {
	t.Helper()
	tree := decoded(t, revision)
	defs, ok := tree["$defs"].(map[string]any)
	if !ok {
		defs = tree["definitions"].(map[string]any)
	}
	edit(defs)
	s, err := newSchemaSide(pinned.Spec(t), revision, tree)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func ref(name string) any { return map[string]any{"$ref": "#/$defs/" + name} }

// variants edits a union by the names of its variants.
func variants(defs map[string]any, union string, edit func(names []string) []string) {
	var list []any
	for _, name := range edit(refs(defs[union])) {
		list = append(list, ref(name))
	}
	defs[union] = map[string]any{"anyOf": list}
}

func without(name string) func([]string) []string {
	return func(names []string) []string {
		return slices.DeleteFunc(names, func(n string) bool { return n == name })
	}
}

// TestMethodRules changes which messages there are.
func TestMethodRules(t *testing.T) {
	const newest = "2025-11-25"
	base := revised(t, newest, func(map[string]any) {})
	told := map[string]bool{}
	for _, test := range []struct {
		name string
		edit func(defs map[string]any)
		want string // rule, subject, guard, the verdicts for receiver and sender first
	}{
		{"a request gone", func(d map[string]any) { variants(d, "ClientRequest", without("PingRequest")) },
			"method-direction-removed ping  err ok"},
		{"a direction more", func(d map[string]any) {
			variants(d, "ServerRequest", func(names []string) []string { return append(names, "SetLevelRequest") })
		}, "method-direction-added logging/setLevel  ok err"},
		{"a request without a capability", func(d map[string]any) {
			variants(d, "ClientRequest", without("InitializeRequest"))
		}, "method-removed initialize  err ok"},
		{"a request with a capability", func(d map[string]any) { variants(d, "ClientRequest", without("CallToolRequest")) },
			"method-removed tools/call  err ok"},
		{"a request with its capability", func(d map[string]any) {
			variants(d, "ClientRequest", without("CompleteRequest"))
			delete(d["ServerCapabilities"].(map[string]any)["properties"].(map[string]any), "completions")
		}, "method-removed completion/complete capability-gated warn ok\nmember-removed ServerCapabilities.completions open-object info ok"},
		{"a notification", func(d map[string]any) {
			variants(d, "ServerNotification", without("ElicitationCompleteNotification"))
		}, "method-removed notifications/elicitation/complete no-answer warn ok"},
		{"an error code", func(d map[string]any) { delete(d, "URLElicitationRequiredError") },
			"error-code-removed URLElicitationRequiredError  info info"},
		{"a constant of the envelope", func(d map[string]any) {
			d["JSONRPCNotification"].(map[string]any)["properties"].(map[string]any)["jsonrpc"] = map[string]any{"type": "string"}
		}, "enum-opened JSONRPCNotification.jsonrpc  ok err"},
		{"a shared definition, told of once", func(d map[string]any) { d["RequestId"] = map[string]any{"type": "string"} },
			"type-removed RequestId  err ok"},
	} {
		t.Run(test.name, func(t *testing.T) {
			changed := revised(t, newest, test.edit)
			report, err := diff.Revisions(base.side(), changed.side())
			if err != nil {
				t.Fatal(err)
			}
			var lines []string
			for _, f := range report.Findings {
				told[f.Rule] = true
				lines = append(lines, strings.Join([]string{f.Rule, f.Subject, f.Guard, string(f.Verdicts.ReceiverFirst), string(f.Verdicts.SenderFirst)}, " "))
			}
			if got := strings.Join(lines, "\n"); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
			back, err := diff.Revisions(changed.side(), base.side())
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range back.Findings {
				told[f.Rule] = true
			}
			compareMirror(t, mirrors(), report, back)
		})
	}
	for _, f := range revisions(t, "2024-11-05", "2025-03-26").Findings {
		told[f.Rule] = true
	}
	for _, r := range diff.Rules() {
		if r.Category == diff.CategoryMethods && !told[r.ID] {
			t.Errorf("no case has a finding of %s", r.ID)
		}
	}
}

// liar accepts everything.
type liar struct{}

func (liar) Accepts(string, []byte) (bool, error) { return true, nil }

// broken cannot judge.
type broken struct{}

var errBroken = errors.New("broken")

func (broken) Accepts(string, []byte) (bool, error) { return false, errBroken }

// TestUnconfirmed checks that findings are undecided if a judge contradicts their examples or fails,
// and that the report tells of the problem.
func TestUnconfirmed(t *testing.T) {
	want := revisions(t, "2024-11-05", "2025-03-26")
	for _, test := range []struct {
		judge diff.Judge
		want  string
	}{{liar{}, "accepts an example"}, {broken{}, "broken"}} {
		old, new := side(t, "2024-11-05"), side(t, "2025-03-26")
		old.Judge = test.judge
		report, err := diff.Revisions(old, new)
		if err != nil {
			t.Fatal(err)
		}
		got := report.Summary
		got.Err, got.Undecided = got.Err+got.Undecided, 0
		if got != want.Summary || report.Summary.Undecided == 0 {
			t.Errorf("%+v, want those of %+v, and undecided ones", report.Summary, want.Summary)
		}
		if all := strings.Join(report.Problems, "\n"); !strings.Contains(all, test.want) {
			t.Errorf("problems %q, want one with %q", all, test.want)
		}
		unproven := 0
		for _, f := range report.Findings {
			if f.Level.AtLeast(diff.LevelUndecided) && f.Unproven != "" {
				unproven++
			}
		}
		if unproven == 0 {
			t.Error("no finding says that it has no example")
		}
	}
}
