// Command client is the client for the official conformance suite of the Model Context
// Protocol. Its last argument is the URL of a server over Streamable HTTP. The environment
// variable MCP_CONFORMANCE_SCENARIO names the scenario. It exits with 0 if the scenario
// succeeds.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/generated/compat"
	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The environment variables that the suite sets.
const (
	scenarioVariable = "MCP_CONFORMANCE_SCENARIO"
	revisionVariable = "MCP_CONFORMANCE_PROTOCOL_VERSION" // the newest allowed revision, or ""
	contextVariable  = "MCP_CONFORMANCE_CONTEXT"          // what a scenario must do, as JSON
)

// patience is the time limit of a scenario. The suite waits 30 seconds.
const patience = 25 * time.Second

func main() {
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if len(os.Args) < 2 {
		log.Error("usage: client URL")
		os.Exit(2)
	}
	scenario := os.Getenv(scenarioVariable)
	if err := run(ctx, log, scenario, os.Args[len(os.Args)-1], os.Getenv(revisionVariable)); err != nil {
		log.Error("the scenario failed", "scenario", scenario, "error", err)
		os.Exit(1)
	}
}

// run runs a scenario with the server at a URL.
func run(ctx context.Context, log *slog.Logger, scenario, url, newest string) error {
	do, ok := scenarios[scenario]
	opts := streamable.ClientOptions{Logger: log}
	if strings.HasPrefix(scenario, authScenario) {
		do, ok = callTool("test-tool", `{}`), true
		var err error
		if opts.HTTPClient, err = login(scenario, url); err != nil {
			return err
		}
	}
	if !ok {
		return fmt.Errorf("unknown scenario %q", scenario)
	}
	transport, err := streamable.NewTransport(url, opts)
	if err != nil {
		return err
	}
	session, err := newClient(log, newest).Connect(ctx, transport)
	if err != nil {
		return err
	}
	if err := do(ctx, mcp.NewServerCaller(session)); err != nil {
		session.Close()
		return err
	}
	return session.Close()
}

// newClient returns a client for the revisions up to newest, or for all if newest is "".
func newClient(log *slog.Logger, newest string) *runtime.Client {
	bindings := compat.Client(runtime.FillDefaults(mcp.BindClient(accepting{})), compat.Options{})
	if newest != "" {
		bindings = slices.DeleteFunc(bindings, func(b runtime.Binding) bool { return b.Revision > newest })
	}
	return runtime.NewClient(runtime.ClientOptions{
		Name:         exampleClient,
		Version:      "1.0.0",
		Capabilities: &mcp.ClientCapabilities{Elicitation: &mcp.ClientCapabilitiesElicitation{Form: "{}"}},
		Logger:       log,
	}, bindings...)
}

// accepting is a client whose user accepts every form unchanged.
type accepting struct{ mcp.UnimplementedClient }

// Elicit answers elicitation/create.
func (accepting) Elicit(context.Context, mcp.ElicitRequestParams) (mcp.ElicitResponse, error) {
	return &mcp.ElicitResult{
		Action:  mcp.ElicitActionAccept,
		Content: wire.Map[mcp.ElicitResultContent]{},
	}, nil
}
