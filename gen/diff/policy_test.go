package diff_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/gen/diff"
)

// day is the day on which the tests apply policies.
var day = time.Date(2026, 1, 31, 23, 0, 0, 0, time.UTC)

func compared(t *testing.T, old, new string) *diff.Report {
	t.Helper()
	report, err := diff.Tools(toolSide(t, "old.json", old), toolSide(t, "new.json", new))
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// TestUpgrade checks that the level is that of the order of upgrades: with the
// server first, arguments are judged with a new receiver and results with a new
// sender.
func TestUpgrade(t *testing.T) {
	const closed = `{"type":"object","additionalProperties":false}`
	const more = `{"type":"object","additionalProperties":false,"properties":{"a":{}}}`
	for _, test := range []struct {
		name, old, new                 string
		kind, server, client, either   diff.Level
		saysServerFirst, saysClentFrst string
	}{
		{name: "an optional parameter of a closed input", old: input(closed), new: input(more),
			kind: diff.LevelInfo, server: diff.LevelInfo, client: diff.LevelErr, either: diff.LevelErr,
			saysClentFrst: "A new client may send `a`, which the old server does not know."},
		{name: "a parameter gone from a closed input", old: input(more), new: input(closed),
			kind: diff.LevelErr, server: diff.LevelErr, client: diff.LevelInfo, either: diff.LevelErr,
			saysServerFirst: "An old client may send `a`, which the new server does not know."},
		{name: "a required parameter", old: input(`{"type":"object"}`), new: input(`{"type":"object","properties":{"a":{}},"required":["a"]}`),
			kind: diff.LevelErr, server: diff.LevelErr, client: diff.LevelInfo, either: diff.LevelErr,
			saysServerFirst: "An old client does not send `a`, which the new server requires."},
		{name: "a member of a closed output", old: output(closed), new: output(more),
			kind: diff.LevelErr, server: diff.LevelErr, client: diff.LevelInfo, either: diff.LevelErr,
			saysServerFirst: "The new server may send `a`, which an old client does not know."},
		{name: "a member gone from a closed output", old: output(more), new: output(closed),
			kind: diff.LevelInfo, server: diff.LevelInfo, client: diff.LevelErr, either: diff.LevelErr,
			saysClentFrst: "The old server may send `a`, which a new client does not know."},
		{name: "another type", old: tool(`{"type":"string"}`), new: tool(`{"type":"integer"}`),
			kind: diff.LevelErr, server: diff.LevelErr, client: diff.LevelErr, either: diff.LevelErr,
			saysServerFirst: "An old client sends `string`, and the new server expects `integer`.",
			saysClentFrst:   "A new client sends `integer`, and the old server expects `string`."},
		{name: "a description", old: with(`,"description":"x"`), new: with(`,"description":"y"`),
			kind: diff.LevelWarn, server: diff.LevelWarn, client: diff.LevelWarn, either: diff.LevelWarn,
			saysServerFirst: "A model reads a different instruction and may act differently.",
			saysClentFrst:   "A model reads a different instruction and may act differently."},
		{name: "a tool gone", old: with(``), new: `[]`,
			kind: diff.LevelErr, server: diff.LevelErr, client: diff.LevelInfo, either: diff.LevelErr,
			saysServerFirst: "An old client may call this tool, which the new server does not have."},
		{name: "a new tool", old: `[]`, new: with(``),
			kind: diff.LevelInfo, server: diff.LevelInfo, client: diff.LevelInfo, either: diff.LevelInfo},
	} {
		for _, order := range []struct {
			diff.Upgrade
			want diff.Level
		}{{"", test.kind}, {diff.UpgradeServer, test.server}, {diff.UpgradeClient, test.client}, {diff.UpgradeEither, test.either}} {
			r := compared(t, test.old, test.new)
			policy := diff.Policy{Upgrade: order.Upgrade}
			policy.Apply([]*diff.Report{r}, day)
			if len(r.Findings) != 1 {
				t.Fatalf("%s: %d findings", test.name, len(r.Findings))
			}
			f := r.Findings[0]
			if f.Level != order.want || r.Failed() != (order.want == diff.LevelErr) {
				t.Errorf("%s, upgrade %q: %s, want %s", test.name, order.Upgrade, f.Level, order.want)
			}
			if f.ServerFirst.Says != test.saysServerFirst || f.ClientFirst.Says != test.saysClentFrst {
				t.Errorf("%s says\n%s\n%s", test.name, f.ServerFirst.Says, f.ClientFirst.Says)
			}
			for _, w := range f.Proof(diff.UpgradeServer) {
				if accepted := w.AcceptedBy == "old.json"; accepted != (f.Direction == diff.ToServer) {
					t.Errorf("%s, server first: %+v", test.name, w)
				}
			}
			if f.Tool != "t" {
				t.Errorf("%s is about the tool %q", test.name, f.Tool)
			}
		}
	}
}

// TestSuggested checks the rule of the suggested version.
func TestSuggested(t *testing.T) {
	for _, test := range []struct {
		old, new string
		upgrade  diff.Upgrade
		want     diff.Version
	}{
		{with(``), with(``), "", diff.VersionNone},
		{with(`,"description":"x"`), with(`,"description":"y"`), "", diff.Patch},
		{with(`,"title":"x"`), with(``), "", diff.Patch},
		{`[]`, with(``), "", diff.Minor},
		{tool(`{"default":1}`), tool(`{"default":2}`), "", diff.Minor},
		{with(``), with(`,"annotations":{"readOnlyHint":true},"description":"x"`), "", diff.Minor},
		{with(``), `[]`, "", diff.Major},
		{tool(`{"enum":[1]}`), tool(`{"enum":[1,2]}`), "", diff.Minor},
		{tool(`{"enum":[1]}`), tool(`{"enum":[1,2]}`), diff.UpgradeEither, diff.Major},
	} {
		r := compared(t, test.old, test.new)
		policy := diff.Policy{Upgrade: test.upgrade}
		policy.Apply([]*diff.Report{r}, day)
		if r.Suggested != test.want {
			t.Errorf("%s -> %s, %q: %s, want %s", test.old, test.new, test.upgrade, r.Suggested, test.want)
		}
	}
}

// TestPolicy applies what an mcpgen.yaml says to a comparison of two tools: "a"
// loses a member of its input, gets another description and another title; "b.c"
// is gone.
func TestPolicy(t *testing.T) {
	const old = `[{"name":"a","title":"x","description":"x","inputSchema":{"type":"object","properties":{"m":{"type":"object","required":["n"]}}}},
		{"name":"b.c","inputSchema":{"type":"object"}}]`
	const new = `[{"name":"a","title":"y","description":"y","inputSchema":{"type":"object","properties":{"m":{"type":"object","required":["n","o"]}}}}]`
	const all = "err required-member-added, err tool-removed, warn tool-description-changed, info tool-title-changed"
	for _, test := range []struct{ yaml, want, warning string }{
		{yaml: "", want: all},
		{yaml: "compat: {severity: {tool-title-changed: err, tool-removed: info}}",
			want: "err tool-title-changed, err required-member-added, warn tool-description-changed, info tool-removed"},
		{yaml: "compat: {ignore: [{rule: tool-*}]}", want: "err required-member-added"},
		{yaml: "compat: {ignore: [{tool: b*}]}", want: "err required-member-added, warn tool-description-changed, info tool-title-changed"},
		{yaml: "compat: {ignore: [{tool: b}, {path: inp}, {rule: tool-title-changed, tool: 'b.?'}]}", want: all},
		{yaml: "compat: {ignore: [{path: input.*.o}]}", want: "err tool-removed, warn tool-description-changed, info tool-title-changed"},
		{yaml: "compat: {accept: [{tool: a, reason: known}]}",
			want: "err tool-removed, accepted required-member-added, accepted tool-description-changed, accepted tool-title-changed"},
		{yaml: "compat: {accept: [{rule: required-member-added, tool: a, path: input.m.o, reason: known, until: 2026-01-31}]}",
			want: "err tool-removed, warn tool-description-changed, info tool-title-changed, accepted required-member-added"},
		{yaml: "compat: {accept: [{rule: tool-*, reason: known, until: 2026-01-30}]}", want: all,
			warning: "mcpgen.yaml:1:19: this acceptance expired on 2026-01-30: rule tool-* (3 findings)"},
		{yaml: "compat: {accept: [{rule: tool-removed, reason: known, until: 2026-01-30}]}", want: all,
			warning: "mcpgen.yaml:1:19: this acceptance expired on 2026-01-30: rule tool-removed (tool-removed at b.c)"},
		{yaml: "compat:\n  accept:\n    - tool: c\n      reason: gone\n", want: all,
			warning: "mcpgen.yaml:3:7: this acceptance matches no finding: tool c (gone)"},
	} {
		policy, err := diff.ParseConfig("mcpgen.yaml", []byte(test.yaml), nil)
		if err != nil {
			t.Errorf("%s: %v", test.yaml, err)
			continue
		}
		r := compared(t, old, new)
		policy.Apply([]*diff.Report{r}, day)
		var got []string
		counts := map[string]int{}
		for _, f := range r.Findings {
			level := string(f.Level)
			if f.Accepted != nil {
				level = "accepted"
			}
			counts[level]++
			got = append(got, level+" "+f.Rule)
		}
		if got := strings.Join(got, ", "); got != test.want {
			t.Errorf("%s\n got  %s\n want %s", test.yaml, got, test.want)
		}
		if got := strings.Join(r.Warnings, "; "); got != test.warning {
			t.Errorf("%s warns\n got  %s\n want %s", test.yaml, got, test.warning)
		}
		s := r.Summary
		if s.Err != counts["err"] || s.Warn != counts["warn"] || s.Info != counts["info"] || s.Accepted != counts["accepted"] || s.Ignored != 4-len(got) {
			t.Errorf("%s: %+v", test.yaml, s)
		}
		if fails := r.Failed(); fails != (s.Err > 0) {
			t.Errorf("%s: fails: %t", test.yaml, fails)
		}
	}
}

// TestPolicyOfSeveral checks that an acceptance is of use when one of several
// comparisons has the finding, and that one about a tool is not missed among
// revisions.
func TestPolicyOfSeveral(t *testing.T) {
	policy := diff.Policy{Accept: []diff.Acceptance{{Selector: diff.Selector{Tool: "t"}, Reason: "known"}}}
	some, none := compared(t, with(``), `[]`), compared(t, `[]`, `[]`)
	policy.Apply([]*diff.Report{some, none}, day)
	if len(some.Warnings)+len(none.Warnings) > 0 || some.Summary.Accepted != 1 {
		t.Errorf("%+v, %+v", some, none)
	}
	revisions := &diff.Report{Kind: "revisions"}
	policy.Apply([]*diff.Report{revisions}, day)
	if len(revisions.Warnings) > 0 || revisions.Upgrade != diff.UpgradeEither {
		t.Errorf("%+v", revisions)
	}
}

func TestFailOn(t *testing.T) {
	finding := func(d diff.Direction, receiver, sender diff.Level) *diff.Finding {
		return &diff.Finding{Direction: d, Verdicts: diff.Verdicts{ReceiverFirst: receiver, SenderFirst: sender}}
	}
	for _, test := range []struct {
		failOn  string
		finding *diff.Finding
		want    bool
	}{
		{"err", finding(diff.ToServer, diff.LevelErr, diff.LevelOK), true},
		{"err", finding(diff.ToServer, diff.LevelOK, diff.LevelErr), false},
		{"err", finding(diff.ToClient, diff.LevelOK, diff.LevelErr), true},
		{"err", finding(diff.ToServer, diff.LevelWarn, diff.LevelOK), false},
		{"warn", finding(diff.ToServer, diff.LevelWarn, diff.LevelOK), true},
		{"info", finding(diff.ToServer, diff.LevelOK, diff.LevelOK), true},
		{"none", finding(diff.BothWays, diff.LevelErr, diff.LevelErr), false},
		{"server=err,client=warn", finding(diff.ToServer, diff.LevelWarn, diff.LevelOK), false},
		{"server=err,client=warn", finding(diff.ToServer, diff.LevelOK, diff.LevelWarn), true},
		{"server=err,client=warn", finding(diff.ToClient, diff.LevelWarn, diff.LevelOK), true},
		{"client=err", finding(diff.ToServer, diff.LevelErr, diff.LevelOK), false},
		{"to-server=err, to-client=warn", finding(diff.ToServer, diff.LevelWarn, diff.LevelWarn), false},
		{"to-server=err, to-client=warn", finding(diff.ToClient, diff.LevelWarn, diff.LevelWarn), true},
		{"to-client=warn", finding(diff.ToServer, diff.LevelErr, diff.LevelErr), false},
		{"to-client=warn", finding(diff.BothWays, diff.LevelErr, diff.LevelErr), true},
	} {
		failOn, err := diff.ParseFailOn(test.failOn)
		if err != nil {
			t.Errorf("%s: %v", test.failOn, err)
			continue
		}
		r := &diff.Report{Kind: "tools", Findings: []*diff.Finding{test.finding}}
		policy := diff.Policy{Upgrade: diff.UpgradeServer, FailOn: failOn}
		policy.Apply([]*diff.Report{r}, day)
		if got := r.Failed(); got != test.want {
			t.Errorf("%s, %s %+v: %t", test.failOn, test.finding.Direction, test.finding.Verdicts, got)
		}
	}
	for _, text := range []string{"", "fatal", "err,none", "none,err", "ok", "both=err", "server=", "server=none", "err,"} {
		if list, err := diff.ParseFailOn(text); err == nil {
			t.Errorf("%q: %v", text, list)
		}
	}
}

func TestParseConfig(t *testing.T) {
	for _, test := range []struct{ src, want string }{
		{"", ""},
		{"# nothing\n", ""},
		{"compat:\n", ""},
		{"compat: {accept: [], ignore: , severity: }", ""},
		{"compat: {accept: [{fingerprint: a, reason: b}]}", ""},
		{"compat: {upgrade: either, fail-on: 'server=err,to-client=warn'}", ""},
		{"compat:\n  ignore: &rows\n    - tool: x\n  ignore2: 1\n", `mcpgen.yaml:4:3: compat: unknown key "ignore2" (did you mean "ignore"?)`},
		{"compta: {}\n", `mcpgen.yaml:1:1: unknown key "compta" (did you mean "compat"?)`},
		{"compat: {except: []}", `mcpgen.yaml:1:10: compat: unknown key "except" (did you mean "accept"?)`},
		{"compat: {zzzzzzzzzz: []}", `mcpgen.yaml:1:10: compat: unknown key "zzzzzzzzzz"; expected one of accept, fail-on, ignore, profile, severity, upgrade`},
		{"compat: []", `mcpgen.yaml:1:9: compat: expected a mapping, found a list`},
		{"compat: {accept: {}}", `mcpgen.yaml:1:18: accept: expected a list, found a mapping`},
		{"compat: {accept: [x]}", `mcpgen.yaml:1:19: accept: expected a mapping, found "x"`},
		{"compat: {accept: [*x]}", `mcpgen.yaml:1:19: is not YAML: unknown anchor 'x' referenced`},
		{"compat: {accept: [{fingerprint: a}]}", `mcpgen.yaml:1:19: accept: fingerprint a: expected a reason`},
		{"compat: {accept: [{reason: a}]}", "accept: expected a fingerprint, or a rule, a tool or a path"},
		{"compat: {accept: [{fingerprint: a, tool: b, reason: c}]}", "a fingerprint cannot be combined with tool b"},
		{"compat: {accept: [{fingerprint: [], reason: c}]}", "mcpgen.yaml:1:33: accept: fingerprint: expected a string, found a list"},
		{"compat:\n  accept:\n    - fingerprint: a\n      reason: b\n      until: soon\n", `mcpgen.yaml:5:14: accept: until: expected a date such as 2026-12-31, found "soon"`},
		{"compat: {accept: [{rule: tool-remove, reason: b}]}", `mcpgen.yaml:1:26: accept: unknown rule "tool-remove" (did you mean "tool-removed"?)`},
		{"compat: {ignore: [{}]}", "ignore: expected a rule, a tool or a path"},
		{"compat: {ignore: [{rul: x}]}", `ignore: unknown key "rul" (did you mean "rule"?)`},
		{"compat: {severity: {type-chnged: err}}", `severity: unknown key "type-chnged" (did you mean "type-changed"?)`},
		{"compat: {severity: {type-changed: fatal}}", `mcpgen.yaml:1:35: severity: type-changed: unknown level "fatal": expected err, warn or info`},
		{"compat: {upgrade: both}", `mcpgen.yaml:1:19: upgrade: unknown value "both": expected server, client or either`},
		{"compat: {fail-on: sometimes}", `mcpgen.yaml:1:19: fail-on: unknown level "sometimes"`},
		{"compat: {}\n---\ncompat: {}\n", "a second document"},
		{"compat: [", "mcpgen.yaml:1:9: "},
		{"compat: {}\ncompat: {}\n", "mcpgen.yaml:2:1: "},
	} {
		_, err := diff.ParseConfig("mcpgen.yaml", []byte(test.src), nil)
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%q: %v, want %q", test.src, err, test.want)
		}
	}
	policy, err := diff.ParseConfig("mcpgen.yaml", []byte("compat: {accept: [{fingerprint: 012345678901, reason: b}, {fingerprint: 1234567890e1, reason: b}]}"), nil)
	if err != nil || policy.Accept[0].Fingerprint != "012345678901" || policy.Accept[1].Fingerprint != "1234567890e1" {
		t.Errorf("%+v, %v", policy, err)
	}
}

// TestRuleArgs checks that a rule names the arguments that its texts show, and that
// its findings have as many.
func TestRuleArgs(t *testing.T) {
	rules := map[string]diff.Rule{}
	for _, r := range diff.Rules() {
		rules[r.ID] = r
		for i := range 4 {
			place := fmt.Sprintf("{%d}", i)
			if i >= len(r.Args) && strings.Contains(r.Message+r.Harm, place) {
				t.Errorf("%s shows the argument %d and names %q", r.ID, i, r.Args)
			}
		}
		if before, after := slices.Contains(r.Args, "before"), slices.Contains(r.Args, "after"); before != after ||
			!before && (strings.Contains(r.Harm, "{sent}") || strings.Contains(r.Harm, "{expected}")) {
			t.Errorf("%s: %q, %q", r.ID, r.Args, r.Harm)
		}
		if mirror := rules[r.Mirror]; mirror.ID != "" && !slices.Equal(mirror.Args, r.Args) {
			t.Errorf("%s: %q, and its mirror %q", r.ID, r.Args, mirror.Args)
		}
	}
	for _, test := range toolCases {
		for _, f := range compared(t, test.old, test.new).Findings {
			if len(f.Args) < len(rules[f.Rule].Args) {
				t.Errorf("%s at %s: %q, want %q", f.Rule, f.Subject, f.Args, rules[f.Rule].Args)
			}
			for _, text := range []string{f.Message, f.ServerFirst.Says, f.ClientFirst.Says} {
				for _, place := range []string{"{0}", "{1}", "{2}", "{sender}", "{receiver}", "{sent}", "{expected}"} {
					if strings.Contains(text, place) {
						t.Errorf("%s at %s: %s", f.Rule, f.Subject, text)
					}
				}
			}
		}
	}
}

// TestReportLocate checks that findings have the positions of their places.
func TestReportLocate(t *testing.T) {
	old := "[{\"name\":\"t\",\n  \"inputSchema\":{\"type\":\"object\"}}]"
	new := "[{\"name\":\"t\",\n  \"inputSchema\":{\"type\":\"object\",\n  \"properties\":{\"a\":{}}}},\n {\"name\":\"u\",\"inputSchema\":{\"type\":\"object\"}}]"
	r := compared(t, old, new)
	r.Locate([]byte(old), []byte(new))
	var got []string
	for _, f := range r.Findings {
		got = append(got, fmt.Sprintf("%s %v %v", f.Rule, f.OldPosition, f.NewPosition))
	}
	want := []string{"member-added &{2 3} &{3 17}", "tool-added <nil> &{4 2}"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	old = "[{\"name\":\"t\",\n\"title\":\"x\",\n \"inputSchema\":{\"type\":\"object\",\"properties\":{\"a\":{\n\"maxLength\":3,\"pattern\":\"x\"}}}}]"
	new = "[{\"name\":\"t\",\n \"inputSchema\":{\"type\":\"object\",\"properties\":{\"a\":{\n\"maxLength\":4}}}}]"
	r = compared(t, old, new)
	r.Locate([]byte(old), []byte(new))
	for _, f := range r.Findings {
		want := map[string]string{"tool-title-changed": "&{2 1} &{1 2}", "max-length-raised": "&{4 1} &{3 1}"}[f.Rule]
		if got := fmt.Sprint(f.OldPosition, f.NewPosition); want != "" && got != want {
			t.Errorf("%s: %s, want %s", f.Rule, got, want)
		}
	}
	old = "[{\"name\":\"t\",\n\"a.b\":1,\n\"a\":{\"b\":1},\n\"c/d\":1,\n\"annotations\":{\n\"e.f\":1},\"inputSchema\":{\"type\":\"object\"}}]"
	new = strings.NewReplacer(`"a.b":1`, `"a.b":2`, `"c/d":1`, `"c/d":2`, `"e.f":1`, `"e.f":2`).Replace(old)
	r = compared(t, old, new)
	r.Locate([]byte(old), []byte(new))
	got = nil
	for _, f := range r.Findings {
		got = append(got, fmt.Sprint(f.Args[0], f.OldPosition))
	}
	if want := []string{"a.b&{2 1}", "annotations.e.f&{6 1}", "c/d&{4 1}"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	r.Locate(nil, nil)
	if r.Findings[0].NewPosition != nil {
		t.Errorf("%+v", r.Findings[0])
	}
}

// TestProfiles checks which findings fail by a profile, and at which level they are.
func TestProfiles(t *testing.T) {
	side := func(label, tool string) diff.ToolList { return toolSide(t, label, "["+tool+"]") }
	for _, test := range []struct {
		profile        diff.Profile
		description    diff.Level
		fails, promise bool
	}{
		{"", diff.LevelWarn, false, false},
		{diff.ProfileWire, diff.LevelInfo, false, false},
		{diff.ProfileTyped, diff.LevelInfo, false, false},
		{diff.ProfileModel, diff.LevelWarn, true, true},
	} {
		r, err := diff.Tools(side("old", `{"name":"a","description":"b","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object"}}`), side("new", `{"name":"a","description":"c","inputSchema":{"type":"object"}}`))
		if err != nil {
			t.Fatal(err)
		}
		(&diff.Policy{Profile: test.profile}).Apply([]*diff.Report{r}, time.Now())
		for _, f := range r.Findings {
			fails := test.promise
			if f.Rule == "tool-description-changed" {
				fails = test.fails
				if f.Level != test.description {
					t.Errorf("%q: %s has the level %s", test.profile, f.Rule, f.Level)
				}
			}
			if f.Fails != fails {
				t.Errorf("%q: %s fails: %t", test.profile, f.Rule, f.Fails)
			}
		}
		(&diff.Policy{Profile: test.profile, FailOn: diff.FailOn{}}).Apply([]*diff.Report{r}, time.Now())
		if r.Failed() {
			t.Errorf("%q fails although nothing should", test.profile)
		}
	}
}
