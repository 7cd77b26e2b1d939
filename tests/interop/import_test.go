package interop

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/wire"
	"github.com/mcpgen/mcpgen/tests/internal/npm"
)

// TestImport has mcpgen import the tools of TypeScript servers of each kind, over stdio and HTTP, and
// generate a client from the list.
func TestImport(t *testing.T) {
	t.Parallel()
	npm.Need(t, ".")
	mcpgen := program(t, "mcpgen")
	for _, way := range []string{"stdio", "http"} {
		for _, kind := range eraKinds {
			t.Run(kind+" over "+way, func(t *testing.T) {
				dir := t.TempDir()
				list := filepath.Join(dir, "tools.json")
				command := []string{"node", "eras_server.mjs", kind, way}
				source := []string{"--cmd", strings.Join(command, " ")}
				if way == "http" {
					source = []string{"--url", eraURL(t, "typescript", kind, command)}
				}
				for _, args := range [][]string{
					append([]string{"tools", "import", "--out", list}, source...),
					{"client", "--tools", list, "--package", "adder", "--out", filepath.Join(dir, "adder")},
				} {
					if out, err := exec.CommandContext(t.Context(), mcpgen, args...).CombinedOutput(); err != nil {
						t.Fatalf("mcpgen %s: %v\n%s", strings.Join(args, " "), err, out)
					}
				}
				text, err := os.ReadFile(list)
				if err != nil {
					t.Fatal(err)
				}
				tools, _ := wire.Object(text).Get("tools")
				if all := tools.Elements(); len(all) != 1 || wire.Object(all[0]).GetString("name") != "add" {
					t.Errorf("imported %s", text)
				}
			})
		}
	}
}
