package purity

import (
	"io"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/stdio"
	"github.com/mcpgen/mcpgen/tests/internal/everything"
)

// onMcpgen is the everything server, whose tools are generated from a list.
var onMcpgen = subject{"github.com/mcpgen/mcpgen", func(t *testing.T, in io.ReadCloser, out io.WriteCloser) changes {
	server, catalog, err := everything.New(everything.Options{})
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(t.Context(), &stdio.Transport{In: in, Out: out})
	return changes{
		updated: func() { catalog.ResourceUpdated("file:///r") },
		removed: func() { catalog.RemoveTools("roots") },
	}
}}
