package convert

// The table holds what the schemas of two adjacent revisions do not express about the
// conversion of values. A row that no step uses is an error. Values without a row are
// converted member by member. A member that the older revision does not have is dropped,
// and the loss is reported.
//
// Since is the newer revision of the step that a row applies to; "" applies to every step.
// The functions are those of runtime/convert/policy.go.

// rename is a declaration that has another name in the newer revision.
type rename struct{ since, older, newer, reason string }

func renames() []rename {
	return []rename{
		{"2025-06-18", "ResourceReference", "ResourceTemplateReference",
			"the same value, whose constant is ref/resource in both"},
		{"2025-11-25", "JSONRPCResponse", "JSONRPCResultResponse",
			"the same message; the old name now means either kind of response"},
		{"2025-11-25", "JSONRPCError", "JSONRPCErrorResponse",
			"the same message"},
		{"2025-11-25", "EnumSchema", "LegacyTitledEnumSchema",
			"the form with enumNames; the old name now means all kinds of enum"},
	}
}

// variantRow decides about a variant that the union of the other revision does not have.
type variantRow struct {
	since, union string
	variant      string // its name; "*" means all variants without a row of their own
	rewrite      string // function of the policy, or ""
	as           string // declaration that it becomes, of the older revision or, with rewrite, of the newer one; "" refuses it
	reason       string
}

func variantRows() []variantRow {
	const (
		message = "the other revision does not have the message"
		batch   = "no other revision has batches; the receiver splits them into messages"
		tools   = "sampling has no tools in the older revision, and removing them would change the meaning of the message"
		many    = "forms have no multiple choice in the older revision, and a single choice would be another question"
		task    = "the older revision has no tasks, so the result could never be fetched"
	)
	return []variantRow{
		{"2025-03-26", "ContentBlock", "AudioContent", "AudioAsResource", "EmbeddedResource", ""},
		{"2025-03-26", "SamplingMessageContent", "AudioContent", "", "",
			"sampling supports only text and images in the older revision"},
		{"2025-03-26", "JSONRPCMessage", "*", "", "", batch},
		{"2025-06-18", "JSONRPCMessage", "*", "", "", batch},

		{"2025-06-18", "ContentBlock", "ResourceLink", "LinkAsText", "TextContent", ""},

		{"2025-11-25", "SamplingMessageContent", "SamplingMessageContentList", "JoinBlocks", "SamplingMessageContent", ""},
		{"2025-11-25", "SamplingMessageContent", "*", "", "", tools},
		{"2025-11-25", "PrimitiveSchemaDefinition", "UntitledSingleSelectEnumSchema", "", "EnumSchema", ""},
		{"2025-11-25", "PrimitiveSchemaDefinition", "TitledSingleSelectEnumSchema", "OptionsAsEnumNames", "LegacyTitledEnumSchema", ""},
		{"2025-11-25", "PrimitiveSchemaDefinition", "*", "", "", many},
		{"2025-11-25", "ElicitResultContent", "*", "", "", many},
		{"2025-11-25", "ElicitRequestParams", "*", "", "",
			"elicitation supports only forms in the older revision"},
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

// treatment is the effect of a memberRow.
type treatment int

const (
	rewrite  treatment = iota + 1 // if the member is present, the function rewrites the whole object
	carry                         // the older schema does not name the member, but its objects have it
	require                       // an object without the member is refused, because the older revision requires it
	leaveOut                      // elements that are refused are left out
	assume                        // on the way up, the member is set to an empty object
)

// memberRow applies to a member of an object of the newer revision on the way down. The
// treatment carry applies to both directions, assume to the way up.
type memberRow struct {
	since  string
	decl   string // of the newer revision; "*" means any
	member string
	do     treatment
	policy string
	reason string
}

func memberRows() []memberRow {
	return []memberRow{
		{"2025-03-26", "ServerCapabilities", "completions", assume, "",
			"the older revision does not declare completion; a server without it answers with an error"},

		{"2025-06-18", "Tool", "title", rewrite, "TitleAsAnnotation", ""},
		{"2025-06-18", "CallToolResult", "structuredContent", rewrite, "StructuredAsText", ""},

		{"2025-11-25", "*", "jsonrpc", carry, "", "the older schema names it only in JSONRPCRequest, but the message has it"},
		{"2025-11-25", "*", "id", carry, "", "a request needs an ID"},
		{"2025-11-25", "*", "$schema", carry, "", "a keyword of JSON Schema, not of the protocol; the objects were open"},
		{"2025-11-25", "CancelledNotificationParams", "requestId", require, "",
			"the older revision requires the ID of the request"},
		{"2025-11-25", "JSONRPCErrorResponse", "id", require, "",
			"the older revision requires the ID of the request"},
		{"2025-11-25", "CreateMessageRequestParams", "messages", rewrite, "SplitMessages", ""},
		{"2025-11-25", "CreateMessageRequestParams", "tools", rewrite, "RefuseTools", ""},
		{"2025-11-25", "ClientCapabilities", "elicitation", rewrite, "DropURLElicitation", ""},
		{"2025-11-25", "Tool", "execution", rewrite, "RefuseTaskTool", ""},
		{"2025-11-25", "ListToolsResult", "tools", leaveOut, "", "a tool that cannot be called is not listed"},
	}
}
