// Package diff holds the laws of package gen/diff: a comparison mirrors the
// one the other way round, what is called breaking is refused by validators that
// know nothing of the rules, and what validators refuse is called breaking.
//
// MCPGEN_DIFF_MUTATIONS is how many random changes of schemas are compared,
// MCPGEN_DIFF_SEED the number that decides them.
package diff
