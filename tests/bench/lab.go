package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/tests/bench/peers"
)

// Lab has the project's folder, and a temporary folder for built programs.
type Lab struct {
	root  string // the folder of the project
	dir   string
	built map[string]string // built programs by package
	// part divides long work in tests; 1 means all of it
	part int
}

// newLab creates a lab; close removes its folder.
func newLab(part int) (*Lab, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/mcpgen/mcpgen").Output()
	if err != nil {
		return nil, fmt.Errorf("where is mcpgen? go list: %w", err)
	}
	dir, err := os.MkdirTemp("", "mcpgen-bench-")
	if err != nil {
		return nil, err
	}
	return &Lab{root: strings.TrimSpace(string(out)), dir: dir, built: map[string]string{}, part: part}, nil
}

func (l *Lab) close() { os.RemoveAll(l.dir) }

// partOf returns n, or a fraction of it in tests.
func (l *Lab) partOf(n int) int { return max(n/l.part, 1) }

// run runs a command and returns its output.
func run(ctx context.Context, dir string, env []string, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s%s", name, strings.Join(args, " "), err, out, &stderr)
	}
	return out, nil
}

// stripped are the build flags of released programs.
var stripped = []string{"-trimpath", "-ldflags", "-s -w"}

// build builds a package of the project once and returns the program.
func (l *Lab) build(ctx context.Context, folder string, flags ...string) (string, error) {
	if program, ok := l.built[folder]; ok {
		return program, nil
	}
	program := filepath.Join(l.dir, strings.ReplaceAll(folder, "/", "-")+".exe")
	if err := goBuild(ctx, filepath.Join(l.root, folder), program, flags...); err != nil {
		return "", err
	}
	l.built[folder] = program
	return program, nil
}

func goBuild(ctx context.Context, dir, program string, flags ...string) error {
	_, err := run(ctx, dir, nil, "go", append(append([]string{"build", "-o", program}, flags...), ".")...)
	return err
}

// mcpgen builds the program mcpgen.
func (l *Lab) mcpgen(ctx context.Context) (string, error) { return l.build(ctx, "cmd/mcpgen") }

// handWritten are the folders of the servers that mcpgen did not generate.
var handWritten = map[string]string{floor: "echo", mcpGo: "mcpgo", goSDK: "gosdk"}

// server returns a stdio server program with the tool get_weather.
func (l *Lab) server(ctx context.Context, subject string) (string, error) {
	if folder, ok := handWritten[subject]; ok {
		return l.build(ctx, "tests/bench/servers/"+folder, stripped...)
	}
	p, err := l.project(ctx, "weather", filepath.Join(l.root, "tests/bench/peers/tools.json"))
	if err != nil {
		return "", err
	}
	return p.build(ctx)
}

// project is a user's server: its folder, and the file that is edited between builds.
type project struct {
	dir, file string
	program   string
	// overlay names the file in the project that go build replaces with edited; "" if edited is
	// the file itself.
	overlay, edited string
}

// project generates a server from a tool list and implements the handler.
func (l *Lab) project(ctx context.Context, name, list string) (*project, error) {
	mcpgen, err := l.mcpgen(ctx)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(l.dir, name)
	p := &project{dir: dir, file: filepath.Join(dir, "handlers.go"), program: dir + ".exe"}
	p.edited = p.file
	if _, err := os.Stat(dir); err == nil {
		return p, nil
	}
	if _, err := run(ctx, l.root, nil, mcpgen, "server", "--tools", list, "--out", dir, "--transport", "stdio"); err != nil {
		return nil, err
	}
	return p, p.edit()
}

// written returns a hand-written server as a project. Its file is not changed.
func (l *Lab) written(name string) (*project, error) {
	dir := filepath.Join(l.root, "tests/bench/servers", name)
	in := func(suffix string) string { return filepath.Join(l.dir, name+suffix) }
	p := &project{dir: dir, file: filepath.Join(dir, "main.go"), program: in("-edited.exe"), overlay: in(".json"), edited: in(".go")}
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {p.file: p.edited}})
	if err != nil {
		return nil, err
	}
	return p, errors.Join(os.WriteFile(p.overlay, replace, 0o666), p.edit())
}

// handler has the return statements of a handler before and after a user has implemented it.
const (
	emptyHandler = `return nil, errors.New("the tool get_weather is not implemented")`
	filledIn     = `out := &GetWeatherOutput{City: in.City, Sky: "snow", Temperature: -13.5, Wind: 12.25}
	if in.City == "` + peers.Nowhere + `" {
		out.Temperature = 1000
	}
	return out, nil`
)

// edit changes the file so that the program changes too, each time into one that is not in the
// build cache.
func (p *project) edit() error {
	source, err := os.ReadFile(p.file)
	if err != nil {
		return err
	}
	text := strings.Replace(string(source), emptyHandler, filledIn, 1)
	if !strings.Contains(text, "errors.New") {
		text = strings.Replace(text, "\t\"errors\"\n", "", 1)
	}
	text, _, _ = strings.Cut(text, "\n// edit ")
	text += fmt.Sprintf("\n// edit %d\nvar edits = %[1]d\n\nfunc init() { edits++ }\n", time.Now().UnixNano())
	return os.WriteFile(p.edited, []byte(text), 0o666)
}

// build builds the stripped server.
func (p *project) build(ctx context.Context) (string, error) {
	flags := stripped
	if p.overlay != "" {
		flags = append([]string{"-overlay", p.overlay}, stripped...)
	}
	return p.program, goBuild(ctx, p.dir, p.program, flags...)
}
