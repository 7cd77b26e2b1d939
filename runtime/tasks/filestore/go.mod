// A store of tasks in a file. It is a module of its own so that programs without it do not require bbolt.
module github.com/mcpgen/mcpgen/runtime/tasks/filestore

go 1.26.0

require (
	github.com/mcpgen/mcpgen v0.0.0
	go.etcd.io/bbolt v1.5.0
)

require (
	golang.org/x/sys v0.48.0 // indirect
	golang.org/x/time v0.16.0 // indirect
)

replace github.com/mcpgen/mcpgen => ../../..
