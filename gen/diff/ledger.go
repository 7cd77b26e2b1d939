package diff

import "fmt"

// Exception lowers what the law says of one change, because of something that
// no schema knows.
type Exception struct {
	// Old and New are the revisions between which the change came. It is excepted
	// in every comparison of a revision up to Old with one from New on, either way.
	Old, New string
	// Rule is that of the comparison of Old with New.
	Rule, Subject string
	// Arg is the finding's first argument.
	Arg string
	// Guard is what lowers the finding; noChange makes it none.
	Guard  string
	Reason string
}

const (
	noChange     = "no-change"
	alwaysSchema = "The value is a JSON Schema, in which $schema was always a keyword."
)

// Exceptions lists the exceptions. One that is about nothing is an error.
func Exceptions() []Exception {
	const before, after = "2025-06-18", "2025-11-25"
	return []Exception{
		{before, after, "variant-added", "ElicitRequestParams", "ElicitRequestURLParams", guardCapability,
			"Servers ask in the mode url only where the client has declared elicitation.url."},
		{before, after, "variant-added", "SamplingMessageContent", "ToolUseContent", guardCapability,
			"Tools are part of a conversation only where the client has declared sampling.tools."},
		{before, after, "variant-added", "SamplingMessageContent", "ToolResultContent", guardCapability,
			"Tools are part of a conversation only where the client has declared sampling.tools."},
		{before, after, "variant-added", "CallToolResponse", "CreateTaskResult", guardAskedFor,
			"A task is the answer only to a request with a task in its params, which an older client has not."},
		{before, after, "variant-added", "CreateMessageResponse", "CreateTaskResult", guardAskedFor,
			"A task is the answer only to a request with a task in its params, which an older server has not."},
		{before, after, "variant-added", "ElicitResponse", "CreateTaskResult", guardAskedFor,
			"A task is the answer only to a request with a task in its params, which an older server has not."},
		{before, after, "member-added", "ToolInputSchema.$schema", "$schema", noChange, alwaysSchema},
		{before, after, "member-added", "ToolOutputSchema.$schema", "$schema", noChange, alwaysSchema},
		{before, after, "member-added", "ElicitRequestFormParamsRequestedSchema.$schema", "$schema", noChange, alwaysSchema},
	}
}

// ledger finds exceptions and remembers which were of use.
type ledger struct {
	rows     []Exception
	used     []bool
	old, new string
	rules    ruleTable
}

func newLedger(rows []Exception, rules ruleTable, old, new string) *ledger {
	return &ledger{rows: rows, used: make([]bool, len(rows)), old: old, new: new, rules: rules}
}

// exception returns the row about a finding, or nil.
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

// stale fails for rows that the comparison of their own two revisions has no
// use for.
func (l *ledger) stale() error {
	if l == nil {
		return nil
	}
	for i, row := range l.rows {
		own := l.old == row.Old && l.new == row.New || l.old == row.New && l.new == row.Old
		if own && !l.used[i] {
			return fmt.Errorf("stale exception: %s of %s at %s between %s and %s is no finding", row.Rule, row.Arg, row.Subject, row.Old, row.New)
		}
	}
	return nil
}
