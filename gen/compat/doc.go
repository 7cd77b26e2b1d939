// Package compat tells what a new revision of the protocol, or a new list of
// tools, changes on the wire, and proves what it tells.
//
// It compares messages, not definitions: each side is brought into shapes, which
// are sets of JSON values in one form, so that a definition renamed, moved behind
// a reference or repeated is no change. It prints nothing and reads no files.
//
// The words: a side is one of the two things compared; a shape is a set of JSON
// values, an alternative the part of it of one kind; a finding is a change, told
// by a rule at a subject; the effect of a change is what becomes of the set of
// values that are accepted. The receiver of a value and its sender can be
// upgraded independently, so a finding has two verdicts: one for the receiver
// going first, which breaks when the set narrows, one for the sender going first,
// which breaks when it widens. A guard is a reason why a change that would break
// does not, or not always. A witness is a value that one side accepts and the
// other refuses; a finding of level err has one for each of its verdicts that
// says so.
//
// Which side is upgraded first is an order of upgrades. A report has the level of
// each finding in both orders, and counts that of one. A policy says which, and
// which findings a project ignores, accepts or fails on.
//
// What a sender may send is what its side declares; what a receiver accepts is
// whatever its side does not forbid. Objects are open: a member that only the
// sender knows breaks nothing.
package compat
