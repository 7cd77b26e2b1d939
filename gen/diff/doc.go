// Package diff reports what a new revision of the protocol, or a new list of
// tools, changes on the wire.
//
// It compares messages, not definitions: each side becomes shapes, which are sets
// of JSON values, so that a definition renamed, moved behind a reference, repeated
// or written in other keywords is no change. It prints nothing and reads no files.
//
// The words: a side is one of the two things compared; a shape is a set of JSON
// values, an alternative the part of it of one kind; a finding is a change, told
// by a rule at a subject; the effect of a change is what becomes of the set of
// values that are accepted. The receiver of a value and its sender can be
// upgraded independently, so a finding has two verdicts: one for the receiver
// going first, which breaks when the set narrows, one for the sender going first,
// which breaks when it widens. A guard is a reason why a change that would break
// does not, or not always. A witness is a value that one side accepts and the
// other refuses.
//
// The level of a finding follows from its rule, from the direction of the change and
// from guards. Nothing but a proof that no value is concerned takes a finding away. A
// verdict that is err has a witness, or the finding says why none was found or
// confirmed ([Finding.Unproven]). What contradicts itself is a problem of the report
// ([Report.Problems]) and changes no finding.
//
// Which side is upgraded first is an order of upgrades. A report has the level of
// each finding in both orders, and counts that of one. A policy says which, and
// which findings a project ignores, accepts or fails on.
//
// What a sender may send is what its side declares; what a receiver accepts is
// whatever its side does not forbid. Objects are open: a member that only the
// sender knows breaks nothing.
package diff
