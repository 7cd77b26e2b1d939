package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"mcpgen":     main,
		"listserver": listServerMain,
		"xdg-open":   browserMain,
		"get":        getMain,
	})
}

// TestScripts runs the scripts in testdata. In a script, SPEC is the project's spec folder and LISTURL a server
// with two tools, LOGINURL one with one tool that demands a login, and APIURL the API of openapi.txtar. Go commands
// use the caches of this test and no network, unless a script sets GOPROXY to PROXY.
func TestScripts(t *testing.T) {
	specDir, err := filepath.Abs("../../spec")
	if err != nil {
		t.Fatal(err)
	}
	list, login, api := serveList(t), serveLogin(t), serveAPI(t)
	caches := map[string]string{"GOPROXY": "off", "GOFLAGS": "", "GOWORK": "off"}
	for name, setting := range map[string]string{"GOCACHE": "GOCACHE", "GOMODCACHE": "GOMODCACHE", "PROXY": "GOPROXY"} {
		value, err := exec.Command("go", "env", setting).Output()
		if err != nil {
			t.Fatal(err)
		}
		caches[name] = strings.TrimSpace(string(value))
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(env *testscript.Env) error {
			env.Setenv("SPEC", specDir)
			env.Setenv("LISTURL", list)
			env.Setenv("LOGINURL", login)
			env.Setenv("APIURL", api)
			env.Setenv("LOGINLOG", strings.TrimSuffix(login, "/mcp")+"/log")
			env.Setenv("MCPGEN_TOKENS", filepath.Join(env.WorkDir, ".tokens"))
			for name, value := range caches {
				env.Setenv(name, value)
			}
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"exits": exits, "append": appendLine},
	})
}

// appendLine adds a line to a file.
func appendLine(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: append FILE LINE")
	}
	name := ts.MkAbs(args[0])
	ts.Check(os.WriteFile(name, []byte(ts.ReadFile(args[0])+args[1]+"\n"), 0o666))
}

// exits runs a command and checks its exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE command [args...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	code := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		code = exit.ExitCode()
	}
	if code != want {
		ts.Fatalf("exit code %d, want %d", code, want)
	}
}
