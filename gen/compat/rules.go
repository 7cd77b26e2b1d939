package compat

import (
	"fmt"
	"slices"
)

// Level says how bad a verdict is.
type Level string

// The levels, the mildest first. LevelOK is that of a verdict only.
const (
	LevelOK   Level = "ok"
	LevelInfo Level = "info"
	LevelWarn Level = "warn"
	LevelErr  Level = "err"
)

var levels = []Level{LevelOK, LevelInfo, LevelWarn, LevelErr}

// AtLeast reports whether a level is as bad as another.
func (l Level) AtLeast(other Level) bool {
	return slices.Index(levels, l) >= slices.Index(levels, other)
}

func worse(a, b Level) Level {
	if a.AtLeast(b) {
		return a
	}
	return b
}

// Effect is what becomes of the values a receiver accepts.
type Effect string

// The effects.
const (
	// EffectNone: the same values are accepted.
	EffectNone Effect = "none"
	// EffectNarrows: values that could be sent before are refused.
	EffectNarrows Effect = "narrows"
	// EffectWidens: values can be sent that were refused before.
	EffectWidens Effect = "widens"
	// EffectIncomparable: both.
	EffectIncomparable Effect = "incomparable"
	// EffectMeaning: the same values are accepted and taken for something else.
	EffectMeaning Effect = "meaning"
)

func (e Effect) Narrows() bool { return e == EffectNarrows || e == EffectIncomparable }
func (e Effect) Widens() bool  { return e == EffectWidens || e == EffectIncomparable }

// Mirror is the effect of the change the other way round.
func (e Effect) Mirror() Effect {
	switch e {
	case EffectNarrows:
		return EffectWidens
	case EffectWidens:
		return EffectNarrows
	}
	return e
}

// Verdicts are the two of a finding.
type Verdicts struct {
	// ReceiverFirst is for a new receiver with an old sender.
	ReceiverFirst Level `json:"receiver_first"`
	// SenderFirst is for a new sender with an old receiver.
	SenderFirst Level `json:"sender_first"`
}

// Verdicts derives what an effect does. It is the law that all severities come
// from.
func (e Effect) Verdicts() Verdicts {
	switch e {
	case EffectNarrows:
		return Verdicts{LevelErr, LevelOK}
	case EffectWidens:
		return Verdicts{LevelOK, LevelErr}
	case EffectIncomparable:
		return Verdicts{LevelErr, LevelErr}
	case EffectMeaning:
		return Verdicts{LevelWarn, LevelWarn}
	}
	return Verdicts{LevelInfo, LevelInfo}
}

// Category is what a rule is about.
type Category string

// The categories.
const (
	CategoryWire    Category = "wire"    // values and their schemas
	CategoryMethods Category = "methods" // which messages there are
	CategoryTools   Category = "tools"   // which tools there are, and what they promise
	CategoryModel   Category = "model"   // what a model reads
)

// Rule tells one kind of change.
type Rule struct {
	ID       string   `json:"id"`
	Category Category `json:"category"`
	Effect   Effect   `json:"effect"`
	// Mirror is the rule of the change the other way round.
	Mirror string `json:"mirror"`
	// Message is what a finding says; {0} and the like are its arguments.
	Message string `json:"message"`
	Doc     string `json:"doc"`
}

// Guard is a reason why what the law calls breaking is not, or not always.
type Guard struct {
	ID string `json:"id"`
	// Level is what err becomes under it.
	Level Level `json:"level"`
	// SenderOnly guards are of no use to a receiver that goes first.
	SenderOnly bool   `json:"sender_only,omitempty"`
	Doc        string `json:"doc"`
}

// The guards.
const (
	guardOpenObject     = "open-object"
	guardIgnoredMember  = "ignored-argument"
	guardReadAsAnother  = "read-as-another"
	guardCapability     = "capability-gated"
	guardAskedFor       = "asked-for"
	guardNoAnswer       = "no-answer"
	guardListed         = "listed"
	guardUndeclared     = "undeclared-members"
	guardPromisedNobody = "unconstrained"
)

// Guards lists the guards.
func Guards() []Guard {
	return []Guard{
		{ID: guardOpenObject, Level: LevelInfo, Doc: "Objects of the protocol are open: a receiver ignores members it does not know."},
		{ID: guardIgnoredMember, Level: LevelWarn, Doc: "The object is open, so the member is accepted, and nothing is done with it."},
		{ID: guardReadAsAnother, Level: LevelWarn, Doc: "The value is accepted as another variant, and what is new in it is lost."},
		{ID: guardCapability, Level: LevelWarn, Doc: "Only a peer that has declared the capability is sent this."},
		{ID: guardAskedFor, Level: LevelWarn, Doc: "Only a peer that has asked for it in its request is sent this."},
		{ID: guardNoAnswer, Level: LevelWarn, Doc: "A notification that is not known is ignored: nobody waits for an answer."},
		{ID: guardListed, Level: LevelInfo, SenderOnly: true, Doc: "A client calls what the server lists."},
		{ID: guardUndeclared, Level: LevelWarn, Doc: "Only members that were never declared are concerned."},
		{ID: guardPromisedNobody, Level: LevelInfo, Doc: "The schema constrains nothing."},
	}
}

func guard(id string) Guard {
	list := Guards()
	return list[slices.IndexFunc(list, func(g Guard) bool { return g.ID == id })]
}

// apply lowers verdicts.
func (g Guard) apply(v Verdicts) Verdicts {
	if v.SenderFirst == LevelErr {
		v.SenderFirst = g.Level
	}
	if v.ReceiverFirst == LevelErr && !g.SenderOnly {
		v.ReceiverFirst = g.Level
	}
	return v
}

// pair makes a rule that widens and its mirror.
func pair(category Category, widens, narrows, saysWidens, saysNarrows, doc string) []Rule {
	return []Rule{
		{widens, category, EffectWidens, narrows, saysWidens, doc},
		{narrows, category, EffectNarrows, widens, saysNarrows, doc},
	}
}

// both makes two rules of the same effect that mirror each other.
func both(category Category, effect Effect, one, other, saysOne, saysOther, doc string) []Rule {
	return []Rule{
		{one, category, effect, other, saysOne, doc},
		{other, category, effect, one, saysOther, doc},
	}
}

// alone makes a rule that is its own mirror.
func alone(category Category, effect Effect, id, says, doc string) []Rule {
	return []Rule{{id, category, effect, id, says, doc}}
}

// bounds are the limits a value can have; each has a rule for going either way.
var bounds = []struct{ id, says string }{
	{"minimum", "the least number"},
	{"min-length", "the least length"},
	{"min-items", "the least number of elements"},
	{"min-properties", "the least number of members"},
	{"maximum", "the greatest number"},
	{"max-length", "the greatest length"},
	{"max-items", "the greatest number of elements"},
	{"max-properties", "the greatest number of members"},
}

// Rules lists the rules, sorted by category and id.
func Rules() []Rule {
	w := CategoryWire
	list := slices.Concat(
		pair(w, "member-added", "member-removed", "optional member {0} added", "optional member {0} removed",
			"A member that may be left out is new, or gone. In an open object it is ignored by those who do not know it; a closed object refuses it."),
		pair(w, "required-member-removed", "required-member-added", "required member {0} removed", "required member {0} added",
			"A member that must be there is new, or gone: who does not know it does not send it."),
		both(w, EffectIncomparable, "closed-member-added", "closed-member-removed",
			"required member {0} of a closed object added", "required member {0} of a closed object removed",
			"A member that must be there on one side is refused by the other, which is closed."),
		pair(w, "member-became-optional", "member-became-required", "member {0} may now be left out", "member {0} must now be there",
			"A known member must be there on one side only."),
		pair(w, "type-added", "type-removed", "{0} allowed too", "{0} no longer allowed",
			"A value may be of one JSON type more, or less."),
		pair(w, "type-opened", "type-closed", "any value allowed, was {0}", "only {0} allowed, was any value",
			"A value may be anything on one side only."),
		pair(w, "type-widened", "type-narrowed", "numbers with a fraction allowed", "only whole numbers allowed",
			"A number must be whole on one side only."),
		alone(w, EffectIncomparable, "type-changed", "{1}, was {0}", "The JSON type is another one."),
		alone(w, EffectIncomparable, "const-changed", "must be {1}, was {0}", "The only value allowed is another one."),
		pair(w, "enum-value-added", "enum-value-removed", "value {0} added", "value {0} removed",
			"One of the values that are allowed is new, or gone."),
		pair(w, "enum-opened", "enum-closed", "any {0} allowed, not only those of a list", "only the values of a list allowed, was any {0}",
			"The values are listed on one side only."),
		pair(w, "format-removed", "format-added", "format {0} no longer demanded", "format {0} demanded",
			"A string must have a format on one side only."),
		alone(w, EffectIncomparable, "format-changed", "format {1}, was {0}", "A string must have another format."),
		alone(w, EffectNone, "format-remark-changed", "format {1}, was {0}, which nobody checks", "A format that validators take for a remark is another one."),
		pair(w, "variant-added", "variant-removed", "variant {0} added", "variant {0} removed",
			"A union has one alternative more, or less."),
		both(w, EffectNone, "variant-split", "variant-merged", "variant {0}, which was part of {1}", "variant {0} is now part of {1}",
			"An alternative has become several, or several one, of which each is accepted as before."),
		pair(w, "unique-items-removed", "unique-items-added", "an element may stand twice", "no element may stand twice",
			"The elements of an array must differ on one side only."),
		pair(w, "object-opened", "object-closed", "members that are not declared allowed", "members that are not declared no longer allowed",
			"additionalProperties forbids members on one side only. Members that one side declares are told by rules of their own."),
		pair(w, "constraint-removed", "constraint-added", "{0} removed", "{0} added",
			"A keyword constrains the values on one side only, or constrains them more on that side."),
		alone(w, EffectIncomparable, "constraint-changed", "{0} changed", "A keyword constrains the values on both sides, in different ways."),
	)
	for i, b := range bounds {
		wider, narrower := "lowered", "raised"
		if i >= len(bounds)/2 {
			wider, narrower = narrower, wider
		}
		list = append(list, pair(w, b.id+"-"+wider, b.id+"-"+narrower,
			b.says+" is {1}, was {0}", b.says+" is {1}, was {0}",
			"A limit moved, appeared or went away; none is as far away as can be.")...)
	}
	list = append(list, methodRules()...)
	list = append(list, toolRules()...)
	slices.SortStableFunc(list, func(a, b Rule) int {
		if a.Category != b.Category {
			return slices.Index(categories, a.Category) - slices.Index(categories, b.Category)
		}
		if a.ID < b.ID {
			return -1
		}
		return 1
	})
	return list
}

var categories = []Category{CategoryWire, CategoryMethods, CategoryTools, CategoryModel}

func methodRules() []Rule {
	m := CategoryMethods
	return slices.Concat(
		pair(m, "method-added", "method-removed", "{0} {1} added", "{0} {1} removed",
			"A request or notification is new, or gone."),
		pair(m, "method-direction-added", "method-direction-removed", "may now be sent to the {0}", "may no longer be sent to the {0}",
			"A message that one side could send may be sent by the other too, or no longer."),
		alone(m, EffectMeaning, "method-capability-changed", "stands under capability {1}, was {0}",
			"Another capability says whether the method may be used. Values do not change; who may send them does."),
		both(m, EffectNone, "error-code-added", "error-code-removed", "error {0} has a definition: {1}", "error {0} has a definition no longer: {1}",
			"The data of an error code is defined on one side only. To the other it is an error like any."),
	)
}

func toolRules() []Rule {
	t, model := CategoryTools, CategoryModel
	list := slices.Concat(
		pair(t, "tool-added", "tool-removed", "tool added", "tool removed", "A tool is new, or gone."),
		pair(t, "output-schema-removed", "output-schema-added", "output is no longer described", "output is described",
			"A tool says what its structured result looks like on one side only."),
		alone(t, EffectNone, "tool-metadata-changed", "{0} changed", "A member of the definition that no schema and no model is about."),
		alone(t, EffectNone, "tool-title-changed", "title is {1}, was {0}", "What people are shown."),
		alone(t, EffectMeaning, "task-support-changed", "task support {1}, was {0}", "Whether a tool can, must or cannot be called as a task."),
		alone(model, EffectMeaning, "tool-description-changed", "description is {1}, was {0}", "A description is an instruction to a model: another one changes what it does."),
		alone(model, EffectMeaning, "parameter-description-changed", "description of {0} is {2}, was {1}", "As for tools: a model reads it."),
		alone(model, EffectMeaning, "default-changed", "default of {0} is {2}, was {1}", "What a caller gets that leaves the member out."),
	)
	for _, a := range annotations {
		list = append(list,
			Rule{a.lost(), t, EffectMeaning, a.gained(), "no longer says " + a.promise, "A promise that callers may have relied on is gone."},
			Rule{a.gained(), t, EffectNone, a.lost(), "says " + a.promise, "A promise that was not given before."})
	}
	return list
}

// annotations are the hints of a tool as promises: the value that promises, and
// what an absent hint stands for.
var annotations = []annotation{
	{"readOnlyHint", "read-only", true, false, "that it changes nothing"},
	{"destructiveHint", "not-destructive", false, true, "that it destroys nothing"},
	{"idempotentHint", "idempotent", true, false, "that calling it again changes nothing more"},
	{"openWorldHint", "closed-world", false, true, "that it stays in its own world"},
}

type annotation struct {
	member, id       string
	promises, absent bool
	promise          string
}

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
