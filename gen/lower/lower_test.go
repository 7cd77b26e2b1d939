package lower_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/gen/lower"
	"github.com/mcpgen/mcpgen/gen/schema"
	"github.com/mcpgen/mcpgen/spec"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestGolden shows the ir of every pinned revision as text, so that what a
// change of the lowering or the overlay does is seen as data.
func TestGolden(t *testing.T) {
	project, err := spec.Load(spec.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	for _, revision := range project.Revisions() {
		t.Run(revision, func(t *testing.T) {
			src, err := project.Schema(revision)
			if err != nil {
				t.Fatal(err)
			}
			doc, err := schema.Parse(revision, src, project.Errata)
			if err != nil {
				t.Fatal(err)
			}
			out, err := lower.Lower(lower.Input{Document: doc, Overlay: project.Overlay, Docs: project.Docs, Strict: true})
			if err != nil {
				t.Fatal(err)
			}
			golden(t, revision+".txt", out.Revision)
		})
	}
}

func golden(t *testing.T, name string, r *ir.Revision) {
	t.Helper()
	var got bytes.Buffer
	if err := ir.Print(&got, r); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("%s differs (-want +got; -update rewrites it):\n%s", path, diff)
	}
}

func lowerText(definitions string, overlay *spec.Overlay, strict bool) (*lower.Output, error) {
	doc, err := schema.Parse("2099-01-01", fmt.Appendf(nil, `{"$defs": {%s}}`, definitions), nil)
	if err != nil {
		return nil, err
	}
	return lower.Lower(lower.Input{Document: doc, Overlay: overlay, Docs: &spec.Docs{}, Strict: strict})
}

const (
	tagA     = `"A": {"type": "object", "properties": {"kind": {"type": "string", "const": "a"}}, "required": ["kind"]}`
	tagB     = `"B": {"type": "object", "properties": {"kind": {"type": "string", "const": "b"}}, "required": ["kind"]}`
	union    = `"U": {"anyOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}]}`
	untagged = `"C": {"type": "object", "properties": {"src": {"type": "string"}}, "required": ["src"]}, "U": {"anyOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}, {"$ref": "#/$defs/C"}]}`
	request  = `"PingRequest": {"type": "object", "properties": {"method": {"type": "string", "const": "ping"}}, "required": ["method"]}`
	requests = `"ClientRequest": {"$ref": "#/$defs/PingRequest"}`
)

// listens returns the definitions of subscriptions/listen, with the members of its filter, and of a notification.
func listens(filter string) string {
	return `"SubscriptionsListenRequest": {"type": "object", "properties": {"method": {"type": "string", "const": "subscriptions/listen"},
		"params": {"type": "object", "properties": {"notifications": {"type": "object", "properties": {` + filter + `}}}}}, "required": ["method"]},
		"ClientRequest": {"$ref": "#/$defs/SubscriptionsListenRequest"}, "EmptyResult": {"type": "object", "properties": {"_meta": {}}},
		"ChangedNotification": {"type": "object", "properties": {"method": {"type": "string", "const": "notifications/changed"},
		"params": {"type": "object", "properties": {"id": {"type": "string"}}}}, "required": ["method"]},
		"ServerNotification": {"$ref": "#/$defs/ChangedNotification"}`
}

// TestRefused has a row for each thing that cannot be lowered; the error names
// the revision, the place and all that is in conflict.
func TestRefused(t *testing.T) {
	for _, tt := range []struct {
		name        string
		definitions string
		overlay     spec.Overlay
		want        string
	}{
		{
			name:        "variants that differ in optional members only",
			definitions: `"A": {"type": "object", "properties": {"x": {}}}, "B": {"type": "object", "properties": {"y": {}}}, ` + union,
			want:        "2099-01-01: /$defs/U: variants A and B of U cannot be distinguished by kind, const or required members",
		},
		{
			name:        "a variant whose required member the other one may have",
			definitions: `"A": {"type": "object", "properties": {"x": {}}, "required": ["x"]}, "B": {"type": "object", "properties": {"x": {}}}, ` + union,
			want:        "variants A and B of U cannot be distinguished",
		},
		{
			name:        "the same const",
			definitions: tagA + `, "B": {"type": "object", "properties": {"kind": {"type": "string", "const": "a"}}, "required": ["kind"]}, ` + union,
			want:        "variants A and B of U cannot be distinguished",
		},
		{
			name:        "a variant that allows any value for the member that would distinguish it",
			definitions: tagA + `, "B": {"type": "object", "properties": {"kind": {"type": "string"}}, "required": ["kind"]}, ` + union,
			want:        `/$defs/U: the constants of member "kind" cannot distinguish the variants of U, because variant B allows any value for "kind"; a row of values in overlay.yaml can fix it: {at: B.kind, value: VALUE, since: "2099-01-01"}`,
		},
		{
			name:        "a variant without the member that distinguishes the others",
			definitions: tagA + ", " + tagB + ", " + untagged,
			want:        `/$defs/U: the constants of member "kind" cannot distinguish the variants of U, because variant C has no member "kind"; a row of unions in overlay.yaml says how to recognize C where "kind" is absent: {variant: C, when: src, since: "2099-01-01"}`,
		},
		{
			name:        "a row for a variant that its constant identifies",
			definitions: tagA + ", " + tagB + ", " + untagged,
			overlay:     spec.Overlay{Unions: []spec.UnionRow{{Variant: "A", When: "src"}, {Variant: "C", When: "src"}}},
			want:        "unions/0: stale overlay row: A matches nothing in this revision",
		},
		{
			name:        "two definitions of one Go name",
			definitions: `"FooBar": {}, "fooBar": {}`,
			want:        `2099-01-01: /$defs/fooBar: definition "fooBar" has the Go name FooBar, which "FooBar" has too (/$defs/FooBar); a row of names in overlay.yaml can name it: {at: "fooBar", name: NAME, since: "2099-01-01"}`,
		},
		{
			name:        "a definition called like what every package has",
			definitions: `"Server": {"type": "string"}`,
			want:        "/$defs/Server: the type at Server needs the Go name Server, which every generated package has too; a row of names in overlay.yaml can name it: {at: \"Server\", name: NAME",
		},
		{
			name:        "a place and a definition of one Go name",
			definitions: `"A": {"type": "object", "properties": {"b": {"type": "object", "properties": {"c": {}}}}}, "AB": {"type": "string"}`,
			want:        "/$defs/A/properties/b: the type at A.b has the Go name AB, which the different type at AB has too (/$defs/AB)",
		},
		{
			name:        "the box of a union and a definition of one Go name",
			definitions: tagA + `, "U": {"anyOf": [{"$ref": "#/$defs/A"}, {"type": "string"}]}, "UBox": {"type": "string"}`,
			want:        "needs the Go name UBox",
		},
		{
			name:        "two members of one Go name",
			definitions: `"A": {"type": "object", "properties": {"A": {}, "Xa": {}, "a": {}}}`,
			want:        `/$defs/A/properties/a: member "a" has the Go name Xa, which member "Xa" has too`,
		},
		{
			name:        "a definition that is itself",
			definitions: `"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}`,
			want:        "/$defs/A: the definition consists of itself: A -> B -> A",
		},
		{
			name:        "a union of itself",
			definitions: tagA + `, "U": {"anyOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/U"}]}`,
			want:        "/$defs/U: the definition consists of itself: U -> U",
		},
		{
			name:        "a union of a definition that is itself",
			definitions: `"A": {"$ref": "#/$defs/A"}, "U": {"anyOf": [{"$ref": "#/$defs/A"}, {"type": "string"}]}`,
			want:        "/$defs/A: the definition consists of itself: A -> A",
		},
		{
			name:        "unions of each other, seen from a third",
			definitions: tagA + `, "U": {"anyOf": [{"$ref": "#/$defs/A"}, {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/V"}]}]}, "V": {"anyOf": [{"$ref": "#/$defs/U"}, {"type": "boolean"}]}, "W": {"anyOf": [{"$ref": "#/$defs/U"}, {"type": "integer"}]}`,
			want:        "/$defs/V: the definition consists of itself: V -> U -> V",
		},
		{
			name:        "params that are themselves",
			definitions: `"P": {"anyOf": [{"$ref": "#/$defs/P"}, {"type": "object"}]}, "PingRequest": {"type": "object", "properties": {"method": {"type": "string", "const": "ping"}, "params": {"$ref": "#/$defs/P"}}}, ` + requests,
			want:        "/$defs/P: the definition consists of itself: P -> P",
		},
		{
			name:        "allOf of itself",
			definitions: `"A": {"allOf": [{"$ref": "#/$defs/A"}, {"type": "object"}]}`,
			want:        "/$defs/A: the definition consists of itself: A -> A",
		},
		{
			name:        "a method twice",
			definitions: request + `, "OtherRequest": {"type": "object", "properties": {"method": {"type": "string", "const": "ping"}}, "required": ["method"]}, "EmptyResult": {"type": "object", "properties": {"_meta": {}}}, ` + requests,
			want:        `has the method "ping", too`,
		},
		{
			name:        "a request without a result",
			definitions: request + `, ` + requests,
			want:        `no result for "ping"`,
		},
		{
			name:        "a result that is no object",
			definitions: request + `, "PingResult": {"type": "object", "additionalProperties": {"type": "string"}}, ` + requests,
			want:        `/$defs/PingResult: the result of "ping" is not an object with members`,
		},
		{
			name:        "params that are a map",
			definitions: `"PingRequest": {"type": "object", "properties": {"method": {"type": "string", "const": "ping"}, "params": {"type": "object", "additionalProperties": {"type": "string"}}}}, ` + requests,
			want:        `/$defs/PingRequest/properties/params: the params of "ping" are not an object with members`,
		},
		{
			name:        "a message without a method",
			definitions: `"PingRequest": {"type": "object", "properties": {"method": {"type": "string"}}}, ` + requests,
			want:        "/$defs/PingRequest: a message of ClientRequest has no constant method",
		},
		{
			name:        "a message that stands in the union only",
			definitions: `"ServerNotification": {"type": "object", "properties": {"method": {"type": "string", "const": "x"}}}`,
			want:        `/$defs/ServerNotification: method "x" has no definition of its own`,
		},
		{
			name:        "another result that is no object",
			definitions: request + `, "PingResult": {"type": "object", "properties": {"x": {}}}, "Task": {"type": "string"}, ` + requests,
			overlay:     spec.Overlay{Results: []spec.ResultRow{{Method: "ping", Also: "Task", Name: "PingResponse"}}},
			want:        `/$defs/Task: results/0: the row has the result Task for "ping", which is not an object with members`,
		},
		{
			name:        "a filter of subscriptions by numbers",
			definitions: listens(`"ids": {"type": "array", "items": {"type": "integer"}}`),
			overlay:     spec.Overlay{Filters: []spec.FilterRow{{Member: "ids", Notification: "notifications/changed", Param: "id"}}},
			want:        `the filter of subscriptions has the member "ids", which is neither a boolean nor a list of strings`,
		},
		{
			name:        "a filter of subscriptions by an unknown member",
			definitions: listens(`"ids": {"type": "array", "items": {"type": "string"}}`),
			overlay:     spec.Overlay{Filters: []spec.FilterRow{{Member: "ids", Notification: "notifications/changed", Param: "uri"}}},
			want:        `/$defs/ChangedNotification/properties/params: filters/0: the row has the param "uri" of "notifications/changed", which is not a string among its params`,
		},
		{
			name:        "a stale name",
			definitions: tagA,
			overlay:     spec.Overlay{Names: []spec.NameRow{{At: "A.gone", Name: "X"}}},
			want:        "2099-01-01: names/0: stale overlay row: A.gone -> X matches nothing in this revision",
		},
		{
			name:        "a name that is none",
			definitions: tagA,
			overlay:     spec.Overlay{Names: []spec.NameRow{{At: "A.kind", Name: "X struct{}; func init() {}"}}},
			want:        `2099-01-01: names/0: "X struct{}; func init() {}" cannot be the name of an exported type`,
		},
		{
			name:        "a result whose name is not exported",
			definitions: tagA,
			overlay:     spec.Overlay{Results: []spec.ResultRow{{Method: "ping", Also: "A", Name: "pong"}}},
			want:        `results/0: "pong" cannot be the name of an exported type`,
		},
		{
			name:        "a stale discriminator",
			definitions: tagA + ", " + tagB + ", " + union,
			overlay:     spec.Overlay{Unions: []spec.UnionRow{{Variant: "A", When: "x"}}},
			want:        "unions/0: stale overlay row: A matches nothing",
		},
		{
			name:        "a stale capability",
			definitions: tagA,
			overlay:     spec.Overlay{Capabilities: []spec.CapabilityRow{{Method: "gone", Capability: "x"}}},
			want:        "capabilities/0: stale overlay row: gone",
		},
		{
			name: "a capability that the server cannot declare",
			definitions: request + `, "EmptyResult": {"type": "object", "properties": {"_meta": {}}}, ` + requests + `,
				"ServerCapabilities": {"type": "object", "properties": {"tools": {"type": "object", "properties": {"listChanged": {"type": "boolean"}}}}}`,
			overlay: spec.Overlay{Capabilities: []spec.CapabilityRow{{Method: "ping", Capability: "tools.ping"}}},
			want:    `2099-01-01: /$defs/ServerCapabilities: capabilities/0: the row has the capability tools.ping for "ping", which ServerCapabilities does not have`,
		},
		{
			name:        "a union by context with what is no object",
			definitions: tagA + `, "U": {"anyOf": [{"$ref": "#/$defs/A"}, {"type": "array"}]}`,
			overlay:     spec.Overlay{Context: []spec.ContextRow{{Union: "U", Catchall: "A"}}},
			want:        "/$defs/U: context/0: the row says that the variant of U depends on the request, but variant UList is not an object with members",
		},
		{
			name:        "a stale name of a definition",
			definitions: tagA,
			overlay:     spec.Overlay{Names: []spec.NameRow{{At: "B", Name: "X"}}},
			want:        "names/0: stale overlay row: B -> X matches nothing",
		},
		{
			name:        "two methods of one Go name",
			definitions: request + `, "pingRequest": {"type": "object", "properties": {"method": {"type": "string", "const": "x/ping"}}, "required": ["method"]}, "EmptyResult": {"type": "object", "properties": {"_meta": {}}}, "ClientRequest": {"anyOf": [{"$ref": "#/$defs/PingRequest"}, {"$ref": "#/$defs/pingRequest"}]}`,
			overlay:     spec.Overlay{Names: []spec.NameRow{{At: "PingRequest", Name: "PlainPing"}, {At: "pingRequest", Name: "PlainPingRequest"}}},
			want:        `/$defs/pingRequest: methods "x/ping" and "ping" have the Go name PlainPing; a row of names in overlay.yaml can name it: {at: "pingRequest"`,
		},
		{
			name:        "a value that is not in the enum",
			definitions: `"A": {"type": "object", "properties": {"a": {"type": "string", "enum": ["one", "two"]}}}`,
			overlay:     spec.Overlay{Values: []spec.ValueRow{{At: "A.a", Value: "three"}}},
			want:        `/$defs/A/properties/a: values/0: the row has a value for A.a, which is not a string that can be "three"`,
		},
		{
			name:        "an order of other values",
			definitions: `"E": {"type": "string", "enum": ["a", "b"]}`,
			overlay:     spec.Overlay{Enums: []spec.EnumRow{{Enum: "E", Order: []string{"b", "c"}}}},
			want:        `/$defs/E: enums/0: the row orders other values of E than the schema has; end it, and add one to enums of overlay.yaml: {enum: E, order: [b, a], since: "2099-01-01"}`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := lowerText(tt.definitions, &tt.overlay, true)
			if err == nil {
				t.Fatal("accepted")
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got error %q, want it to contain %q", err, tt.want)
			}
		})
	}
}

// TestNamed shows the Go names of definitions, members and values whose own names are taken.
func TestNamed(t *testing.T) {
	overlay := &spec.Overlay{Names: []spec.NameRow{{At: "Server", Name: "ServerAddress"}, {At: "error", Name: "ErrorText"}}}
	out, err := lowerText(strings.Join([]string{
		`"Server": {"type": "object", "properties": {"url": {"type": "string"}}}`,
		`"Error": {"type": "object", "properties": {"server": {"$ref": "#/$defs/Server"}, "text": {"$ref": "#/$defs/error"}}}`,
		`"error": {"type": "string"}`,
		`"Role": {"type": "string", "enum": ["user", "", "$", "$$"]}`,
		`"RoleUser": {"type": "string"}`,
		`"Cost": {"type": "string", "enum": ["pay-per-use", "pay_per_use", "free"]}`,
		`"Members": {"type": "object", "properties": {"mime-type": {}, "mimeType": {}, "extra": {}, "Extra": {}, "": {}, "a.b/trace": {}, "a.b/level": {}, "level": {}}}`,
	}, ", "), overlay, true)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "named.txt", out.Revision)
	if d := out.Revision.Definition("error"); d == nil || d.Name != "ErrorText" {
		t.Errorf("Definition(error) is %v", d)
	}
}

// TestUnpinned checks that the project's own rows bind only the revisions that
// are pinned, and a user's rows always.
func TestUnpinned(t *testing.T) {
	rows := &spec.Overlay{Names: []spec.NameRow{{At: "A.gone", Name: "X"}}}
	out, err := lowerText(tagA, rows, false)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"names/0: A.gone -> X"}, out.Unused); diff != "" {
		t.Error(diff)
	}
	doc, err := schema.Parse("2099-01-01", []byte(`{"$defs": {`+tagA+`}}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	later := &spec.Overlay{Names: []spec.NameRow{{At: "A.gone", Name: "X", Range: spec.Range{Since: "2100-01-01"}}}}
	for _, extra := range []*spec.Overlay{rows, later} {
		_, err = lower.Lower(lower.Input{Document: doc, Docs: &spec.Docs{}, Extra: extra})
		if err == nil || !strings.Contains(err.Error(), "stale overlay row") {
			t.Errorf("a stale row of the user's: got %v", err)
		}
	}
}

// TestUsersOrder checks that the order of an enum that the user has for a new value replaces that of the project.
func TestUsersOrder(t *testing.T) {
	doc, err := schema.Parse("2099-01-01", []byte(`{"$defs": {"E": {"type": "string", "enum": ["a", "b", "c"]}}}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	order := func(values ...string) *spec.Overlay {
		return &spec.Overlay{Enums: []spec.EnumRow{{Enum: "E", Order: values}}}
	}
	for _, project := range []*spec.Overlay{order("b", "a"), order("a", "b", "c")} {
		out, err := lower.Lower(lower.Input{Document: doc, Overlay: project, Docs: &spec.Docs{}, Extra: order("c", "b", "a")})
		if err != nil {
			t.Fatal(err)
		}
		if got := out.Revision.Decls[0].Type.(*ir.Enum).Values[0].Wire; got != "c" {
			t.Errorf("the first value is %s, want c", got)
		}
	}
}

// TestValueByReference checks that a row fixes the value of a member whose type is a definition, and that one of a
// value that the definition does not have is refused.
func TestValueByReference(t *testing.T) {
	const definitions = `"A": {"type": "object", "properties": {"a": {"$ref": "#/$defs/T"}}, "required": ["a"]}, "T": {"type": "string", "enum": ["x", "y"]}`
	out, err := lowerText(definitions, &spec.Overlay{Values: []spec.ValueRow{{At: "A.a", Value: "y"}}}, true)
	if err != nil {
		t.Fatal(err)
	}
	if got := out.Revision.Decls[0].Type.(*ir.Object).Fields[0].Const; got != "y" {
		t.Errorf("the constant of the member is %v, want y", got)
	}
	_, err = lowerText(definitions, &spec.Overlay{Values: []spec.ValueRow{{At: "A.a", Value: "z"}}}, true)
	if err == nil || !strings.Contains(err.Error(), "the row has a value for A.a, which is not a string that can be") {
		t.Errorf("a value that the definition does not have: got %v", err)
	}
}

// TestDecisions shows how variants are told apart, one way after the other.
func TestDecisions(t *testing.T) {
	overlay := &spec.Overlay{Unions: []spec.UnionRow{{Variant: "DeepA", When: "items.anyOf"}, {Variant: "C", When: "src"}}}
	out, err := lowerText(strings.Join([]string{
		tagA, tagB, union,
		`"ByEnum": {"anyOf": [{"$ref": "#/$defs/A"}, {"type": "object", "properties": {"kind": {"type": "string", "enum": ["c", "d"]}}, "required": ["kind"]}]}`,
		`"Optional": {"type": "object", "properties": {"kind": {"type": "string", "const": "o"}}}`,
		`"ByOptional": {"anyOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/Optional"}]}`,
		`"Code1": {"type": "object", "properties": {"code": {"type": "integer", "const": 1}}, "required": ["code"]}`,
		`"Code2": {"type": "object", "properties": {"code": {"type": "integer", "const": -2}}, "required": ["code"]}`,
		`"ByNumber": {"anyOf": [{"$ref": "#/$defs/Code1"}, {"$ref": "#/$defs/Code2"}]}`,
		`"Has": {"type": "object", "properties": {"x": {}, "y": {}}, "required": ["x", "y"]}`,
		`"Less": {"type": "object", "properties": {"y": {}}, "required": ["y"]}`,
		`"ByPresence": {"anyOf": [{"$ref": "#/$defs/Less"}, {"$ref": "#/$defs/Has"}]}`,
		`"DeepA": {"type": "object", "properties": {"items": {}}, "required": ["items"]}`,
		`"DeepB": {"type": "object", "properties": {"items": {}}, "required": ["items"]}`,
		`"ByOverlay": {"anyOf": [{"$ref": "#/$defs/DeepB"}, {"$ref": "#/$defs/DeepA"}]}`,
		strings.ReplaceAll(untagged, `"U":`, `"ByConstAndOverlay":`),
		`"ByKind": {"anyOf": [{"$ref": "#/$defs/U"}, {"type": "array", "items": {"$ref": "#/$defs/U"}}, {"type": ["string", "number"]}, {"type": "boolean"}, {"type": "null"}]}`,
	}, ", "), overlay, true)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "decisions.txt", out.Revision)
}

// TestVariantNames checks the names of variants that are anonymous objects.
func TestVariantNames(t *testing.T) {
	object := func(title, member, constant string) string {
		return fmt.Sprintf(`{"type": "object", "title": %q, "properties": {%q: {"type": "string"%s}}, "required": [%[2]q]}`, title, member, constant)
	}
	for _, test := range []struct {
		name, branches, also string
		want                 []string
	}{
		{"titles", object("Red circle", "r", "") + "," + object("Square", "side", ""), "", []string{"URedCircle", "USquare"}},
		{"constants", object("", "kind", `, "const": "big-one"`) + "," + object("", "kind", `, "const": "small"`), "", []string{"UBigOne", "USmall"}},
		{"required members", object("", "radius", "") + "," + object("", "side", ""), "", []string{"URadius", "USide"}},
		{"one title, else members", object("Round", "radius", "") + "," + object("", "side", ""), "", []string{"URound", "USide"}},
		{"the same title", object("T", "radius", "") + "," + object("T", "side", ""), "", []string{"URadius", "USide"}},
		{"the name of another type", object("", "radius", "") + "," + object("", "side", ""), `, "URadius": {"type": "string"}`, []string{"UOption1", "USide"}},
	} {
		out, err := lowerText(`"U": {"title": "The union", "anyOf": [`+test.branches+`]}`+test.also, &spec.Overlay{}, true)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		var got []string
		for _, v := range out.Revision.Lookup("U").Type.(*ir.Union).Variants {
			got = append(got, v.Decl.Name)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}
