package testkit

import "os"

// GoEnv returns the environment for the go command in tests that build copies of packages: without paths in the
// object files and without C. That is how mcpgen bundle builds, so everything is compiled once for all of them.
func GoEnv(more ...string) []string {
	return append(append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS="+os.Getenv("GOFLAGS")+" -trimpath"), more...)
}
