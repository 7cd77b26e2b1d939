package tools

import (
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// ServerOptions configure a generated server. The zero value is ready to use.
type ServerOptions struct {
	// Server holds the options of the server itself. If it declares no capabilities, they
	// are tools and logging.
	Server runtime.ServerOptions
	// Catalog is the catalog that the tools are added to, for servers that offer more than
	// tools. Nil creates a new one.
	Catalog *catalog.Catalog

	Options
}

// capabilities are those of a server that does not declare any.
const capabilities = wire.Raw(`{"logging":{},"tools":{}}`)

// NewServer returns a server of tools over the bindings of the revisions it speaks. It
// returns an error for an invalid definition.
func NewServer(o ServerOptions, list []catalog.Tool, below ...runtime.Binding) (*runtime.Server, error) {
	c := o.Catalog
	if c == nil {
		c = catalog.New(catalog.Options{Logger: o.Server.Logger})
	}
	if err := c.AddTools(list...); err != nil {
		return nil, err
	}
	if o.Server.Capabilities == nil {
		o.Server.Capabilities = capabilities
	}
	bindings := make([]runtime.Binding, len(below))
	for i, b := range below {
		bindings[i] = c.Over(b)
	}
	return runtime.NewServer(o.Server, bindings...), nil
}
