package agreement

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dlclark/regexp2/v2"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpgen/mcpgen/gen"
	"github.com/mcpgen/mcpgen/gen/files"
	"github.com/mcpgen/mcpgen/gen/ir"
	tools "github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
	"github.com/mcpgen/mcpgen/spec"
	"github.com/mcpgen/mcpgen/tests/agreement/random"
	"github.com/mcpgen/mcpgen/tests/internal/pinned"
)

// TestSchemas generates code from schemas that are not pinned, builds a program of it, and compares its
// verdicts on random values with those of a JSON Schema validator. The schemas are those of
// testdata, the extensions among the upstream files, and the files that MCPGEN_SCHEMAS lists.
func TestSchemas(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	files, err := filepath.Glob("testdata/*.json")
	if err != nil {
		t.Fatal(err)
	}
	extensions, err := filepath.Glob(filepath.Join(sharedFolder(t), "upstream", "ext-*", "schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	files = append(append(files, extensions...), filepath.SplitList(os.Getenv("MCPGEN_SCHEMAS"))...)
	deviations := newLedger(t, pinned.Spec(t).Deviations)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			t.Parallel()
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			// The validator does not know the values that the protocol implies.
			facts, source := withoutValues(t), gen.Source{Revision: "2099-01-01", Schema: src}
			lowered, err := gen.Lower(facts, source)
			if err != nil {
				t.Fatal(err)
			}
			plan, err := gen.One(facts, source)
			if err != nil {
				t.Fatal(err)
			}
			newProgram(t, lowered, plan).compare(t, deviations)
		})
	}
}

// program is a program with the code of a schema. It reads lines of a definition's name, a tab
// and a value, and answers each with the value as it encodes it, or with an error as a string.
type program struct {
	ir    *ir.Revision
	judge map[*ir.Decl]*jsonschema.Schema
	path  string
}

// withoutValues returns the project's spec without the values that the protocol implies.
func withoutValues(t *testing.T) *spec.Spec {
	facts := *pinned.Spec(t)
	overlay := *facts.Overlay
	overlay.Values, facts.Overlay = nil, &overlay
	return &facts
}

// newProgram builds a program of a plan with one package.
func newProgram(t *testing.T, lowered *gen.Lowered, plan files.Plan) *program {
	dir := t.TempDir()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string, text []byte) {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range plan.Files {
		write(f.Path, f.Content)
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	requires := mod[bytes.Index(mod, []byte("\ngo ")):]
	write("go.mod", fmt.Appendf(nil, "module example.test/schema\n%s\nrequire github.com/mcpgen/mcpgen v0.0.0\nreplace github.com/mcpgen/mcpgen => %s\n", requires, root))
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	write("go.sum", sums)
	write("main.go", []byte(strings.ReplaceAll(mainText, "PACKAGE", plan.Owned[0])))
	p := &program{lowered.Revision, nil, filepath.Join(dir, "program")}
	build := exec.Command("go", "build", "-mod=mod", "-o", p.path, ".")
	build.Dir = dir
	build.Env = append(os.Environ(), "GOPROXY=off", "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text, err := lowered.Document.JSON()
	if err != nil {
		t.Fatal(err)
	}
	p.judge = judgeOf(t, text, lowered.Revision)
	return p
}

// judgeOf compiles the definitions of a document. References are resolved as generated code
// resolves them, because some documents have references that validators refuse.
func judgeOf(t *testing.T, text []byte, rev *ir.Revision) map[*ir.Decl]*jsonschema.Schema {
	root, errs := tools.Read("", wire.Raw(text))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	compiler.UseRegexpEngine(func(source string) (jsonschema.Regexp, error) {
		re, err := regexp2.Compile(source, regexp2.ECMAScript|regexp2.Unicode)
		return expression{re}, err
	})
	if err := compiler.AddResource(tools.StandaloneURI, parse(t, []byte(root.Standalone(tools.AllFormats)))); err != nil {
		t.Fatal(err)
	}
	all := map[*ir.Decl]*jsonschema.Schema{}
	for _, d := range rev.Decls {
		if d.Definition {
			compiled, err := compiler.Compile(tools.StandaloneURI + "#" + d.Pointer)
			if err != nil {
				t.Fatal(err)
			}
			all[d] = compiled
		}
	}
	return all
}

// expression is a regular expression of ECMA-262.
type expression struct{ *regexp2.Regexp }

func (e expression) MatchString(s string) bool {
	found, err := e.Regexp.MatchString(s)
	return err == nil && found
}

const mainText = `package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	code "example.test/schema/PACKAGE"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func main() {
	in, out := bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		definition, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		fmt.Fprintln(out, answer(definition, text))
	}
}

func answer(definition, text string) string {
	v, ok := code.New(definition)
	if !ok {
		return "no such definition"
	}
	err := wire.UnmarshalString(text, v)
	if err == nil {
		err = wire.Validate(v)
	}
	if err != nil {
		return strings.ReplaceAll(err.Error(), "\n", " ")
	}
	again, err := wire.Marshal(v)
	if err != nil {
		return "encode: " + err.Error()
	}
	return "=" + string(again)
}
`

// compare runs the program on random values of each definition.
func (p *program) compare(t *testing.T, deviations *ledger) {
	source := random.New(p.ir, uint64(setting(t, "MCPGEN_AGREEMENT_SEED", 1)))
	each := max(setting(t, "MCPGEN_AGREEMENT_COUNT", usual)/20/len(p.judge), 1)
	var in bytes.Buffer
	var decls []*ir.Decl
	var cases []random.Case
	for _, d := range p.ir.Decls {
		for i := 0; i < each && d.Definition; i++ {
			c := source.Case(d)
			decls, cases = append(decls, d), append(cases, c)
			fmt.Fprintf(&in, "%s\t%s\n", key(d), strings.NewReplacer("\n", " ", "\r", " ").Replace(c.Text))
		}
	}
	run := exec.Command(p.path)
	run.Stdin, run.Stderr = &in, os.Stderr
	out, err := run.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, len(out)+1)
	valid, complaints := map[*ir.Decl]int{}, 0
	for i, c := range cases {
		if !lines.Scan() {
			t.Fatal("the program ended early")
		}
		tree, err := jsonschema.UnmarshalJSON(strings.NewReader(c.Text))
		if err != nil {
			t.Fatal(err)
		}
		theirs := p.judge[decls[i]].Validate(tree)
		again, ours := strings.CutPrefix(lines.Text(), "=")
		if theirs == nil {
			valid[decls[i]]++
		}
		switch {
		case ours != (theirs == nil):
			effect := map[bool]spec.Effect{true: spec.Wider, false: spec.Narrower}[ours]
			if deviations.honours(c, effect) {
				continue
			}
		case !ours || wire.Equal(wire.Raw(again), wire.Raw(c.Text)) || deviations.honours(c, spec.Lossy):
			continue
		}
		t.Errorf("%s (%s): %s\ngenerated code: %s\nthe validator %s", key(decls[i]), strings.Join(c.Mutations, ", "), c.Text, lines.Text(), verdict(theirs))
		if complaints++; complaints >= 10 {
			t.FailNow()
		}
	}
	for d := range p.judge {
		if valid[d] < each/50 && source.Possible(&ir.Ref{Decl: d}) {
			t.Errorf("%s: %d of %d values are valid", key(d), valid[d], each)
		}
	}
	t.Logf("%d values of %d definitions", len(cases), len(p.judge))
}
