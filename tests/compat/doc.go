// Package compat tests the laws of conversions between revisions, and sessions between servers
// and clients of one revision and peers of every revision. It contains only tests.
package compat
