package bundle

import (
	"cmp"
	"errors"
	"strings"

	"github.com/mcpgen/mcpgen/gen/catalog"
)

// manifestVersion is the version of the format of manifests. It is the oldest version with everything
// that the manifests of this package contain, because hosts refuse versions that they do not know.
const manifestVersion = "0.2"

// manifest is the file manifest.json of a bundle.
type manifest struct {
	Version       string             `json:"manifest_version"`
	Name          string             `json:"name"`
	DisplayName   string             `json:"display_name"`
	ServerVersion string             `json:"version"`
	Description   string             `json:"description"`
	Author        author             `json:"author"`
	Repository    *repository        `json:"repository,omitempty"`
	Homepage      string             `json:"homepage,omitempty"`
	License       string             `json:"license,omitempty"`
	Server        program            `json:"server"`
	Tools         []item             `json:"tools,omitempty"`
	Prompts       bool               `json:"prompts_generated,omitempty"`
	UserConfig    map[string]setting `json:"user_config,omitempty"`
	Compatibility compatibility      `json:"compatibility"`
}

type author struct {
	Name string `json:"name"`
}

type repository struct {
	Type   string `json:"type,omitempty"`   // of manifests
	Source string `json:"source,omitempty"` // of server.json
	URL    string `json:"url"`
}

type program struct {
	Type       string  `json:"type"`
	EntryPoint string  `json:"entry_point"`
	Config     command `json:"mcp_config"`
}

type command struct {
	Command   string             `json:"command"`
	Args      []string           `json:"args"`
	Env       map[string]string  `json:"env,omitempty"`
	Overrides map[string]command `json:"platform_overrides,omitempty"`
}

type item struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

type setting struct {
	Type        string `json:"type"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Required    bool   `json:"required"`
	Sensitive   bool   `json:"sensitive,omitempty"`
}

type compatibility struct {
	Platforms []string `json:"platforms"`
}

// Manifest returns the manifest of a bundle with programs, at least one. A host runs the one for its
// system, over standard input and output.
func (s *Server) Manifest(programs []Program) ([]byte, error) {
	if len(programs) == 0 {
		return nil, errors.New("a bundle needs a program")
	}
	m := manifest{
		Version: manifestVersion, Name: s.Base(), DisplayName: s.title(), ServerVersion: s.Version, Description: s.Description,
		Author: author{s.Author}, Homepage: s.Website, License: s.License,
		Server: program{Type: "binary", EntryPoint: programs[0].File, Config: s.command(programs[0])},
	}
	if s.Repository != "" {
		m.Repository = &repository{Type: "git", URL: s.Repository}
	}
	for i, p := range programs {
		m.Compatibility.Platforms = append(m.Compatibility.Platforms, platforms[p.OS])
		if i > 0 {
			if m.Server.Config.Overrides == nil {
				m.Server.Config.Overrides = map[string]command{}
			}
			m.Server.Config.Overrides[platforms[p.OS]] = s.command(p)
		}
	}
	for _, v := range s.Variables {
		if m.UserConfig == nil {
			m.UserConfig = map[string]setting{}
		}
		m.UserConfig[strings.ToLower(v.Name)] = setting{Type: "string", Title: v.Name, Description: v.about(), Required: true, Sensitive: v.Secret}
	}
	for _, t := range s.Offers.Tools.Tools {
		m.Tools = append(m.Tools, item{t.Name, t.Description})
	}
	m.Prompts = s.Offers.Count(catalog.Prompts) > 0
	return indented(m)
}

// command returns how a host starts a program of the bundle.
func (s *Server) command(p Program) command {
	c := command{Command: "${__dirname}/" + p.File, Args: []string{}}
	for _, v := range s.Variables {
		if c.Env == nil {
			c.Env = map[string]string{}
		}
		c.Env[v.Name] = "${user_config." + strings.ToLower(v.Name) + "}"
	}
	return c
}

// about returns the description of a variable, which a manifest requires.
func (v Variable) about() string {
	return cmp.Or(v.Description, "The environment variable "+v.Name+".")
}
