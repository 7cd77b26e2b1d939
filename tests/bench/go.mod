// Benchmarks beside other libraries, which the main module does not need.
module github.com/mcpgen/mcpgen/tests/bench

go 1.26.0

require (
	github.com/dave/jennifer v1.7.1
	github.com/google/jsonschema-go v0.4.3
	github.com/mcpgen/mcpgen v0.0.0
)

require (
	github.com/dlclark/regexp2/v2 v2.12.0 // indirect
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3 // indirect
	golang.org/x/text v0.14.0 // indirect
)

replace github.com/mcpgen/mcpgen => ../..
