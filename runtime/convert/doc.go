// Package convert is what the generated converters between revisions stand on, and the
// policy where schemas cannot say how a value of one revision is said in another.
//
// The converters are in the packages below generated/compat. Each takes a [Conversion],
// which keeps the way to the value at hand, what is lost and why a value cannot be
// converted at all; none of them drops anything silently.
//
// Package generated/compat makes a [Ladder] of them, on which a binding of one revision
// becomes bindings of all: what comes in is converted to the revision that the code is
// written for, what goes out to that of the session.
//
// # Words
//
//   - A step is two adjacent revisions, the older and the newer one. Up is to the newer,
//     down to the older.
//   - To lose is to leave something out, or to say it in other words, and to tell of it.
//   - To refuse is to convert nothing, because what were left would mean something else.
//   - To restate is to say a value in words of the newer revision that the older one has
//     too, before it goes down.
//   - The native revision is the one that a server or client is written for, as opposed
//     to that of a session.
package convert
