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
// A sender may send the values that its side declares. A schema declares the members that it names, also those
// that it requires or has a dependency on. A receiver accepts every value that its
// side does not forbid. Objects are open: a member that only the sender knows breaks nothing.
//
// # The steps of a comparison
//
//  1. Sides. A pinned revision is read as generation reads it. The schema.json of a file is read by
//     gen.LowerLenient, which leaves out what generation refuses, such as unknown keywords; that of an extension is
//     read by gen.LowerExtensionLenient, and extensions.go compares what it adds to its revision. Errata apply
//     wherever their old value stands. A description of a server is read by package gen/catalog, in any of its
//     forms. Both record what they leave out (Report.Skipped, Report.Errata). Generation shares none of this leniency.
//  2. Shapes (shape.go, toolschema.go, toolforms.go). Both sides become sets of JSON values: lists of alternatives,
//     each of one JSON kind. Schemas refer to themselves, so a list is computed when it is first needed. Shapes come
//     from JSON Schemas: those of tools, and the schema.json of a revision, whose ir says which messages there are
//     and what their parts are called (protocol.go). A shape is a conjunction of schemas: $ref and allOf add schemas
//     to it, and anyOf and oneOf choose one. Two ways to write the same schema therefore give the same shape.
//     An alternative has the conditions with which the finder goes on.
//  3. Values (find.go, keywords.go, find_values.go). The finder answers one question from the schemas: is there a value
//     that some accept and others refuse? It finds one, proves that there is none, or gives up after a number of
//     steps. Recursive schemas are compared coinductively. Patterns are automata (language.go), which also find the
//     shortest string that one pattern accepts and another refuses.
//  4. Changes (match.go, compare.go, changes.go, objects.go). Alternatives are paired by name, by constant members
//     and by similarity, and each pair is compared once, breadth first, so a change is named by its shortest path
//     and recursion ends. What the sides say in different messages is paired by a table (payloads.go). A keyword of
//     the receiver is a change if the finder does not prove that the sender has no value that breaks it, and the
//     value that it finds is the example.
//  5. Messages (lift.go). The finder puts examples into the values around them, up to whole messages. A change is
//     then shown, refuted, or undecided; only a proof removes it. If no change is shown, the finder decides on the
//     whole message: it gives an open change its example, or names a change by the keyword that refuses the value.
//  6. Findings (assemble.go). The same change in several messages is one finding with several uses. Its level
//     follows from the effect of its rule (rules.go, catalog.go). The file ledger.go holds exceptions with their
//     reasons; a test finds unused ones.
//  7. Witnesses. The shortest value becomes the example of the finding after validators of both sides have
//     confirmed it: generated code for a pinned revision, and an independent validator (package gen/diff/judge) for
//     other revisions. For tools, the finder has done so with the validator of their schemas. Without an example and
//     a proof, the finding is undecided.
//  8. Policy (order.go, policy.go, config.go). [Policy.Apply] selects the order, applies the severities, exclusions
//     and acceptances of the project, and suggests a version. [Report.Locate] adds lines and columns.
//
// Names and texts in a report are untrusted. In the HTML page (package gen/diff/render/page), only html/template
// writes them, and the content security policy allows only its own script and style, by their hashes.
package diff
