// Command client is the client that the official conformance suite of the
// Model Context Protocol tests. Its last argument is the URL of a server over Streamable
// HTTP; what it does there is named by the environment variable
// MCP_CONFORMANCE_SCENARIO. It exits with 0 when all went as the scenario wants.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"time"

	"github.com/mcpgen/mcpgen/generated/mcp20241105"
	"github.com/mcpgen/mcpgen/generated/mcp20250326"
	"github.com/mcpgen/mcpgen/generated/mcp20250618"
	mcp "github.com/mcpgen/mcpgen/generated/mcp20251125"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/elicitation"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The environment variables by which the suite says what to do.
const (
	scenarioVariable = "MCP_CONFORMANCE_SCENARIO"
	revisionVariable = "MCP_CONFORMANCE_PROTOCOL_VERSION" // the newest to speak; "" is any
)

// patience is how long a scenario may take; the suite waits for 30 seconds.
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

// run does a scenario with the server at a URL.
func run(ctx context.Context, log *slog.Logger, scenario, url, newest string) error {
	do, ok := scenarios[scenario]
	if !ok {
		return fmt.Errorf("unknown scenario %q", scenario)
	}
	transport, err := streamable.NewTransport(url, streamable.ClientOptions{Logger: log})
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

// newClient makes a client that speaks the revisions up to the newest, "" for all.
func newClient(log *slog.Logger, newest string) *runtime.Client {
	bindings := []runtime.Binding{
		elicitation.FillDefaults(mcp.BindClient(accepting{})),
		mcp20250618.BindClient(mcp20250618.UnimplementedClient{}),
		mcp20250326.BindClient(mcp20250326.UnimplementedClient{}),
		mcp20241105.BindClient(mcp20241105.UnimplementedClient{}),
	}
	if newest != "" {
		bindings = slices.DeleteFunc(bindings, func(b runtime.Binding) bool { return b.Revision > newest })
	}
	return runtime.NewClient(runtime.ClientOptions{
		Name:         "everything-client",
		Version:      "1.0.0",
		Capabilities: &mcp.ClientCapabilities{Elicitation: &mcp.ClientCapabilitiesElicitation{Form: "{}"}},
		Logger:       log,
	}, bindings...)
}

// accepting is a client whose user accepts every form as it is.
type accepting struct{ mcp.UnimplementedClient }

// Elicit answers elicitation/create.
func (accepting) Elicit(context.Context, mcp.ElicitRequestParams) (mcp.ElicitResponse, error) {
	return &mcp.ElicitResult{
		Action:  mcp.ElicitActionAccept,
		Content: wire.Map[mcp.ElicitResultContent]{},
	}, nil
}
