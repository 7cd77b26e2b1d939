// What judges the validation of tools' arguments, and is too much for the main module.
module github.com/mcpgen/mcpgen/tests/jsonschema

go 1.26.0

require (
	cuelang.org/go v0.17.1
	github.com/dave/jennifer v1.7.1
	github.com/google/go-cmp v0.7.0
	github.com/mcpgen/mcpgen v0.0.0
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3
)

require (
	dario.cat/mergo v1.0.2 // indirect
	github.com/atombender/go-jsonschema v0.24.1 // indirect
	github.com/dlclark/regexp2/v2 v2.12.0 // indirect
	github.com/goccy/go-yaml v1.19.2 // indirect
	github.com/rogpeppe/go-internal v1.16.0 // indirect
	github.com/yosida95/uritemplate/v3 v3.0.2 // indirect
	go.yaml.in/yaml/v4 v4.0.0 // indirect
	golang.org/x/text v0.38.0 // indirect
)

replace github.com/mcpgen/mcpgen => ../..
