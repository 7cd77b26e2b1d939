package page

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/gen/diff"
	"github.com/mcpgen/mcpgen/gen/tools"
)

// compared compares two lists of tools.
func compared(t testing.TB, old, new string) Input {
	t.Helper()
	var in Input
	var lists []diff.ToolList
	for i, src := range []string{old, new} {
		list, err := tools.Read([]byte(src))
		if err != nil {
			t.Fatal(err)
		}
		label := []string{"old.json", "new.json"}[i]
		side := Side{Label: label, Source: []byte(src)}
		for _, tool := range list.Tools {
			side.Subjects = append(side.Subjects, tool.Name)
		}
		in.Sides = append(in.Sides, side)
		lists = append(lists, diff.ToolList{Label: label, List: list})
	}
	report, err := diff.Tools(lists[0], lists[1])
	if err != nil {
		t.Fatal(err)
	}
	in.Reports = []*diff.Report{report}
	return in
}

func written(t testing.TB, in Input) string {
	t.Helper()
	var b strings.Builder
	if err := Write(&b, in); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// tool returns a list of one tool called greet.
func tool(input string, more ...string) string {
	return fmt.Sprintf(`{"tools":[{"name":"greet","inputSchema":%s%s}]}`, input, strings.Join(more, ""))
}

func TestSentencesOfTools(t *testing.T) {
	closed := func(members, required string) string {
		return `{"type":"object","additionalProperties":false,"properties":{` + members + `},"required":[` + required + `]}`
	}
	open := func(schema string) string { return `{"type":"object","properties":{"a":` + schema + `}}` }
	output := func(members, required string) string {
		return `,"outputSchema":{"type":"object","properties":{` + members + `},"required":[` + required + `]}`
	}
	const a = `"a":{"type":"string"}`
	for _, c := range []struct {
		old, new string
		want     []string
	}{
		{tool(closed("", "")), `{"tools":[]}`, []string{"greet was removed: every call of it fails."}},
		{`{"tools":[]}`, tool(closed("", "")), []string{"greet is new."}},
		{tool(closed("", "")), tool(closed(a, "")), []string{"greet now accepts a; if callers go first, the old server refuses it."}},
		{tool(closed(a, "")), tool(closed(a, `"a"`)), []string{"greet no longer accepts a call without a."}},
		{tool(closed(a, `"a"`)), tool(closed(a, "")), []string{"greet now accepts a call without a; if callers go first, the old server refuses it."}},
		{tool(open(`{"type":"string"}`)), tool(open(`{"type":"string","maxLength":5}`)), []string{"greet no longer accepts a string longer than 5 characters in a."}},
		{tool(open(`{"type":"integer","minimum":3}`)), tool(open(`{"type":"integer","minimum":1}`)), []string{"greet now accepts a number below 3 in a; if callers go first, the old server refuses it."}},
		{tool(open(`{"enum":["x","y"]}`)), tool(open(`{"enum":["x"]}`)), []string{`greet no longer accepts the value "y" in a.`}},
		{tool(open(`{"type":"string"}`)), tool(open(`{"type":"boolean"}`)), []string{"a of greet must be boolean now, was string."}},
		{tool(closed("", "")), tool(closed("", ""), `,"description":"Hello."`), []string{"The description of greet changed: a model may use it differently."}},
		{tool(open(`{"type":"string"}`)), tool(open(`{"type":"string","description":"Who."}`)), []string{"The description of a in greet changed: a model may fill it in differently."}},
		{tool(closed("", ""), output(a, `"a"`)), tool(closed("", ""), output(a, "")), []string{"greet may now return a result without a, which callers of the old list do not expect."}},
		{tool(closed("", ""), output(a, "")), tool(closed("", ""), output(a, `"a"`)), []string{"greet no longer returns a result without a; if callers go first, they refuse it from the old server."}},
	} {
		v, err := newView(compared(t, c.old, c.new))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range v.Comparisons[0].all() {
			got = append(got, f.Sentence.String())
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s\n%s\n(-want +got):\n%s", c.old, c.new, diff)
		}
	}
}

// TestEveryRuleHasASentence checks that no rule, known or not, leaves a finding
// without words, whatever its arguments.
func TestEveryRuleHasASentence(t *testing.T) {
	in := compared(t, tool(`{"type":"object"}`), tool(`{"type":"object"}`))
	rules := append(diff.Rules(), diff.Rule{ID: "not-known-yet", Effect: diff.EffectWidens})
	for _, kind := range []string{"tools", "revisions"} {
		in.Reports[0].Kind = kind
		for _, args := range [][]string{nil, {"100%"}, {"one", "two"}, {"one", "two", "three"}} {
			in.Reports[0].Findings = nil
			for _, r := range rules {
				in.Reports[0].Findings = append(in.Reports[0].Findings, &diff.Finding{
					Rule: r.ID, Category: r.Category, Effect: r.Effect, Level: diff.LevelErr, Subject: "greet.input.a", Args: args, Message: "100% changed",
				})
			}
			v, err := newView(in)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range v.Comparisons[0].all() {
				if text := f.Sentence.String(); len(text) < 8 {
					t.Errorf("%s of %s: %q", f.Rule, kind, text)
				}
			}
		}
	}
}

// TestOrders checks that the cards count by the order of upgrades, that the report's
// own order has the findings' levels, which a policy may have changed, and that
// accepted findings do not count.
func TestOrders(t *testing.T) {
	old := `{"tools":[{"name":"a","inputSchema":{"type":"object"}},{"name":"b","inputSchema":{"type":"object","additionalProperties":false}}]}`
	new := `{"tools":[{"name":"b","inputSchema":{"type":"object","additionalProperties":false,"properties":{"x":{"type":"string"}}}}]}`
	in := compared(t, old, new)
	got := func() []string {
		v, err := newView(in)
		if err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, o := range v.Comparisons[0].Orders {
			text := o.Key + ": " + o.Counts.String()
			if o.Chosen {
				text += " *"
			}
			list = append(list, text)
		}
		return list
	}
	if diff := cmp.Diff([]string{"server: 1 breaks, 1 safe", "client: 1 breaks, 1 safe", "either: 2 break *"}, got()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	policy := diff.Policy{
		Upgrade:  diff.UpgradeServer,
		Severity: map[string]diff.Level{"member-added": diff.LevelWarn},
		Accept:   []diff.Acceptance{{Selector: diff.Selector{Tool: "a"}, Reason: "nobody calls it"}},
	}
	policy.Apply(in.Reports, time.Now())
	if diff := cmp.Diff([]string{"server: 1 may break, 1 accepted *", "client: 1 may break, 1 accepted", "either: 1 may break, 1 accepted"}, got()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestAccept checks that what the page gives to copy accepts the finding, also one of
// a tool whose name would be YAML of its own.
func TestAccept(t *testing.T) {
	name := "x\n    - fingerprint: 000000000000\n      reason: all"
	list, err := json.Marshal(map[string]any{"tools": []any{map[string]any{"name": name, "inputSchema": map[string]any{"type": "object"}}}})
	if err != nil {
		t.Fatal(err)
	}
	in := compared(t, string(list), `{"tools":[]}`)
	v, err := newView(in)
	if err != nil {
		t.Fatal(err)
	}
	config, err := diff.ParseConfig("mcpgen.yaml", []byte("compat:\n  accept:\n"+v.Comparisons[0].all()[0].Accept), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(config.Accept) != 1 || config.Accept[0].Fingerprint != in.Reports[0].Findings[0].Fingerprint {
		t.Errorf("got %+v", config.Accept)
	}
}

// TestNotes checks that the page shows all that a report says beside its findings.
func TestNotes(t *testing.T) {
	in := compared(t, tool(`{"type":"object","properties":{"a":{"type":"string"}}}`), tool(`{"type":"object","properties":{"a":{"type":"number"}}}`))
	r := in.Reports[0]
	r.Warnings = []string{"a row expired"}
	r.Problems = []string{"a witness shows the opposite"}
	r.Skipped = []diff.Skipped{{Side: "new", Where: diff.Place{Path: "prompts"}, Why: "has no prompts"}}
	r.Errata = []diff.Corrected{{Side: "old", Pointer: r.Findings[0].Old.Pointer + "/type", Old: []byte(`"text"`), New: []byte(`"string"`), Reason: "there is no such type"}}
	r.Suggested = "major"
	r.Findings[0].Unproven = "the pattern cannot be sampled"
	r.Findings[0].Witnesses = nil
	text := written(t, in)
	for _, want := range []string{
		"a row expired", "a witness shows the opposite", "<b>new.json</b> <code>prompts</code>", "has no prompts", "<b>major</b>",
		"Undecided: the pattern cannot be sampled", "<del>&#34;text&#34;</del> <ins>&#34;string&#34;</ins>. there is no such type", "Erratum applied at",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

// TestHead checks what a page says of itself where it is shared, also when nothing
// changed.
func TestHead(t *testing.T) {
	for _, c := range []struct{ new, title, description string }{
		{`{"tools":[]}`, "old.json → new.json: 1 breaking change", "0 tools compared: 1 breaks. greet was removed: every call of it fails."},
		{tool(`{"type":"object"}`), "old.json → new.json: nothing changes", "1 tool compared: no change."},
	} {
		text := written(t, compared(t, tool(`{"type":"object"}`), c.new))
		for _, want := range []string{
			"<title>" + c.title + "</title>", `<meta name="description" content="` + c.description + `">`,
			`<meta property="og:title" content="` + c.title + `">`, `<meta property="og:description" content="` + c.description + `">`,
		} {
			if !strings.Contains(text, want) {
				t.Errorf("the page does not have %s", want)
			}
		}
	}
}

// TestPolicy checks that the page's policy allows its own style and script.
func TestPolicy(t *testing.T) {
	text := written(t, compared(t, tool(`{"type":"object"}`), `{"tools":[]}`))
	policy := regexp.MustCompile(`http-equiv="Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(text)
	if policy == nil {
		t.Fatal("there is no policy")
	}
	for _, element := range []string{"style", "script"} {
		inner := regexp.MustCompile(`(?s)<`+element+`>(.*?)</`+element+`>`).FindAllStringSubmatch(text, -1)
		if len(inner) != 1 {
			t.Fatalf("%d elements %s", len(inner), element)
		}
		sum := sha256.Sum256([]byte(inner[0][1]))
		want := element + "-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
		if policy := strings.NewReplacer("&#39;", "'", "&#43;", "+").Replace(policy[1]); !strings.Contains(policy, want) {
			t.Errorf("%s does not have %s", policy, want)
		}
	}
	if strings.Contains(text, " style=") || regexp.MustCompile(` on[a-z]+=`).MatchString(text) {
		t.Error("an attribute is not allowed by the policy")
	}
}

// TestExcerptFocuses checks that the excerpts of a finding are about its change only.
func TestExcerptFocuses(t *testing.T) {
	in := compared(t,
		tool(`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}}}`, `,"description":"Greets\nsomebody."`),
		tool(`{"type":"object","properties":{"a":{"type":"string"},"c":{"type":"string"}},"required":["a"]}`, `,"description":"Greets\neverybody."`))
	v, err := newView(in)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][2]string{}
	for _, f := range v.Comparisons[0].all() {
		show := func(e *excerpt) string {
			var list []string
			for _, r := range e.Rows {
				list = append(list, r.Kind+"|"+r.Before+r.Mark+r.After)
			}
			return strings.Join(list, "\n")
		}
		got[f.Rule] = [2]string{show(f.OldText), show(f.NewText)}
	}
	for rule, want := range map[string][2]string{
		"tool-description-changed": {"|Greets\ndel|somebody.", "|Greets\nins|everybody."},
		"member-became-required":   {"|{\ndel|  \"properties\": { \"a\": { \"type\": \"string\" } }\npad|\n|}", "|{\nins|  \"properties\": { \"a\": { \"type\": \"string\" } },\nins|  \"required\": [\"a\"]\n|}"},
		"member-removed":           {"|{\ndel|  \"properties\": { \"b\": { \"type\": \"string\" } }\n|}", "|{\nins|  \"required\": [\"a\"]\n|}"},
	} {
		if diff := cmp.Diff(want, got[rule]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", rule, diff)
		}
	}
}

// manyTools returns two lists of n tools, of which each changed.
func manyTools(t testing.TB, n int) Input {
	list := func(kind string) string {
		var b bytes.Buffer
		b.WriteString(`{"tools":[`)
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, `{"name":"a_tool_with_a_name_of_the_usual_length_%d","description":%q,"inputSchema":{"type":"object","properties":{"id":{"type":%q},"name":{"type":"string"}},"required":["id"]}}`,
				i, strings.Repeat("Does something. ", 10), kind)
		}
		b.WriteString(`]}`)
		return b.String()
	}
	return compared(t, list("string"), list("integer"))
}

// TestWorkIsLinear checks that four times the tools are about four times the work, by
// what is allocated.
func TestWorkIsLinear(t *testing.T) {
	work := func(in Input) (bytes, objects uint64) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if err := Write(io.Discard, in); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc, after.Mallocs - before.Mallocs
	}
	few, many := manyTools(t, 350), manyTools(t, 1400)
	fewBytes, fewObjects := work(few)
	manyBytes, manyObjects := work(many)
	t.Logf("350 tools: %d objects, %d bytes; 1400 tools: %d objects, %d bytes", fewObjects, fewBytes, manyObjects, manyBytes)
	if manyObjects > 5*fewObjects || manyBytes > 5*fewBytes {
		t.Errorf("four times the tools take %.1f times the objects and %.1f times the bytes",
			float64(manyObjects)/float64(fewObjects), float64(manyBytes)/float64(fewBytes))
	}
}

// TestExcerptIgnoresDrafts checks that the drafts of two schemas are no change in an
// excerpt.
func TestExcerptIgnoresDrafts(t *testing.T) {
	old := &node{raw: []byte(`{"a": {"$ref":"#/definitions/A"}}`)}
	new := &node{raw: []byte(`{"a": {"$ref": "#/$defs/A"}}`)}
	if old.text() != new.text() {
		t.Errorf("%s\n%s", old.text(), new.text())
	}
}

// TestSidesOfOneName checks that each side shows its own text where both have one
// name.
func TestSidesOfOneName(t *testing.T) {
	in := compared(t, tool(`{"type":"object"}`, `,"description":"Before."`), tool(`{"type":"object"}`, `,"description":"After."`))
	for i := range in.Sides {
		in.Sides[i].Label = "cmd:server"
	}
	in.Reports[0].Old, in.Reports[0].New = "cmd:server", "cmd:server"
	text := written(t, in)
	for _, want := range []string{"<del>Before.</del>", "<ins>After.</ins>"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not have %s", want)
		}
	}
}
