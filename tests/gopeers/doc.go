// Package gopeers counts what servers on three Go libraries, each written once and with the
// same features, send to clients of each revision that is not of that revision.
package gopeers
