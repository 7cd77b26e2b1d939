package diff

import (
	"fmt"
	"slices"
	"strings"
)

// ruleSet is a list of rules that are described together.
type ruleSet []Rule

// pair makes a rule that widens and its mirror.
func pair(category Category, widens, narrows, saysWidens, saysNarrows, doc string) ruleSet {
	return ruleSet{
		{ID: widens, Category: category, Effect: EffectWidens, Mirror: narrows, Message: saysWidens, Doc: doc},
		{ID: narrows, Category: category, Effect: EffectNarrows, Mirror: widens, Message: saysNarrows, Doc: doc},
	}
}

// both makes two rules of one effect that mirror each other.
func both(category Category, effect Effect, id, mirror, says, saysMirror, doc string) ruleSet {
	return ruleSet{
		{ID: id, Category: category, Effect: effect, Mirror: mirror, Message: says, Doc: doc},
		{ID: mirror, Category: category, Effect: effect, Mirror: id, Message: saysMirror, Doc: doc},
	}
}

// alone makes a rule that is its own mirror.
func alone(category Category, effect Effect, id, says, doc string) ruleSet {
	return ruleSet{{ID: id, Category: category, Effect: effect, Mirror: id, Message: says, Doc: doc}}
}

// args names the arguments of the rules' findings.
func (s ruleSet) args(names ...string) ruleSet {
	for i := range s {
		s[i].Args = names
	}
	return s
}

// harm says what the rules' changes do; see [Rule.Harm].
func (s ruleSet) harm(sentence string) ruleSet {
	for i := range s {
		s[i].Harm = sentence
	}
	return s
}

// keyword says which member of a finding's places changed.
func (s ruleSet) keyword(pointer string) ruleSet {
	for i := range s {
		s[i].Keyword = pointer
	}
	return s
}

// presence marks rules about the presence of the member that the first argument names.
func (s ruleSet) presence() ruleSet {
	for i := range s {
		s[i].Presence = true
	}
	return s
}

// patch marks rules whose changes alter no value that is sent or accepted.
func (s ruleSet) patch() ruleSet {
	for i := range s {
		s[i].Version = Patch
	}
	return s
}

// Rules returns the rules, sorted by category and id.
func Rules() []Rule {
	list := slices.Concat(memberRules(), valueRules(), boundRules(), methodRules(), toolRules(), callRules(), serverRules(), modelRules())
	for i := range list {
		r := &list[i]
		if r.Version == "" {
			r.Version = Minor
		}
		if r.Harm == "" {
			r.Harm = harmOf(r.Effect)
		}
	}
	slices.SortStableFunc(list, func(a, b Rule) int {
		if a.Category != b.Category {
			return slices.Index(categories, a.Category) - slices.Index(categories, b.Category)
		}
		return strings.Compare(a.ID, b.ID)
	})
	return list
}

// harmOf is the sentence of a rule that has none of its own.
func harmOf(e Effect) string {
	switch e {
	case EffectNone:
		return "Nothing breaks: the same values are accepted."
	case EffectMeaning:
		return "The same values are accepted, and may mean something else."
	}
	return "{sender} may send a value that {receiver} refuses."
}

var categories = []Category{CategoryWire, CategoryMethods, CategoryTools, CategoryServer, CategoryModel}

func memberRules() ruleSet {
	w := CategoryWire
	return slices.Concat(
		pair(w, "member-added", "member-removed", "optional member `{0}` added", "optional member `{0}` removed",
			"A member that may be left out exists on one side only. An open object ignores a member it does not know; a closed object refuses it.").
			args("member").harm("{sender} may send `{0}`, which {receiver} does not know.").presence(),
		pair(w, "required-member-removed", "required-member-added", "required member `{0}` removed", "required member `{0}` added",
			"A member that must be present exists on one side only. The side that does not know it does not send it.").
			args("member").harm("{sender} does not send `{0}`, which {receiver} requires.").presence(),
		both(w, EffectIncomparable, "closed-member-added", "closed-member-removed",
			"required member `{0}` of a closed object added", "required member `{0}` of a closed object removed",
			"One side requires a member that the other side refuses, as its object is closed.").
			args("member").harm("One of {sender} and {receiver} requires `{0}`, and the other refuses it.").presence(),
		pair(w, "dependency-removed", "dependency-added", "member `{1}` is no longer required beside `{0}`", "member `{1}` is required beside `{0}`",
			"One side only requires a member where another is present.").
			args("member", "required").harm("{sender} may send `{0}` without `{1}`, which {receiver} requires beside it.").keyword("dependentRequired"),
		pair(w, "member-became-optional", "member-became-required", "member `{0}` became optional", "member `{0}` became required",
			"Both sides know the member, and one side only requires it.").
			args("member").harm("{sender} may leave out `{0}`, which {receiver} requires.").presence(),
		pair(w, "object-opened", "object-closed", "undeclared members are allowed", "undeclared members are no longer allowed",
			"One side forbids undeclared members with additionalProperties. Members that one side declares have rules of their own.").
			harm("{sender} may send members that no side declares, which {receiver} refuses.").keyword("additionalProperties"),
	)
}

func valueRules() ruleSet {
	w := CategoryWire
	return slices.Concat(
		pair(w, "type-added", "type-removed", "`{0}` is allowed too", "`{0}` is no longer allowed",
			"One side allows a JSON type that the other side does not.").
			args("type").harm("{sender} may send `{0}`, which {receiver} does not accept.").keyword("type"),
		pair(w, "type-opened", "type-closed", "any value is allowed, was `{0}`", "only `{0}` is allowed, was any value",
			"One side allows any value, the other side only some types.").
			args("type").harm("{sender} may send any value, and {receiver} accepts only `{0}`.").keyword("type"),
		pair(w, "type-widened", "type-narrowed", "numbers with a fraction are allowed", "only whole numbers are allowed",
			"One side allows only whole numbers.").
			harm("{sender} may send a number with a fraction, and {receiver} accepts only whole numbers.").keyword("type"),
		alone(w, EffectIncomparable, "type-changed", "type is `{1}`, was `{0}`", "The JSON type changed to another one.").
			args(argBefore, argAfter).harm("{sender} sends `{sent}`, and {receiver} expects `{expected}`.").keyword("type"),
		alone(w, EffectIncomparable, "const-changed", "must be `{1}`, was `{0}`", "The only value allowed changed to another one.").
			args(argBefore, argAfter).harm("{sender} sends `{sent}`, and {receiver} expects `{expected}`.").keyword("const"),
		pair(w, "enum-value-added", "enum-value-removed", "value `{0}` added", "value `{0}` removed",
			"A listed value is allowed on one side only.").
			args("value").harm("{sender} may send `{0}`, which {receiver} does not accept.").keyword("enum"),
		pair(w, "enum-opened", "enum-closed", "any `{0}` is allowed, was a list of values", "only listed values are allowed, was any `{0}`",
			"One side lists the values it allows, the other side allows any value of the type.").
			args("type").harm("{sender} may send any `{0}`, and {receiver} accepts only listed values.").keyword("enum"),
		pair(w, "format-removed", "format-added", "format `{0}` is no longer required", "format `{0}` is required",
			"One side only requires a string to have a format.").
			args("format").harm("{sender} may send a string that does not have the format `{0}`, which {receiver} requires.").keyword("format"),
		alone(w, EffectIncomparable, "format-changed", "format is `{1}`, was `{0}`", "A string must have another format.").
			args(argBefore, argAfter).harm("{sender} sends the format `{sent}`, and {receiver} expects `{expected}`.").keyword("format"),
		alone(w, EffectNone, "format-remark-changed", "format is `{1}`, was `{0}`; validators do not check it", "A format that validators do not check changed.").
			args(argBefore, argAfter).patch().keyword("format"),
		pair(w, "variant-added", "variant-removed", "variant `{0}` added", "variant `{0}` removed",
			"A union has a variant on one side only.").
			args("variant").harm("{receiver} cannot read `{0}`, which {sender} may send."),
		both(w, EffectNone, "variant-split", "variant-merged", "variant `{0}` split from `{1}`", "variant `{0}` merged into `{1}`",
			"A variant was split into several, or several were merged into one. Every value is accepted as before.").
			args("variant", "whole").patch(),
		pair(w, "unique-items-removed", "unique-items-added", "equal elements are allowed", "equal elements are no longer allowed",
			"One side only requires the elements of an array to differ.").
			harm("{sender} may send an array with equal elements, which {receiver} refuses.").keyword("uniqueItems"),
		pair(w, "constraint-removed", "constraint-added", "keyword {0} removed", "keyword {0} added",
			"A keyword constrains the values on one side only, or more than on the other side.").
			args("keyword").keyword("{0}"),
		alone(w, EffectIncomparable, "constraint-changed", "keyword {0} changed", "A keyword constrains the values of both sides differently.").
			args("keyword").keyword("{0}"),
	)
}

// bound is a kind of limit on values. It has a rule for a limit that moves up and one for a
// limit that moves down.
type bound struct {
	keyword, raised, lowered string
	// upper limits narrow when they are lowered, others when they are raised.
	upper bool
	// counts says that the limit is on the length of a value.
	counts     bool
	says, harm string
}

var bounds = []bound{
	{"minimum", "minimum-raised", "minimum-lowered", false, false, "minimum", "{sender} may send a number less than {receiver} accepts (minimum {expected})."},
	{"maximum", "maximum-raised", "maximum-lowered", true, false, "maximum", "{sender} may send a number greater than {receiver} accepts (maximum {expected})."},
	{"minLength", "min-length-raised", "min-length-lowered", false, true, "minimum length", "{sender} may send a string shorter than {receiver} accepts (minimum length {expected})."},
	{"maxLength", "max-length-raised", "max-length-lowered", true, true, "maximum length", "{sender} may send a string longer than {receiver} accepts (maximum length {expected})."},
	{"minItems", "min-items-raised", "min-items-lowered", false, true, "minimum number of elements", "{sender} may send fewer elements than {receiver} requires (at least {expected})."},
	{"maxItems", "max-items-raised", "max-items-lowered", true, true, "maximum number of elements", "{sender} may send more elements than {receiver} accepts (at most {expected})."},
	{"minProperties", "min-properties-raised", "min-properties-lowered", false, true, "minimum number of members", "{sender} may send fewer members than {receiver} requires (at least {expected})."},
	{"maxProperties", "max-properties-raised", "max-properties-lowered", true, true, "maximum number of members", "{sender} may send more members than {receiver} accepts (at most {expected})."},
}

// boundOf returns the bound of a keyword.
func boundOf(keyword string) bound {
	return bounds[slices.IndexFunc(bounds, func(b bound) bool { return b.keyword == keyword })]
}

func boundRules() ruleSet {
	var list ruleSet
	for _, b := range bounds {
		widens, narrows := b.lowered, b.raised
		if b.upper {
			widens, narrows = narrows, widens
		}
		says := b.says + " is {1}, was {0}"
		list = append(list, pair(CategoryWire, widens, narrows, says, says, "The "+b.says+" was moved, added or removed.").
			args(argBefore, argAfter).harm(b.harm).keyword(b.keyword)...)
	}
	return list
}

func methodRules() ruleSet {
	m := CategoryMethods
	return slices.Concat(
		pair(m, "method-added", "method-removed", "{0} `{1}` added", "{0} `{1}` removed",
			"A request or a notification exists on one side only.").
			args("kind", "method").harm("{sender} may send the {0} `{1}`, which {receiver} does not know."),
		pair(m, "method-direction-added", "method-direction-removed", "may now be sent to the {0}", "may no longer be sent to the {0}",
			"One side allows a message to be sent in a direction that the other side does not.").
			args("side").harm("{sender} may send this message, which {receiver} does not accept."),
		alone(m, EffectMeaning, "method-capability-changed", "capability is `{1}`, was `{0}`",
			"The method depends on another capability. The values do not change, but who may send them does.").
			args(argBefore, argAfter).harm("{sender} may use the method where {receiver} does not allow it."),
		both(m, EffectNone, "error-code-added", "error-code-removed", "error code {0} is defined as `{1}`", "error code {0} is no longer defined as `{1}`",
			"One side defines the data of an error code. The other side treats it as any other error.").
			args("code", "definition"),
	)
}

func toolRules() ruleSet {
	t := CategoryTools
	list := slices.Concat(
		pair(t, "tool-added", "tool-removed", "tool added", "tool removed", "A tool exists on one side only.").
			harm("{sender} may call this tool, which {receiver} does not have."),
		pair(t, "output-schema-removed", "output-schema-added", "output schema removed", "output schema added",
			"One side only describes the structured result of the tool.").
			harm("{sender} may return a result that {receiver} does not expect, because one side only has an output schema.").keyword("outputSchema"),
		alone(t, EffectNone, "tool-metadata-changed", "member `{0}` changed", "A member of the definition changed that no rule is about.").
			args("member").patch().keyword("{0}"),
		alone(t, EffectNone, "tool-title-changed", "title is {1}, was {0}", "The title, which people see, changed.").
			args(argBefore, argAfter).patch().keyword("title"),
	)
	for _, a := range annotations {
		list = append(list,
			Rule{ID: a.lost(), Category: t, Effect: EffectMeaning, Mirror: a.gained(), Message: "no longer promises " + a.promise,
				Doc:  "The annotations no longer make a promise that callers may rely on.",
				Harm: "A client that relies on the promise may call the tool where it should not.", Keyword: a.keyword(), Promise: true},
			Rule{ID: a.gained(), Category: t, Effect: EffectNone, Mirror: a.lost(), Message: "promises " + a.promise,
				Doc: "The annotations make a promise that they did not make before.", Keyword: a.keyword(), Promise: true})
	}
	return list
}

func modelRules() ruleSet {
	m := CategoryModel
	return slices.Concat(
		alone(m, EffectMeaning, "tool-description-changed", "description is {1}, was {0}", "A description is an instruction to a model. A model may act differently on another one.").
			args(argBefore, argAfter).harm("A model reads another instruction and may act differently.").patch().keyword("description"),
		alone(m, EffectMeaning, "parameter-description-changed", "description of `{0}` is {2}, was {1}", "The description of a parameter is an instruction to a model. A model may act differently on another one.").
			args("member", argBefore, argAfter).harm("A model reads another instruction and may fill in `{0}` differently.").patch().keyword("description"),
		alone(m, EffectMeaning, "default-changed", "default of `{0}` is {2}, was {1}", "A caller that leaves the member out gets another value.").
			args("member", argBefore, argAfter).harm("A caller that leaves out `{0}` gets another value.").keyword("default"),
	)
}

// annotations are the hints of a tool as promises: the value that promises, and
// what an absent hint stands for.
var annotations = []annotation{
	{"readOnlyHint", "read-only", true, false, false, "to change nothing"},
	{"destructiveHint", "not-destructive", false, true, true, "to destroy nothing"},
	{"idempotentHint", "idempotent", true, false, true, "that calling it again changes nothing more"},
	{"openWorldHint", "closed-world", false, true, false, "to stay in a closed world"},
}

type annotation struct {
	member, id       string
	promises, absent bool
	// ifWrites says that the hint has a meaning only for tools that change things.
	ifWrites bool
	promise  string
}

func (a annotation) keyword() string { return "annotations/" + a.member }

func (a annotation) lost() string   { return "annotation-" + a.id + "-lost" }
func (a annotation) gained() string { return "annotation-" + a.id + "-gained" }

// ruleTable finds rules by id.
type ruleTable map[string]Rule

func newRuleTable() ruleTable {
	table := ruleTable{}
	for _, r := range Rules() {
		table[r.ID] = r
	}
	return table
}

func (t ruleTable) rule(id string) Rule {
	r, ok := t[id]
	if !ok {
		panic(fmt.Sprintf("compat: no rule %q", id))
	}
	return r
}
