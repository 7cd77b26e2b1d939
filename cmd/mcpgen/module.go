package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	root "github.com/mcpgen/mcpgen"
	"github.com/mcpgen/mcpgen/gen/files"
	"github.com/mcpgen/mcpgen/gen/skeleton"
)

// modulePath is the import path of mcpgen's module.
const modulePath = "github.com/mcpgen/mcpgen"

// linked lists, for each package of the project that generated code may import, the modules that it
// adds to what a server links, and those that the tests of its packages add to go.sum. The first row is
// for every server and client.
var linked = []struct {
	imports      string
	links, tests []string
}{
	{"/runtime", []string{"github.com/yosida95/uritemplate/v3", "golang.org/x/time"}, []string{
		"github.com/go-json-experiment/json", "github.com/google/go-cmp", "github.com/santhosh-tekuri/jsonschema/v6", "golang.org/x/text"}},
	{"/runtime/schema/ecma", []string{"github.com/dlclark/regexp2/v2"}, nil},
	{"/runtime/schema/fallback", []string{"github.com/dlclark/regexp2/v2", "github.com/santhosh-tekuri/jsonschema/v6", "golang.org/x/text"},
		[]string{"github.com/dlclark/regexp2"}},
}

// needed are the modules that mcpgen links.
var needed = []string{
	"github.com/bahlo/generic-list-go",
	"github.com/buger/jsonparser",
	"github.com/dave/jennifer",
	"github.com/dlclark/regexp2/v2",
	"github.com/go-jose/go-jose/v4",
	"github.com/gofrs/flock",
	"github.com/inconshreveable/mousetrap",
	"github.com/invopop/jsonschema",
	"github.com/pb33f/ordered-map/v2",
	"github.com/rogpeppe/go-internal",
	"github.com/santhosh-tekuri/jsonschema/v6",
	"github.com/spf13/cobra",
	"github.com/spf13/pflag",
	"github.com/yosida95/uritemplate/v3",
	"go.yaml.in/yaml/v4",
	"golang.org/x/oauth2",
	"golang.org/x/sys",
	"golang.org/x/text",
	"golang.org/x/time",
}

// module returns the contents of a go.mod for the folder. It returns nil if no go.mod is needed,
// because the enclosing module requires mcpgen or the package is a library in it.
func (p *project) module(name string, made *skeleton.Result) (*skeleton.Module, error) {
	around, err := enclosing(p.out)
	if err != nil {
		return nil, err
	}
	if around != "" && (p.library() || mentions(around, "require", "module")) {
		return nil, nil
	}
	version, sum, folder := origins()
	if version == unreleased && folder == "" {
		return nil, noCheckout()
	}
	links, tests := p.dependencies(made)
	pinned := readPins()
	m := &skeleton.Module{Path: "example.com/" + pathElement(name), Go: pinned.language, Version: version, Replace: folder}
	m.Needs, m.Tool = pinned.requires(links), pinned.requires(needed)
	m.Sums, m.ToolSum = pinned.sums(slices.Concat(links, tests)), pinned.sums(needed)
	if folder == "" {
		own := fmt.Sprintf("%s %s %s\n%[1]s %[2]s/go.mod %[4]s\n", modulePath, version, sum, modSum(root.Mod))
		m.Sums, m.ToolSum = sorted(own+m.Sums), sorted(own+m.ToolSum)
	}
	return m, nil
}

// sorted sorts lines.
func sorted(text string) string {
	return strings.Join(slices.Sorted(strings.Lines(text)), "")
}

// dependencies returns the modules that generated code links, and those that the go command also
// needs for the tests of the imported packages.
func (p *project) dependencies(made *skeleton.Result) (links, tests []string) {
	if p.protected {
		links = append(links, "github.com/go-jose/go-jose/v4")
	}
	for i, row := range linked {
		quoted := []byte(`"` + modulePath + row.imports + `"`)
		if i > 0 && !slices.ContainsFunc(made.Files, func(f files.File) bool { return bytes.Contains(f.Content, quoted) }) {
			continue
		}
		links, tests = append(links, row.links...), append(tests, row.tests...)
	}
	slices.Sort(links)
	return slices.Compact(links), tests
}

// pins are the versions and checksums of the modules that mcpgen was built with.
type pins struct {
	language string            // the Go version of mcpgen
	versions map[string]string // by module
}

func readPins() pins {
	p := pins{versions: map[string]string{}}
	for line := range strings.Lines(root.Mod) {
		fields := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "require "))
		if len(fields) < 2 {
			continue
		}
		if fields[0] == "go" {
			p.language = fields[1]
		}
		p.versions[fields[0]] = fields[1]
	}
	return p
}

// requires returns requirements of modules, as in "example.com/module v1.2.3".
func (p pins) requires(modules []string) []string {
	var all []string
	for _, path := range modules {
		all = append(all, path+" "+p.versions[path])
	}
	return all
}

// sums returns the lines of a go.sum for modules. Modules that mcpgen does not require itself have one
// version in its go.sum.
func (p pins) sums(modules []string) string {
	var text strings.Builder
	for line := range strings.Lines(root.Sum) {
		fields := strings.Fields(line)
		if len(fields) != 3 || !slices.Contains(modules, fields[0]) {
			continue
		}
		if version, ok := p.versions[fields[0]]; !ok || version == strings.TrimSuffix(fields[1], "/go.mod") {
			text.WriteString(line)
		}
	}
	return text.String()
}

// modSum returns the go.sum checksum of a go.mod.
func modSum(mod string) string {
	file := sha256.Sum256([]byte(mod))
	all := sha256.Sum256(fmt.Appendf(nil, "%x  go.mod\n", file))
	return "h1:" + base64.StdEncoding.EncodeToString(all[:])
}

// program returns the command that runs mcpgen in the folder's module.
func (p *project) program() (string, error) {
	around, err := enclosing(p.out)
	if err != nil {
		return "", err
	}
	switch {
	case around == "" || !mentions(around, "require", "module"):
		if around != "" && p.library() {
			return "go tool mcpgen", nil // after the command of hint
		}
		return "go tool -modfile=" + skeleton.ToolModule + " mcpgen", nil
	case mentions(around, "tool"):
		return "go tool mcpgen", nil
	}
	tool := filepath.Join(filepath.Dir(around), skeleton.ToolModule)
	if _, err := os.Stat(tool); err == nil {
		dir, err := filepath.Abs(p.out)
		if err != nil {
			return "", err
		}
		if tool, err = filepath.Rel(dir, tool); err != nil {
			return "", err
		}
		return "go tool -modfile=" + quoteWord(filepath.ToSlash(tool)) + " mcpgen", nil
	}
	return "go run " + modulePath + "/cmd/mcpgen", nil
}

// advice returns what the user must do before the folder's module builds, a line each.
func (p *project) advice(made *skeleton.Result, done *outcome) []string {
	var lines []string
	if slices.Contains(done.Mine, "handlers.go") && p.survey.Main != "" && !p.survey.Serves {
		lines = append(lines, "the function main was there before and does not call NewServer, which returns the server; see README.md")
	}
	lines = append(lines, p.drifted()...)
	if !p.client {
		lines = append(lines, p.unguarded()...)
	}
	if slices.Contains(done.Mine, "go.mod") {
		return append(lines, p.surroundings()...)
	}
	around, err := enclosing(p.out)
	if err != nil || around == "" {
		return lines
	}
	if !mentions(around, "require", "module") {
		return append(lines, "mcpgen is not a requirement of the module; run there: "+p.hint())
	}
	if folder := replacement(around); folder != "" {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err != nil {
			lines = append(lines, fmt.Sprintf("%s replaces mcpgen with the checkout %s, which is missing; run there: go mod edit -replace=%s=FOLDER", around, folder, modulePath))
		}
	}
	for _, module := range []struct{ file, sums, tidy string }{{"go.mod", "go.sum", "go mod tidy"}, {skeleton.ToolModule, "mcpgen.sum", "go mod tidy -modfile=" + skeleton.ToolModule}} {
		dir := filepath.Dir(around)
		if exists(filepath.Join(dir, module.file)) && !exists(filepath.Join(dir, module.sums)) && !mentions(around, "module") {
			lines = append(lines, fmt.Sprintf("%s has no %s; run there: %s", dir, module.sums, module.tidy))
		}
	}
	links, _ := p.dependencies(made)
	for _, path := range links {
		if !mentions(around, "module") && !requires(around, path) {
			lines = append(lines, fmt.Sprintf("the generated code links %s, which the module does not require; run there: go mod tidy", path))
			break
		}
	}
	return lines
}

// surroundings returns advice about the module and the workspace around a folder that has become a module.
func (p *project) surroundings() []string {
	dir, err := filepath.Abs(p.out)
	if err != nil {
		return nil
	}
	var lines []string
	if outer, err := enclosing(filepath.Dir(dir)); err == nil && outer != "" {
		lines = append(lines, fmt.Sprintf("%s is a module of its own, because %s does not require mcpgen; for a package of that module, run there before the first generation: %s", p.out, outer, p.hint()))
	}
	if work := workspace(dir); work != "" {
		lines = append(lines, fmt.Sprintf("%s is in the workspace of %s; run there: go work use %s; \"go generate\" needs GOWORK=off", p.out, work, quoteWord(dir)))
	}
	return lines
}

// hint returns the command that adds mcpgen to the folder's module.
func (p *project) hint() string {
	version, _, folder := origins()
	if folder == "" {
		return fmt.Sprintf("go get -tool %s/cmd/mcpgen@%s", modulePath, version)
	}
	return fmt.Sprintf("go mod edit -tool=%[1]s/cmd/mcpgen -require=%[1]s@%[2]s -replace=%[1]s=%[3]s && go mod tidy", modulePath, version, quoteWord(folder))
}

// unreleased is the version in a go.mod that replaces mcpgen with a folder.
const unreleased = "v0.0.0-00010101000000-000000000000"

// origins returns the version and checksum of a released mcpgen, or the folder that mcpgen was
// built from.
func origins() (version, sum, folder string) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return unreleased, "", checkout()
	}
	self := &info.Main
	for _, dep := range info.Deps {
		if dep.Path == modulePath {
			self = dep
		}
	}
	// A downloaded module has a checksum. A build in a folder has none, even if the repository
	// gives it a version.
	if self.Path == modulePath && self.Replace == nil && self.Sum != "" {
		return self.Version, self.Sum, ""
	}
	return unreleased, "", checkout()
}

// checkout returns the folder that this program was built from, or "" if it is unknown or gone. A program
// that was built with -trimpath does not know it, but may be in it.
func checkout() string {
	if dir := builtFrom(); dir != "" && isCheckout(dir) {
		return dir
	}
	program, err := os.Executable()
	if err != nil {
		return ""
	}
	if program, err = filepath.EvalSymlinks(program); err != nil {
		return ""
	}
	if mod, err := enclosing(filepath.Dir(program)); err == nil && mod != "" && isCheckout(filepath.Dir(mod)) {
		return filepath.Dir(mod)
	}
	return ""
}

// builtFrom returns the folder of the sources of this program at the time of its build, or "" if it was
// built with -trimpath.
func builtFrom() string {
	_, file, _, ok := runtime.Caller(0)
	if !ok || !filepath.IsAbs(file) {
		return ""
	}
	return filepath.Dir(filepath.Dir(filepath.Dir(file)))
}

// isCheckout reports whether a folder has the sources of mcpgen.
func isCheckout(dir string) bool {
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	return err == nil && strings.HasPrefix(string(text), "module "+modulePath+"\n")
}

// pathElement turns the name of a folder into an element of an import path.
func pathElement(name string) string {
	clean := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		}
		return '-'
	}, name)
	if clean = strings.Trim(clean, "-_"); clean == "" {
		return "server"
	}
	return clean
}

// noCheckout returns the error if no go.mod can refer to mcpgen.
func noCheckout() error {
	why := "it was built with -trimpath, so the checkout that it was built from is unknown"
	if dir := builtFrom(); dir != "" {
		why = "the checkout that it was built from, " + dir + ", is missing"
	}
	return fmt.Errorf("this mcpgen is not a released version, and %s: run \"go install ./cmd/mcpgen\" in a checkout, or write a go.mod that requires %s", why, modulePath)
}

// exists reports whether there is a file of a name.
func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
