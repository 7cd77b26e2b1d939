package diff

// Exception lowers the verdicts of a change for a reason that the schemas do not contain. It applies
// to the change and to its opposite, between any revisions.
type Exception struct {
	// Rule and Subject are those of the finding, Arg is its first argument.
	Rule, Subject, Arg string
	// Guard lowers the finding. noChange removes it.
	Guard  string
	Reason string
}

const (
	noChange     = "no-change"
	alwaysSchema = "The value is a JSON Schema, and $schema has always been a keyword of JSON Schema."
)

// Exceptions returns the exceptions.
func Exceptions() []Exception {
	return []Exception{
		{"variant-added", "ElicitRequestParams", "ElicitRequestURLParams", guardCapability,
			"Servers use the mode url only if the client has declared elicitation.url."},
		{"variant-added", "SamplingMessageContent", "ToolUseContent", guardCapability,
			"Conversations contain tools only if the client has declared sampling.tools."},
		{"variant-added", "SamplingMessageContent", "ToolResultContent", guardCapability,
			"Conversations contain tools only if the client has declared sampling.tools."},
		{"variant-added", "CallToolResponse", "CreateTaskResult", guardAskedFor,
			"A receiver answers with a task only if the params of the request contain a task. Clients of other revisions do not send one."},
		{"variant-added", "CreateMessageResponse", "CreateTaskResult", guardAskedFor,
			"A receiver answers with a task only if the params of the request contain a task. Servers of other revisions do not send one."},
		{"variant-added", "ElicitResponse", "CreateTaskResult", guardAskedFor,
			"A receiver answers with a task only if the params of the request contain a task. Servers of other revisions do not send one."},
		{"member-added", "ToolInputSchema.$schema", "$schema", noChange, alwaysSchema},
		{"member-added", "ToolOutputSchema.$schema", "$schema", noChange, alwaysSchema},
		{"member-added", "FormSchema.$schema", "$schema", noChange, alwaysSchema},
	}
}

// exception returns the exception for a finding, or nil.
func (a *assembler) exception(f *Finding) *Exception {
	for i := range a.exceptions {
		row := &a.exceptions[i]
		if (row.Rule == f.Rule || ruleOf(row.Rule).Mirror == f.Rule) && row.Subject == f.Subject && len(f.Args) > 0 && f.Args[0] == row.Arg {
			return row
		}
	}
	return nil
}
