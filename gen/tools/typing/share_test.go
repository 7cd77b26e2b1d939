package typing_test

import (
	"bytes"
	stdcmp "cmp"
	"fmt"
	"maps"
	"os"
	"regexp"
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
	// want has the types of members, and those that declarations are aliases of.
	want map[string]string
}{
	{"members of one name", taking("a", `"at":`+place, "") + "," + taking("b", `"at":`+place, ""),
		map[string]string{"AInput.at": "AInputAt", "BInput.at": "BInputAt", "BInputAt": "AInputAt"}},
	{"other members", taking("a", `"from":`+place+`,"to":`+place, "") + "," + taking("b", `"to":`+place, ""),
		map[string]string{"AInput.from": "AInputFrom", "AInput.to": "AInputFrom", "BInput.to": "BInputTo", "BInputTo": "AInputFrom"}},
	{"arguments and result", returning("a", `"at":`+place, `"at":`+place),
		map[string]string{"AInput.at": "AInputAt", "AOutput.at": "AOutputAt", "AOutputAt": "AInputAt"}},
	{"a definition", taking("a", `"from":{"$ref":"#/$defs/spot"}`, `"spot":`+place) + "," + taking("b", `"to":{"$ref":"#/$defs/spot"}`, `"spot":`+place),
		map[string]string{"AInput.from": "AInputSpot", "BInput.to": "BInputSpot", "BInputSpot": "AInputSpot"}},
	{"a definition of several schemas", taking("a", `"x":{"$ref":"#/$defs/plot"},"y":{"anyOf":[{"$ref":"#/$defs/plot"},{"type":"null"}]}`, `"spot":`+place+`,"plot":{"description":"A plot.","allOf":[{"$ref":"#/$defs/spot"},`+another+`]}`),
		map[string]string{"AInput.x": "AInputPlot", "AInput.y": "nullable AInputPlot", "AInputPlot.zip": "string"}},
	{"a definition of alternatives", taking("a", `"x":{"type":"array","items":{"$ref":"#/$defs/mark"}},"y":{"$ref":"#/$defs/mark"}`, `"mark":{"oneOf":[`+place+`,`+another+`]}`),
		map[string]string{"AInput.x": "[]AInputMark", "AInput.y": "AInputMark", "AInputMarkCity.city": "string"}},
	{"alternatives of several schemas", taking("a", `"pet":{"oneOf":[{"$ref":"#/$defs/cat"},{"$ref":"#/$defs/dog"}]}`,
		`"base":`+place+`,"cat":{"allOf":[{"$ref":"#/$defs/base"},{"type":"object","properties":{"lives":{"type":"integer"}},"required":["lives"]}]},"dog":{"allOf":[{"$ref":"#/$defs/base"},{"type":"object","properties":{"tail":{"type":"string"}},"required":["tail"]}]}`),
		map[string]string{"AInput.pet": "AInputPet", "AInputCat.lives": "integer", "AInputDog.tail": "string"}},
	{"a variant with the name of the union", taking("a", `"x":{"$ref":"#/$defs/pet"}`, `"pet":{"anyOf":[{"$ref":"#/$defs/cat","properties":{"kind":{"const":"cat"}}},{"$ref":"#/$defs/pet_base","properties":{"kind":{"const":"pet"}}}]},`+
		`"cat":{"allOf":[{"$ref":"#/$defs/pet_base"},{"type":"object","properties":{"lives":{"type":"integer"}}}]},"pet_base":{"type":"object","properties":{"kind":{"type":"string"}},"required":["kind"]}`),
		map[string]string{"AInput.x": "AInputPet", "AInputPetCat.lives": "integer", "AInputPetBase.kind": "string"}},
	{"a definition of a definition", taking("a", `"x":{"$ref":"#/$defs/alias"}`, `"spot":`+place+`,"alias":{"allOf":[{"$ref":"#/$defs/spot"}]}`),
		map[string]string{"AInput.x": "AInputSpot"}},
	{"definitions of the same alternatives", taking("a", `"x":{"$ref":"#/$defs/spot"},"y":{"$ref":"#/$defs/mark"}`, `"spot":{"oneOf":[`+"{\"$ref\":\"#/$defs/near\"},{\"$ref\":\"#/$defs/far\"}"+`]},"mark":{"oneOf":[`+"{\"$ref\":\"#/$defs/near\"},{\"$ref\":\"#/$defs/far\"}"+`]},"near":{"type":"object","properties":{"to":{"$ref":"#/$defs/mark"}},"required":["to"]},"far":`+another),
		map[string]string{"AInput.x": "AInputSpot", "AInput.y": "AInputSpot", "AInputNear.to": "AInputSpot"}},
	{"recursion through a list", taking("a", `"x":{"$ref":"#/$defs/nodes"}`, `"nodes":{"type":"array","items":{"$ref":"#/$defs/node"}},"node":{"type":"object","properties":{"below":{"$ref":"#/$defs/nodes"}}}`),
		map[string]string{"AInput.x": "[]AInputNode", "AInputNode.below": "[]AInputNode"}},
	{"recursion through allOf", taking("a", `"t":{"$ref":"#/$defs/tree"}`, `"base":`+place+`,"tree":{"allOf":[{"$ref":"#/$defs/base"},{"type":"object","properties":{"up":{"$ref":"#/$defs/tree"}}}]}`),
		map[string]string{"AInput.t": "AInputTree", "AInputTree.up": "AInputTree"}},
	{"a definition and a member", taking("a", `"from":{"$ref":"#/$defs/spot"}`, `"spot":`+place) + "," + taking("b", `"to":`+place, ""),
		map[string]string{"AInput.from": "AInputSpot", "BInput.to": "BInputTo", "BInputTo": ""}},
	{"definitions of several names", taking("a", `"x":{"$ref":"#/$defs/spot"}`, `"spot":`+place) + "," + taking("b", `"x":{"$ref":"#/$defs/town"}`, `"town":`+place),
		map[string]string{"AInput.x": "AInputSpot", "BInput.x": "BInputTown", "BInputTown": ""}},
	{"a definition with a Go name", taking("a", `"x":{"$ref":"#/$defs/spot"}`, `"spot":{"x-go-name":"Place",`+place[1:]) + "," + taking("b", `"y":{"$ref":"#/$defs/spot"}`, `"spot":{"x-go-name":"Place",`+place[1:]),
		map[string]string{"AInput.x": "Place", "BInput.y": "Place"}},
	{"what a definition with a Go name consists of", taking("a", `"x":{"$ref":"#/$defs/d"}`, `"d":{"x-go-name":"Trip","type":"object","properties":{"stops":{"type":"array","items":`+place+`}}}`) + "," + taking("b", `"y":{"$ref":"#/$defs/d"}`, `"d":{"x-go-name":"Trip","type":"object","properties":{"stops":{"type":"array","items":`+place+`}}}`),
		map[string]string{"AInput.x": "Trip", "BInput.y": "Trip", "Trip.stops": "[]TripStop"}},
	{"a title", taking("a", `"x":{"title":"Point of call",`+place[1:], "") + "," + taking("b", `"y":{"title":"Point of call",`+place[1:], ""),
		map[string]string{"AInput.x": "AInputPointOfCall", "BInput.y": "BInputPointOfCall", "BInputPointOfCall": "AInputPointOfCall"}},
	{"one title of several types", taking("a", `"x":{"title":"Point",`+place[1:]+`,"y":{"title":"Point",`+another[1:], ""),
		map[string]string{"AInput.x": "AInputPoint", "AInput.y": "AInputY"}},
	{"descriptions of members", taking("a", `"order":{"description":"Of the names.",`+sorted[1:], "") + "," + taking("b", `"order":{"description":"Of the dates.",`+sorted[1:], ""),
		map[string]string{"AInput.order": "AInputOrder", "BInput.order": "BInputOrder", "BInputOrder": "AInputOrder"}},
	{"descriptions of elements", taking("a", `"order":{"type":"array","items":{"description":"A.",`+sorted[1:]+`}`, "") + "," + taking("b", `"order":{"type":"array","items":{"description":"B.",`+sorted[1:]+`}`, ""),
		map[string]string{"AInput.order": "[]AInputOrderItem", "BInput.order": "[]BInputOrderItem", "BInputOrderItem": ""}},
	{"descriptions within", taking("a", `"at":{"type":"object","properties":{"x":{"type":"string","description":"A."}}}`, "") + "," + taking("b", `"at":{"type":"object","properties":{"x":{"type":"string","description":"B."}}}`, ""),
		map[string]string{"AInput.at": "AInputAt", "BInput.at": "BInputAt", "BInputAt": ""}},
	{"a default", taking("a", `"at":{"type":"object","properties":{"n":{"type":"string","default":"x"}}}`, "") + "," + taking("b", `"at":{"type":"object","properties":{"n":{"type":"string","default":"y"}}}`, ""),
		map[string]string{"AInput.at": "AInputAt", "BInputAt": ""}},
	{"recursion", taking("a", `"t":{"$ref":"#/$defs/tree"}`, `"tree":{"type":"object","properties":{"l":{"$ref":"#/$defs/tree"},"v":`+place+`}}`) + "," + taking("b", `"t":{"$ref":"#/$defs/tree"}`, `"tree":{"type":"object","properties":{"l":{"$ref":"#/$defs/tree"},"v":`+place+`}}`),
		map[string]string{"AInput.t": "AInputTree", "AInputTree.l": "AInputTree", "AInputTree.v": "AInputTreeV", "BInput.t": "BInputTree", "BInputTree": "AInputTree"}},
	{"whole arguments", taking("a", `"city":{"type":"string"}`, "") + "," + taking("b", `"city":{"type":"string"}`, ""),
		map[string]string{"BInput": ""}},
	{"unions", taking("a", `"at":{"oneOf":[`+place+`,`+another+`]}`, "") + "," + taking("b", `"at":{"oneOf":[`+place+`,`+another+`]},"one":`+place, ""),
		map[string]string{"AInput.at": "AInputAt", "BInput.at": "BInputAt", "BInputAt": "AInputAt", "BInput.one": "BInputAtCity", "BInputAtCity": "AInputAtCity"}},
	{"unions of texts", taking("a", `"at":{"type":["string","array"],"items":{"type":"string"}}`, "") + "," + taking("b", `"x":{"type":["string","object"],"additionalProperties":{"type":"string"}}`, ""),
		map[string]string{"AInput.at": "AInputAt", "BInput.x": "BInputX", "BInputX": ""}},
	{"elements and values", taking("a", `"records":{"type":"array","items":`+place+`},"data":{"type":"array","items":`+another+`},"keys":{"type":"object","additionalProperties":`+sorted+`}`, ""),
		map[string]string{"AInput.records": "[]AInputRecord", "AInput.data": "[]AInputDataItem", "AInput.keys": "{}AInputKey"}},
	{"a member with the name of an element", taking("a", `"record":`+another+`,"records":{"type":"array","items":`+place+`}`, ""),
		map[string]string{"AInput.record": "AInputRecord", "AInput.records": "[]AInputRecordsItem"}},
	{"inlined recursion", taking("a", `"comments":{"type":"array","items":{"type":"object","properties":{"text":{"type":"string"},"replies":{"type":"array","items":{"type":"object","properties":{"text":{"type":"string"},"replies":{"type":"array","items":{"type":"object","properties":{"text":{"type":"string"}}}}}}}}}}`, ""),
		map[string]string{"AInput.comments": "[]AInputComment", "AInputComment.replies": "[]AInputCommentReply", "AInputCommentReply.replies": "[]AInputCommentReply2"}},
	{"tools whose names begin alike", taking("a", `"input":`+place, "") + "," + taking("a_input", `"x":`+another, ""),
		map[string]string{"AInput.input": "AInputIn", "AInputInput.x": "AInputInputX"}},
}

// TestShared looks at the names of types, and at which types are one.
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
			switch of := d.Type.(type) {
			case *ir.Object:
				got[place] = ""
				if f := of.Field(member); f != nil {
					got[place] = ir.TypeString(f.Type)
				}
			case *ir.Ref:
				got[place] = of.Decl.Name
			default:
				got[place] = ""
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
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
	pkg, err := typing.Types(list, typing.Options{Server: true})
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
		taking("a", `"at":{"$ref":"#/$defs/at"}`, `"at":{"x-go-name":"At","description":"A place.",`+place[1:]),
		taking("b", `"at":{"$ref":"#/$defs/at","description":"Where to."}`, `"at":{"x-go-name":"At","description":"A place.",`+place[1:]),
		taking("c", `"x":`+another+`,"y":{"description":"Y.",`+another[1:], ""),
		taking("d", `"x":`+another, ""),
	}, ",")+"]")
	for name, want := range map[string]string{
		"At":      "At is a definition of several items.\n\nA place.",
		"CInputX": "CInputX is the type of x and y in the arguments of c.",
		"DInputX": "DInputX is the type of x in the arguments of d.",
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
		if _, err = typing.Types(list, typing.Options{}); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%s: %s\nwant %s", test.list, got, test.want)
		}
	}
}

// TestNamesStay adds each item of lists to the others: the types of the others stay the same, under the same names.
func TestNamesStay(t *testing.T) {
	lists := map[string]*tools.List{}
	for _, test := range sharedTypes {
		list, err := tools.Read([]byte("[" + test.list + "]"))
		if err != nil {
			t.Fatal(err)
		}
		lists[test.name] = list
	}
	for _, name := range []string{"constructs.json", "names.json", "shared.json", "results.json"} {
		text, err := os.ReadFile("../../../tests/toollists/testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if lists[name], err = tools.Read(text); err != nil {
			t.Fatal(err)
		}
	}
	if !testing.Short() {
		maps.Copy(lists, toolstest.Upstream(t))
	}
	additions := 0
	for name, list := range lists {
		all := list.Tools
		with := meanings(t, list)
		for i := range all {
			if len(all) > 50 && i%17 != 0 {
				continue // of a long list some, because each addition makes the types of all others
			}
			additions++
			list.Tools = slices.Delete(slices.Clone(all), i, i+1)
			for decl, meaning := range meanings(t, list) {
				if with[decl] != meaning {
					t.Errorf("%s: with %q, %s is\n%s\nand without it\n%s", name, all[i].Name, decl, with[decl], meaning)
				}
			}
		}
		list.Tools = all
	}
	t.Logf("%d additions to %d lists", additions, len(lists))
}

// meanings returns what the types of a list mean, by their names: all that they consist of, as text without the names
// of types. Those of enums have the names of their constants.
func meanings(t *testing.T, list *tools.List) map[string]string {
	t.Helper()
	pkg, err := typing.Types(list, typing.Options{Server: true})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, d := range pkg.Decls {
		var text bytes.Buffer
		numbers, count := map[string]string{}, 0 // of the declarations, whatever their names
		number := func(names ...string) {
			for _, name := range names {
				if numbers[name] != "" {
					numbers[names[0]] = numbers[name]
					return
				}
			}
			count++
			for _, name := range names {
				numbers[name] = fmt.Sprintf("#%d", count)
			}
		}
		for _, c := range d.Constants {
			fmt.Fprintln(&text, c.Go, c.Wire)
		}
		if enum, ok := d.Type.(*ir.Enum); ok {
			for _, c := range enum.Values {
				fmt.Fprintln(&text, c.Go, c.Wire)
			}
		}
		ir.Reach(&ir.Ref{Decl: d}, func(inner *ir.Decl) {
			switch of := inner.Type.(type) {
			case *ir.Ref: // an alias
				number(inner.Name, of.Decl.Name)
				return
			case *ir.Enum:
				for _, c := range of.Values {
					fmt.Fprintf(&text, "%q\n", c.Wire)
				}
			default:
				plain := *inner
				plain.Path = ""
				if err := ir.PrintDecls(&text, []*ir.Decl{&plain}); err != nil {
					t.Fatal(err)
				}
			}
			number(inner.Name)
		})
		all[d.Name] = identifier.ReplaceAllStringFunc(text.String(), func(name string) string { return stdcmp.Or(numbers[name], name) })
	}
	return all
}

var identifier = regexp.MustCompile(`\w+`)

// TestLongNames has names that are too long: they have at most 70 bytes and are distinct.
func TestLongNames(t *testing.T) {
	const word = "an_extraordinarily_long_name_of_a_member"
	values := []string{`"` + strings.Repeat("word ", 12) + `"`, `"` + strings.Repeat("word ", 13) + `"`, `"other ` + strings.Repeat("word ", 12) + `"`, `"short"`}
	inner := `{"enum":[` + strings.Join(values, ",") + `]}`
	for range 4 {
		inner = `{"type":"object","properties":{"` + word + `":` + inner + `,"second_` + word + `":` + inner + `}}`
	}
	pkg := sharing(t, "["+taking("list_selected_repositories_of_an_organization", `"a":`+inner, "")+"]")
	taken := map[string]bool{}
	add := func(name string) {
		if len(name) > 70 || taken[name] {
			t.Errorf("%s has %d bytes, or is there twice", name, len(name))
		}
		taken[name] = true
	}
	for _, d := range pkg.Decls {
		add(d.Name)
		if enum, ok := d.Type.(*ir.Enum); ok {
			for _, v := range enum.Values {
				add(v.Go)
			}
		}
	}
}

// TestSharedVariants has an enum that is a variant of a union in another tool, which needs its methods.
func TestSharedVariants(t *testing.T) {
	pkg := sharing(t, "["+taking("a", `"order":`+sorted, "")+","+taking("b", `"order":{"oneOf":[`+sorted+`,`+place+`]}`, "")+"]")
	variant := pkg.Lookup("BInputOrder").Type.(*ir.Union).Variants[1].Decl
	if ref, ok := variant.Type.(*ir.Ref); !ok || ref.Decl.Name != "AInputOrder" || len(ref.Decl.Unions) != 1 {
		t.Errorf("%s: %+v", variant.Name, variant.Type)
	}
}

// TestDefinitionsOfAPIs names the definitions of an API, which are the same in all of its operations, or not.
func TestDefinitionsOfAPIs(t *testing.T) {
	operation := func(name, output string) string {
		return fmt.Sprintf(`{"name":%q,"inputSchema":{"type":"object"},"outputSchema":%s,"x-openapi":{"method":"GET","path":"/"}}`, name, output)
	}
	pet := `"type":"object","properties":{"pet":{"$ref":"#/$defs/pet"},"more":{"type":"array","items":{"$ref":"#/$defs/cut"}}},"$defs":{"pet":{"type":"object","properties":{"kind":` + sorted + `}},"cut":`
	pkg := sharing(t, "["+operation("a", "{"+pet+place+"}}")+","+operation("b", "{"+pet+another+"}}")+"]")
	for place, want := range map[string]string{"AOutput.pet": "Pet", "BOutput.pet": "Pet", "Pet.kind": "PetKind", "AOutput.more": "[]AOutputCut", "BOutput.more": "[]BOutputCut"} {
		decl, member, _ := strings.Cut(place, ".")
		d := pkg.Lookup(decl)
		if d == nil || ir.TypeString(d.Field(member).Type) != want {
			t.Errorf("%s: %+v, want %s", place, d, want)
		}
	}
	if diff := cmp.Diff([]string{"Pet", "PetKind"}, namesOf(pkg.Shared)); diff != "" {
		t.Errorf("shared (-want +got):\n%s", diff)
	}
	// The name of an operation does not matter, nor that parts of two definitions are equal.
	kinds := `{"type":"object","properties":{"cat":{"$ref":"#/$defs/cat"},"dog":{"$ref":"#/$defs/dog"}},"$defs":{"cat":{"type":"object","properties":{"kind":` +
		sorted + `}},"dog":{"type":"object","properties":{"kind":` + sorted + `}}}}`
	long := operation("list_the_animals_that_are_or_have_been_in_the_house", kinds)
	for _, list := range []string{long, operation("a", kinds), operation("a", kinds) + "," + long, long + "," + operation("a", kinds)} {
		pkg := sharing(t, "["+list+"]")
		for decl, want := range map[string]string{"Cat": "CatKind", "Dog": "DogKind"} {
			d := pkg.Lookup(decl)
			if d == nil || ir.TypeString(d.Field("kind").Type) != want {
				t.Errorf("%.60s: %s: %+v, want the kind %s", list, decl, d, want)
			}
		}
	}
}
