package diff

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/gen/compat"
	"github.com/mcpgen/mcpgen/gen/compat/page"
	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/tests/internal/pinned"
)

// matrixPage is the page of every revision with every newer one.
func matrixPage(t *testing.T) (string, []*compat.Report) {
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

// loads finds what would make a browser ask somebody for something.
var loads = regexp.MustCompile(`(?i)(\ssrc\s*=|<link|@import|url\(|fetch\(|XMLHttpRequest|href\s*=\s*"?[^#"\s])`)

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

// TestPageEscapes holds that what a tool list says is text on the page.
func TestPageEscapes(t *testing.T) {
	const evil = `</script><img src=x onerror=alert(1)>`
	name := `<img src=x onerror=alert(1)>`
	src := []byte(fmt.Sprintf(`{"tools":[{"name":%q,"description":%q,"inputSchema":{"type":"object"}}]}`, name, evil))
	list, err := tools.Read(src)
	if err != nil {
		t.Fatal(err)
	}
	empty, err := tools.Read([]byte(`{"tools":[]}`))
	if err != nil {
		t.Fatal(err)
	}
	report, err := compat.Tools(compat.ToolList{Label: evil, List: list}, compat.ToolList{Label: "new", List: empty})
	if err != nil {
		t.Fatal(err)
	}
	text := written(t, page.Input{Reports: []*compat.Report{report}, Sides: []page.Side{
		{Label: evil, Source: src, Subjects: []string{name}}, {Label: "new", Source: []byte(`{"tools":[]}`)},
	}})
	if strings.Contains(text, "<img") || strings.Count(text, "</script>") != 2 {
		t.Error("a name became markup")
	}
}

// drive is what a user does, and says in the title what came of it.
const drive = `<script>
const said = [];
const key = (target, key) => target.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
const shownRows = () => all("#grid tr[data-name].shown").map((r) => r.dataset.name);
said.push("columns " + all("#grid thead th[data-column]").filter((th) => th.offsetParent).length);
key(document.body, "/");
said.push("focus " + document.activeElement.id);
byId("search").value = "resource_link nothing";
byId("search").dispatchEvent(new Event("input"));
said.push("none " + shownRows().length);
byId("search").value = "ResourceLink";
byId("search").dispatchEvent(new Event("input"));
said.push("rows " + shownRows().join("+"));
key(document.activeElement, "ArrowDown");
said.push("cell " + document.activeElement.closest("tr").dataset.name);
key(document.activeElement, "ArrowRight");
key(document.activeElement, "ArrowDown");
said.push("moved " + document.activeElement.closest("tr").dataset.name);
document.activeElement.click();
said.push("open " + byId("detail").open + " " + all("article").length);
said.push("witnesses " + (all(".witness pre").length > 0));
said.push("sides " + all(".sides pre").length / all("article").length);
byId("detail").close();
byId("search").value = "";
byId("search").dispatchEvent(new Event("input"));
all(".pair")[5].click();
said.push("chosen " + all("#grid thead th[data-column]").filter((th) => th.offsetParent).map((th) => th.textContent).join());
byId("theme").click();
said.push("theme " + document.documentElement.dataset.theme);
said.push("wide " + (document.documentElement.scrollWidth > innerWidth));
document.title = said.join("; ");
</script>`

// TestPageInBrowser drives the page in Chromium, where there is one.
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
	text, _ := matrixPage(t)
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, []byte(strings.Replace(text, "</body>", drive+"</body>", 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, size := range []string{"1280,900", "500,900"} {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
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
		title := regexp.MustCompile(`<title>(.*?)</title>`).FindStringSubmatch(string(out))
		if title == nil {
			t.Fatalf("%s: no title", size)
		}
		t.Logf("%s: %s", size, title[1])
		columns := "columns 3; "
		chosen := "chosen 2025-06-18→ 2025-11-25; "
		if size == "500,900" { // on a phone the cells bear the names of the columns
			columns, chosen = "columns 0; ", "chosen ; "
		}
		for _, want := range []string{columns, "focus search; ", "none 0; ", "+ResourceLink", "open true ", "witnesses true; ", "sides 2; ", chosen, "theme ", "wide false"} {
			if !strings.Contains(title[1]+"; ", want) {
				t.Errorf("%s: not %q: %s", size, want, title[1])
			}
		}
	}
}
