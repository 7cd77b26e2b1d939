// Package agreement holds tests that judge the generated code by independent
// readings of the schemas it was generated from: the verdict on random values
// by that of a JSON Schema validator, the structs by what reflection finds.
//
// Two variables of the environment change the random tests:
// MCPGEN_AGREEMENT_SEED, a number that decides the values, and
// MCPGEN_AGREEMENT_COUNT, how many values each revision gets. MCPGEN_SHARED is
// the folder whose upstream/<revision>/schema.json are the upstream files; it
// defaults to ../shared beside the repository.
package agreement
