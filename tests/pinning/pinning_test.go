package pinning

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/gen"
	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/spec"
	"github.com/mcpgen/mcpgen/tests/internal/pinned"
)

// revision is the date of the revisions that the tests pin.
const revision = "2099-01-01"

// A project is this one with other files in the folders spec and generated. Its other packages are those of this
// project, so they are compiled once for both.
type project struct {
	root    string // the folder of this project
	dir     string // the folder of the other files
	overlay string // the file that tells the go command of them
	newest  string // the newest revision that it has pinned
	facts   []byte // its schema
}

// TestPinning pins revisions as spec/README.md says, without a change of Go code.
func TestPinning(t *testing.T) {
	s := pinned.Spec(t)
	all := s.Revisions()
	p := copyProject(t)
	p.newest = all[len(all)-1]
	facts, err := s.Schema(p.newest)
	if err != nil {
		t.Fatal(err)
	}
	p.facts = facts
	t.Run("a copy of the newest revision", func(t *testing.T) {
		p.write(t, "new.json", string(facts))
		p.bootstrap(t)
		if out := p.imports(t, 0); !strings.Contains(out, "no changes since "+p.newest) {
			t.Errorf("import says\n%s", out)
		}
		out := p.generates(t)
		if strings.Contains(out, "not bridged") {
			t.Errorf("a copy is not bridged:\n%s", out)
		}
		p.build(t, "./cmd/mcpgen")
		if out := p.program(t, 0, "diff", p.newest, revision); !strings.Contains(out, "0 err, 0 warn, 0 info") {
			t.Errorf("diff says\n%s", out)
		}
		p.uses(t)
		p.talks(t, "a task: water", "an error: -32603")
		// Nothing differs, so a value with every feature passes unchanged.
		for _, up := range []bool{true, false} {
			const tool = `{"name":"t","inputSchema":{"type":"object"},"_meta":{"a/b":1.50}}`
			if got := p.convert(t, up, "Tool", tool); got != tool+"\n" {
				t.Errorf("up is %t: got %s", up, got)
			}
		}
	})
	t.Run("a made-up revision", func(t *testing.T) { p.madeUp(t, string(madeUp(t, facts))) })
}

// madeUp performs the steps of "Adding a revision" in spec/README.md.
func (p *project) madeUp(t *testing.T, schema string) {
	p.write(t, "new.json", schema)
	// 1. Import.
	out := p.imports(t, 1)
	if want := `definition "error" has the Go name Error`; !strings.Contains(out, want) {
		t.Errorf("import does not say %q:\n%s", want, out)
	}
	// 2. Names.
	p.add(t, "overlay.yaml", "names", `  - {at: Server, name: ServerAddress, since: "`+revision+`"}
  - {at: error, name: ErrorText, since: "`+revision+`"}`)
	out = p.imports(t, 1)
	if want := "changes since " + p.newest; !strings.Contains(out, want) {
		t.Errorf("the repeated import does not say %q:\n%s", want, out)
	}
	if want := "has the Go name ResourceContentsUnion"; !strings.Contains(out, want) {
		t.Errorf("import does not say %q:\n%s", want, out)
	}
	p.end(t, p.place(t, "overlay.yaml", "at: EmbeddedResource.resource,"))
	p.add(t, "overlay.yaml", "names", `  - {at: EmbeddedResource.resource, name: EmbeddedResourceResource, since: "`+revision+`"}`)
	out = p.imports(t, 1)
	// A row for the order of an enum that grows names its place and the row to write.
	if want := regexp.MustCompile(`overlay\.yaml:\d+: enums/0: the row orders other values of LoggingLevel than the schema has; end it, and add one to enums of overlay\.yaml: (\{.*\})`).FindStringSubmatch(out); want == nil {
		t.Errorf("import does not say how to order LoggingLevel:\n%s", out)
	} else {
		p.end(t, p.place(t, "overlay.yaml", "enum: LoggingLevel"))
		p.add(t, "overlay.yaml", "enums", "  - "+want[1])
	}
	// 4. Facts that the schema does not contain.
	p.add(t, "overlay.yaml", "capabilities", `  - {method: tools/rate, capability: tools, since: "`+revision+`"}`)
	out = p.imports(t, 1)
	if want := `the filter of subscriptions has the member "toolsUsed", whose notification is unknown`; !strings.Contains(out, want) {
		t.Errorf("import does not say %q:\n%s", want, out)
	}
	p.add(t, "overlay.yaml", "filters", `  - {member: toolsUsed, notification: notifications/tools/used, since: "`+revision+`"}`)
	p.add(t, "overlay.yaml", "values", `  - {at: DeferredResult.resultType, value: deferred, since: "`+revision+`"}`)
	// 3. Rows without effect, which the import knows now.
	p.end(t, p.imports(t, 1))
	out = p.imports(t, 0)
	// 6. Doc comments.
	if !strings.Contains(out, "types: VideoContent") {
		t.Errorf("import does not say what has no doc comment:\n%s", out)
	}
	p.add(t, "docs.yaml", "types", "  VideoContent: VideoContent is a video.")
	// 5. The revision generates before a row says how values are converted.
	out = p.generates(t)
	for _, want := range []string{
		"ContentBlock, down: the variant VideoContent is refused",
		"CallToolResponse, down: the variant DeferredResult is refused",
		"Prompt.title, up: required: an object without it is refused",
		"ImageContent.mimeType, down: required: an object without it is refused",
		"Resource.size, up: required: an object without it is refused",
		"CreateMessageRequestParams.maxTokens, up: integer to integer[1..]: a value that is not within [1..] is refused",
		"ProgressNotificationParams.total, up: number to integer: a value that is not integer is refused",
		`Role, down: the value "system" is refused`,
		"CallToolResult.structuredContent, up: any to {...}: other values are refused",
		"ToolUseContent.input, down: any to {...}: other values are refused",
		"EmbeddedResource.resource, down: EmbeddedResourceResource to ResourceContentsUnion: other values are refused",
		`Prompt.name, up: string to string/^[a-z]+$/: a value that is not of the pattern "^[a-z]+$" is refused; members: {step: "2099-01-01", object: Prompt, member: name}`,
		`Cursor, down: string|integer to string: a value that is not string is refused; definitions: {step: "2099-01-01", definition: Cursor}`,
		`Root, up: a value that does not satisfy all keywords of the schema is refused; definitions: {step: "2099-01-01", definition: Root}`,
	} {
		if !strings.Contains(out, p.newest+" to "+revision+": "+want) {
			t.Errorf("generate does not say %q:\n%s", want, out)
		}
	}
	p.build(t)
	refused := "refused: convert: at /content/0: not bridged, because the other revision does not have the variant VideoContent and no row of convert.yaml says how\n"
	const video = `{"content":[{"type":"video","data":"","mimeType":"video/mp4"}],"resultType":"complete"}`
	if got := p.convert(t, false, "CallToolResult", video); got != refused {
		t.Errorf("got %s", got)
	}
	// 7. Rows say how.
	for _, table := range []string{"variants", "members", "values", "definitions"} {
		p.add(t, "convert.yaml", table, rowsOf[table])
	}
	if out = p.generates(t); strings.Contains(out, "not bridged") {
		t.Errorf("with rows for everything, generate says\n%s", out)
	}
	p.build(t, "./cmd/mcpgen")
	p.uses(t)
	p.talks(t, "a task: water", "an error: -32023", `acknowledged: {"toolsUsed":true}`, "notifications/tools/used")
	if out := p.program(t, 1, "diff", p.newest, revision); !strings.Contains(out, "video") {
		t.Errorf("diff says\n%s", out)
	}
	for _, tt := range []struct {
		definition, value string
		code              int
	}{
		{"Implementation", `{"name":"n","version":"1","server":{"url":"https://a.b","mirror":{"url":"a:b","x-1":1}},"problem":[1,"p"]}`, 0},
		{"Server", `{"url":"http://a.b","mirror":{"url":"a:b"}}`, 1},
		{"Server", `{"url":"a:b","x-1":"1"}`, 1},
		{"error", `[1,"p",2]`, 1},
		{"ToolAnnotations", `{"cost":"$$"}`, 0},
		{"ToolAnnotations", `{"cost":"$$$"}`, 1},
	} {
		p.write(t, "value.json", tt.value)
		p.program(t, tt.code, "verify", "--revision", revision, "--definition", tt.definition, "--roundtrip", "value.json")
	}
	p.write(t, "video.json", video)
	p.program(t, 0, "verify", "--revision", revision, "--definition", "CallToolResult", "--roundtrip", "video.json")
	p.program(t, 1, "verify", "--revision", p.newest, "--definition", "CallToolResult", "video.json")
	for _, tt := range []struct {
		name, answer string
		code         int
	}{
		{"a result of a new type", `"result":{"resultType":"deferred","until":"soon"}`, 0},
		{"a result of a new type without its members", `"result":{"resultType":"deferred"}`, 1},
		{"a result of no type", `"result":{"resultType":"postponed"}`, 1},
		{"a new error", `"error":{"code":-32023,"message":"m","data":{"after":1}}`, 0},
		{"a new error with other data", `"error":{"code":-32023,"message":"m","data":{"after":-1}}`, 1},
		{"an error of no meaning", `"error":{"code":-32024,"message":"m"}`, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p.write(t, "session.jsonl", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","_meta":{"io.modelcontextprotocol/protocolVersion":"`+revision+`","io.modelcontextprotocol/clientCapabilities":{}}}}
{"jsonrpc":"2.0","id":1,`+tt.answer+`}
`)
			p.program(t, tt.code, "verify", "--revision", revision, "session.jsonl")
		})
	}
	for _, tt := range conversions {
		t.Run(tt.name, func(t *testing.T) {
			if got := p.convert(t, tt.up, tt.definition, tt.value); got != tt.want+"\n" {
				t.Errorf("got  %swant %s", got, tt.want)
			}
		})
	}
	// A stale row is an error that names its line.
	p.add(t, "convert.yaml", "values", `  - {enum: Role, value: nobody, reason: none}`)
	project, err := spec.Load(os.DirFS(filepath.Join(p.dir, "spec")))
	if err == nil {
		_, err = gen.All(project)
	}
	if err == nil || !regexp.MustCompile(`convert.yaml:\d+: values/0: stale row: "nobody" of Role`).MatchString(err.Error()) {
		t.Errorf("generation says: %v", err)
	}
}

var rowsOf = map[string]string{
	"variants": `  - {step: "2099-01-01", union: ContentBlock, variant: VideoContent, reason: no videos}
  - {step: "2099-01-01", union: CallToolResponse, variant: DeferredResult, reason: nothing is deferred}`,
	"members": `  - {step: "2099-01-01", object: ModelPreferences, member: priceWeight, older: costPriority, reason: another name}
  - {step: "2099-01-01", object: Prompt, member: title, value: Untitled, reason: prompts had no titles}
  - {step: "2099-01-01", object: Prompt, member: name, reason: names were free}
  - {step: "2099-01-01", object: ImageContent, member: mimeType, value: image/png, reason: most images are}
  - {step: "2099-01-01", object: Resource, member: size, value: null, reason: null is unknown}
  - {step: "2099-01-01", object: CreateMessageRequestParams, member: maxTokens, reason: nothing to sample}
  - {step: "2099-01-01", object: ProgressNotificationParams, member: total, drop: true, reason: a fraction is no total}
  - {step: "2099-01-01", object: CallToolResult, member: structuredContent, drop: true, reason: only objects}
  - {step: "2099-01-01", object: ToolUseContent, member: input, value: {}, reason: only objects}
  - {step: "2099-01-01", object: EmbeddedResource, member: resource, reason: it needs a text or a blob}`,
	"definitions": `  - {step: "2099-01-01", definition: Cursor, reason: cursors were texts}
  - {step: "2099-01-01", definition: Root, reason: a name was free}`,
	"values": `  - {step: "2099-01-01", enum: Role, value: system, as: user, reason: closest}
  - {step: "2099-01-01", enum: LoggingLevel, value: trace, as: debug, reason: closest}`,
}

// conversions are conversions by the rows, and by names and types alone.
var conversions = []struct {
	name, definition, value, want string
	up                            bool
}{
	{"a refused variant", "CallToolResult", `{"content":[{"type":"video","data":"","mimeType":"v/m"}],"resultType":"complete"}`,
		"refused: convert: at /content/0: no videos", false},
	{"a member that becomes required", "Prompt", `{"name":"p"}`, `{"name":"p","title":"Untitled"}`, true},
	{"a pattern", "Prompt", `{"name":"P","title":"t"}`, "refused: convert: at /name: names were free", true},
	{"a keyword without a type", "Root", `{"uri":"file:///a","name":"n"}`, "refused: convert: a name was free", true},
	{"a value that satisfies the keyword", "Root", `{"uri":"file:///a","name":"n","_meta":{}}`, `{"uri":"file:///a","name":"n","_meta":{}}`, true},
	{"a keyword in a list", "ListRootsResult", `{"roots":[{"uri":"file:///a"},{"uri":"file:///b","name":"n"}]}`, "refused: convert: at /roots/1: a name was free", true},
	{"a keyword that an older revision does not have", "Root", `{"uri":"file:///a","name":"n","_meta":{}}`, `{"uri":"file:///a","name":"n","_meta":{}}`, false},
	{"a text of the pattern", "Prompt", `{"name":"p","title":"t"}`, `{"name":"p","title":"t"}`, true},
	{"a definition with other values", "Cursor", "1", "refused: convert: cursors were texts", false},
	{"a member that becomes optional", "ImageContent", `{"type":"image","data":""}`, `{"type":"image","data":"","mimeType":"image/png"}`, false},
	{"a member that becomes nullable", "Resource", `{"name":"r","uri":"a:b"}`, `{"name":"r","uri":"a:b","size":null}`, true},
	{"null for an older revision", "Resource", `{"name":"r","uri":"a:b","size":null}`, `{"name":"r","uri":"a:b"} lost /size: left out: null is unknown`, false},
	{"a number that becomes an integer", "ProgressNotificationParams", `{"progressToken":1,"progress":0.5,"total":1.5}`,
		`{"progressToken":1,"progress":0.5} lost /total: left out: a fraction is no total`, true},
	{"an integer where a number was", "ProgressNotificationParams", `{"progressToken":1,"progress":0.5,"total":2}`, `{"progressToken":1,"progress":0.5,"total":2}`, true},
	{"a member with another name", "ModelPreferences", `{"costPriority":0.5,"priceWeight":1}`, `{"priceWeight":0.5} lost /priceWeight: only revision 2099-01-01 defines it`, true},
	{"the older name", "ModelPreferences", `{"priceWeight":0.5}`, `{"costPriority":0.5}`, false},
	{"a bound", "CreateMessageRequestParams", `{"messages":[],"maxTokens":0}`, "refused: convert: at /maxTokens: nothing to sample", true},
	{"an enum that grows", "PromptMessage", `{"role":"system","content":{"type":"text","text":"t"}}`,
		`{"role":"user","content":{"type":"text","text":"t"}} lost /role: sent as "user": closest`, false},
	{"a struct that was a union", "EmbeddedResource", `{"type":"resource","resource":{"uri":"a:b","blob":""}}`, `{"type":"resource","resource":{"uri":"a:b","blob":""}}`, true},
	{"a struct with a text", "EmbeddedResource", `{"type":"resource","resource":{"uri":"a:b","text":"t"}}`, `{"type":"resource","resource":{"uri":"a:b","text":"t"}}`, false},
	{"a struct with neither", "EmbeddedResource", `{"type":"resource","resource":{"uri":"a:b"}}`, "refused: convert: at /resource: it needs a text or a blob", false},
	{"any value that becomes an object", "CallToolResult", `{"content":[],"structuredContent":[1]}`,
		`{"content":[]} lost /structuredContent: left out: only objects`, true},
	{"an object that becomes any value", "ToolUseContent", `{"type":"tool_use","id":"1","name":"n","input":[1]}`,
		`{"type":"tool_use","id":"1","name":"n","input":{}} lost /input: replaced by {}: only objects`, false},
	{"a definition with another name", "Tool", `{"name":"t","inputSchema":{"type":"object"},"icons":[{"src":"a:b"}]}`, `{"name":"t","inputSchema":{"type":"object"},"icons":[{"src":"a:b"}]}`, true},
}

// end gives an until to each row that an import calls without effect.
func (p *project) end(t *testing.T, imported string) {
	t.Helper()
	rows := regexp.MustCompile(`(?m)^  (\w+\.yaml):(\d+): `).FindAllStringSubmatch(imported, -1)
	if len(rows) == 0 {
		t.Fatalf("import does not say what has no effect:\n%s", imported)
	}
	for _, row := range rows {
		name := filepath.Join("spec", row[1])
		lines := strings.Split(p.read(t, name), "\n")
		n, _ := strconv.Atoi(row[2])
		before, after, ok := strings.Cut(lines[n-1], "}")
		if !ok {
			continue // the comment of something that is described for every revision
		}
		lines[n-1] = before + `, until: "` + p.newest + `"}` + after
		p.write(t, name, strings.Join(lines, "\n"))
	}
}

// place returns the place of the row with a text, as an import prints it.
func (p *project) place(t *testing.T, file, text string) string {
	t.Helper()
	before, _, ok := strings.Cut(p.read(t, filepath.Join("spec", file)), text)
	if !ok {
		t.Fatalf("%s has no %s", file, text)
	}
	return fmt.Sprintf("  %s:%d: row", file, strings.Count(before, "\n")+1)
}

// add adds rows at the beginning of a table.
func (p *project) add(t *testing.T, file, table, rows string) {
	t.Helper()
	name := filepath.Join("spec", file)
	text := strings.Replace("\n"+p.read(t, name), "\n"+table+": []\n", "\n"+table+":\n", 1)
	changed := strings.Replace(text, "\n"+table+":\n", "\n"+table+":\n"+rows+"\n", 1)
	if changed == text {
		t.Fatalf("%s has no table %s", file, table)
	}
	p.write(t, name, changed[1:])
}

// uses runs the verbs that know all revisions.
func (p *project) uses(t *testing.T) {
	t.Helper()
	if out := p.program(t, 0, "spec", "list"); !strings.Contains(out, revision) {
		t.Errorf("spec list says\n%s", out)
	}
	p.program(t, 0, "spec", "verify", "new.json", "--revision", revision)
	p.program(t, 0, "spec", "check")
	p.write(t, "session.jsonl", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"`+revision+`","io.modelcontextprotocol/clientCapabilities":{}}}}
{"jsonrpc":"2.0","id":1,"result":{"tools":[],"resultType":"complete","ttlMs":0,"cacheScope":"private"}}
`)
	p.program(t, 0, "verify", "--revision", revision, "session.jsonl")
}

// talks runs a client and a server of the revision, and checks what they print.
func (p *project) talks(t *testing.T, want ...string) {
	t.Helper()
	program, err := os.ReadFile(filepath.Join("testdata", "talk.go"))
	if err != nil {
		t.Fatal(err)
	}
	p.write(t, filepath.Join("cmd", "talk", "main.go"), strings.ReplaceAll(string(program), "mcp20260728", "mcp"+strings.ReplaceAll(revision, "-", "")))
	p.compile(t, "./cmd/talk")
	out := p.run(t, 0, "./bin/talk")
	for _, line := range want {
		if !strings.Contains(out, line+"\n") {
			t.Errorf("the client does not print %q:\n%s", line, out)
		}
	}
}

// build builds the generated packages, a program that converts values, and more packages.
func (p *project) build(t *testing.T, more ...string) {
	t.Helper()
	p.write(t, filepath.Join("cmd", "convert", "main.go"), `package main

import (
	"fmt"
	"os"

	"github.com/mcpgen/mcpgen/generated/compat"
	"github.com/mcpgen/mcpgen/runtime/convert"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func main() {
	var c convert.Conversion
	got, err := compat.Table().Convert(&c, os.Args[1], os.Args[2], os.Args[3], wire.Raw(os.Args[4]))
	if err != nil {
		fmt.Println("refused:", err)
		return
	}
	fmt.Print(got)
	for _, l := range c.Losses() {
		fmt.Print(" lost ", l)
	}
	fmt.Println()
}
`)
	p.compile(t, append([]string{"./cmd/convert", "./generated/..."}, more...)...)
}

// convert converts a value between the newest pinned revision and the new one.
func (p *project) convert(t *testing.T, up bool, definition, value string) string {
	t.Helper()
	from, to := p.newest, revision
	if !up {
		from, to = to, from
	}
	return p.run(t, 0, "./bin/convert", from, to, definition, value)
}

// bootstrap builds the program as make does, before generated code exists.
func (p *project) bootstrap(t *testing.T) {
	t.Helper()
	p.compile(t, "-tags", "bootstrap", "./cmd/mcpgen")
	if err := os.Rename(filepath.Join(p.dir, "bin", "mcpgen"), filepath.Join(p.dir, "bin", "bootstrap")); err != nil {
		t.Fatal(err)
	}
}

// imports imports the schema in new.json. The program reads the folder spec, so it need not be built again.
func (p *project) imports(t *testing.T, code int) string {
	t.Helper()
	return p.run(t, code, "./bin/bootstrap", "spec", "import", "new.json", "--revision", revision)
}

// generates generates all packages, by the pins that the program is built with.
func (p *project) generates(t *testing.T) string {
	t.Helper()
	p.bootstrap(t)
	return p.run(t, 0, "./bin/bootstrap", "spec", "generate")
}

// program runs the built program.
func (p *project) program(t *testing.T, code int, args ...string) string {
	t.Helper()
	return p.run(t, code, "./bin/mcpgen", args...)
}

// compile builds packages of the project, and the programs among them in its folder bin.
func (p *project) compile(t *testing.T, args ...string) {
	t.Helper()
	p.overlaid(t)
	args = append([]string{"build", "-overlay", p.overlay, "-o", filepath.Join(p.dir, "bin") + string(filepath.Separator)}, args...)
	p.command(t, p.root, 0, "go", args...)
}

// run runs a command in the folder of the project, which must end with an exit code, and returns its output.
func (p *project) run(t *testing.T, code int, name string, args ...string) string {
	t.Helper()
	return p.command(t, p.dir, code, name, args...)
}

func (p *project) command(t *testing.T, dir string, code int, name string, args ...string) string {
	t.Helper()
	ctx := testkit.Context(t)
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != code {
		t.Fatalf("%s %q: %v, want exit code %d\n%s", name, args, err, code, out)
	}
	return string(out)
}

func (p *project) write(t *testing.T, name, text string) {
	t.Helper()
	name = filepath.Join(p.dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func (p *project) read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(p.dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
