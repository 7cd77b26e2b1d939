package tools

import (
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// ServerOptions say how a generated server is made. The zero value will do.
type ServerOptions struct {
	// Server is who the server is and what it allows. Where it declares no capabilities,
	// they are tools and logging.
	Server runtime.ServerOptions
	// Catalog is what the tools are added to, for servers that have more than them; nil
	// is a new one.
	Catalog *catalog.Catalog

	Options
}

// capabilities are those of a server that declares none itself.
const capabilities = wire.Raw(`{"logging":{},"tools":{}}`)

// NewServer makes a server of tools over the bindings of the revisions it speaks. An
// error is about a definition.
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
