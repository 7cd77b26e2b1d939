package everything

import (
	"context"

	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Watched is the URI of a resource that the conformance suite subscribes to.
const Watched = "test://watched-resource"

func contents(list ...mcp.ResourceContentsUnion) (*mcp.ReadResourceResult, error) {
	return &mcp.ReadResourceResult{Contents: list}, nil
}

// both returns a text and a blob.
func both(_ context.Context, uri string) (*mcp.ReadResourceResult, error) {
	return contents(
		&mcp.TextResourceContents{URI: uri, Text: "text", MIMEType: new("text/plain"), Meta: `{"a":1}`},
		&mcp.BlobResourceContents{URI: uri, Blob: "YQ==", MIMEType: new("audio/wav")},
	)
}

// plain returns the handler of a resource with a text.
func plain(s string) func(context.Context, string) (*mcp.ReadResourceResult, error) {
	return func(_ context.Context, uri string) (*mcp.ReadResourceResult, error) {
		return contents(&mcp.TextResourceContents{URI: uri, MIMEType: new("text/plain"), Text: s})
	}
}

func resources() []catalog.Item {
	notes := &mcp.Annotations{Priority: new(1.0), LastModified: new("2025-01-01T00:00:00Z")}
	return []catalog.Item{
		catalog.NewResource(&mcp.Resource{
			URI: "file:///r", Name: "r", Title: new("A title"), Description: new("A description"), MIMEType: new("text/plain"),
			Size: new(int64(7)), Annotations: notes, Icons: icons, Meta: `{"a":1}`,
		}, both),
		catalog.NewResource(&mcp.Resource{URI: "test://static-text", Name: "static-text", Description: new("A text."), MIMEType: new("text/plain")},
			plain("This is the content of the static text resource.")),
		catalog.NewResource(&mcp.Resource{URI: "test://static-binary", Name: "static-binary", Description: new("An image."), MIMEType: new("image/png")},
			func(_ context.Context, uri string) (*mcp.ReadResourceResult, error) {
				return contents(&mcp.BlobResourceContents{URI: uri, MIMEType: new("image/png"), Blob: png})
			}),
		catalog.NewResource(&mcp.Resource{URI: Watched, Name: "watched-resource", Description: new("A text to subscribe to."), MIMEType: new("text/plain")},
			plain("This resource is updated from time to time.")),
		catalog.NewTemplate(&mcp.ResourceTemplate{
			URITemplate: "file:///t/{x}", Name: "t", Title: new("A title"), Description: new("A description"), MIMEType: new("text/plain"),
			Annotations: notes, Icons: icons, Meta: `{"a":1}`,
		}, func(ctx context.Context, uri string, _ catalog.Variables) (*mcp.ReadResourceResult, error) {
			return both(ctx, uri)
		}),
		catalog.NewTemplate(&mcp.ResourceTemplate{
			URITemplate: "test://template/{id}/data", Name: "template", Description: new("Data by id."), MIMEType: new("application/json"),
		}, func(_ context.Context, uri string, variables catalog.Variables) (*mcp.ReadResourceResult, error) {
			data, err := wire.ObjectOf(struct {
				ID           string `json:"id"`
				TemplateTest bool   `json:"templateTest"`
				Data         string `json:"data"`
			}{variables.Get("id"), true, "Data for ID: " + variables.Get("id")})
			if err != nil {
				return nil, err
			}
			return contents(&mcp.TextResourceContents{URI: uri, MIMEType: new("application/json"), Text: string(data)})
		}).Complete("id", catalog.OneOf("1", "12", "123")),
	}
}
