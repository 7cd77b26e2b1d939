// Package agreement checks the generated code against independent readings of the schemas:
// verdicts on random values against a JSON Schema validator, and structs against what
// reflection finds in the schemas.
//
// Environment variables change the random tests. MCPGEN_AGREEMENT_SEED is the seed of the
// values, and MCPGEN_AGREEMENT_COUNT the number of values for each revision. MCPGEN_SHARED is
// the folder with the upstream files upstream/<revision>/schema.json; it defaults to ../shared
// beside the repository.
package agreement
