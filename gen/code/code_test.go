package code

import (
	"testing"

	"github.com/dave/jennifer/jen"
	"github.com/google/go-cmp/cmp"
)

// TestGo renders a file of source text that names packages, and that pastes names and code.
func TestGo(t *testing.T) {
	f := jen.NewFile("p")
	Declare(f, "Read reads.", "func ($1) Read$1(r *wire.Reader) $2 {\nruntime := $3\nreturn runtime.x\n}", "T", jen.Qual("time", "Time"), jen.Lit("wire.Raw $1"))
	text, err := Text(f)
	if err != nil {
		t.Fatal(err)
	}
	want := "package p\n\nimport (\n\t\"time\"\n\n\t\"github.com/mcpgen/mcpgen/runtime/wire\"\n)\n\n" +
		"// Read reads.\nfunc (T) ReadT(r *wire.Reader) time.Time {\n\truntime := \"wire.Raw $1\"\n\treturn runtime.x\n}\n"
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
