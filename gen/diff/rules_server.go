package diff

import "slices"

// CategoryServer is for everything that a server offers besides tools.
const CategoryServer Category = "server"

// Guards for server offers and headers.
const (
	guardTemplate = "covered-by-template"
	guardNotified = "notified"
	guardMirrored = "mirrored-header"
)

func serverGuards() []Guard {
	return []Guard{
		{ID: guardTemplate, Level: LevelInfo, Doc: "The other side has another resource or template with the same URIs."},
		{ID: guardNotified, Level: LevelWarn, Doc: "Only notifications are affected. A client that no longer receives them can still request the data."},
		{ID: guardMirrored, Level: LevelWarn, Doc: "Only calls over HTTP are affected. A client whose headers a server refuses requests the list again."},
	}
}

// serverRules returns the rules for prompts, resources, templates, capabilities and
// instructions. The arguments of a prompt use the rules for members.
func serverRules() ruleSet {
	s := CategoryServer
	return slices.Concat(
		pair(s, "prompt-added", "prompt-removed", "prompt added", "prompt removed", "A prompt exists on one side only.").
			harm("{sender} may get this prompt, which {receiver} does not have."),
		alone(s, EffectNone, "prompt-changed", "{0} changed", "A text for people in a prompt or in one of its arguments changed.").
			args("member").patch(),
		pair(s, "resource-added", "resource-removed", "resource added", "resource removed", "A resource exists on one side only.").
			harm("{sender} may read this resource, which {receiver} does not have."),
		alone(s, EffectNone, "resource-changed", "{0} changed", "A text for people in a resource or a template changed.").
			args("member").patch().keyword("{0}"),
		alone(s, EffectMeaning, "resource-type-changed", "MIME type is {1}, was {0}", "The MIME type of a resource's contents changed.").
			args(argBefore, argAfter).harm("A client may misinterpret the contents.").keyword("mimeType"),
		pair(s, "resource-template-added", "resource-template-removed", "resource template added", "resource template removed",
			"A resource template exists on one side only.").
			harm("{sender} may read the URIs of this template, which {receiver} does not have."),
		pair(s, "resource-template-widened", "resource-template-narrowed", "URI template is `{1}`, was `{0}`", "URI template is `{1}`, was `{0}`",
			"The template of one side matches all URIs of the other side's template, and more.").
			args(argBefore, argAfter).harm("{sender} may read a URI that {receiver} does not have.").keyword("uriTemplate"),
		alone(s, EffectIncomparable, "resource-template-changed", "URI template is `{1}`, was `{0}`", "Each side's template matches URIs that the other side's does not.").
			args(argBefore, argAfter).harm("{sender} may read a URI that {receiver} does not have.").keyword("uriTemplate"),
		alone(s, EffectMeaning, "template-variables-renamed", "variables of the URI template are `{1}`, were `{0}`",
			"A template matches the same URIs, but its variables have other names. Clients show and complete variables by name.").
			args(argBefore, argAfter).harm("A client that completes a variable by name requests one that does not exist.").keyword("uriTemplate"),
		pair(s, "capability-added", "capability-removed", "capability `{0}` added", "capability `{0}` removed",
			"The server declares a capability on one side only.").
			args("capability").harm("{sender} may rely on `{0}`, which {receiver} does not offer."),
		alone(s, EffectMeaning, "capability-changed", "capability `{0}` is `{2}`, was `{1}`", "The value of a capability changed.").
			args("capability", argBefore, argAfter).harm("A client that relies on the value of `{0}` reads another value."),
		alone(CategoryModel, EffectMeaning, "instructions-changed", "instructions are {1}, were {0}",
			"Models read the instructions, like the descriptions of tools.").
			args(argBefore, argAfter).harm("A model reads different instructions and may act differently.").patch(),
	)
}

// callRules returns the rules for the names of tools and the ways to call them.
func callRules() ruleSet {
	t := CategoryTools
	return slices.Concat(
		alone(t, EffectIncomparable, "tool-renamed", "tool renamed, was `{0}`",
			"A tool exists on one side only, and the other side has a tool with another name and nearly the same schemas.").
			args(argBefore, argAfter).harm("{sender} may call the tool `{sent}`, which is named `{expected}` in {receiver}.").keyword("name"),
		pair(t, "task-call-added", "task-call-removed", "calls as a task are allowed", "calls as a task are no longer allowed",
			"The tool can be called as a task on one side only: on the other side its task support is \"forbidden\" or absent.").
			harm("{sender} may call the tool as a task, which {receiver} refuses.").keyword("execution/taskSupport"),
		pair(t, "plain-call-added", "plain-call-removed", "calls without a task are allowed", "calls without a task are no longer allowed",
			"The tool can be called without a task on one side only: on the other side its task support is \"required\".").
			harm("{sender} may call the tool without a task, which {receiver} refuses.").keyword("execution/taskSupport"),
		alone(t, EffectMeaning, "schema-dialect-changed", "dialect of the {0} schema is `{2}`, was `{1}`",
			"$schema changed. A peer that does not know the dialect cannot check values. Other rules compare the effect of the keywords.").
			args("schema", argBefore, argAfter).harm("A peer that knows only one of the dialects cannot check values by the {0} schema."),
		both(t, EffectNone, "schema-dialect-named", "schema-dialect-unnamed", "the {0} schema names its dialect, `{1}`", "the {0} schema no longer names its dialect, `{1}`",
			"Only one side has $schema. Other rules compare the effect of the keywords.").
			args("schema", "dialect").patch(),
		alone(t, EffectNone, "parameter-title-changed", "title of `{0}` is {2}, was {1}", "The title of a parameter changed. Titles are shown to people.").
			args("member", argBefore, argAfter).patch().keyword("title"),
		pair(t, "header-removed", "header-added", "`{0}` is no longer mirrored into the header `Mcp-Param-{1}`", "`{0}` is mirrored into the header `Mcp-Param-{1}`",
			"Only one side has x-mcp-header for the parameter. A server refuses a call over HTTP that lacks the header.").
			args("member", "header").harm("{sender} does not send the header `Mcp-Param-{1}`, which {receiver} requires over HTTP.").keyword("x-mcp-header"),
		alone(t, EffectIncomparable, "header-changed", "`{0}` is mirrored into the header `Mcp-Param-{2}`, was `Mcp-Param-{1}`", "The x-mcp-header of a parameter changed to another name.").
			args("member", argBefore, argAfter).harm("{sender} sends the header `Mcp-Param-{sent}`, and {receiver} expects `Mcp-Param-{expected}`.").keyword("x-mcp-header"),
		pair(t, "header-repaired", "header-broken", "the x-mcp-header of `{0}` is valid, was invalid: {1}", "the x-mcp-header of `{0}` is invalid: {1}",
			"x-mcp-header is invalid on one side, so clients omit the tool over HTTP.").
			args("member", "problem").harm("A client over HTTP omits the tool from its list, because x-mcp-header is invalid: {1}.").keyword("x-mcp-header"),
	)
}
