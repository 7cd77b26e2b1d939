// Package authoring reads the JSON or YAML file in which people write the tools, prompts, resources
// and resource templates of a server. It extends the form that package tools reads:
//
//   - $defs beside the tools holds schemas that any tool may refer to, as in
//     "$ref": "#/$defs/place". Each tool gets a copy of those that it uses.
//   - A $ref may lead to another file, relative to the file that it is in, as in
//     "$ref": "common.yaml#/$defs/place". That file must be in the folder of the list or below
//     it. Nothing is fetched.
//   - x-go-name of a tool or of a member of an object is its Go identifier, and that of a
//     definition is the Go identifier of its type. Clients do not see it.
//
// The reader reports every fault that a person is likely to make with its line and column:
// unknown words with the nearest known one, patterns that cannot be read, limits that no value
// satisfies, defaults that are not valid. Such a list can still be served, so these are notes.
//
// The tables in words.go define the known members; [Schema] derives the JSON Schema for editors
// from them.
package authoring
