package typing_test

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/gen/tools/toolstest"
	"github.com/mcpgen/mcpgen/gen/tools/typing"
)

// The parts of the lists of TestShared.
const (
	place   = `{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`
	sorted  = `{"enum":["asc","desc"]}`
	another = `{"type":"object","properties":{"zip":{"type":"string"}},"required":["zip"]}`
)

// taking returns a tool with arguments, and with definitions if there are some.
func taking(name, members, defs string) string {
	return fmt.Sprintf(`{"name":%q,"inputSchema":{"type":"object","properties":{%s},"$defs":{%s}}}`, name, members, defs)
}

// returning returns a tool with arguments and a result.
func returning(name, arguments, result string) string {
	return fmt.Sprintf(`{"name":%q,"inputSchema":{"type":"object","properties":{%s}},"outputSchema":{"type":"object","properties":{%s}}}`, name, arguments, result)
}

var sharedTypes = []struct {
	name, list string
	// want has the types of members, shared the types that several items have.
	want   map[string]string
	shared string
}{
	{"members of one name", taking("a", `"at":`+place, "") + "," + taking("b", `"at":`+place, ""),
		map[string]string{"AInput.at": "At", "BInput.at": "At"}, "At"},
	{"other members", taking("a", `"from":`+place+`,"to":`+place, "") + "," + taking("b", `"to":`+place, ""),
		map[string]string{"AInput.from": "To", "AInput.to": "To", "BInput.to": "To"}, "To"},
	{"one tool", taking("a", `"from":`+place+`,"to":`+place, ""),
		map[string]string{"AInput.from": "AInputFrom", "AInput.to": "AInputFrom"}, ""},
	{"arguments and result", returning("a", `"at":`+place, `"at":`+place),
		map[string]string{"AInput.at": "AAt", "AOutput.at": "AAt"}, ""},
	{"a definition", taking("a", `"from":{"$ref":"#/$defs/spot"}`, `"spot":`+place) + "," + taking("b", `"to":{"$ref":"#/$defs/spot"}`, `"spot":`+place),
		map[string]string{"AInput.from": "Spot", "BInput.to": "Spot"}, "Spot"},
	{"a definition and a member", taking("a", `"from":{"$ref":"#/$defs/spot"}`, `"spot":`+place) + "," + taking("b", `"to":`+place, ""),
		map[string]string{"AInput.from": "Spot", "BInput.to": "Spot"}, "Spot"},
	{"definitions of several names", taking("a", `"x":{"$ref":"#/$defs/spot"}`, `"spot":`+place) + "," + taking("b", `"x":{"$ref":"#/$defs/town"}`, `"town":`+place) + "," + taking("c", `"x":`+place, ""),
		map[string]string{"AInput.x": "AInputSpot", "BInput.x": "BInputTown", "CInput.x": "CInputX"}, ""},
	{"a definition with a Go name", taking("a", `"x":{"$ref":"#/$defs/spot"}`, `"spot":{"x-go-name":"Place",`+place[1:]),
		map[string]string{"AInput.x": "Place"}, ""},
	{"a title", taking("a", `"x":{"title":"Point of call",`+place[1:], "") + "," + taking("b", `"y":{"title":"Point of call",`+place[1:], ""),
		map[string]string{"AInput.x": "PointOfCall", "BInput.y": "PointOfCall"}, "PointOfCall"},
	{"descriptions of members", taking("a", `"order":{"description":"Of the names.",`+sorted[1:], "") + "," + taking("b", `"order":{"description":"Of the dates.",`+sorted[1:], "") + "," + taking("c", `"order":`+sorted, ""),
		map[string]string{"AInput.order": "Order", "BInput.order": "Order", "CInput.order": "Order"}, "Order"},
	{"descriptions of elements", taking("a", `"order":{"type":"array","items":{"description":"A.",`+sorted[1:]+`}`, "") + "," + taking("b", `"order":{"type":"array","items":{"description":"B.",`+sorted[1:]+`}`, ""),
		map[string]string{"AInput.order": "[]AInputOrderItem", "BInput.order": "[]BInputOrderItem"}, ""},
	{"descriptions within", taking("a", `"at":{"type":"object","properties":{"x":{"type":"string","description":"A."}}}`, "") + "," + taking("b", `"at":{"type":"object","properties":{"x":{"type":"string","description":"B."}}}`, ""),
		map[string]string{"AInput.at": "AInputAt", "BInput.at": "BInputAt"}, ""},
	{"one name for several types", strings.Join([]string{taking("a", `"at":`+place, ""), taking("b", `"at":`+place, ""), taking("c", `"at":`+another, ""), taking("d", `"at":`+another, ""), taking("e", `"at":`+another, "")}, ","),
		map[string]string{"AInput.at": "AtInput", "BInput.at": "AtInput", "CInput.at": "At", "DInput.at": "At", "EInput.at": "At"}, "At AtInput"},
	{"a name that a tool has", strings.Join([]string{taking("at", `"b":{"type":"string"}`, ""), taking("b", `"at_input":`+place, ""), taking("c", `"at_input":`+place, "")}, ","),
		map[string]string{"BInput.at_input": "AtInputInput", "CInput.at_input": "AtInputInput"}, "AtInputInput"},
	{"a default", taking("a", `"at":{"type":"object","properties":{"n":{"type":"string","default":"x"},"at":`+place+`}}`, "") + "," + taking("b", `"at":{"type":"object","properties":{"n":{"type":"string","default":"x"},"at":`+place+`}}`, ""),
		map[string]string{"AInput.at": "At", "AArguments.at": "AtArguments", "BArguments.at": "AtArguments", "At.at": "AtAt", "AtArguments.at": "AtAt"}, "At AtArguments AtAt"},
	{"recursion", taking("a", `"t":{"$ref":"#/$defs/tree"}`, `"tree":{"type":"object","properties":{"l":{"$ref":"#/$defs/tree"},"v":`+place+`}}`) + "," + taking("b", `"t":{"$ref":"#/$defs/tree"}`, `"tree":{"type":"object","properties":{"l":{"$ref":"#/$defs/tree"},"v":`+place+`}}`),
		map[string]string{"AInput.t": "Tree", "BInput.t": "Tree", "Tree.l": "Tree", "Tree.v": "TreeV"}, "Tree TreeV"},
	{"whole arguments", taking("a", `"city":{"type":"string"}`, "") + "," + taking("b", `"city":{"type":"string"},"again":{"$ref":"#"}`, "") + "," + taking("c", `"city":{"type":"string"},"again":{"$ref":"#"}`, ""),
		map[string]string{"BInput.again": "BInput", "CInput.again": "CInput"}, ""},
	{"unions", taking("a", `"at":{"oneOf":[`+place+`,`+another+`]}`, "") + "," + taking("b", `"at":{"oneOf":[`+place+`,`+another+`]},"one":`+place, ""),
		map[string]string{"AInput.at": "At", "BInput.at": "At", "BInput.one": "AtCity"}, "At AtCity AtZip"},
	{"unions of texts", taking("a", `"at":{"type":["string","array"],"items":{"type":"string"}}`, "") + "," + taking("b", `"x":{"type":["string","object"],"additionalProperties":{"type":"string"}}`, ""),
		map[string]string{"AInput.at": "AInputAt", "BInput.x": "BInputX"}, ""},
}

// TestShared looks at which types are one.
func TestShared(t *testing.T) {
	for _, test := range sharedTypes {
		pkg := sharing(t, "["+test.list+"]")
		got := map[string]string{}
		for place := range test.want {
			decl, member, _ := strings.Cut(place, ".")
			d := pkg.Lookup(decl)
			if d == nil {
				t.Errorf("%s: there is no %s", test.name, decl)
				continue
			}
			for _, f := range d.Type.(*ir.Object).Fields {
				if f.Wire == member {
					got[place] = ir.TypeString(f.Type)
				}
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
		if names := strings.Join(namesOf(pkg.Shared), " "); names != test.shared {
			t.Errorf("%s: shared are %q, want %q", test.name, names, test.shared)
		}
		all := slices.Clone(pkg.Shared)
		for _, tool := range pkg.Tools {
			all = append(all, tool.Decls...)
		}
		if diff := cmp.Diff(namesOf(pkg.Decls), slices.Sorted(slices.Values(namesOf(all)))); diff != "" {
			t.Errorf("%s: declarations of the package, and of its parts:\n%s", test.name, diff)
		}
	}
}

func sharing(t *testing.T, text string) *typing.Package {
	t.Helper()
	list, err := tools.Read([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	pkg, _, err := typing.Types(list, typing.Options{Server: true})
	if err != nil {
		t.Fatal(err)
	}
	return pkg
}

func namesOf(decls []*ir.Decl) []string {
	var names []string
	for _, d := range decls {
		names = append(names, d.Name)
	}
	return names
}

// TestSharedComments looks at the comments of types that have several places.
func TestSharedComments(t *testing.T) {
	pkg := sharing(t, "["+strings.Join([]string{
		taking("a", `"order":{"description":"Of the names.",`+sorted[1:]+`,"at":{"$ref":"#/$defs/at"}`, `"at":{"description":"A place.",`+place[1:]),
		taking("b", `"order":{"description":"Of the names.",`+sorted[1:]+`,"at":{"$ref":"#/$defs/at","description":"Where to."}`, `"at":{"description":"A place.",`+place[1:]),
		returning("c", `"x":`+another, `"x":{"description":"X.",`+another[1:]),
		taking("d", `"x":{"description":"D.","enum":["d"]},"n":{"default":1}`, ""),
	}, ",")+"]")
	for name, want := range map[string]string{
		"Order": "Order is the type of equal schemas in several tools.",
		"At":    "At is the type of equal schemas in several tools.\n\nA place.",
		"CX":    "CX is the type of x in the arguments of c, and the type of x in the structured result of c.",
	} {
		if d := pkg.Lookup(name); d == nil || d.Doc != want {
			t.Errorf("%s: %+v, want the comment %q", name, d, want)
		}
	}
}

// TestSharedNames has definitions with Go names, some of which cannot be those of types.
func TestSharedNames(t *testing.T) {
	named := func(name, schema string) string {
		return taking(name, `"x":{"$ref":"#/$defs/d"}`, `"d":{"x-go-name":"Place",`+schema[1:])
	}
	for _, test := range []struct{ list, want string }{
		{named("a", place) + "," + named("b", place), ""},
		{named("a", place) + "," + named("b", another), `tool "b": /1/inputSchema/$defs/d/x-go-name: "Place" cannot be the Go name of a type: it must be an exported identifier that nothing else has`},
		{strings.ReplaceAll(named("a", place), "Place", "place"), `tool "a": /0/inputSchema/$defs/d/x-go-name: "place" cannot be the Go name of a type: it must be an exported identifier that nothing else has`},
		{strings.ReplaceAll(named("a", place), "Place", "AInput"), `tool "a": /0/inputSchema/$defs/d/x-go-name: "AInput" cannot be the Go name of a type: it must be an exported identifier that nothing else has`},
	} {
		list, err := tools.Read([]byte("[" + test.list + "]"))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if _, _, err = typing.Types(list, typing.Options{}); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%s: %s\nwant %s", test.list, got, test.want)
		}
	}
}

// TestSharedOrder reverses lists: the types stay the same.
func TestSharedOrder(t *testing.T) {
	lists := map[string]*tools.List{}
	for _, test := range sharedTypes {
		list, err := tools.Read([]byte("[" + test.list + "]"))
		if err != nil {
			t.Fatal(err)
		}
		lists[test.name] = list
	}
	if !testing.Short() {
		maps.Copy(lists, toolstest.Upstream(t))
	}
	for name, list := range lists {
		var texts [2][]string
		for i := range texts {
			pkg, _, err := typing.Types(list, typing.Options{Server: true})
			if err != nil {
				t.Fatal(err)
			}
			var text bytes.Buffer
			for _, d := range pkg.Decls {
				d.Path = "" // one of several
			}
			if err := ir.PrintDecls(&text, pkg.Decls); err != nil {
				t.Fatal(err)
			}
			for _, d := range pkg.Decls {
				fmt.Fprintln(&text, d.Doc)
			}
			texts[i] = strings.Split(text.String(), "\n")
			slices.Reverse(list.Tools)
		}
		if diff := cmp.Diff(texts[0], texts[1]); diff != "" {
			t.Errorf("%s: the order of the list changes the types:\n%s", name, diff)
		}
	}
}
