// Package bundles checks the bundles that mcpgen makes of servers, with the official program for MCP
// bundles, and their entries for the MCP registry, with the registry's schema.
package bundles

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpgen/mcpgen/gen/bundle"
	"github.com/mcpgen/mcpgen/gen/catalog"
	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/runtime/stdio"
	"github.com/mcpgen/mcpgen/runtime/wire"
	"github.com/mcpgen/mcpgen/tests/internal/npm"
)

// run runs a command and returns its standard output.
func run(t *testing.T, dir string, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
	return out
}

// mcpb runs the program for MCP bundles.
func mcpb(t *testing.T, args ...string) {
	t.Helper()
	npm.Need(t, ".")
	run(t, ".", "node", append([]string{"node_modules/@anthropic-ai/mcpb/dist/cli/cli.js"}, args...)...)
}

// TestBundle makes a bundle of the weather server, unpacks it and calls a tool of the program in it.
func TestBundle(t *testing.T) {
	dist, unpacked := t.TempDir(), t.TempDir()
	run(t, "../examples/weather", "go", "run", "../../../cmd/mcpgen", "bundle", "--out", dist, "--targets", runtime.GOOS+"/"+runtime.GOARCH,
		"--name", "io.github.mcpgen/weather", "--version", "1.0.0", "--title", "Weather", "--description", "Tells the weather.", "--author", "mcpgen",
		"--license", "Apache-2.0", "--repository", "https://github.com/mcpgen/mcpgen", "--website", "https://github.com/mcpgen/mcpgen",
		"--env", "UNITS=metric or imperial", "--secret", "API_KEY", "--remote", "https://weather.example.com/mcp",
		"--release", "https://github.com/mcpgen/mcpgen/releases/download/v1.0.0/")
	mcpb(t, "unpack", filepath.Join(dist, "weather-1.0.0.mcpb"), unpacked)
	mcpb(t, "validate", filepath.Join(unpacked, "manifest.json"))
	registered(t, filepath.Join(dist, "server.json"))

	var manifest struct {
		Server struct {
			EntryPoint string `json:"entry_point"`
		} `json:"server"`
		Tools []struct{ Name string } `json:"tools"`
	}
	text, err := os.ReadFile(filepath.Join(unpacked, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &manifest); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(unpacked, filepath.FromSlash(manifest.Server.EntryPoint))
	session, err := mcp.Connect(t.Context(), stdio.Command(exec.Command(program)), mcp.ClientOptions{Name: "host", Version: "1"})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	result, err := session.CallTool(t.Context(), &mcp.CallToolRequestParams{
		Name: "get_weather", Arguments: wire.MustObject(map[string]any{"city": "Oslo"}),
	})
	if err != nil || result.IsError != nil && *result.IsError {
		t.Errorf("%+v, %v", result, err)
	}
	if len(manifest.Tools) != 3 {
		t.Errorf("the manifest lists %v", manifest.Tools)
	}
}

// TestManifest checks the manifest of a bundle for three systems, with every member.
func TestManifest(t *testing.T) {
	offers, err := catalog.Read("list.json", []byte(`{"tools": [{"name": "a", "inputSchema": {"type": "object"}}], "prompts": [{"name": "p"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	s := bundle.Server{
		Name: "com.example/a", Title: "A", Description: "d", Version: "1.2.3", Author: "x", Repository: "https://example.com/a.git",
		Website: "https://example.com", License: "MIT", Offers: offers,
		Variables: []bundle.Variable{{Name: "KEY", Description: "k", Secret: true}, {Name: "PLACE"}},
	}
	targets, err := bundle.ParseTargets("linux/arm64,darwin/arm64,windows/amd64")
	if err != nil {
		t.Fatal(err)
	}
	var programs []bundle.Program
	for _, target := range targets {
		programs = append(programs, bundle.Program{OS: target.OS, File: s.File(target)})
	}
	text, err := s.Manifest(programs)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "manifest.json")
	if err := os.WriteFile(file, text, 0o666); err != nil {
		t.Fatal(err)
	}
	mcpb(t, "validate", file)
}

// The module with the schema of the registry's entries, and its checksum.
const (
	registry    = "github.com/modelcontextprotocol/registry@v1.8.8"
	registrySum = "h1:mnSk49TTqtyv53Mdjjf4OyL3UESocTybylLmSbZ/cic="
)

// registered checks an entry with the schema of the registry.
func registered(t *testing.T, file string) {
	t.Helper()
	var module struct{ Dir, Sum string }
	if err := json.Unmarshal(run(t, t.TempDir(), "go", "mod", "download", "-json", registry), &module); err != nil {
		t.Fatal(err)
	}
	if module.Sum != registrySum {
		t.Fatalf("%s has the checksum %s", registry, module.Sum)
	}
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join(module.Dir, "internal", "validators", "schemas", "2025-12-11.json"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	entry, err := jsonschema.UnmarshalJSON(f)
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(entry); err != nil {
		t.Error(err)
	}
}
