package main

import (
	"os"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/gen/check"
	"github.com/mcpgen/mcpgen/gen/code"
	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/runtime/schema"
)

// list returns the tool list flights.json.
func list(t testing.TB) *tools.List {
	text, err := os.ReadFile("flights.json")
	if err != nil {
		t.Fatal(err)
	}
	l, err := tools.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestGenerated checks that the measured check function is up to date.
func TestGenerated(t *testing.T) {
	all, err := check.Declarations([]check.Root{{Func: "checkSearchFlightsInput", Schema: list(t).Tools[0].Input}})
	if err != nil {
		t.Fatal(err)
	}
	f := code.NewFile("main", "flights.json")
	f.ImportName("github.com/mcpgen/mcpgen/runtime/schema", "schema")
	f.ImportName("github.com/mcpgen/mcpgen/runtime/wire", "wire")
	for _, d := range all {
		f.Line().Add(d)
	}
	checkGolden(t, "checks.gen.go", f.Render)
}

// TestVerdicts checks that all measured validators agree.
func TestVerdicts(t *testing.T) {
	judges := map[string]validator{}
	for _, name := range []string{mcpgen, google, tekuri} {
		v, err := newValidator(name)
		if err != nil {
			t.Fatal(err)
		}
		judges[name] = v
	}
	for _, text := range []string{arguments, broken, `{}`, strings.Replace(arguments, "sun", `sun",1,"`, 1)} {
		ours := judges[mcpgen].text(text)
		for name, judge := range judges {
			if theirs := judge.text(text); (ours == nil) != (theirs == nil) {
				t.Errorf("%s: %v, but %s says %v", text, ours, name, theirs)
			}
		}
	}
}

// TestNoAllocation checks that the check of a valid value allocates nothing.
func TestNoAllocation(t *testing.T) {
	n := testing.AllocsPerRun(100, func() {
		if schema.Check(arguments, checkSearchFlightsInput) != nil {
			t.Fatal("not valid")
		}
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}
