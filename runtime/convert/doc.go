// Package convert converts messages between revisions of the protocol, so that a server or
// client written for one revision speaks all of them.
//
// The generated package generated/compat holds the [Table] of all differences between
// adjacent revisions. [Table.Bind] turns the binding of one revision into bindings of all;
// [Table.Convert] converts a single value. Conversions work on the JSON text: they copy
// everything that both revisions have and change only what the table names.
//
// Nothing is dropped silently. A [Conversion] records what a value loses, with the reason,
// and refuses a value that would mean something else in the other revision. Where dropping
// a member is not the best answer, a function of the policy (policy.go) rewrites the value,
// for example audio as an embedded resource.
//
// # Bindings
//
// In a session of another revision, a binding of [Table.Bind] converts the text of params step by step to the native
// revision and passes it to the native binding; results go the other way. The messages of handlers go through
// Around of the binding, and capabilities through Capabilities. Each two adjacent revisions have a table; wider
// conversions are chains. A member that the older revision does not define is omitted, although its objects are open.
//
// A catalog converts its lists once for each revision and change, and reads the params of its methods in every
// revision, so catalog.NewServer puts the catalog in front of the conversion, which handles only the other
// methods.
//
// Most messages are the same in two revisions, and are not parsed to find that out: a text that changes contains at
// least one of the words in [Shape.Touched]. What the runtime adds to each message of a stateless revision is not
// added twice.
//
// # Terms
//
//   - A step is two adjacent revisions, the older and the newer one. Up is towards the
//     newer revision, down towards the older one.
//   - The native revision is the one that a server or client is written for, as opposed to
//     the revision of a session.
package convert
