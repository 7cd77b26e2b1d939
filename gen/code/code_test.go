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

// TestGoIdentifiers renders identifiers that end as packages are called. Names from schemas may have letters of any
// language in front of that.
func TestGoIdentifiers(t *testing.T) {
	f := jen.NewFile("p")
	f.Add(Go("func f(x T, many ...wire.Raw) {\nx.Éwire.Decode(x.X数schema.Ä)\nx.$1.Decode()\n}", "Ñruntime"))
	text, err := Text(f)
	if err != nil {
		t.Fatal(err)
	}
	want := "package p\n\nimport \"github.com/mcpgen/mcpgen/runtime/wire\"\n\n" +
		"func f(x T, many ...wire.Raw) {\n\tx.Éwire.Decode(x.X数schema.Ä)\n\tx.Ñruntime.Decode()\n}\n"
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
