package main

import (
	"context"

	mcp "github.com/mcpgen/mcpgen/generated/mcp20251125"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// watchedURI is that of a resource that is updated all the time.
const watchedURI = "test://watched-resource"

// plain reads a resource of plain text.
func plain(s string) func(context.Context, string) (wire.Appender, error) {
	return func(_ context.Context, uri string) (wire.Appender, error) {
		return contents(&mcp.TextResourceContents{URI: uri, MIMEType: new("text/plain"), Text: s}), nil
	}
}

func contents(c mcp.ResourceContentsUnion) *mcp.ReadResourceResult {
	return &mcp.ReadResourceResult{Contents: []mcp.ResourceContentsUnion{c}}
}

func addResources(c *catalog.Catalog) error {
	err := c.Add(
		catalog.Resource{
			Definition: wire.Object(`{"uri":"test://static-text","name":"static-text","description":"A text.","mimeType":"text/plain"}`),
			Read:       plain("This is the content of the static text resource."),
		},
		catalog.Resource{
			Definition: wire.Object(`{"uri":"test://static-binary","name":"static-binary","description":"An image.","mimeType":"image/png"}`),
			Read: func(_ context.Context, uri string) (wire.Appender, error) {
				return contents(&mcp.BlobResourceContents{URI: uri, MIMEType: new("image/png"), Blob: png}), nil
			},
		},
		catalog.Resource{
			Definition: wire.Object(`{"uri":"`) + watchedURI + `","name":"watched-resource","description":"A text to subscribe to.","mimeType":"text/plain"}`,
			Read:       plain("This resource is updated from time to time."),
		},
	)
	if err != nil {
		return err
	}
	return c.Add(catalog.Template{
		Definition: wire.Object(`{"uriTemplate":"test://template/{id}/data","name":"template","description":"Data by id.","mimeType":"application/json"}`),
		Read: func(_ context.Context, uri string, variables map[string]string) (wire.Appender, error) {
			id, err := wire.AppendString(nil, variables["id"])
			if err != nil {
				return nil, catalog.ErrNoResource // an id that is not UTF-8
			}
			return contents(&mcp.TextResourceContents{
				URI:      uri,
				MIMEType: new("application/json"),
				Text:     `{"id":` + string(id) + `,"templateTest":true,"data":"Data for ID: ` + string(id[1:]) + `}`,
			}), nil
		},
		Completers: map[string]catalog.Completer{"id": catalog.OneOf("1", "12", "123")},
	})
}
