package lint

import "slices"

// Level is how serious a finding is.
type Level string

// The levels. Err is a fault that a host or a client refuses or that harms its user. Warn is one
// that works in some hosts only, or that is most likely a mistake. Info is advice.
const (
	Err  Level = "err"
	Warn Level = "warn"
	Info Level = "info"
)

// Levels returns the levels, the most serious one first.
func Levels() []Level { return []Level{Err, Warn, Info} }

// AtLeast reports whether l is at least as serious as other.
func (l Level) AtLeast(other Level) bool {
	return slices.Index(Levels(), l) <= slices.Index(Levels(), other)
}

// Host is an API whose subset is checked.
type Host string

// The hosts.
const (
	Anthropic Host = "anthropic"
	OpenAI    Host = "openai"
	Gemini    Host = "gemini"
	// OpenAIStrict is OpenAI for functions that are declared strict. Few lists are written for it, so its
	// rules apply only if it is chosen.
	OpenAIStrict Host = "openai-strict"
)

// Hosts returns the hosts whose rules apply unless others are chosen.
func Hosts() []Host { return []Host{Anthropic, OpenAI, Gemini} }

// Group is the subject of a rule.
type Group string

// The groups.
const (
	Protocol      Group = "protocol"
	Schema        Group = "schema"
	HostSubset    Group = "host"
	Security      Group = "security"
	Documentation Group = "documentation"
	Size          Group = "size"
)

// Rule is a kind of fault.
type Rule struct {
	ID    string `json:"id"`
	Group Group  `json:"group"`
	Level Level  `json:"level"`
	// Host is the host that the rule is about, or "" for all.
	Host Host `json:"host,omitempty"`
	// Doc says what is wrong.
	Doc string `json:"doc"`
	// Source is the address of the text that the rule rests on, or "" for a rule of this package.
	Source string `json:"source,omitempty"`
	// Fixable means that Fix has a rewrite for it, which may not apply to every case.
	Fixable bool `json:"fixable,omitempty"`
}

// Sources that several rules rest on.
const (
	specTools     = "https://modelcontextprotocol.io/specification/2025-11-25/server/tools"
	specPrompts   = "https://modelcontextprotocol.io/specification/2025-11-25/server/prompts"
	specResources = "https://modelcontextprotocol.io/specification/2025-11-25/server/resources"
	specHeaders   = "https://modelcontextprotocol.io/specification/2026-07-28/basic/transports#custom-headers"
	jsonSchema    = "https://json-schema.org/draft/2020-12/json-schema-validation"
	poisoning     = "https://owasp.org/www-project-mcp-top-10/"
	anthropicAPI  = "https://platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use"
	anthropicRoot = "https://github.com/anthropics/claude-code/issues/40075"
	openaiAPI     = "https://platform.openai.com/docs/api-reference/chat/create#chat-create-tools"
	openaiStrict  = "https://platform.openai.com/docs/guides/structured-outputs#supported-schemas"
	openaiIssue   = "https://github.com/mark3labs/mcp-go/issues/719"
	geminiAPI     = "https://ai.google.dev/api/caching#Schema"
	geminiNames   = "https://ai.google.dev/api/caching#FunctionDeclaration"
	geminiTypes   = "https://github.com/anomalyco/opencode/issues/11889"
)

// rules are in the order in which they are listed.
var rules = []Rule{
	{"definition-invalid", Protocol, Err, "", "The definition is not one that the newest revision of the protocol allows.", specTools, false},
	{"list-refused", Protocol, Err, "", "The generator cannot make a server from the list, or a member of mcpgen in it has no effect.", specTools, false},
	{"list-noted", Protocol, Warn, "", "The generator notes a probable mistake, such as a member that nobody reads, and refuses it with --strict.", specTools, false},
	{"name-missing", Protocol, Err, "", "A tool and a prompt need a name, a resource a URI, and a template a URI template.", specTools, false},
	{"name-duplicate", Protocol, Err, "", "Two entries of a list have the same name, so one of them cannot be used.", specTools, false},
	{"name-characters", Protocol, Warn, "", "Names should have 1 to 128 characters out of A-Z, a-z, 0-9, underscore, hyphen and dot.", specTools, false},
	{"name-similar", Protocol, Warn, "", "Two names differ so little that models and people confuse them.", poisoning, false},
	{"member-misspelled", Protocol, Warn, "", "A member that the protocol does not define has nearly the name of one that it does.", specTools, false},
	{"annotations-contradict", Protocol, Warn, "", "A tool that is read-only is not destructive, and is idempotent.", specTools, false},
	{"input-schema-missing", Protocol, Err, "", "A tool needs an inputSchema.", specTools, false},
	{"input-schema-not-object", Protocol, Err, "", "Arguments are objects, so an inputSchema has \"type\": \"object\".", specTools, true},
	{"output-schema-not-object", Protocol, Warn, "", "Clients of revisions before 2026-07-28 accept an outputSchema only with \"type\": \"object\".", specTools, false},
	{"header-annotation", Protocol, Err, "", "An x-mcp-header breaks its rules; clients must not use such a tool over HTTP.", specHeaders, false},
	{"uri-invalid", Protocol, Err, "", "The URI of a resource must be absolute, and a URI template must follow RFC 6570.", specResources, false},
	{"argument-duplicate", Protocol, Err, "", "Two arguments of a prompt have the same name.", specPrompts, false},

	{"schema-invalid", Schema, Err, "", "The schema is not a JSON Schema, or a reference in it leads nowhere.", jsonSchema, false},
	{"schema-reference-remote", Schema, Err, "", "A reference leads out of the schema; clients must not fetch it.", specTools, false},
	{"pattern-unreadable", Schema, Err, "", "The pattern is not a regular expression.", jsonSchema, false},
	{"bounds-contradict", Schema, Err, "", "No value can satisfy the bounds or the types.", jsonSchema, false},
	{"enum-contradicts", Schema, Err, "", "A value of enum or const is not valid under its schema, so it is never accepted.", jsonSchema, false},
	{"enum-duplicate", Schema, Warn, "", "An enum lists a value twice.", jsonSchema, true},
	{"required-duplicate", Schema, Warn, "", "A name occurs twice in required.", jsonSchema, true},
	{"required-undeclared", Schema, Warn, "", "A required property has no schema, so a model does not know what to send.", jsonSchema, true},
	{"default-invalid", Schema, Warn, "", "A default or an example does not satisfy its own schema.", jsonSchema, false},
	{"keyword-misspelled", Schema, Warn, "", "A keyword that JSON Schema does not define has nearly the name of one that it does.", jsonSchema, false},
	{"keyword-ineffective", Schema, Info, "", "The keyword has no effect on values of the schema's type.", jsonSchema, true},

	{"anthropic-name", HostSubset, Warn, Anthropic, "Anthropic accepts names of 1 to 64 letters, digits, underscores and hyphens.", anthropicAPI, false},
	{"anthropic-root-combinator", HostSubset, Err, Anthropic, "Anthropic refuses anyOf, oneOf and allOf at the top level of an inputSchema, and with it the whole request.", anthropicRoot, true},
	{"anthropic-property-name", HostSubset, Err, Anthropic, "Anthropic refuses properties whose names are not 1 to 64 letters, digits, underscores, dots and hyphens.", anthropicAPI, false},
	{"anthropic-draft", HostSubset, Err, Anthropic, "Anthropic refuses an inputSchema that is not valid in draft 2020-12.", anthropicAPI, true},
	{"openai-name", HostSubset, Warn, OpenAI, "OpenAI accepts names of 1 to 64 letters, digits, underscores and hyphens.", openaiAPI, false},
	{"openai-description-long", HostSubset, Warn, OpenAI, "OpenAI refuses descriptions of functions with more than 1,024 characters.", openaiAPI, false},
	{"openai-root-keyword", HostSubset, Err, OpenAI, "OpenAI refuses anyOf, oneOf, allOf, enum and not at the top level of an inputSchema.", openaiAPI, true},
	{"openai-properties-missing", HostSubset, Err, OpenAI, "OpenAI refuses an inputSchema without properties.", openaiIssue, true},
	{"openai-items-missing", HostSubset, Err, OpenAI, "OpenAI refuses an array without items.", openaiAPI, true},
	{"openai-tool-count", HostSubset, Warn, OpenAI, "OpenAI accepts at most 128 tools.", openaiAPI, false},
	{"openai-strict-open", HostSubset, Err, OpenAIStrict, "Strict functions of OpenAI need \"additionalProperties\": false in every object.", openaiStrict, false},
	{"openai-strict-optional", HostSubset, Err, OpenAIStrict, "Strict functions of OpenAI require every property. One that may be left out can be null instead.", openaiStrict, false},
	{"openai-strict-keyword", HostSubset, Err, OpenAIStrict, "OpenAI refuses the keyword in strict functions.", openaiStrict, false},
	{"openai-strict-format", HostSubset, Err, OpenAIStrict, "OpenAI refuses the format in strict functions.", openaiStrict, false},
	{"openai-strict-limit", HostSubset, Err, OpenAIStrict, "OpenAI accepts at most 5,000 properties, 1,000 values of enums and 120,000 characters of names and values in a strict function.", openaiStrict, false},
	{"gemini-name", HostSubset, Warn, Gemini, "Gemini accepts names of 1 to 64 letters, digits, underscores, colons, dots and hyphens that begin with a letter or an underscore.", geminiNames, false},
	{"gemini-keyword", HostSubset, Warn, Gemini, "Gemini's schema of parameters has no such keyword; hosts that do not remove it have their requests refused.", geminiAPI, true},
	{"gemini-type-list", HostSubset, Warn, Gemini, "Gemini's schema of parameters has one type, not a list.", geminiAPI, true},
	{"gemini-enum", HostSubset, Warn, Gemini, "Gemini accepts enum only with non-empty strings.", geminiAPI, false},
	{"gemini-format", HostSubset, Info, Gemini, "Gemini accepts the formats enum and date-time for strings, float and double for numbers, int32 and int64 for integers.", geminiAPI, false},
	{"gemini-items-missing", HostSubset, Err, Gemini, "Gemini refuses an array without items.", geminiAPI, true},
	{"gemini-object-empty", HostSubset, Warn, Gemini, "Gemini refuses objects inside a schema that have no properties.", geminiAPI, false},
	{"gemini-keyword-type", HostSubset, Err, Gemini, "Gemini refuses properties and required where the type is not object, and items where it is not array.", geminiTypes, true},
	{"gemini-required-undeclared", HostSubset, Err, Gemini, "Gemini refuses a required property without a schema.", geminiAPI, true},

	{"hidden-characters", Security, Err, "", "A text has characters that people do not see and models read: invisible, bidirectional or control characters.", poisoning, true},
	{"instructs-concealment", Security, Err, "", "A text tells the model to hide something from its user.", poisoning, false},
	{"instructs-override", Security, Err, "", "A text tells the model to disregard its instructions or rules.", poisoning, false},
	{"instructs-exfiltration", Security, Err, "", "A text tells the model to read or to send private data.", poisoning, false},
	{"instructs-other-tools", Security, Warn, "", "A text changes how the model uses other tools.", poisoning, false},
	{"instructs-markup", Security, Warn, "", "A text has markup that models take for instructions of the system, or that viewers do not show.", poisoning, false},
	{"encoded-text", Security, Warn, "", "A description has a long encoded text that people cannot read.", poisoning, false},
	{"secret", Security, Err, "", "A text looks like a credential.", poisoning, false},

	{"description-missing", Documentation, Warn, "", "A tool, a prompt or an argument of a prompt has no description, so a model has to guess its use.", specTools, false},
	{"description-empty", Documentation, Warn, "", "A description says nothing but the name.", specTools, false},
	{"description-repeated", Documentation, Warn, "", "Two tools have the same description, so a model cannot choose between them.", specTools, false},
	{"parameter-description-missing", Documentation, Info, "", "A parameter has no description.", specTools, false},
	{"output-schema-missing", Documentation, Info, "", "A tool without an outputSchema does not say what it returns.", specTools, false},

	{"tool-large", Size, Info, "", "A definition takes more than about 2,500 tokens of each conversation.", specTools, false},
	{"list-large", Size, Info, "", "The tools take more than about 25,000 tokens of each conversation.", specTools, false},
	{"schema-deep", Size, Info, "", "A schema is nested so deeply that models make mistakes and some hosts refuse it.", openaiAPI, false},
}

// Rules returns the rules.
func Rules() []Rule { return slices.Clone(rules) }

// ruleOf returns a rule, which exists.
func ruleOf(id string) *Rule {
	i := slices.IndexFunc(rules, func(r Rule) bool { return r.ID == id })
	return &rules[i]
}

// IsRule reports whether there is a rule with an id.
func IsRule(id string) bool {
	return slices.ContainsFunc(rules, func(r Rule) bool { return r.ID == id })
}
