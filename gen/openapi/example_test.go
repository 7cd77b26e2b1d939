package openapi_test

import (
	"fmt"
	"log"

	"github.com/mcpgen/mcpgen/gen/openapi"
	"github.com/mcpgen/mcpgen/gen/tools"
)

// Tools from the operations of an API that only read.
func ExampleImport() {
	mapping, err := openapi.ReadMapping("mapping.yaml", []byte("include: {methods: [get]}\n"))
	if err != nil {
		log.Fatal(err)
	}
	imported, err := openapi.Import(openapi.Options{Name: "api.yaml", Mapping: mapping, MappingName: "mapping.yaml", Text: []byte(`
openapi: 3.1.0
info: {title: Pets, version: 1.0.0}
servers: [{url: https://api.example.com}]
paths:
  /pets/{id}:
    parameters:
      - {name: id, in: path, required: true, schema: {type: integer}}
    get:
      operationId: getPet
      summary: Returns a pet.
      responses: {200: {description: The pet.}}
    delete:
      operationId: deletePet
      responses: {204: {description: Done.}}
`)})
	if err != nil {
		log.Fatal(err)
	}
	list, err := tools.Read([]byte(imported.List))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(imported.Tools, "of", imported.Operations, "operations")
	for _, tool := range list.Tools {
		fmt.Println(tool.Name)
	}
	// Output:
	// 1 of 2 operations
	// getPet
}
