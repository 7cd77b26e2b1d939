// Package random makes JSON values for the declarations of a revision: valid
// ones, and mutations of them that mostly are not. It knows the ir and nothing
// of the generated code or of a validator, and so can judge one by the other.
//
// The words: a case is one JSON text with the story of its making; a place is
// a value in the tree for which a schema demands something; a stray is the name
// of a class of values that the project reads otherwise than the letter of the
// schema (see spec/errata.yaml), which a case may belong to.
//
// Everything is decided by the seed: the same seed and the same sequence of
// calls give the same cases.
package random
