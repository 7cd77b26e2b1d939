// Package toollists tests the code that is generated from tool lists: those of real servers,
// if they are available, and those in testdata, which have every construct of a schema and
// every kind of name.
package toollists
