package diff

import (
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/gen/diff"
)

// said returns the findings of a report as "level rule subject guard".
func said(r *diff.Report) []string {
	var list []string
	for _, f := range r.Findings {
		list = append(list, strings.TrimSpace(strings.Join([]string{string(f.Level), f.Rule, f.Subject, f.Guard}, " ")))
	}
	return list
}

// TestPayloads compares what the sides say in different messages: requests of a server that became requests
// within results, and the handshake, whose parts each request has in its _meta.
func TestPayloads(t *testing.T) {
	const older, newer = "2025-11-25", "2026-07-28"
	object := func(d map[string]any, name string) map[string]any { return d[name].(map[string]any) }
	properties := func(d map[string]any, name string) map[string]any {
		return object(d, name)["properties"].(map[string]any)
	}
	for _, test := range []struct {
		name string
		edit func(defs map[string]any) // of the newer revision
		want []string
	}{
		{"as pinned", nil, []string{
			"info member-added ClientCapabilities.extensions open-object",
			"info member-removed ClientCapabilities.tasks open-object",
			"info member-removed ClientCapabilitiesRoots.listChanged open-object",
			"info member-added ServerCapabilities.extensions open-object",
			"info member-removed ServerCapabilities.tasks open-object",
			"err required-member-removed ElicitRequestURLParams.elicitationId",
			"info member-removed ElicitRequestURLParams.task open-object",
			"info member-removed ElicitRequestURLParams._meta open-object",
			"info member-removed ElicitRequestFormParams.task open-object",
			"info member-removed CreateMessageRequestParams.task open-object",
			"info member-removed CreateMessageRequestParams._meta open-object",
			"info member-became-optional InitializeRequestParams.clientInfo elsewhere",
			"info member-became-optional InitializeResult.serverInfo elsewhere",
			"info required-member-added ListToolsResult.resultType implied",
		}},
		{"another type of a capability", func(d map[string]any) {
			properties(d, "ServerCapabilities")["tools"] = map[string]any{"type": "boolean"}
		}, []string{"err type-changed ServerCapabilities.tools"}},
		{"required params of a request within a result", func(d map[string]any) {
			object(d, "ListRootsRequest")["required"] = []any{"method", "params"}
		}, []string{"err member-became-required ListRootsRequest.params"}},
		{"another result of a request within a result", func(d map[string]any) {
			object(d, "Root")["required"] = []any{"name", "uri"}
		}, []string{"err member-became-required Root.name"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			old, new := side(t, older), side(t, newer)
			if test.edit != nil {
				new = revised(t, newer, test.edit).side()
			}
			report, err := diff.Revisions(old, new)
			if err != nil {
				t.Fatal(err)
			}
			if len(report.Problems) > 0 {
				t.Errorf("%q", report.Problems)
			}
			got := said(report)
			for _, want := range test.want {
				if !slices.Contains(got, want) {
					t.Errorf("no %q in\n%s", want, strings.Join(got, "\n"))
				}
			}
			for _, f := range report.Findings {
				if f.Level == diff.LevelErr && len(f.Witnesses) == 0 && !strings.HasPrefix(f.Rule, "method-") {
					t.Errorf("%s %s has no example", f.Rule, f.Subject)
				}
			}
			back, err := diff.Revisions(new, old)
			if err != nil {
				t.Fatal(err)
			}
			compareMirror(t, mirrors(), report, back)
		})
	}
}

// TestNegotiation checks what becomes of peers of two revisions, by what their schemas say.
func TestNegotiation(t *testing.T) {
	const stateless = "2026-07-28"
	eachPair(t, func(t *testing.T, old, new string) {
		r := revisions(t, old, new)
		switch n := r.Negotiation; {
		case old == new:
			if n != nil || r.Negotiate() != "" {
				t.Errorf("a revision negotiates with itself: %+v", n)
			}
		case old == stateless || new == stateless:
			if n.By != diff.ByNone || !strings.Contains(r.Negotiate(), "fail as a whole") {
				t.Errorf("%+v: %s", n, r.Negotiate())
			}
		case n.By != diff.ByHandshake:
			t.Errorf("%+v", n)
		}
	})
	edited := func(edit func(defs map[string]any)) diff.Revision {
		s := revised(t, stateless, edit).side()
		s.IR.ID = "2027-01-01"
		return s
	}
	later := edited(func(map[string]any) {})
	report, err := diff.Revisions(side(t, stateless), later)
	if err != nil || report.Negotiation == nil || report.Negotiation.By != diff.ByRequest {
		t.Errorf("two revisions without sessions: %+v, %v", report.Negotiation, err)
	}
	silent := edited(func(d map[string]any) {
		meta := d["RequestMetaObject"].(map[string]any)
		delete(meta["properties"].(map[string]any), "io.modelcontextprotocol/protocolVersion")
		meta["required"] = []any{"io.modelcontextprotocol/clientCapabilities"}
	})
	report, err = diff.Revisions(side(t, stateless), silent)
	if err != nil || report.Negotiation != nil {
		t.Errorf("a revision that does not say how: %+v, %v", report.Negotiation, err)
	}
}

// TestPayloadsAsWritten checks that members which only the generator adds to a request are not compared with
// those of the input request.
func TestPayloadsAsWritten(t *testing.T) {
	for _, f := range revisions(t, "2025-06-18", "2026-07-28").Findings {
		if f.Subject == "CreateMessageRequestParams._meta" || f.Subject == "ElicitRequestFormParams._meta" {
			t.Errorf("%s at %s: %s", f.Rule, f.Subject, f.Message)
		}
	}
}
