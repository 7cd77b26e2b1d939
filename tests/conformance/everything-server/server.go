package main

import (
	"context"
	"log/slog"
	"time"

	"github.com/mcpgen/mcpgen/generated/mcp20241105"
	"github.com/mcpgen/mcpgen/generated/mcp20250326"
	"github.com/mcpgen/mcpgen/generated/mcp20250618"
	mcp "github.com/mcpgen/mcpgen/generated/mcp20251125"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
)

// newServer makes the server and the catalog of what it offers. There is one catalog for
// all revisions. It is written with the types of the newest; the few fixtures that are
// not the same in an older one ask for the revision of the call.
func newServer(log *slog.Logger) (*runtime.Server, *catalog.Catalog, error) {
	c := catalog.New(catalog.Options{Logger: log, CallRate: 1000})
	for _, add := range []func(*catalog.Catalog) error{addContentTools, addCallTools, addAskingTools, addSchemaTools, addPrompts, addResources} {
		if err := add(c); err != nil {
			return nil, nil, err
		}
	}
	server := runtime.NewServer(runtime.ServerOptions{
		Name:         "everything-server",
		Version:      "1.0.0",
		Instructions: "Fixtures for conformance tests.",
		Capabilities: &mcp.ServerCapabilities{
			Completions: "{}",
			Logging:     "{}",
			Prompts:     &mcp.ServerCapabilitiesPrompts{ListChanged: new(true)},
			Resources:   &mcp.ServerCapabilitiesResources{ListChanged: new(true), Subscribe: new(true)},
			Tools:       &mcp.ServerCapabilitiesTools{ListChanged: new(true)},
		},
		Logger: log,
	},
		c.Over(mcp.BindServer(mcp.UnimplementedServer{})),
		c.Over(mcp20250618.BindServer(mcp20250618.UnimplementedServer{})),
		c.Over(mcp20250326.BindServer(mcp20250326.UnimplementedServer{})),
		c.Over(mcp20241105.BindServer(mcp20241105.UnimplementedServer{})),
	)
	return server, c, nil
}

// keepUpdating tells subscribers of the watched resource from time to time, until ctx
// ends.
func keepUpdating(ctx context.Context, c *catalog.Catalog) {
	ticker := time.NewTicker(3 * time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			c.ResourceUpdated(watchedURI)
		case <-ctx.Done():
			return
		}
	}
}
