package examples

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/runtime/typed"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

type Units string

const (
	Metric   Units = "metric"
	Imperial Units = "imperial"
)

func (Units) Enum() []Units { return []Units{Metric, Imperial} }

type City struct {
	Name  string `json:"city"`
	Units Units  `json:"units,omitempty"`
}

type Position struct {
	Latitude  float64 `json:"latitude" jsonschema:"minimum=-90,maximum=90"`
	Longitude float64 `json:"longitude"`
}

type Place struct {
	typed.OneOf
	City     *City
	Position *Position
}

type Forecast struct {
	Place Place `json:"place"`
}

// An argument may have one of several types, and values that have names.
func Example_alternatives() {
	tool := typed.ContentTool(&mcp.Tool{Name: "forecast"}, func(_ context.Context, in *Forecast) ([]mcp.ContentBlock, error) {
		if city := in.Place.City; city != nil {
			fmt.Println(city.Name, city.Units == Imperial)
		} else {
			fmt.Println(in.Place.Position.Latitude)
		}
		return nil, nil
	})
	for _, arguments := range []wire.Object{
		`{"place":{"city":"Boston","units":"imperial"}}`,
		`{"place":{"latitude":52.5,"longitude":13.4}}`,
		`{"place":{"city":"Boston","units":"kelvin"}}`,
		`{"place":"Boston"}`,
	} {
		if _, err := tool.Call(context.Background(), arguments); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// Boston true
	// 52.5
	// jsonrpc: error -32602: invalid arguments: at /place/units: must be one of "metric", "imperial", found "kelvin"
	// jsonrpc: error -32602: invalid arguments: at /place: must be an object, found the string "Boston"
}

// TestLinked checks what a server from Go types links, and its size. The sizes are a little more than those
// with Go 1.26.8 on linux/amd64.
func TestLinked(t *testing.T) {
	for _, program := range []struct {
		folder  string
		most    int64 // bytes
		modules []string
		without map[string]string
	}{
		{"typedtool", 5_200_000, []string{"github.com/yosida95/uritemplate/v3", "golang.org/x/time"}, map[string]string{
			"net/http.":                         "it does not serve HTTP",
			"runtime/schema/fallback.":          "the checks of derived schemas are those of package schema",
			"(*CallToolResult).DecodeJSON":      "the linker keeps methods that nobody calls, because one is looked up by a name that is not a constant",
			"(*CreateMessageResult).DecodeJSON": "the same",
		}},
		{"protected", 10_400_000, []string{"github.com/go-jose/go-jose/v4", "github.com/yosida95/uritemplate/v3", "golang.org/x/time"}, map[string]string{
			"runtime/schema/fallback.":          "the checks of derived schemas are those of package schema",
			"(*CreateMessageResult).DecodeJSON": "the linker keeps methods that nobody calls",
		}},
	} {
		file := filepath.Join(t.TempDir(), program.folder)
		cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", file, "./tests/examples/"+program.folder)
		cmd.Dir, cmd.Env = root, append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if t.Logf("%s: %d bytes", program.folder, info.Size()); info.Size() > program.most {
			t.Errorf("%s has %d bytes, more than %d", program.folder, info.Size(), program.most)
		}
		built, err := buildinfo.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var linked []string
		for _, module := range built.Deps {
			linked = append(linked, module.Path)
		}
		if !slices.Equal(linked, program.modules) {
			t.Errorf("%s links the modules %v, want %v", program.folder, linked, program.modules)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for function, what := range program.without {
			if bytes.Contains(text, []byte(function)) {
				t.Errorf("%s links %s: %s", program.folder, function, what)
			}
		}
	}
}
