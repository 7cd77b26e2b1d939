package diff

import (
	"fmt"
	"slices"
	"strings"
)

// ruleSet is a list of rules that share a description.
type ruleSet []Rule

// pair returns a rule that widens and its mirror, which narrows.
func pair(category Category, widens, narrows, saysWidens, saysNarrows, doc string) ruleSet {
	return ruleSet{
		{ID: widens, Category: category, Effect: EffectWidens, Mirror: narrows, Message: saysWidens, Doc: doc},
		{ID: narrows, Category: category, Effect: EffectNarrows, Mirror: widens, Message: saysNarrows, Doc: doc},
	}
}

// both returns two rules with the same effect that mirror each other.
func both(category Category, effect Effect, id, mirror, says, saysMirror, doc string) ruleSet {
	return ruleSet{
		{ID: id, Category: category, Effect: effect, Mirror: mirror, Message: says, Doc: doc},
		{ID: mirror, Category: category, Effect: effect, Mirror: id, Message: saysMirror, Doc: doc},
	}
}

// alone returns a rule that mirrors itself.
func alone(category Category, effect Effect, id, says, doc string) ruleSet {
	return ruleSet{{ID: id, Category: category, Effect: effect, Mirror: id, Message: says, Doc: doc}}
}

// args sets the names of the arguments.
func (s ruleSet) args(names ...string) ruleSet {
	for i := range s {
		s[i].Args = names
	}
	return s
}

// harm sets [Rule.Harm].
func (s ruleSet) harm(sentence string) ruleSet {
	for i := range s {
		s[i].Harm = sentence
	}
	return s
}

// keyword sets [Rule.Keyword].
func (s ruleSet) keyword(pointer string) ruleSet {
	for i := range s {
		s[i].Keyword = pointer
	}
	return s
}

// presence sets [Rule.Presence].
func (s ruleSet) presence() ruleSet {
	for i := range s {
		s[i].Presence = true
	}
	return s
}

// patch marks rules for changes that affect no value that is sent or accepted.
func (s ruleSet) patch() ruleSet {
	for i := range s {
		s[i].Version = Patch
	}
	return s
}

// Rules returns the rules, sorted by category and id.
func Rules() []Rule {
	list := slices.Concat(memberRules(), valueRules(), boundRules(), methodRules(), toolRules(), callRules(), serverRules(), modelRules(), codeRules())
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

// harmOf returns the sentence for a rule that does not set its own.
func harmOf(e Effect) string {
	switch e {
	case EffectNone:
		return "Nothing breaks: the same values are accepted."
	case EffectMeaning:
		return "The same values are accepted, but they may mean something else."
	}
	return "{sender} may send a value that {receiver} refuses."
}

var categories = []Category{CategoryWire, CategoryMethods, CategoryTools, CategoryServer, CategoryModel, CategoryCode}

func memberRules() ruleSet {
	w := CategoryWire
	return slices.Concat(
		pair(w, "member-added", "member-removed", "optional member `{0}` added", "optional member `{0}` removed",
			"An optional member exists on one side only. An open object ignores a member it does not know; a closed object refuses it.").
			args("member").harm("{sender} may send `{0}`, which {receiver} does not know.").presence(),
		pair(w, "required-member-removed", "required-member-added", "required member `{0}` removed", "required member `{0}` added",
			"A required member exists on one side only. The other side does not send it.").
			args("member").harm("{sender} does not send `{0}`, which {receiver} requires.").presence(),
		both(w, EffectIncomparable, "closed-member-added", "closed-member-removed",
			"required member `{0}` of a closed object added", "required member `{0}` of a closed object removed",
			"One side requires a member that the other side refuses because its object is closed.").
			args("member").harm("One of {sender} and {receiver} requires `{0}`, and the other refuses it.").presence(),
		pair(w, "dependency-removed", "dependency-added", "member `{1}` is no longer required beside `{0}`", "member `{1}` is required beside `{0}`",
			"Only one side requires a member if another one is present.").
			args("member", "required").harm("{sender} may send `{0}` without `{1}`, which {receiver} requires beside it.").keyword("dependentRequired"),
		pair(w, "member-became-optional", "member-became-required", "member `{0}` became optional", "member `{0}` became required",
			"Both sides declare the member, but only one side requires it.").
			args("member").harm("{sender} may omit `{0}`, which {receiver} requires.").presence(),
		pair(w, "object-opened", "object-closed", "undeclared members are allowed", "undeclared members are no longer allowed",
			"One side forbids undeclared members with additionalProperties. Other rules report members that one side declares.").
			harm("{sender} may send members that neither side declares, which {receiver} refuses.").keyword("additionalProperties"),
	)
}

func valueRules() ruleSet {
	w := CategoryWire
	return slices.Concat(
		pair(w, "type-added", "type-removed", "`{0}` is allowed as well", "`{0}` is no longer allowed",
			"One side allows a JSON type that the other side does not.").
			args("type").harm("{sender} may send `{0}`, which {receiver} does not accept.").keyword("type"),
		pair(w, "type-opened", "type-closed", "any value is allowed, was `{0}`", "only `{0}` is allowed, was any value",
			"One side allows any value, the other side only some types.").
			args("type").harm("{sender} may send any value, and {receiver} accepts only `{0}`.").keyword("type"),
		pair(w, "type-widened", "type-narrowed", "numbers with a fraction are allowed", "only whole numbers are allowed",
			"One side allows only whole numbers.").
			harm("{sender} may send a number with a fraction, and {receiver} accepts only whole numbers.").keyword("type"),
		alone(w, EffectIncomparable, "type-changed", "type is `{1}`, was `{0}`", "The JSON type changed.").
			args(argBefore, argAfter).harm("{sender} sends `{sent}`, and {receiver} expects `{expected}`.").keyword("type"),
		alone(w, EffectIncomparable, "const-changed", "must be `{1}`, was `{0}`", "The only allowed value changed.").
			args(argBefore, argAfter).harm("{sender} sends `{sent}`, and {receiver} expects `{expected}`.").keyword("const"),
		pair(w, "enum-value-added", "enum-value-removed", "value `{0}` added", "value `{0}` removed",
			"Listed values are allowed on one side only.").
			args("value").harm("{sender} may send `{0}`, which {receiver} does not accept.").keyword("enum"),
		pair(w, "enum-opened", "enum-closed", "any `{0}` is allowed, was a list of values", "only listed values are allowed, was any `{0}`",
			"One side lists the values it allows, the other side allows any value of the type.").
			args("type").harm("{sender} may send any `{0}`, and {receiver} accepts only listed values.").keyword("enum"),
		pair(w, "format-removed", "format-added", "format `{0}` is no longer required", "format `{0}` is required",
			"Only one side requires a string to have a format.").
			args("format").harm("{sender} may send a string that does not have the format `{0}`, which {receiver} requires.").keyword("format"),
		alone(w, EffectIncomparable, "format-changed", "format is `{1}`, was `{0}`", "The required format of a string changed.").
			args(argBefore, argAfter).harm("{sender} sends the format `{sent}`, and {receiver} expects `{expected}`.").keyword("format"),
		alone(w, EffectNone, "format-remark-changed", "format is `{1}`, was `{0}`; validators do not check it", "The format changed, but validators check neither format.").
			args(argBefore, argAfter).patch().keyword("format"),
		pair(w, "variant-added", "variant-removed", "variant `{0}` added", "variant `{0}` removed",
			"A variant of a union exists on one side only.").
			args("variant").harm("{receiver} cannot read `{0}`, which {sender} may send."),
		both(w, EffectNone, "variant-split", "variant-merged", "variant `{0}` split from `{1}`", "variant `{0}` merged into `{1}`",
			"A variant was split into several, or several were merged into one. The same values are accepted.").
			args("variant", "whole").patch(),
		pair(w, "unique-items-removed", "unique-items-added", "equal elements are allowed", "equal elements are no longer allowed",
			"Only one side requires the elements of an array to be unique.").
			harm("{sender} may send an array with equal elements, which {receiver} refuses.").keyword("uniqueItems"),
		pair(w, "constraint-removed", "constraint-added", "keyword {0} removed", "keyword {0} added",
			"A keyword constrains the values on one side only, or constrains them more than on the other side.").
			args("keyword").keyword("{0}"),
		alone(w, EffectIncomparable, "constraint-changed", "keyword {0} changed", "A keyword constrains the values of the two sides differently.").
			args("keyword").keyword("{0}"),
	)
}

// bound is a keyword that limits values of a kind, with the rule for a limit that allows less than before and that for
// one that allows more.
type bound struct {
	keyword, narrows, widens string
	kind                     kind
	at                       func(a *Alt) limit
	says, harm               string
}

var bounds = []bound{
	{"minimum", "minimum-raised", "minimum-lowered", kindNumber, func(a *Alt) limit { return a.Number.Low }, "minimum", "{sender} may send a number less than {receiver} accepts (minimum {expected})."},
	{"maximum", "maximum-lowered", "maximum-raised", kindNumber, func(a *Alt) limit { return a.Number.High }, "maximum", "{sender} may send a number greater than {receiver} accepts (maximum {expected})."},
	{"minLength", "min-length-raised", "min-length-lowered", kindString, func(a *Alt) limit { return a.Text.Length.Low }, "minimum length", "{sender} may send a string shorter than {receiver} accepts (minimum length {expected})."},
	{"maxLength", "max-length-lowered", "max-length-raised", kindString, func(a *Alt) limit { return a.Text.Length.High }, "maximum length", "{sender} may send a string longer than {receiver} accepts (maximum length {expected})."},
	{"minItems", "min-items-raised", "min-items-lowered", kindArray, func(a *Alt) limit { return a.Array.Length.Low }, "minimum number of elements", "{sender} may send fewer elements than {receiver} requires (at least {expected})."},
	{"maxItems", "max-items-lowered", "max-items-raised", kindArray, func(a *Alt) limit { return a.Array.Length.High }, "maximum number of elements", "{sender} may send more elements than {receiver} accepts (at most {expected})."},
	{"minProperties", "min-properties-raised", "min-properties-lowered", kindObject, func(a *Alt) limit { return a.Object.Size.Low }, "minimum number of members", "{sender} may send fewer members than {receiver} requires (at least {expected})."},
	{"maxProperties", "max-properties-lowered", "max-properties-raised", kindObject, func(a *Alt) limit { return a.Object.Size.High }, "maximum number of members", "{sender} may send more members than {receiver} accepts (at most {expected})."},
}

func boundRules() ruleSet {
	var list ruleSet
	for _, b := range bounds {
		says := b.says + " is {1}, was {0}"
		list = append(list, pair(CategoryWire, b.widens, b.narrows, says, says, "The "+b.says+" was moved, added or removed.").
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
			"The method depends on another capability. The values are the same, but other peers may send them.").
			args(argBefore, argAfter).harm("{sender} may use the method where {receiver} does not allow it."),
		both(m, EffectNone, "error-code-added", "error-code-removed", "error code {0} is defined as `{1}`", "error code {0} is no longer defined as `{1}`",
			"Only one side defines the data of an error code. The other side treats it like any other error.").
			args("code", "definition"),
	)
}

func toolRules() ruleSet {
	t := CategoryTools
	list := slices.Concat(
		pair(t, "tool-added", "tool-removed", "tool added", "tool removed", "A tool exists on one side only.").
			harm("{sender} may call this tool, which {receiver} does not have."),
		pair(t, "output-schema-removed", "output-schema-added", "output schema removed", "output schema added",
			"Only one side describes the structured result of the tool.").
			harm("{sender} may return a result that {receiver} does not expect, because only one side has an output schema.").keyword("outputSchema"),
		alone(t, EffectNone, "tool-metadata-changed", "member `{0}` changed", "A member of the definition changed that no other rule reports.").
			args("member").patch().keyword("{0}"),
		alone(t, EffectNone, "tool-title-changed", "title is {1}, was {0}", "The title changed. Titles are shown to people.").
			args(argBefore, argAfter).patch().keyword("title"),
	)
	for _, a := range annotations {
		list = append(list,
			Rule{ID: a.lost(), Category: t, Effect: EffectMeaning, Mirror: a.gained(), Message: "no longer promises " + a.promise,
				Doc:  "The annotations no longer make a promise that callers may rely on.",
				Harm: "A client that relies on the promise may call the tool in cases where it should not.", Keyword: a.keyword(), Promise: true},
			Rule{ID: a.gained(), Category: t, Effect: EffectNone, Mirror: a.lost(), Message: "promises " + a.promise,
				Doc: "The annotations make a new promise.", Keyword: a.keyword(), Promise: true})
	}
	return list
}

func modelRules() ruleSet {
	m := CategoryModel
	return slices.Concat(
		alone(m, EffectMeaning, "tool-description-changed", "description is {1}, was {0}", "A model reads the description as an instruction and may act differently.").
			args(argBefore, argAfter).harm("A model reads a different instruction and may act differently.").patch().keyword("description"),
		alone(m, EffectMeaning, "parameter-description-changed", "description of `{0}` is {2}, was {1}", "A model reads the description of a parameter as an instruction and may act differently.").
			args("member", argBefore, argAfter).harm("A model reads a different instruction and may fill in `{0}` differently.").patch().keyword("description"),
		alone(m, EffectMeaning, "default-changed", "default of `{0}` is {2}, was {1}", "A caller that omits the member gets another value.").
			args("member", argBefore, argAfter).harm("A caller that omits `{0}` gets another value.").keyword("default"),
	)
}

// annotations lists the hints of a tool as promises, with the value that makes the promise and
// the value that an absent hint stands for.
var annotations = []annotation{
	{"readOnlyHint", "read-only", true, false, false, "to change nothing"},
	{"destructiveHint", "not-destructive", false, true, true, "to destroy nothing"},
	{"idempotentHint", "idempotent", true, false, true, "that repeated calls have no further effect"},
	{"openWorldHint", "closed-world", false, true, false, "to interact only with a closed world"},
}

type annotation struct {
	member, id       string
	promises, absent bool
	// ifWrites means that the hint only has a meaning for tools that change something.
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

// toward returns id for a change that narrows, and its mirror for one that widens.
func (t ruleTable) toward(id string, way int) string {
	if way == narrows {
		return id
	}
	return t.rule(id).Mirror
}

func (t ruleTable) rule(id string) Rule {
	r, ok := t[id]
	if !ok {
		panic(fmt.Sprintf("diff: no rule %q", id))
	}
	return r
}
