// An example with replicas. It is a module of its own for the client and the server of NATS.
module github.com/mcpgen/mcpgen/tests/examples/replicas

go 1.26.0

require (
	github.com/mcpgen/mcpgen v0.0.0
	github.com/mcpgen/mcpgen/runtime/natsmcp v0.0.0
	github.com/mcpgen/mcpgen/runtime/natsmcp/embedded v0.0.0
	github.com/nats-io/nats.go v1.55.0
	go.yaml.in/yaml/v4 v4.0.0
)

require (
	github.com/antithesishq/antithesis-sdk-go v0.8.0-default-no-op // indirect
	github.com/gofrs/flock v0.13.1 // indirect
	github.com/google/go-tpm v0.9.8 // indirect
	github.com/klauspost/compress v1.20.3 // indirect
	github.com/minio/highwayhash v1.0.4 // indirect
	github.com/nats-io/jwt/v2 v2.8.2 // indirect
	github.com/nats-io/nats-server/v2 v2.15.2 // indirect
	github.com/nats-io/nkeys v0.4.16 // indirect
	github.com/nats-io/nuid v1.0.1 // indirect
	github.com/yosida95/uritemplate/v3 v3.0.2 // indirect
	golang.org/x/crypto v0.58.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/time v0.16.0 // indirect
)

replace (
	github.com/mcpgen/mcpgen => ../../..
	github.com/mcpgen/mcpgen/runtime/natsmcp => ../../../runtime/natsmcp
	github.com/mcpgen/mcpgen/runtime/natsmcp/embedded => ../../../runtime/natsmcp/embedded
)
