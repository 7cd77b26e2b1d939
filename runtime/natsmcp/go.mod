// What replicas of a server share through NATS. It is a module of its own so that programs without NATS do
// not require its client.
module github.com/mcpgen/mcpgen/runtime/natsmcp

go 1.26.0

require (
	github.com/mcpgen/mcpgen v0.0.0
	github.com/nats-io/nats.go v1.55.0
)

require (
	github.com/klauspost/compress v1.20.3 // indirect
	github.com/nats-io/nkeys v0.4.16 // indirect
	github.com/nats-io/nuid v1.0.1 // indirect
	golang.org/x/crypto v0.58.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/time v0.16.0 // indirect
)

replace github.com/mcpgen/mcpgen => ../..
