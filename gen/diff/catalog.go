package diff

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// ruleRows has the rules. A row with a mirrored message stands for a rule and its mirror, and a rule without a mirror
// mirrors itself.
var ruleRows = []struct {
	says, mirrored string
	Rule
}{
	// Members of objects.
	{"optional member `{0}` added", "optional member `{0}` removed", Rule{ID: "member-added", Mirror: "member-removed", Category: CategoryWire, Effect: EffectWidens,
		Doc:  "An optional member exists on one side only. An open object ignores a member it does not know; a closed object refuses it.",
		Args: []string{"member"}, Harm: "{sender} may send `{0}`, which {receiver} does not know.", Presence: true}},
	{"required member `{0}` removed", "required member `{0}` added", Rule{ID: "required-member-removed", Mirror: "required-member-added", Category: CategoryWire, Effect: EffectWidens,
		Doc:  "A required member exists on one side only. The other side does not send it.",
		Args: []string{"member"}, Harm: "{sender} does not send `{0}`, which {receiver} requires.", Presence: true}},
	{"required member `{0}` of a closed object added", "required member `{0}` of a closed object removed", Rule{ID: "closed-member-added", Mirror: "closed-member-removed", Category: CategoryWire, Effect: EffectIncomparable,
		Doc:  "One side requires a member that the other side refuses because its object is closed.",
		Args: []string{"member"}, Harm: "One of {sender} and {receiver} requires `{0}`, and the other refuses it.", Presence: true}},
	{"member `{1}` is no longer required beside `{0}`", "member `{1}` is required beside `{0}`", Rule{ID: "dependency-removed", Mirror: "dependency-added", Category: CategoryWire, Effect: EffectWidens,
		Doc:  "Only one side requires a member if another one is present.",
		Args: []string{"member", "required"}, Harm: "{sender} may send `{0}` without `{1}`, which {receiver} requires beside it.", Keyword: "dependentRequired"}},
	{"member `{0}` became optional", "member `{0}` became required", Rule{ID: "member-became-optional", Mirror: "member-became-required", Category: CategoryWire, Effect: EffectWidens,
		Doc:  "Both sides declare the member, but only one side requires it.",
		Args: []string{"member"}, Harm: "{sender} may omit `{0}`, which {receiver} requires.", Presence: true}},
	{"undeclared members are allowed", "undeclared members are no longer allowed", Rule{ID: "object-opened", Mirror: "object-closed", Category: CategoryWire, Effect: EffectWidens,
		Doc:  "One side forbids undeclared members with additionalProperties. Other rules report members that one side declares.",
		Harm: "{sender} may send members that neither side declares, which {receiver} refuses.", Keyword: "additionalProperties"}},
	// Values. The rules for limits are in keywords.
	{"`{0}` is allowed as well", "`{0}` is no longer allowed", Rule{ID: "type-added", Mirror: "type-removed", Category: CategoryWire, Effect: EffectWidens,
		Doc:  "One side allows a JSON type that the other side does not.",
		Args: []string{"type"}, Harm: "{sender} may send `{0}`, which {receiver} does not accept.", Keyword: "type"}},
	{"any value is allowed, was `{0}`", "only `{0}` is allowed, was any value", Rule{ID: "type-opened", Mirror: "type-closed", Category: CategoryWire, Effect: EffectWidens,
		Doc:  "One side allows any value, the other side only some types.",
		Args: []string{"type"}, Harm: "{sender} may send any value, and {receiver} accepts only `{0}`.", Keyword: "type"}},
	{"numbers with a fraction are allowed", "only whole numbers are allowed", Rule{ID: "type-widened", Mirror: "type-narrowed", Category: CategoryWire, Effect: EffectWidens,
		Doc:  "One side allows only whole numbers.",
		Harm: "{sender} may send a number with a fraction, and {receiver} accepts only whole numbers.", Keyword: "type"}},
	{"type is `{1}`, was `{0}`", "", Rule{ID: "type-changed", Category: CategoryWire, Effect: EffectIncomparable,
		Doc:  "The JSON type changed.",
		Args: []string{argBefore, argAfter}, Harm: "{sender} sends `{sent}`, and {receiver} expects `{expected}`.", Keyword: "type"}},
	{"must be `{1}`, was `{0}`", "", Rule{ID: "const-changed", Category: CategoryWire, Effect: EffectIncomparable,
		Doc:  "The only allowed value changed.",
		Args: []string{argBefore, argAfter}, Harm: "{sender} sends `{sent}`, and {receiver} expects `{expected}`.", Keyword: "const"}},
	{"value `{0}` added", "value `{0}` removed", Rule{ID: "enum-value-added", Mirror: "enum-value-removed", Category: CategoryWire, Effect: EffectWidens,
		Doc:  "Listed values are allowed on one side only.",
		Args: []string{"value"}, Harm: "{sender} may send `{0}`, which {receiver} does not accept.", Keyword: "enum"}},
	{"any `{0}` is allowed, was a list of values", "only listed values are allowed, was any `{0}`", Rule{ID: "enum-opened", Mirror: "enum-closed", Category: CategoryWire, Effect: EffectWidens,
		Doc:  "One side lists the values it allows, the other side allows any value of the type.",
		Args: []string{"type"}, Harm: "{sender} may send any `{0}`, and {receiver} accepts only listed values.", Keyword: "enum"}},
	{"format `{0}` is no longer required", "format `{0}` is required", Rule{ID: "format-removed", Mirror: "format-added", Category: CategoryWire, Effect: EffectWidens,
		Doc:  "Only one side requires a string to have a format.",
		Args: []string{"format"}, Harm: "{sender} may send a string that does not have the format `{0}`, which {receiver} requires.", Keyword: "format"}},
	{"format is `{1}`, was `{0}`", "", Rule{ID: "format-changed", Category: CategoryWire, Effect: EffectIncomparable,
		Doc:  "The required format of a string changed.",
		Args: []string{argBefore, argAfter}, Harm: "{sender} sends the format `{sent}`, and {receiver} expects `{expected}`.", Keyword: "format"}},
	{"format is `{1}`, was `{0}`; validators do not check it", "", Rule{ID: "format-remark-changed", Category: CategoryWire, Effect: EffectNone,
		Doc:  "The format changed, but validators check neither format.",
		Args: []string{argBefore, argAfter}, Version: Patch, Keyword: "format"}},
	{"variant `{0}` added", "variant `{0}` removed", Rule{ID: "variant-added", Mirror: "variant-removed", Category: CategoryWire, Effect: EffectWidens,
		Doc:  "A variant of a union exists on one side only.",
		Args: []string{"variant"}, Harm: "{receiver} cannot read `{0}`, which {sender} may send."}},
	{"variant `{0}` split from `{1}`", "variant `{0}` merged into `{1}`", Rule{ID: "variant-split", Mirror: "variant-merged", Category: CategoryWire, Effect: EffectNone,
		Doc:  "A variant was split into several, or several were merged into one. The same values are accepted.",
		Args: []string{"variant", "whole"}, Version: Patch}},
	{"equal elements are allowed", "equal elements are no longer allowed", Rule{ID: "unique-items-removed", Mirror: "unique-items-added", Category: CategoryWire, Effect: EffectWidens,
		Doc:  "Only one side requires the elements of an array to be unique.",
		Harm: "{sender} may send an array with equal elements, which {receiver} refuses.", Keyword: "uniqueItems"}},
	{"keyword {0} removed", "keyword {0} added", Rule{ID: "constraint-removed", Mirror: "constraint-added", Category: CategoryWire, Effect: EffectWidens,
		Doc:  "A keyword constrains the values on one side only, or constrains them more than on the other side.",
		Args: []string{"keyword"}, Keyword: "{0}"}},
	{"keyword {0} changed", "", Rule{ID: "constraint-changed", Category: CategoryWire, Effect: EffectIncomparable,
		Doc:  "A keyword constrains the values of the two sides differently.",
		Args: []string{"keyword"}, Keyword: "{0}"}},
	// Methods.
	{"{0} `{1}` added", "{0} `{1}` removed", Rule{ID: "method-added", Mirror: "method-removed", Category: CategoryMethods, Effect: EffectWidens,
		Doc:  "A request or a notification exists on one side only.",
		Args: []string{"kind", "method"}, Harm: "{sender} may send the {0} `{1}`, which {receiver} does not know."}},
	{"may now be sent to the {0}", "may no longer be sent to the {0}", Rule{ID: "method-direction-added", Mirror: "method-direction-removed", Category: CategoryMethods, Effect: EffectWidens,
		Doc:  "One side allows a message to be sent in a direction that the other side does not.",
		Args: []string{"side"}, Harm: "{sender} may send this message, which {receiver} does not accept."}},
	{"capability is `{1}`, was `{0}`", "", Rule{ID: "method-capability-changed", Category: CategoryMethods, Effect: EffectMeaning,
		Doc:  "The method depends on another capability. The values are the same, but other peers may send them.",
		Args: []string{argBefore, argAfter}, Harm: "{sender} may use the method where {receiver} does not allow it."}},
	{"error code {0} is defined as `{1}`", "error code {0} is no longer defined as `{1}`", Rule{ID: "error-code-added", Mirror: "error-code-removed", Category: CategoryMethods, Effect: EffectNone,
		Doc:  "Only one side defines the data of an error code. The other side treats it like any other error.",
		Args: []string{"code", "definition"}}},
	// Tools. The rules for promises are in annotations.
	{"tool added", "tool removed", Rule{ID: "tool-added", Mirror: "tool-removed", Category: CategoryTools, Effect: EffectWidens,
		Doc:  "A tool exists on one side only.",
		Harm: "{sender} may call this tool, which {receiver} does not have."}},
	{"output schema removed", "output schema added", Rule{ID: "output-schema-removed", Mirror: "output-schema-added", Category: CategoryTools, Effect: EffectWidens,
		Doc:  "Only one side describes the structured result of the tool.",
		Harm: "{sender} may return a result that {receiver} does not expect, because only one side has an output schema.", Keyword: "outputSchema"}},
	{"member `{0}` changed", "", Rule{ID: "tool-metadata-changed", Category: CategoryTools, Effect: EffectNone,
		Doc:  "A member of the definition changed that no other rule reports.",
		Args: []string{"member"}, Version: Patch, Keyword: "{0}"}},
	{"title is {1}, was {0}", "", Rule{ID: "tool-title-changed", Category: CategoryTools, Effect: EffectNone,
		Doc:  "The title changed. Titles are shown to people.",
		Args: []string{argBefore, argAfter}, Version: Patch, Keyword: "title"}},
	// Texts and defaults that a model reads.
	{"description is {1}, was {0}", "", Rule{ID: "tool-description-changed", Category: CategoryModel, Effect: EffectMeaning,
		Doc:  "A model reads the description as an instruction and may act differently.",
		Args: []string{argBefore, argAfter}, Harm: "A model reads a different instruction and may act differently.", Version: Patch, Keyword: "description"}},
	{"description of `{0}` is {2}, was {1}", "", Rule{ID: "parameter-description-changed", Category: CategoryModel, Effect: EffectMeaning,
		Doc:  "A model reads the description of a parameter as an instruction and may act differently.",
		Args: []string{"member", argBefore, argAfter}, Harm: "A model reads a different instruction and may fill in `{0}` differently.", Version: Patch, Keyword: "description"}},
	{"default of `{0}` is {2}, was {1}", "", Rule{ID: "default-changed", Category: CategoryModel, Effect: EffectMeaning,
		Doc:  "A caller that omits the member gets another value.",
		Args: []string{"member", argBefore, argAfter}, Harm: "A caller that omits `{0}` gets another value.", Keyword: "default"}},
	// Prompts, resources, templates, capabilities and instructions. The arguments of a prompt use the rules for members.
	{"prompt added", "prompt removed", Rule{ID: "prompt-added", Mirror: "prompt-removed", Category: CategoryServer, Effect: EffectWidens,
		Doc:  "A prompt exists on one side only.",
		Harm: "{sender} may get this prompt, which {receiver} does not have."}},
	{"{0} changed", "", Rule{ID: "prompt-changed", Category: CategoryServer, Effect: EffectNone,
		Doc:  "A text for people in a prompt or in one of its arguments changed.",
		Args: []string{"member"}, Version: Patch}},
	{"resource added", "resource removed", Rule{ID: "resource-added", Mirror: "resource-removed", Category: CategoryServer, Effect: EffectWidens,
		Doc:  "A resource exists on one side only.",
		Harm: "{sender} may read this resource, which {receiver} does not have."}},
	{"{0} changed", "", Rule{ID: "resource-changed", Category: CategoryServer, Effect: EffectNone,
		Doc:  "A text for people in a resource or a template changed.",
		Args: []string{"member"}, Version: Patch, Keyword: "{0}"}},
	{"MIME type is {1}, was {0}", "", Rule{ID: "resource-type-changed", Category: CategoryServer, Effect: EffectMeaning,
		Doc:  "The MIME type of a resource's contents changed.",
		Args: []string{argBefore, argAfter}, Harm: "A client may misinterpret the contents.", Keyword: "mimeType"}},
	{"resource template added", "resource template removed", Rule{ID: "resource-template-added", Mirror: "resource-template-removed", Category: CategoryServer, Effect: EffectWidens,
		Doc:  "A resource template exists on one side only.",
		Harm: "{sender} may read the URIs of this template, which {receiver} does not have."}},
	{"URI template is `{1}`, was `{0}`", "URI template is `{1}`, was `{0}`", Rule{ID: "resource-template-widened", Mirror: "resource-template-narrowed", Category: CategoryServer, Effect: EffectWidens,
		Doc:  "The template of one side matches all URIs of the other side's template, and more.",
		Args: []string{argBefore, argAfter}, Harm: "{sender} may read a URI that {receiver} does not have.", Keyword: "uriTemplate"}},
	{"URI template is `{1}`, was `{0}`", "", Rule{ID: "resource-template-changed", Category: CategoryServer, Effect: EffectIncomparable,
		Doc:  "Each side's template matches URIs that the other side's does not.",
		Args: []string{argBefore, argAfter}, Harm: "{sender} may read a URI that {receiver} does not have.", Keyword: "uriTemplate"}},
	{"variables of the URI template are `{1}`, were `{0}`", "", Rule{ID: "template-variables-renamed", Category: CategoryServer, Effect: EffectMeaning,
		Doc:  "A template matches the same URIs, but its variables have other names. Clients show and complete variables by name.",
		Args: []string{argBefore, argAfter}, Harm: "A client that completes a variable by name requests one that does not exist.", Keyword: "uriTemplate"}},
	{"capability `{0}` added", "capability `{0}` removed", Rule{ID: "capability-added", Mirror: "capability-removed", Category: CategoryServer, Effect: EffectWidens,
		Doc:  "The server declares a capability on one side only.",
		Args: []string{"capability"}, Harm: "{sender} may rely on `{0}`, which {receiver} does not offer."}},
	{"capability `{0}` is `{2}`, was `{1}`", "", Rule{ID: "capability-changed", Category: CategoryServer, Effect: EffectMeaning,
		Doc:  "The value of a capability changed.",
		Args: []string{"capability", argBefore, argAfter}, Harm: "A client that relies on the value of `{0}` reads another value."}},
	{"instructions are {1}, were {0}", "", Rule{ID: "instructions-changed", Category: CategoryModel, Effect: EffectMeaning,
		Doc:  "Models read the instructions, like the descriptions of tools.",
		Args: []string{argBefore, argAfter}, Harm: "A model reads different instructions and may act differently.", Version: Patch}},
	// The names of tools and the ways to call them.
	{"tool renamed, was `{0}`", "", Rule{ID: "tool-renamed", Category: CategoryTools, Effect: EffectIncomparable,
		Doc:  "A tool exists on one side only, and the other side has a tool with another name and nearly the same schemas.",
		Args: []string{argBefore, argAfter}, Harm: "{sender} may call the tool `{sent}`, which is named `{expected}` in {receiver}.", Keyword: "name"}},
	{"calls as a task are allowed", "calls as a task are no longer allowed", Rule{ID: "task-call-added", Mirror: "task-call-removed", Category: CategoryTools, Effect: EffectWidens,
		Doc:  "The tool can be called as a task on one side only: on the other side its task support is \"forbidden\" or absent.",
		Harm: "{sender} may call the tool as a task, which {receiver} refuses.", Keyword: "execution/taskSupport"}},
	{"calls without a task are allowed", "calls without a task are no longer allowed", Rule{ID: "plain-call-added", Mirror: "plain-call-removed", Category: CategoryTools, Effect: EffectWidens,
		Doc:  "The tool can be called without a task on one side only: on the other side its task support is \"required\".",
		Harm: "{sender} may call the tool without a task, which {receiver} refuses.", Keyword: "execution/taskSupport"}},
	{"dialect of the {0} schema is `{2}`, was `{1}`", "", Rule{ID: "schema-dialect-changed", Category: CategoryTools, Effect: EffectMeaning,
		Doc:  "$schema changed. A peer that does not know the dialect cannot check values. Other rules compare the effect of the keywords.",
		Args: []string{"schema", argBefore, argAfter}, Harm: "A peer that knows only one of the dialects cannot check values by the {0} schema."}},
	{"the {0} schema names its dialect, `{1}`", "the {0} schema no longer names its dialect, `{1}`", Rule{ID: "schema-dialect-named", Mirror: "schema-dialect-unnamed", Category: CategoryTools, Effect: EffectNone,
		Doc:  "Only one side has $schema. Other rules compare the effect of the keywords.",
		Args: []string{"schema", "dialect"}, Version: Patch}},
	{"title of `{0}` is {2}, was {1}", "", Rule{ID: "parameter-title-changed", Category: CategoryTools, Effect: EffectNone,
		Doc:  "The title of a parameter changed. Titles are shown to people.",
		Args: []string{"member", argBefore, argAfter}, Version: Patch, Keyword: "title"}},
	{"`{0}` is no longer mirrored into the header `Mcp-Param-{1}`", "`{0}` is mirrored into the header `Mcp-Param-{1}`", Rule{ID: "header-removed", Mirror: "header-added", Category: CategoryTools, Effect: EffectWidens,
		Doc:  "Only one side has x-mcp-header for the parameter. A server refuses a call over HTTP that lacks the header.",
		Args: []string{"member", "header"}, Harm: "{sender} does not send the header `Mcp-Param-{1}`, which {receiver} requires over HTTP.", Keyword: "x-mcp-header"}},
	{"`{0}` is mirrored into the header `Mcp-Param-{2}`, was `Mcp-Param-{1}`", "", Rule{ID: "header-changed", Category: CategoryTools, Effect: EffectIncomparable,
		Doc:  "The x-mcp-header of a parameter changed to another name.",
		Args: []string{"member", argBefore, argAfter}, Harm: "{sender} sends the header `Mcp-Param-{sent}`, and {receiver} expects `Mcp-Param-{expected}`.", Keyword: "x-mcp-header"}},
	{"the x-mcp-header of `{0}` is valid, was invalid: {1}", "the x-mcp-header of `{0}` is invalid: {1}", Rule{ID: "header-repaired", Mirror: "header-broken", Category: CategoryTools, Effect: EffectWidens,
		Doc:  "x-mcp-header is invalid on one side, so clients omit the tool over HTTP.",
		Args: []string{"member", "problem"}, Harm: "A client over HTTP omits the tool from its list, because x-mcp-header is invalid: {1}.", Keyword: "x-mcp-header"}},
	// Generated code.
	{"Go: `{0}` is {2}, was {1}", "", Rule{ID: ruleCode, Category: CategoryCode, Effect: EffectIncomparable,
		Doc:  "The client that mcpgen generates declares something else in Go, so that programs do not compile or mean something else. Only with the profiles typed and model.",
		Args: []string{"name", argBefore, argAfter}, Harm: "A program that uses `{0}` does not compile with the new client, or means something else."}},
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

// Rules returns the rules, sorted by category and id.
func Rules() []Rule {
	var list []Rule
	add := func(says, mirrored string, r Rule) {
		r.Message, r.Mirror, r.Version, r.Harm = says, cmp.Or(r.Mirror, r.ID), cmp.Or(r.Version, Minor), cmp.Or(r.Harm, harmOf(r.Effect))
		list = append(list, r)
		if mirrored != "" {
			r.ID, r.Mirror, r.Effect, r.Message = r.Mirror, r.ID, r.Effect.Mirror(), mirrored
			list = append(list, r)
		}
	}
	for _, row := range ruleRows {
		add(row.says, row.mirrored, row.Rule)
	}
	for _, k := range keywords {
		if k.limit == nil {
			continue
		}
		says := k.limit.says + " is {1}, was {0}"
		add(says, says, Rule{ID: k.limit.widens, Mirror: k.limit.narrows, Category: CategoryWire, Effect: EffectWidens,
			Doc:  "The " + k.limit.says + " was moved, added or removed.",
			Args: []string{argBefore, argAfter}, Harm: k.limit.harm, Keyword: k.name})
	}
	for _, a := range annotations {
		add("no longer promises "+a.promise, "", Rule{ID: a.lost(), Mirror: a.gained(), Category: CategoryTools, Effect: EffectMeaning,
			Doc:  "The annotations no longer make a promise that callers may rely on.",
			Harm: "A client that relies on the promise may call the tool in cases where it should not.", Keyword: a.keyword(), Promise: true})
		add("promises "+a.promise, "", Rule{ID: a.gained(), Mirror: a.lost(), Category: CategoryTools, Effect: EffectNone,
			Doc: "The annotations make a new promise.", Keyword: a.keyword(), Promise: true})
	}
	slices.SortStableFunc(list, func(a, b Rule) int {
		return cmp.Or(slices.Index(categories, a.Category)-slices.Index(categories, b.Category), strings.Compare(a.ID, b.ID))
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

// ruleTable returns the rules by id. They are made on first use.
var ruleTable = sync.OnceValue(func() map[string]Rule { return byKey(Rules(), func(r Rule) string { return r.ID }) })

func ruleOf(id string) Rule {
	r, ok := ruleTable()[id]
	if !ok {
		panic(fmt.Sprintf("diff: no rule %q", id))
	}
	return r
}

// toward returns id for a change that narrows, and its mirror for one that widens.
func toward(id string, way int) string {
	if way == narrows {
		return id
	}
	return ruleOf(id).Mirror
}
