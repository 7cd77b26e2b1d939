package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestFlags runs the command lines of testdata/flags.table, in which a flag has no effect: each is refused with the
// error of its row. Each flag of each verb has a row.
func TestFlags(t *testing.T) {
	table, err := os.ReadFile("testdata/flags.table")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	t.Setenv(folderVariable, t.TempDir())
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	const list = `{"tools":[{"name":"greet","inputSchema":{"type":"object"}}]}`
	must(os.WriteFile("tools.json", []byte(list), 0o666))
	must(os.WriteFile("t", []byte("token"), 0o666))
	must(os.Mkdir("occupied", 0o777))
	must(os.WriteFile("occupied/server.json", []byte(`{"port":8080}`), 0o666))
	must(os.WriteFile("api.yaml", []byte("openapi: 3.1.0\ninfo: {title: a, version: '1'}\npaths: {/a: {get: {operationId: a, responses: {}}}}\n"), 0o666))
	var made strings.Builder
	for _, args := range [][]string{{"server", "--out", "edited"}, {"server", "--out", "protected", "--auth"}} {
		if code := run(t.Context(), args, nil, &made, &made); code != 0 {
			t.Fatal(made.String())
		}
	}
	edited := filepath.Join("edited", "http.go")
	text, err := os.ReadFile(edited)
	must(err)
	must(os.WriteFile(edited, append(text, "// mine\n"...), 0o666))
	before := folder(t)

	rows := map[string]bool{}
	for line := range strings.Lines(string(table)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		row := strings.Split(strings.TrimSpace(line), " | ")
		if strings.HasPrefix(line, " | ") { // the program itself
			row = append([]string{""}, strings.Split(strings.TrimSpace(line[3:]), " | ")...)
		}
		if len(row) != 4 {
			t.Errorf("%q: expected four columns", line)
			continue
		}
		verb, flags, args, want := row[0], row[1], strings.Fields(row[2]), row[3]
		for flag := range strings.FieldsSeq(flags) {
			rows[strings.TrimSpace(verb+" --"+flag)] = true
		}
		if row[2] == "-" {
			continue
		}
		var stdout, stderr strings.Builder
		code := run(t.Context(), args, strings.NewReader(""), &stdout, &stderr)
		if code == 0 || !strings.HasPrefix(stderr.String(), "mcpgen: "+want) || stdout.Len() > 0 {
			t.Errorf("mcpgen %s: exit code %d, standard output %q, error\n%swant\n%s", row[2], code, stdout.String(), stderr.String(), want)
		}
		if after := folder(t); !slices.Equal(before, after) {
			t.Fatalf("mcpgen %s changed the folder: %q, was %q", row[2], after, before)
		}
	}
	root := newRoot()
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd("completion", "bash")
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		verb := strings.TrimSpace(strings.TrimPrefix(cmd.CommandPath(), "mcpgen"))
		cmd.InitDefaultVersionFlag()
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			name := strings.TrimSpace(verb + " --" + f.Name)
			if !rows[name] && f.Name != "help" {
				t.Errorf("mcpgen %s has no row in testdata/flags.table", name)
			}
			delete(rows, name)
		})
		for _, c := range cmd.Commands() {
			walk(c)
		}
	}
	walk(root)
	for name := range rows {
		t.Errorf("stale row: there is no flag %s", name)
	}
}

// folder returns the files below the current folder, with their texts.
func folder(t *testing.T) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(".", func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		all = append(all, path, string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
