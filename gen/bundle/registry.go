package bundle

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"

	"github.com/mcpgen/mcpgen/gen/report"
)

// entrySchema is the schema of the registry's entries.
const entrySchema = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"

// Published says where users get a server.
type Published struct {
	// Bundle is the URL of the bundle, or "". The registry accepts releases on GitHub and GitLab.
	Bundle string
	// SHA256 is the checksum of the bundle, in hexadecimal digits.
	SHA256 string
	// Remote is the URL of the server over Streamable HTTP, or "".
	Remote string
}

// entry is the file server.json.
type entry struct {
	Schema      string      `json:"$schema"`
	Name        string      `json:"name"`
	Title       string      `json:"title,omitempty"`
	Description string      `json:"description"`
	Repository  *repository `json:"repository,omitempty"`
	WebsiteURL  string      `json:"websiteUrl,omitempty"`
	Version     string      `json:"version"`
	Packages    []pkg       `json:"packages,omitempty"`
	Remotes     []transport `json:"remotes,omitempty"`
}

type pkg struct {
	RegistryType string     `json:"registryType"`
	Identifier   string     `json:"identifier"`
	FileSHA256   string     `json:"fileSha256"`
	Transport    transport  `json:"transport"`
	Variables    []variable `json:"environmentVariables,omitempty"`
}

type transport struct {
	Type string `json:"type"`
	URL  string `json:"url,omitempty"`
}

type variable struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Required    bool   `json:"isRequired"`
	Secret      bool   `json:"isSecret,omitempty"`
}

// Entry returns server.json.
func (s *Server) Entry(p Published) ([]byte, error) {
	e := entry{Schema: entrySchema, Name: s.Name, Title: s.Title, Description: s.Description, WebsiteURL: s.Website, Version: s.Version}
	if s.Repository != "" {
		u, err := url.Parse(s.Repository)
		if err != nil {
			return nil, err
		}
		source, _, _ := strings.Cut(u.Hostname(), ".") // github of github.com
		e.Repository = &repository{Source: source, URL: s.Repository}
	}
	if p.Bundle != "" {
		if !isWeb(p.Bundle) {
			return nil, fmt.Errorf("%q is not a URL of a file", p.Bundle)
		}
		of := pkg{RegistryType: "mcpb", Identifier: p.Bundle, FileSHA256: p.SHA256, Transport: transport{Type: "stdio"}}
		for _, v := range s.Variables {
			of.Variables = append(of.Variables, variable{v.Name, v.about(), true, v.Secret})
		}
		e.Packages = append(e.Packages, of)
	}
	if p.Remote != "" {
		if !isWeb(p.Remote) {
			return nil, fmt.Errorf("%q is not a URL of a server", p.Remote)
		}
		e.Remotes = append(e.Remotes, transport{Type: "streamable-http", URL: p.Remote})
	}
	return indented(e)
}

// indented returns a value as indented JSON with a newline.
func indented(v any) ([]byte, error) {
	var b bytes.Buffer
	p := report.Printer{W: &b}
	p.JSON(v)
	return b.Bytes(), p.Err
}
