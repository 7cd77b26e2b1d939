// Package pinning tests that a new revision is data: in a copy of the project, it pins a copy
// of the newest schema and a made-up revision with every kind of change.
package pinning
