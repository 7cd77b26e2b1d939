package diff

import "fmt"

// Exception lowers the verdicts of one change for a reason that the schemas do not contain.
type Exception struct {
	// Old and New are the revisions between which the change was made. The exception applies to
	// every comparison, in either direction, of Old or an earlier revision with New or a later
	// one.
	Old, New string
	// Rule and Subject are those of the finding in the comparison of Old with New.
	Rule, Subject string
	// Arg is the finding's first argument.
	Arg string
	// Guard lowers the finding. noChange removes it.
	Guard  string
	Reason string
}

const (
	noChange     = "no-change"
	alwaysSchema = "The value is a JSON Schema, and $schema has always been a keyword of JSON Schema."
)

// Exceptions returns the exceptions. An exception that matches no finding is reported as a
// problem.
func Exceptions() []Exception {
	const before, after = "2025-06-18", "2025-11-25"
	return []Exception{
		{before, after, "variant-added", "ElicitRequestParams", "ElicitRequestURLParams", guardCapability,
			"Servers use the mode url only if the client has declared elicitation.url."},
		{before, after, "variant-added", "SamplingMessageContent", "ToolUseContent", guardCapability,
			"Conversations contain tools only if the client has declared sampling.tools."},
		{before, after, "variant-added", "SamplingMessageContent", "ToolResultContent", guardCapability,
			"Conversations contain tools only if the client has declared sampling.tools."},
		{before, after, "variant-added", "CallToolResponse", "CreateTaskResult", guardAskedFor,
			"A receiver answers with a task only if the params of the request contain a task. Older clients do not send one."},
		{before, after, "variant-added", "CreateMessageResponse", "CreateTaskResult", guardAskedFor,
			"A receiver answers with a task only if the params of the request contain a task. Older servers do not send one."},
		{before, after, "variant-added", "ElicitResponse", "CreateTaskResult", guardAskedFor,
			"A receiver answers with a task only if the params of the request contain a task. Older servers do not send one."},
		{after, "2026-07-28", "variant-removed", "CallToolResponse", "CreateTaskResult", guardAskedFor,
			"A receiver answers with a task only if the params of the request contain a task. Newer clients do not send one."},
		{before, after, "member-added", "ToolInputSchema.$schema", "$schema", noChange, alwaysSchema},
		{before, after, "member-added", "ToolOutputSchema.$schema", "$schema", noChange, alwaysSchema},
		{before, after, "member-added", "ElicitRequestFormParamsRequestedSchema.$schema", "$schema", noChange, alwaysSchema},
	}
}

// ledger finds exceptions and records which ones were used.
type ledger struct {
	rows     []Exception
	used     []bool
	old, new string
	rules    ruleTable
}

func newLedger(rows []Exception, rules ruleTable, old, new string) *ledger {
	return &ledger{rows: rows, used: make([]bool, len(rows)), old: old, new: new, rules: rules}
}

// exception returns the row for a finding, or nil.
func (l *ledger) exception(f *Finding) *Exception {
	if l == nil {
		return nil
	}
	for i := range l.rows {
		row := &l.rows[i]
		rule := row.Rule
		switch {
		case l.old <= row.Old && row.New <= l.new:
		case l.new <= row.Old && row.New <= l.old:
			rule = l.rules.rule(rule).Mirror
		default:
			continue
		}
		if rule == f.Rule && row.Subject == f.Subject && len(f.Args) > 0 && f.Args[0] == row.Arg {
			l.used[i] = true
			return row
		}
	}
	return nil
}

// stale returns an error for rows that match nothing in the comparison of their own two
// revisions.
func (l *ledger) stale() error {
	if l == nil {
		return nil
	}
	for i, row := range l.rows {
		own := l.old == row.Old && l.new == row.New || l.old == row.New && l.new == row.Old
		if own && !l.used[i] {
			return fmt.Errorf("stale exception: %s of %s at %s between %s and %s matches no finding", row.Rule, row.Arg, row.Subject, row.Old, row.New)
		}
	}
	return nil
}
