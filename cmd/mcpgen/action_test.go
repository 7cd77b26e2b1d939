package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
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
		{"no list before", before, list, "", 0, "0 tools compared, 0 unchanged, 1 added", "tool added", true},
		{"no commit before", strings.Repeat("0", 40), list, "", 0, "::notice title=mcpgen diff::there is no commit 0000", "", false},
		{"nothing before", "", list, "", 0, "::notice title=mcpgen diff::there is no commit before this one", "", false},
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

// TestInstall runs the script with which the GitHub action gets mcpgen, with a server of releases.
func TestInstall(t *testing.T) {
	script, err := filepath.Abs("../../.github/actions/diff/install.sh")
	if err != nil {
		t.Fatal(err)
	}
	const program = "#!/bin/sh\necho the released program\n"
	sum := sha256.Sum256([]byte(program))
	digest := hex.EncodeToString(sum[:])
	name := "mcpgen-" + runtime.GOOS + "-" + runtime.GOARCH
	files := http.NewServeMux()
	for version, digest := range map[string]string{"v1.2.3": digest, "v1.2.4": strings.Repeat("0", 64)} {
		files.HandleFunc("/"+version+"/"+name, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, program) })
		files.HandleFunc("/"+version+"/checksums.txt", func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, "%s  mcpgen-plan9-386\n%s  %s\n", strings.Repeat("1", 64), digest, name)
		})
	}
	server := httptest.NewServer(files)
	defer server.Close()
	const built = "#!/bin/sh\necho \"$@\"\n" // in place of go
	for _, test := range []struct {
		name, version, ref, checksum string
		code                         int
		output                       string
		released                     bool
	}{
		{"a release", "v1.2.3", "main", "", 0, "", true},
		{"the release of the action", "", "v1.2.3", "", 0, "", true},
		{"a pinned checksum", "v1.2.4", "", digest, 0, "", true},
		{"another program than the release states", "v1.2.4", "", "", 1, "has the checksum " + digest + ", expected 0000", false},
		{"another program than is pinned", "v1.2.3", "", strings.Repeat("2", 64), 1, "expected 2222", false},
		{"no such release", "v9.0.0", "", "", 0, "there is no release v9.0.0", false},
		{"a branch", "", "main", "", 0, "build -C ", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			temp := t.TempDir()
			if err := os.WriteFile(filepath.Join(temp, "go"), []byte(built), 0o700); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command("bash", script)
			cmd.Env = append(os.Environ(), "PATH="+temp+string(os.PathListSeparator)+os.Getenv("PATH"), "RUNNER_TEMP="+temp, "RELEASES="+server.URL,
				"VERSION="+test.version, "ACTION_REF="+test.ref, "CHECKSUM="+test.checksum)
			out, _ := cmd.CombinedOutput()
			if code := cmd.ProcessState.ExitCode(); code != test.code || !strings.Contains(string(out), test.output) {
				t.Errorf("exit code %d, want %d and %q\n%s", code, test.code, test.output, out)
			}
			text, _ := os.ReadFile(filepath.Join(temp, "mcpgen-bin", "mcpgen"))
			if released := string(text) == program; released != test.released || released && strings.Contains(string(out), "build -C") {
				t.Errorf("the program is %q\n%s", text, out)
			}
			if test.code == 0 && !test.released && !strings.Contains(string(out), "./cmd/mcpgen") {
				t.Errorf("nothing was built\n%s", out)
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
