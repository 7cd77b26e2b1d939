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

// adding is a program that calls the tool of a server, which its arguments name as a command or a URL, with a
// generated client.
const adding = `package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/exec"

	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/stdio"

	"example.com/adder"
)

func main() {
	ctx := context.Background()
	var transport runtime.Transport = streamable.URL(os.Args[1], streamable.ClientOptions{})
	if len(os.Args) > 2 {
		transport = stdio.Command(exec.Command(os.Args[1], os.Args[2:]...))
	}
	client, err := adder.Connect(ctx, transport, runtime.ClientOptions{Name: "adding", Version: "1"})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	if err := client.Check(ctx); err != nil {
		log.Fatal(err)
	}
	blocks, err := client.Add(ctx, &adder.AddInput{A: 1.5, B: 2})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(blocks[0].(*mcp.TextContent).Text)
}
`

// TestImport has mcpgen import the tools of TypeScript servers of each kind, over stdio and HTTP, and
// generate a client from the list, which calls the server.
func TestImport(t *testing.T) {
	t.Parallel()
	npm.Need(t, ".")
	mcpgen := program(t, "mcpgen")
	run := func(t *testing.T, dir, name string, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
		}
		return strings.TrimSpace(string(out))
	}
	for _, way := range []string{"stdio", "http"} {
		for _, kind := range eraKinds {
			t.Run(kind+" over "+way, func(t *testing.T) {
				dir := t.TempDir()
				list := filepath.Join(dir, "tools.json")
				command := []string{"node", "eras_server.mjs", kind, way}
				source, server := []string{"--cmd", strings.Join(command, " ")}, command
				if way == "http" {
					url := eraURL(t, "typescript", kind, command)
					source, server = []string{"--url", url}, []string{url}
				}
				run(t, "", mcpgen, append([]string{"tools", "import", "--out", list}, source...)...)
				text, err := os.ReadFile(list)
				if err != nil {
					t.Fatal(err)
				}
				tools, _ := wire.Object(text).Get("tools")
				if all := tools.Elements(); len(all) != 1 || wire.Object(all[0]).GetString("name") != "add" {
					t.Errorf("imported %s", text)
				}
				folder := filepath.Join(dir, "adder")
				run(t, "", mcpgen, "client", "--tools", list, "--package", "adder", "--out", folder)
				if err := os.MkdirAll(filepath.Join(folder, "adding"), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(folder, "adding", "main.go"), []byte(adding), 0o666); err != nil {
					t.Fatal(err)
				}
				caller := filepath.Join(dir, "caller")
				run(t, folder, "go", "build", "-o", caller, "./adding")
				if sum := run(t, "", caller, server...); sum != "3.5" {
					t.Errorf("1.5 and 2 are %s", sum)
				}
			})
		}
	}
}
