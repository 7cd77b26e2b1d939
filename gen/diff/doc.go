// Package diff reports the changes between two revisions of the protocol, or between two tool
// lists, that affect messages.
//
// It compares the sets of messages, not the definitions. Each side becomes shapes, which are
// sets of JSON values. A definition that was renamed, moved behind a reference, repeated or
// written with other keywords is not a change. The package prints nothing and reads no files.
//
// Terms: a side is one of the two inputs of a comparison. A shape is a set of JSON values; an
// alternative is the part of a shape that has one JSON type. A finding is a change of a
// subject, reported by a rule. The effect of a change says how the set of accepted values
// changes. The receiver and the sender of a value can be upgraded independently, so a finding
// has two verdicts: if the receiver is upgraded first, a change breaks if it narrows the set;
// if the sender is upgraded first, a change breaks if it widens the set. A guard is a reason
// why a change that would break does not, or not always. A witness is a value that one side
// accepts and the other side refuses.
//
// The level of a finding follows from its rule, the direction of the change and the guards. A
// finding is dropped only if a proof shows that it affects no value. A finding whose verdict is
// err has a witness, or is about something that one side lacks as a whole. If there is neither a
// witness nor a proof, the verdict is undecided ([Finding.Unproven] says why).
// A judge that contradicts a witness is reported as a problem ([Report.Problems]).
//
// An order of upgrades says which side is upgraded first. A report has the level of each
// finding in both orders, and counts the levels of one order. A policy selects the order, and
// the findings that a project ignores, accepts or fails on.
//
// A sender may send the values that its side declares. A receiver accepts every value that its
// side does not forbid. Objects are open: a member that only the sender knows breaks nothing.
package diff
