package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// TestAction runs the script of the GitHub action in a repository whose list changes, with a
// program gh that writes down its arguments.
func TestAction(t *testing.T) {
	script, err := filepath.Abs("../../.github/actions/diff/compare.sh")
	if err != nil {
		t.Fatal(err)
	}
	dir, temp := t.TempDir(), t.TempDir()
	write := func(path, text string, mode os.FileMode) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.com"}, args...)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	const list = `[{"name":"a","inputSchema":{"type":"object","properties":{"x":{"type":"string"}}}}]`
	git("init", "-q")
	write(filepath.Join(dir, "README"), "nothing yet", 0o600)
	git("add", ".")
	git("commit", "-qm", "no list")
	before := git("rev-parse", "HEAD")
	write(filepath.Join(dir, "tools.json"), list, 0o600)
	git("add", ".")
	git("commit", "-qm", "a list")
	base := git("rev-parse", "HEAD")
	write(filepath.Join(temp, "gh"), "#!/bin/sh\necho \"$@\" > \""+filepath.Join(temp, "gh.txt")+"\"\n", 0o700)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(program, filepath.Join(temp, "mcpgen")); err != nil { // TestMain runs the program for this name
		t.Fatal(err)
	}

	for _, test := range []struct {
		name, base, now, failOn string
		code                    int
		output, report          string
		comments                bool
	}{
		{"no list before", before, list, "", 0, "::notice title=mcpgen diff::" + before + " has no tools.json", "", false},
		{"unchanged", base, list, "", 0, "0 err, 0 warn", "0 err", true},
		{"breaking", base, strings.Replace(list, `"string"`, `"integer"`, 1), "", 1, "::error file=tools.json,line=1", "major", true},
		{"breaking and allowed", base, strings.Replace(list, `"string"`, `"integer"`, 1), "none", 0, "::error file=tools.json", "major", true},
		{"unreadable", base, "{", "", 2, "", "", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			write(filepath.Join(dir, "tools.json"), test.now, 0o600)
			for _, name := range []string{"summary", "output", "gh.txt"} {
				write(filepath.Join(temp, name), "", 0o600)
			}
			cmd := exec.Command("bash", script)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "PATH="+temp+string(os.PathListSeparator)+os.Getenv("PATH"), "RUNNER_TEMP="+temp,
				"GITHUB_STEP_SUMMARY="+filepath.Join(temp, "summary"), "GITHUB_OUTPUT="+filepath.Join(temp, "output"),
				"LIST=tools.json", "BASE="+test.base, "FAIL_ON="+test.failOn, "COMMENT=true", "PULL_REQUEST=7")
			var stdout, stderr strings.Builder
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			_ = cmd.Run()
			if code := cmd.ProcessState.ExitCode(); code != test.code {
				t.Errorf("exit code %d, want %d\n%s%s", code, test.code, &stdout, &stderr)
			}
			if !strings.Contains(stdout.String(), test.output) {
				t.Errorf("output %q lacks %q", &stdout, test.output)
			}
			read := func(name string) string {
				text, err := os.ReadFile(filepath.Join(temp, name))
				if err != nil {
					t.Fatal(err)
				}
				return string(text)
			}
			if !strings.Contains(read("summary"), test.report) {
				t.Errorf("summary %q lacks %q", read("summary"), test.report)
			}
			if got := strings.HasPrefix(read("gh.txt"), "pr comment 7 --edit-last --create-if-none --body-file "); got != test.comments {
				t.Errorf("gh was called with %q", read("gh.txt"))
			}
		})
	}
}

// TestHooks checks that each hook of pre-commit runs a verb of the program.
func TestHooks(t *testing.T) {
	text, err := os.ReadFile("../../.pre-commit-hooks.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var hooks []struct {
		ID, Entry, Language string
		PassFilenames       *bool `yaml:"pass_filenames"`
	}
	if err := yaml.Unmarshal(text, &hooks); err != nil {
		t.Fatal(err)
	}
	for _, h := range hooks {
		var stdout, stderr strings.Builder
		args := append(strings.Fields(h.Entry)[1:], "--help")
		if code := run(t.Context(), args, strings.NewReader(""), &stdout, &stderr); code != exitDone || !strings.Contains(stdout.String(), h.Entry) {
			t.Errorf("%s: %q ends with %d\n%s%s", h.ID, h.Entry, code, &stdout, &stderr)
		}
		if h.Language != "golang" || h.PassFilenames == nil || *h.PassFilenames {
			t.Errorf("%s: the verbs take no list of files", h.ID)
		}
	}
	if len(hooks) != 3 {
		t.Errorf("%d hooks", len(hooks))
	}
}
