package convert

// The table: what the schemas of two adjacent revisions cannot say about how values of
// one are said in the other. A row that finds no use is an error. What has no row is
// converted member by member; a member that the older revision does not have is dropped,
// and the loss told.
//
// Since is the newer revision of the step that a row is about; "" is every step in which
// it finds a use. The functions are those of runtime/compat/policy.go.

// rename is a declaration that has another name in the newer revision.
type rename struct{ since, older, newer, reason string }

func renames() []rename {
	return []rename{
		{"2025-06-18", "ResourceReference", "ResourceTemplateReference",
			"the same value, whose constant is ref/resource in both"},
		{"2025-11-25", "JSONRPCResponse", "JSONRPCResultResponse",
			"the same message; the old name now stands for either kind of response"},
		{"2025-11-25", "JSONRPCError", "JSONRPCErrorResponse",
			"the same message"},
		{"2025-11-25", "EnumSchema", "LegacyTitledEnumSchema",
			"the one with enumNames; the old name now stands for all kinds of enum"},
	}
}

// variantRow says what becomes of a variant that the other revision's union does not
// have.
type variantRow struct {
	since, union string
	variant      string // its name; "*" is all that have no row of their own
	restate      string // function of the policy; "" for none
	as           string // declaration of the older revision, or with restate of the newer one, that it goes as; "" refuses it
	reason       string
}

func variantRows() []variantRow {
	const (
		message = "the other revision does not have the message"
		batch   = "batches are split into their messages by who receives them, and no other revision has them"
		tools   = "sampling in the older revision has no tools, and a turn without them says something else"
		many    = "forms of the older revision have no choice of several values, and a choice of one would be another question"
		task    = "the older revision has no tasks, so nobody could ask for the outcome"
	)
	return []variantRow{
		{"2025-03-26", "ContentBlock", "AudioContent", "AudioAsResource", "EmbeddedResource", ""},
		{"2025-03-26", "SamplingMessageContent", "AudioContent", "", "",
			"a sampled conversation of the older revision is text and images, and has no resources that audio could go as"},
		{"2025-03-26", "JSONRPCMessage", "*", "", "", batch},
		{"2025-06-18", "JSONRPCMessage", "*", "", "", batch},

		{"2025-06-18", "ContentBlock", "ResourceLink", "LinkAsText", "TextContent", ""},

		{"2025-11-25", "SamplingMessageContent", "SamplingMessageContentList", "PiecesAsOne", "SamplingMessageContent", ""},
		{"2025-11-25", "SamplingMessageContent", "*", "", "", tools},
		{"2025-11-25", "PrimitiveSchemaDefinition", "UntitledSingleSelectEnumSchema", "", "EnumSchema", ""},
		{"2025-11-25", "PrimitiveSchemaDefinition", "TitledSingleSelectEnumSchema", "TitlesAsNames", "LegacyTitledEnumSchema", ""},
		{"2025-11-25", "PrimitiveSchemaDefinition", "*", "", "", many},
		{"2025-11-25", "ElicitResultContent", "*", "", "", many},
		{"2025-11-25", "ElicitRequestParams", "*", "", "",
			"elicitation in the older revision means forms, and its clients know no pages to visit"},
		{"2025-11-25", "CallToolResponse", "*", "", "", task},
		{"2025-11-25", "CreateMessageResponse", "*", "", "", task},
		{"2025-11-25", "ElicitResponse", "*", "", "", task},

		{"", "ClientRequest", "*", "", "", message},
		{"", "ServerRequest", "*", "", "", message},
		{"", "ClientNotification", "*", "", "", message},
		{"", "ServerNotification", "*", "", "", message},
		{"", "ClientResult", "*", "", "", message},
		{"", "ServerResult", "*", "", "", message},
	}
}

// treatment is what a memberRow does.
type treatment int

const (
	restate treatment = iota + 1 // where the member is there, the whole object is restated by the function
	carry                        // the older schema does not name the member, but its objects have it
	require                      // an object without the member is refused: the older revision requires it
	offers                       // elements that are refused are left out
	assume                       // on the way up the member is there, as an empty object
)

// memberRow is about a member of an object of the newer revision on the way down; carry
// is about both ways, assume about the way up.
type memberRow struct {
	since  string
	decl   string // of the newer revision; "*" is any
	member string
	do     treatment
	policy string
	reason string
}

func memberRows() []memberRow {
	return []memberRow{
		{"2025-03-26", "ServerCapabilities", "completions", assume, "",
			"completion was not declared before: a server that has none says so when it is asked"},

		{"2025-06-18", "Tool", "title", restate, "TitleAsHint", ""},
		{"2025-06-18", "CallToolResult", "structuredContent", restate, "StructuredAsText", ""},

		{"2025-11-25", "*", "jsonrpc", carry, "", "only the schema of JSONRPCRequest had it, and the message as well"},
		{"2025-11-25", "*", "id", carry, "", "a request needs an id"},
		{"2025-11-25", "*", "$schema", carry, "", "a keyword of JSON Schema and not of the protocol, in objects that were open"},
		{"2025-11-25", "CancelledNotificationParams", "requestId", require, "",
			"in the older revision the notification must say which request it is about"},
		{"2025-11-25", "JSONRPCErrorResponse", "id", require, "",
			"in the older revision an error must say which request it answers"},
		{"2025-11-25", "CreateMessageRequestParams", "messages", restate, "PiecesAsTurns", ""},
		{"2025-11-25", "CreateMessageRequestParams", "tools", restate, "NoSamplingTools", ""},
		{"2025-11-25", "ClientCapabilities", "elicitation", restate, "FormsOnly", ""},
		{"2025-11-25", "Tool", "execution", restate, "TaskOnly", ""},
		{"2025-11-25", "ListToolsResult", "tools", offers, "", "a tool that cannot be called need not be listed"},
	}
}
