// Package compat holds the tests of the converters between revisions: values by the
// laws they must keep, and servers and clients of one revision in sessions of all.
package compat
