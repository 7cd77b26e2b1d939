// Package compat holds tests only: the laws that conversions between revisions must keep, and
// sessions of servers and clients of one revision with peers of every revision.
package compat
