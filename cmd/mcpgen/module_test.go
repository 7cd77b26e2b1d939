package main

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	root "github.com/mcpgen/mcpgen"
)

// TestNeeded compares the modules of a new go.mod with the dependencies of a server and of
// mcpgen on all systems. Without one of them the server would not build.
func TestNeeded(t *testing.T) {
	found := map[string]bool{}
	for _, system := range []string{"linux", "windows", "darwin"} {
		cmd := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}{{end}}{{end}}",
			".", "../../runtime/tools/...", "../../runtime/schema/...", "../../runtime/stdio", "../../runtime/streamable", "../../runtime/mcplog")
		cmd.Env = append(os.Environ(), "GOOS="+system)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", system, err)
		}
		for _, path := range strings.Fields(string(out)) {
			found[path] = true
		}
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(found)), needed); diff != "" {
		t.Errorf("modules that a server needs (-needed +listed):\n%s", diff)
	}
}

// TestFreshModules checks that the go.mod and go.sum of new servers and clients are those of go mod tidy,
// whatever generated code links.
func TestFreshModules(t *testing.T) {
	const plain = `[{"name":"a","inputSchema":{"type":"object"}}]`
	for name, test := range map[string]struct {
		verb, list string
		args       []string
	}{
		"server":   {"server", plain, nil},
		"stdio":    {"server", plain, []string{"--transport", "stdio"}},
		"client":   {"client", plain, nil},
		"patterns": {"server", `[{"name":"a","inputSchema":{"type":"object","properties":{"x":{"type":"string","pattern":"^(?=x)a$"}}}}]`, nil},
		"fallback": {"server", `[{"name":"a","inputSchema":{"type":"object","allOf":[{"$dynamicRef":"#x"}],"$defs":{"q":{"$dynamicAnchor":"x"}}}}]`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			var stdout, stderr strings.Builder
			args := append([]string{test.verb, "--tools", "-", "--out", dir}, test.args...)
			if code := run(t.Context(), args, strings.NewReader(test.list), &stdout, &stderr); code != 0 {
				t.Fatalf("exit code %d\n%s%s", code, &stdout, &stderr)
			}
			for _, args := range [][]string{{"mod", "tidy", "-diff"}, {"list", "-m", "all"}} {
				cmd := exec.Command("go", args...)
				cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=", "GOWORK=off")
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("go %s: %v\n%s", strings.Join(args, " "), err, out)
				}
			}
		})
	}
}

// TestReplacement reads the folder that replaces mcpgen.
func TestReplacement(t *testing.T) {
	name := filepath.Join(t.TempDir(), "go.mod")
	for text, want := range map[string]string{
		"module x\nreplace github.com/mcpgen/mcpgen => /a/b\n":                 "/a/b",
		"module x\nreplace github.com/mcpgen/mcpgen v1.0.0 => ../y // so\n":    filepath.Join(filepath.Dir(filepath.Dir(name)), "y"),
		"module x\nreplace (\n\tgithub.com/mcpgen/mcpgen => \"/a b\"\n)\n":     "/a b",
		"module x\nreplace github.com/mcpgen/mcpgen => example.com/z v1.0.0\n": "",
		"module x\n": "",
	} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if got := replacement(name); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestModSum compares the checksum with that of the go command for a module in its cache.
func TestModSum(t *testing.T) {
	cache, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	const path, version = "github.com/spf13/cobra", "v1.10.2"
	mod, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(cache)), "cache", "download", path, "@v", version+".mod"))
	if err != nil {
		t.Fatal(err)
	}
	if want := path + " " + version + "/go.mod " + modSum(string(mod)) + "\n"; !strings.Contains(root.Sum, want) {
		t.Errorf("go.sum has no %s", want)
	}
}

func TestMentions(t *testing.T) {
	dir := t.TempDir() + "/go.mod"
	for _, test := range []struct {
		text string
		want string
	}{
		{"module example.com/x\n\ngo 1.26\n", ""},
		{"module github.com/mcpgen/mcpgen\n", "module"},
		{"module x\nrequire github.com/mcpgen/mcpgen v1.0.0 // comment\n", "require"},
		{"module x\nrequire (\n\texample.com/y v1.0.0\n\tgithub.com/mcpgen/mcpgen v1.0.0\n)\n\ntool github.com/mcpgen/mcpgen/cmd/mcpgen\n", "require tool"},
		{"module x\nrequire github.com/mcpgen/mcpgen-other v1.0.0\nreplace github.com/mcpgen/mcpgen => ../y\n// require github.com/mcpgen/mcpgen v1\n", ""},
	} {
		if err := os.WriteFile(dir, []byte(test.text), 0o666); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, directive := range []string{"module", "require", "tool"} {
			if mentions(dir, directive) {
				got = append(got, directive)
			}
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%q: %v, want %s", test.text, got, test.want)
		}
	}
}

func TestPackageName(t *testing.T) {
	for folder, want := range map[string]string{
		"weather": "weather", "My-Client2": "myclient2", "2fast": "fast", "main": "tools", "日本": "tools", "func": "toolsfunc", "": "tools",
	} {
		if got := packageName(folder); got != want {
			t.Errorf("%q: %q, want %q", folder, got, want)
		}
	}
}

func TestSplitWords(t *testing.T) {
	for line, want := range map[string][]string{
		`npx -y "a b" 'c "d"' e\ f ""`: {"npx", "-y", "a b", `c "d"`, "e f", ""},
		"\tone\n":                      {"one"},
		`"a\"b"c'\'`:                   {`a"bc\`},
	} {
		got, err := splitWords(line)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", line, err, diff)
		}
	}
	for _, line := range []string{"", " ", `"a`, "'a", `a\`} {
		if got, err := splitWords(line); err == nil {
			t.Errorf("%q: got %q", line, got)
		}
	}
}
