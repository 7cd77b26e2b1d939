package convert_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/convert"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/schema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The rules of the table below.
const (
	root convert.Rule = iota + 1
	more
	tools
	tool
	content
	values
	id
	text
	null
	level
	limited
	strict
	closed
)

// table converts "Root" from revision 2 to revision 1.
var table = convert.Table{
	Revisions: []convert.Revision{{ID: "1"}, {ID: "2"}},
	Steps: []*convert.Step{{
		Older: "1", Newer: "2",
		Errors:      []convert.ErrorCode{{Method: "m", Older: -1, Newer: -2, Data: "uri"}, {Older: -3, Newer: -4}},
		Definitions: []convert.Definition{{Older: "More", Newer: "More", Down: more}, {Older: "Root", Newer: "Root", Down: root}},
		Down: []convert.Shape{
			root: {Members: []convert.Member{
				{Name: "tools", Rule: tools},
				{Name: "content", Rule: content},
				{Name: "a/b", Rule: values},
				{Name: "gone", Drop: "not in 1"},
				{Name: "id", Rule: id, Reason: "an id is required", Require: "an id is required"},
				{Name: "text", Rule: text, LeaveOut: true},
				{Name: "version", Default: `"2.0"`, Const: true},
				{Name: "assumed", Drop: "not in 2", Default: `{}`},
			}},
			more: {Members: []convert.Member{
				{Name: "null", Rule: null, LeaveOut: true, Reason: "no null", Default: `"n"`},
				{Name: "level", Rule: level},
				{Name: "limited", Rule: limited},
				{Name: "closed", Rule: closed},
				{Name: "implied", Drop: "not in 1", Implied: `0`},
				{Name: "handled", Drop: "not in 1", Handled: true},
				{Name: "by", Fact: "clientInfo"},
				{Name: "b/new", As: "b\n"},
			}},
			tools:  {Each: tool, LeaveOut: true},
			closed: {Known: []string{"a"}},
			tool: {Members: []convert.Member{
				{Name: "title", Drop: "no titles"},
				{Name: "refused", Rewrite: "Refuse"},
			}},
			content: {
				Cases: []convert.Case{
					{Kind: wire.KindObject, When: []convert.Condition{{Path: []string{"type"}, Is: `"audio"`}}, Refuse: "no audio"},
					{Kind: wire.KindObject, When: []convert.Condition{{Path: []string{"type"}, Is: `"text"`}}},
					{Kind: wire.KindObject, When: []convert.Condition{{Path: []string{"items", "anyOf"}}}, Refuse: "no items"},
					{Kind: wire.KindObject, When: []convert.Condition{{Path: []string{"type"}, Absent: true}},
						Rewrite: "Title", Rule: tool},
				},
				Otherwise: "unknown",
			},
			values: {Each: tool},
			id:     limits(func(c *schema.Checker) { c.Value(wire.KindString | wire.KindInteger) }),
			text:   limits(func(c *schema.Checker) { c.Value(wire.KindString) }),
			null:   {Cases: []convert.Case{{Kind: wire.KindNull, Refuse: "null"}}},
			level: {Cases: []convert.Case{{Kind: wire.KindString, When: []convert.Condition{{Is: `"new"`}}, Replace: `"old"`, Lose: "sent as old"},
				{Kind: wire.KindString, When: []convert.Condition{{Is: `"bad"`}}, Refuse: "bad"}}},
			limited: {Each: strict},
			strict:  limits(checkStrict),
		},
	}},
}

// limits returns the shape of values that a check function limits.
func limits(check func(*schema.Checker)) convert.Shape {
	return convert.Shape{Checks: []func(*schema.Checker){check}}
}

// checkStrict limits the values of each type.
func checkStrict(c *schema.Checker) {
	start := c.Mark()
	v := c.Value(wire.KindAny)
	c.MaxLength(v, 3)
	c.Format(v, "uri")
	c.Minimum(v, "1")
	c.ExclusiveMaximum(v, "2.5")
	c.Reset(start)
	if c.Array(wire.KindAny) {
		n := 0
		for ; c.Element(); n++ {
			c.Pass()
		}
		c.MinItems(n, 1)
		c.MaxItems(n, 3)
	}
}

func TestConvert(t *testing.T) {
	convert.SetPolicy(t, "Refuse", func(c *convert.Conversion, v wire.Raw) wire.Raw { c.Refuse("a refusal"); return v })
	convert.SetPolicy(t, "Title", func(*convert.Conversion, wire.Raw) wire.Raw { return `{"title":1}` })
	for _, tt := range []struct {
		name        string
		value, want wire.Raw
		losses      []convert.Loss
		err         string
	}{
		{"nothing to convert", `{"id":1,"version":"2.0","x":[1.50],"assumed":{}}`, `{"id":1,"version":"2.0","x":[1.50],"assumed":{}}`,
			[]convert.Loss{{"/assumed", "not in 2"}}, ""},
		{"defaults", `{"id":"a"}`, `{"id":"a","version":"2.0","assumed":{}}`, nil, ""},
		{"the order and the text of the other members", `{"z":1e2,"gone":1,"id":1,"a":"\u0041"}`, `{"z":1e2,"id":1,"a":"\u0041","version":"2.0","assumed":{}}`,
			[]convert.Loss{{"/gone", "not in 1"}}, ""},
		{"the first member dropped", `{"gone":1,"id":1}`, `{"id":1,"version":"2.0","assumed":{}}`, []convert.Loss{{"/gone", "not in 1"}}, ""},
		{"escaped names", `{"g\u006fne":1,"id":1}`, `{"id":1,"version":"2.0","assumed":{}}`, []convert.Loss{{"/gone", "not in 1"}}, ""},
		{"another constant", `{"id":1,"version":1}`, `{"id":1,"version":"2.0","assumed":{}}`, []convert.Loss{{"/version", `it can only be "2.0"`}}, ""},
		{"another kind", `{"id":1,"text":null}`, `{"id":1,"version":"2.0","assumed":{}}`, []convert.Loss{{"/text", "left out: the other revision does not allow this value: must be a string, found null"}}, ""},
		{"elements that are left out", `{"id":1,"tools":[{"title":1},{"title":2,"refused":1},{"x":3}]}`, `{"id":1,"tools":[{},{"x":3}],"version":"2.0","assumed":{}}`,
			[]convert.Loss{{"/tools/0/title", "no titles"}, {"/tools/1", "left out: a refusal"}}, ""},
		{"values of a map", `{"id":1,"a/b":{"k~":{"title":1},"l":{}}}`, `{"id":1,"a/b":{"k~":{},"l":{}},"version":"2.0","assumed":{}}`,
			[]convert.Loss{{"/a~1b/k~0/title", "no titles"}}, ""},
		{"a variant that is kept", `{"id":1,"content":{"type":"text","title":1}}`, `{"id":1,"content":{"type":"text","title":1},"version":"2.0","assumed":{}}`, nil, ""},
		{"a variant that is rewritten", `{"id":1,"content":{"x":1}}`, `{"id":1,"content":{},"version":"2.0","assumed":{}}`, []convert.Loss{{"/content/title", "no titles"}}, ""},
		{"other kinds of values", `{"id":1,"tools":1,"a/b":2}`, `{"id":1,"tools":1,"a/b":2,"version":"2.0","assumed":{}}`, nil, ""},
		{"another value", `[1]`, `[1]`, nil, ""},
		{"a missing member", `{}`, "", nil, "convert: at /id: an id is required"},
		{"a required member of another kind", `{"id":1.5}`, "", nil, "convert: at /id: an id is required"},
		{"a variant that is refused", `{"id":1,"content":{"type":"audio"}}`, "", nil, "convert: at /content: no audio"},
		{"a variant found by a path", `{"id":1,"content":{"type":1,"items":{"anyOf":[]}}}`, "", nil, "convert: at /content: no items"},
		{"an unknown variant", `{"id":1,"content":{"type":"video"}}`, "", nil, "convert: at /content: unknown"},
		{"the first refusal", `{"content":1,"a/b":{"k":{"refused":1}}}`, "", nil, "convert: at /content: unknown"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var c convert.Conversion
			got, err := table.Convert(&c, "2", "1", "Root", tt.value)
			if tt.err != "" {
				if e, ok := errors.AsType[*convert.Error](err); !ok || e.Error() != tt.err {
					t.Errorf("got %s, %v, want %s", got, err, tt.err)
				}
				return
			}
			if err != nil || got != tt.want {
				t.Errorf("got  %s, %v\nwant %s", got, err, tt.want)
			}
			if diff := cmp.Diff(tt.losses, c.Losses()); diff != "" {
				t.Errorf("losses (-want +got):\n%s", diff)
			}
		})
	}
}

// TestMembers checks the members of a definition whose values are limited, replaced or taken
// from the session.
func TestMembers(t *testing.T) {
	for _, tt := range []struct {
		name, value, want string
		losses            []convert.Loss
	}{
		{"no member", `{}`, `{"null":"n","by":{"name":"c"}}`, nil},
		{"a member with another name", `{"null":0,"by":1, "b/new" : [1]}`, `{"null":0,"by":1,"b\n":[1]}`, nil},
		{"null is replaced", `{"null":null}`, `{"null":"n","by":{"name":"c"}}`, []convert.Loss{{"/null", `replaced by "n": no null`}}},
		{"values of an enum", `{"null":0,"by":1,"level":"new"}`, `{"null":0,"by":1,"level":"old"}`, []convert.Loss{{"/level", "sent as old"}}},
		{"a value of no revision", `{"null":0,"by":1,"level":"unknown"}`, `{"null":0,"by":1,"level":"unknown"}`, nil},
		{"a value that is refused", `{"level":"bad"}`, "convert: at /level: bad", nil},
		{"within the limits", `{"null":0,"by":1,"limited":[1,2.4,"a:b",[1,2],true]}`, `{"null":0,"by":1,"limited":[1,2.4,"a:b",[1,2],true]}`, nil},
		{"less than the minimum", `{"limited":[0.5]}`, "convert: at /limited/0: the other revision does not allow this value: must be at least 1, found 0.5", nil},
		{"more than the maximum", `{"limited":[1,2.5]}`, "convert: at /limited/1: the other revision does not allow this value: must be less than 2.5, found 2.5", nil},
		{"too many elements", `{"limited":[[1,2,3,4]]}`, "convert: at /limited/0: the other revision does not allow this value: must have at most 3 elements, has 4", nil},
		{"another format", `{"limited":["b c"]}`, `convert: at /limited/0: the other revision does not allow this value: must be in the format uri (such as https://example.com/a), found "b c"`, nil},
		{"too few elements", `{"limited":[[]]}`, "convert: at /limited/0: the other revision does not allow this value: must have at least 1 element, has 0", nil},
		{"too many characters", `{"limited":["a:bc"]}`, "convert: at /limited/0: the other revision does not allow this value: must have at most 3 characters, has 4", nil},
		{"a closed object", `{"null":0,"by":1,"closed":{"b":1,"a":2}}`, `{"null":0,"by":1,"closed":{"a":2}}`, []convert.Loss{{"/closed/b", "the other revision does not allow other members"}}},
		{"losses that are none", `{"null":0,"by":1,"implied":0.0,"handled":1}`, `{"null":0,"by":1}`, nil},
		{"a value that is not implied", `{"null":0,"by":1,"implied":1}`, `{"null":0,"by":1}`, []convert.Loss{{"/implied", "not in 1"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := convert.Conversion{Facts: func(fact, revision string) wire.Raw {
				if fact != "clientInfo" || revision != "1" {
					t.Errorf("asked for %s of %s", fact, revision)
				}
				return `{"name":"c"}`
			}}
			got, err := table.Convert(&c, "2", "1", "More", wire.Raw(tt.value))
			if err != nil {
				got = wire.Raw(err.Error())
			}
			if string(got) != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if diff := cmp.Diff(tt.losses, c.Losses()); diff != "" {
				t.Errorf("losses (-want +got):\n%s", diff)
			}
		})
	}
}

// TestError checks which codes of errors differ.
func TestError(t *testing.T) {
	for _, tt := range []struct {
		name, from, to, method string
		code, want             int64
		data                   wire.Raw
	}{
		{"up", "1", "2", "m", -1, -2, ""},
		{"up, another method", "1", "2", "n", -1, -1, ""},
		{"up, any method", "1", "2", "n", -3, -4, ""},
		{"down", "2", "1", "m", -2, -1, `{"uri":""}`},
		{"down, other data", "2", "1", "m", -2, -2, `{"x":""}`},
		{"down, no data", "2", "1", "m", -2, -2, ""},
		{"down, not told apart", "2", "1", "n", -4, -4, "{}"},
		{"another code", "2", "1", "m", -5, -5, `{"uri":""}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := table.Error(tt.from, tt.to, tt.method, &jsonrpc.Error{Code: tt.code, Message: "text", Data: tt.data})
			if diff := cmp.Diff(&jsonrpc.Error{Code: tt.want, Message: "text", Data: tt.data}, err); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestConvertErrors(t *testing.T) {
	for _, tt := range []struct {
		from, to, definition string
		value                wire.Raw
		want                 string
	}{
		{"1", "3", "Root", "{}", `convert: unknown revision "3"`},
		{"3", "1", "Root", "{}", `convert: unknown revision "3"`},
		{"2", "1", "Other", "{}", "convert: revisions 1 and 2 do not both define Other"},
		{"2", "1", "Root", "{", "wire: "},
	} {
		_, err := table.Convert(new(convert.Conversion), tt.from, tt.to, tt.definition, tt.value)
		if err == nil || len(err.Error()) < len(tt.want) || err.Error()[:len(tt.want)] != tt.want {
			t.Errorf("%s to %s, %s: got %v, want %s", tt.from, tt.to, tt.definition, err, tt.want)
		}
	}
}

// TestUnchanged checks that a value without differences is returned as it is.
func TestUnchanged(t *testing.T) {
	step, row := table.Steps[0], convert.Definition{Down: tool}
	const value = `{"name":"t","inputSchema":{"type":"object"}}`
	if n := testkit.Allocs(10, func() {
		var c convert.Conversion
		if got, err := step.Convert(&c, row, false, value); err != nil || got != value {
			t.Errorf("got %s, %v", got, err)
		}
	}); n > 2 { // the Conversion and a buffer
		t.Errorf("%v allocations", n)
	}
}

// TestWhiteSpace checks that white space around a text is no part of the value.
func TestWhiteSpace(t *testing.T) {
	step := convert.Step{Up: []convert.Shape{1: limits(func(c *schema.Checker) {
		v := c.Value(wire.KindString)
		c.MinLength(v, 1)
		c.MaxLength(v, 2)
	})}}
	for text, valid := range map[wire.Raw]bool{`"ab"`: true, " \"ab\"": true, "\r\n\t\"ab\" \n": true, " \"abc\"": false, " \"\" ": false, " 1 ": false} {
		var c convert.Conversion
		got, err := step.Convert(&c, convert.Definition{Up: 1}, true, text)
		if (err == nil) != valid || valid && got != text {
			t.Errorf("%q becomes %q, %v", text, got, err)
		}
	}
}

// TestUnknownRevision checks that a binding of a revision without a table stays alone.
func TestUnknownRevision(t *testing.T) {
	all := table.Bind(runtime.Binding{Revision: "2099-01-01"}, convert.Options{})
	if len(all) != 1 || all[0].Revision != "2099-01-01" {
		t.Errorf("got %v", all)
	}
}
