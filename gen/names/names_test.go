package names

import "testing"

func TestExported(t *testing.T) {
	n := New([]string{"ID", "URI", "URL", "MIME", "JSONRPC"})
	for wire, want := range map[string]string{
		"name":               "Name",
		"mimeType":           "MIMEType",
		"mime-type":          "MIMEType",
		"mime_type":          "MIMEType",
		"_meta":              "Meta",
		"$schema":            "Schema",
		"uriTemplate":        "URITemplate",
		"requestId":          "RequestID",
		"websiteUrl":         "WebsiteURL",
		"jsonrpc":            "JSONRPC",
		"date-time":          "DateTime",
		"io.example/traceId": "TraceID",
		"trailing/":          "Trailing",
		"2fa":                "N2fa",
		"$":                  "Field",
		"":                   "Field",
		"HTTPHeader":         "HTTPHeader",
		"größe":              "Größe",
		"名前":                 "X名前",
	} {
		if got := n.Exported(wire); got != want {
			t.Errorf("Exported(%q) = %q, want %q", wire, got, want)
		}
	}
}
