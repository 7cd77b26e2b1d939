package diff_test

import (
	"slices"
	"testing"

	"github.com/mcpgen/mcpgen/gen/diff"
)

// TestUsesThatBreak checks that a finding has the verdicts of all of its uses. Another message of the union accepts
// what the requests refuse, so only the requests break if the receiver is upgraded first.
func TestUsesThatBreak(t *testing.T) {
	old, new := pinned(t, "2025-06-18"), edited(t, "2025-06-18", func(definitions map[string]any) {
		request := definitions["JSONRPCRequest"].(map[string]any)
		request["properties"].(map[string]any)["jsonrpc"] = map[string]any{"type": "string", "const": "another"}
	})
	for _, sides := range [][2]diff.Revision{{old, new}, {new, old}} {
		report, err := diff.Revisions(sides[0], sides[1])
		if err != nil || len(report.Problems) > 0 {
			t.Fatal(err, report.Problems)
		}
		i := slices.IndexFunc(report.Findings, func(f *diff.Finding) bool { return f.Rule == "const-changed" && slices.Contains(f.Uses, "ping") })
		if i < 0 {
			t.Fatalf("no finding about ping: %s", told(report))
		}
		f := report.Findings[i]
		if want := (diff.Verdicts{ReceiverFirst: diff.LevelErr, SenderFirst: diff.LevelErr}); f.Verdicts != want || f.Effect != diff.EffectIncomparable || len(f.Witnesses) != 2 || f.Unproven != "" {
			t.Errorf("%s: %s, %d witnesses, %s; %v", told(report), f.Effect, len(f.Witnesses), f.Unproven, f.Uses)
		}
	}
}
