package compat

import (
	"slices"
	"testing"

	ladder "github.com/mcpgen/mcpgen/generated/compat"
	"github.com/mcpgen/mcpgen/runtime/convert"
	"github.com/mcpgen/mcpgen/runtime/wire"
	"github.com/mcpgen/mcpgen/tests/agreement/random"
)

// TestSameValues converts random params and results, with a Converter, which keeps those that are certain to be the
// same, and by the table, which reads them all. What one keeps, the other may only complete with members that the
// runtime adds.
func TestSameValues(t *testing.T) {
	all, table := judges(t), ladder.Table()
	kept, converted := 0, 0
	for i, from := range all {
		source := random.New(from.ir, 3)
		converter := table.Converter(from.ir.ID, convert.Options{})
		exchanged := from.ir.Results()
		for _, m := range from.ir.Methods {
			exchanged[m.Params] = true
		}
		for j, to := range all {
			between := all[min(i, j) : max(i, j)+1]
			for _, d := range from.ir.Decls {
				if !exchanged[d] || !source.Possible(d.Type) || slices.ContainsFunc(between, func(b *judge) bool { return b.ir.Lookup(d.Name) == nil }) {
					continue
				}
				for range 20 {
					text := wire.Raw(source.Text(source.Valid(d)))
					var c convert.Conversion
					want, refused := table.Convert(&c, from.ir.ID, to.ir.ID, d.Name, text)
					got, err := converter.Append(t.Context(), nil, to.ir.ID, d.Name, text)
					switch {
					case (err == nil) != (refused == nil):
						t.Fatalf("%s to %s, %s\n%s\ngot %v, want %v", from.ir.ID, to.ir.ID, d.Name, text, err, refused)
					case err != nil:
					case wire.Raw(got) != text:
						converted++
						if hasSessions(to.ir) && wire.Raw(got) != want {
							t.Fatalf("%s to %s, %s\n%s\ngot  %s\nwant %s", from.ir.ID, to.ir.ID, d.Name, text, got, want)
						}
					case len(c.Losses()) > 0 || !completes(want, text, !hasSessions(to.ir)):
						t.Fatalf("%s to %s, %s is kept, but\n%s\nbecomes\n%s\n%v", from.ir.ID, to.ir.ID, d.Name, text, want, c.Losses())
					default:
						kept++
					}
				}
			}
		}
	}
	if kept < 1000 || converted < 1000 {
		t.Errorf("%d values were kept and %d converted", kept, converted)
	}
}

// completes reports whether a text is another one, to which the runtime may have added members if the message is
// alone, without a session.
func completes(text, other wire.Raw, alone bool) bool {
	if alone {
		text, other = without(text), without(other)
	}
	return wire.Equal(text, other)
}

// without returns an object without what the runtime adds.
func without(text wire.Raw) wire.Raw {
	o := wire.Object(text).Without("resultType", "ttlMs", "cacheScope")
	meta, _ := o.Get("_meta")
	rest := wire.Object(meta).Without("io.modelcontextprotocol/clientCapabilities", "io.modelcontextprotocol/protocolVersion")
	if o = o.Without("_meta"); rest.Len() > 0 {
		o, _ = o.With("_meta", wire.Raw(rest)) // both are valid
	}
	return wire.Raw(o)
}
