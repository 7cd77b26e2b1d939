// Package random generates JSON values for the declarations of a revision: valid values, and
// mutations that are mostly invalid. It uses the ir but not generated code. Where the ir does not
// say everything about a value, it uses the samples of package gen/tools/samples.
//
// A case is a JSON text with a description of how it was made. A place is a value in the tree
// that a schema applies to. A stray is the name of a class of values that the project
// deliberately treats differently from the schema (see spec/errata.yaml).
//
// The seed decides everything: the same seed and the same sequence of calls give the same
// cases.
package random
