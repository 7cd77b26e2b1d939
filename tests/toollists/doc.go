// Package toollists tests what is generated of lists of tools: lists of real servers, where
// they are at hand, and lists of our own in testdata, which have every construct that a
// schema may have and every kind of name.
package toollists
