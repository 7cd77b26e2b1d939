package diff

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/gen/diff"
	"github.com/mcpgen/mcpgen/gen/diff/render/page"
	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/tests/internal/pinned"
)

// matrixPage is the page of every revision with every newer one.
func matrixPage(t *testing.T) (string, []*diff.Report) {
	t.Helper()
	var in page.Input
	list := pinned.Spec(t).Revisions()
	for i, revision := range list {
		l := pinned.Lower(t, revision)
		s := page.Side{Label: revision, Source: pinned.Schema(t, revision)}
		for _, d := range l.Document.Definitions {
			s.Definitions = append(s.Definitions, d.Name)
		}
		for _, m := range l.Revision.Methods {
			s.Subjects = append(s.Subjects, m.Wire)
		}
		in.Sides = append(in.Sides, s)
		for _, new := range list[i+1:] {
			in.Reports = append(in.Reports, revisions(t, revision, new))
		}
	}
	return written(t, in), in.Reports
}

func written(t *testing.T, in page.Input) string {
	t.Helper()
	var b, again bytes.Buffer
	if err := page.Write(&b, in); err != nil {
		t.Fatal(err)
	}
	if err := page.Write(&again, in); err != nil || !bytes.Equal(b.Bytes(), again.Bytes()) {
		t.Errorf("the page differs from itself: %v", err)
	}
	return b.String()
}

// loads finds what would make a browser ask somebody for something. An icon in the
// page keeps it from asking for one.
var loads = regexp.MustCompile(`(?i)(\ssrc\s*=|@import|url\(|fetch\(|XMLHttpRequest|<link rel="[^i]|href\s*=\s*"?(?:[^#"\sd]|d[^a]))`)

func TestPage(t *testing.T) {
	text, reports := matrixPage(t)
	if found := loads.FindString(text); found != "" {
		t.Errorf("the page is not alone: %q", found)
	}
	for _, r := range reports {
		for _, f := range r.Findings {
			if !strings.Contains(text, f.Fingerprint) {
				t.Errorf("%s -> %s: %s at %s is not on the page", r.Old, r.New, f.Rule, f.Subject)
			}
		}
	}
}

// hostilePage is a page of a tool whose name, description and list are markup.
func hostilePage(t *testing.T) string {
	t.Helper()
	const evil = `</script></title><img src=x onerror=alert(1)>`
	name := `"><img src=x onerror=alert(1)> ' onmouseover='alert(1)`
	src, err := json.Marshal(map[string]any{"tools": []any{map[string]any{"name": name, "description": evil, "inputSchema": map[string]any{
		"type": "object", "properties": map[string]any{evil: map[string]any{"type": "string", "description": evil}}, "required": []string{evil},
	}}}})
	if err != nil {
		t.Fatal(err)
	}
	list, err := tools.Read(src)
	if err != nil {
		t.Fatal(err)
	}
	empty, err := tools.Read([]byte(`{"tools":[]}`))
	if err != nil {
		t.Fatal(err)
	}
	report, err := diff.Tools(diff.ToolList{Label: evil, List: list}, diff.ToolList{Label: "new", List: empty})
	if err != nil {
		t.Fatal(err)
	}
	report.Warnings = []string{evil}
	report.Findings[0].Accepted = &diff.Acceptance{Reason: evil, Until: evil}
	return written(t, page.Input{Reports: []*diff.Report{report}, Sides: []page.Side{
		{Label: evil, Source: src, Subjects: []string{name}}, {Label: "new", Source: []byte(`{"tools":[]}`)},
	}})
}

// TestPageEscapes checks that what a tool list says is text on the page.
func TestPageEscapes(t *testing.T) {
	text := hostilePage(t)
	if strings.Contains(text, "<img") || strings.Count(text, "</script>") != 1 || strings.Count(text, "</title>") != 1 {
		t.Error("a name became markup")
	}
}

// TestPageSays checks that the page of all revisions answers in sentences.
func TestPageSays(t *testing.T) {
	text, _ := matrixPage(t)
	for _, want := range []string{
		"A client of 2025-03-26 cannot read <code>resource_link</code> in <code>ContentBlock</code>, which came with 2025-06-18.",
		// What came between is attributed to the revision that it came with.
		"A client of 2024-11-05 cannot read <code>resource_link</code> in <code>ContentBlock</code>, which came with 2025-06-18.",
		"A peer of 2025-06-18 cannot read <code>JSONRPCBatchRequest</code> in <code>JSONRPCMessage</code>, which 2025-03-26 still has.",
		"<code>completion/complete</code> depends on the capability <code>completions</code> since 2025-03-26.",
		"A client of 2025-11-25 does not know the input request <code>elicitation/create</code>, which came with 2026-07-28.",
		"A client of 2026-07-28 does not know the request <code>elicitation/create</code>, which 2025-11-25 still has.",
		"<code>ListToolsResult.resultType</code>: required member <code>resultType</code> added. A receiver reads a message without the member as if it had the member&#39;s default.",
		`<article class="meeting" id="server-2025-06-18-client-2025-03-26">`,
		`<li id="revision-2025-11-25">`,
		`id="cell-tools-call-2025-06-18"`,
		// What becomes of two peers that do not speak the same revision.
		`aria-label="Server 2025-03-26, clients 2025-06-18: agree on a revision if one of them speaks both; else `,
		`aria-label="Server 2026-07-28, clients 2025-11-25: fail as a whole"`,
		"A peer that speaks only 2025-11-25 and one that speaks only 2026-07-28 fail as a whole: the one begins with initialize, and the other names the revision in each request.",
		"<code>Mcp-Session-Id</code>", "<code>-32020</code> HeaderMismatchError",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not have %s", want)
		}
	}
}

// driveRevisions and driveTools are what a user does on a page of revisions and on
// one of tools. They leave in the title what came of it.
const (
	driveStart = `<script>
const said = [];
const key = (target, key) => target.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
const type = (text) => { byId("search").value = text; byId("search").dispatchEvent(new Event("input", {bubbles: true})); };
const shown = () => all(".finding").filter((f) => !f.hidden);
const go = (hash) => { location.hash = hash; follow(); };
const wide = () => said.push("wide " + (document.documentElement.scrollWidth > innerWidth));
wide();
`
	driveEnd = `
document.title = said.join("; ");
</script>`
	driveRevisions = `
said.push("cut " + all(".meetings th").some((th) => th.scrollWidth > th.clientWidth));
said.push("answer " + all(".meeting").filter((m) => m.offsetParent).map((m) => m.id));
byId("server").value = "2024-11-05";
byId("client").value = "2025-06-18";
byId("client").dispatchEvent(new Event("input", {bubbles: true}));
follow();
said.push("asked " + all(".meeting").filter((m) => m.offsetParent).map((m) => m.id));
said.push("marked " + all(".meetings a[aria-current]").map((a) => a.hash));
const link = one(".meeting.chosen li a");
go(link.hash);
said.push("linked " + byId(link.hash.slice(1)).open + " " + (byId(link.hash.slice(1)).offsetParent !== null));
const cell = one(".grid td a");
go(cell.hash);
said.push("cell " + byId(cell.hash.slice(1)).open);
key(document.body, "/");
said.push("focus " + document.activeElement.id);
type("resource_link nothing");
said.push("none " + shown().length + " " + one(".nomatch").hidden);
type("37be89f3cf17");
said.push("found " + (shown().length > 1 && shown().every((f) => f.textContent.includes("resource_link"))));
`
	driveHostile = `
said.push("markup " + all("img, [onmouseover], [onerror]").length);
`
	driveTools = `
said.push("open " + all(".finding[open]").length);
go("upgrade-client");
said.push("client " + all(".finding").map((f) => one("summary", f).textContent.trim().split(" ")[0]).join());
go("upgrade-server");
said.push("server " + all(".group").map((g) => g.id + " " + one(".sum", g).textContent).join());
one("input[value=err]").click();
said.push("filtered " + shown().length);
one("input[value=err]").click();
let copied = "";
document.execCommand = () => { copied = String(getSelection()); return true; };
Object.defineProperty(navigator, "clipboard", {value: {writeText: async (text) => { copied = text; }}});
one(".accept").open = true;
one(".copy").click();
said.push("copied " + copied.includes("- fingerprint: ") + " " + byId("said").parentElement.tagName);
`
)

// browse opens a page in Chromium and returns its title and its DOM once its script
// has run. It fails when the browser complains.
func browse(t *testing.T, browser, size, text string) (title, dom string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	ctx := testkit.Context(t)
	cmd := exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--user-data-dir="+t.TempDir(),
		"--enable-logging=stderr", "--window-size="+size, "--dump-dom", "file://"+file)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	if strings.Contains(stderr.String(), "CONSOLE") {
		t.Errorf("%s: the browser complains:\n%s", size, stderr.String())
	}
	found := regexp.MustCompile(`<title>(.*?)</title>`).FindStringSubmatch(string(out))
	if found == nil {
		t.Fatalf("%s: no title", size)
	}
	return found[1], string(out)
}

// policy is the page's, which allows no script but the page's own.
var policy = regexp.MustCompile(`<meta http-equiv="Content-Security-Policy"[^>]*>`)

// TestPageInBrowser drives pages in Chromium, where there is one.
func TestPageInBrowser(t *testing.T) {
	browser := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			browser = path
			break
		}
	}
	if browser == "" {
		t.Skip("there is no chromium to look at the page in")
	}
	revisions, _ := matrixPage(t)
	for _, c := range []struct {
		name, text, drive string
		want              []string
	}{
		{"revisions", revisions, driveRevisions, []string{
			"wide false", "cut false", "answer server-2026-07-28-client-2025-11-25", "asked server-2024-11-05-client-2025-06-18",
			"marked #server-2024-11-05-client-2025-06-18", "linked true true", "cell true", "focus search", "none 0 false", "found true",
		}},
		{"hostile tools", hostilePage(t), driveHostile, []string{"markup 0"}},
		{"tools", toolsPage(t), driveTools, []string{
			"wide false", "open 2", "client breaks,works", "server tool-gone 1 breaks,tool-grown 1 safe", "filtered 1", "copied true BODY",
		}},
	} {
		// With its policy the page's own script runs, and nothing is refused.
		if _, dom := browse(t, browser, "1280,900", c.text); !strings.Contains(dom, `<html lang="en" class="js">`) {
			t.Errorf("%s: the page's script did not run", c.name)
		}
		driven := policy.ReplaceAllString(strings.Replace(c.text, "</body>", driveStart+c.drive+driveEnd+"</body>", 1), "")
		for _, size := range []string{"1280,900", "500,900"} {
			title, _ := browse(t, browser, size, driven)
			t.Logf("%s at %s: %s", c.name, size, title)
			for _, want := range c.want {
				if !strings.Contains(title+"; ", want+"; ") {
					t.Errorf("%s at %s: not %q: %s", c.name, size, want, title)
				}
			}
		}
	}
}

// toolsPage is a page of two lists, in which one tool is gone and one that is closed
// has an argument more.
func toolsPage(t *testing.T) string {
	t.Helper()
	const closed = `{"type":"object","additionalProperties":false,"properties":{`
	sources := []string{
		`{"tools":[{"name":"gone","inputSchema":{"type":"object"}},{"name":"grown","inputSchema":` + closed + `}}}]}`,
		`{"tools":[{"name":"grown","inputSchema":` + closed + `"more":{"type":"string"}}}}]}`,
	}
	var in page.Input
	var lists []diff.ToolList
	for i, label := range []string{"old", "new"} {
		list, err := tools.Read([]byte(sources[i]))
		if err != nil {
			t.Fatal(err)
		}
		lists = append(lists, diff.ToolList{Label: label, List: list})
		in.Sides = append(in.Sides, page.Side{Label: label, Source: []byte(sources[i]), Subjects: []string{"gone", "grown"}[i:]})
	}
	report, err := diff.Tools(lists[0], lists[1])
	if err != nil {
		t.Fatal(err)
	}
	in.Reports = []*diff.Report{report}
	return written(t, in)
}
