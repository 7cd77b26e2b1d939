package main

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	root "github.com/mcpgen/mcpgen"
	"github.com/mcpgen/mcpgen/gen/skeleton"
)

// modulePath is the import path of mcpgen's module.
const modulePath = "github.com/mcpgen/mcpgen"

// needed are the modules that a generated server, or mcpgen as its tool, may link.
var needed = []string{
	"dario.cat/mergo",
	"github.com/atombender/go-jsonschema",
	"github.com/bahlo/generic-list-go",
	"github.com/buger/jsonparser",
	"github.com/dave/jennifer",
	"github.com/dlclark/regexp2/v2",
	"github.com/goccy/go-yaml",
	"github.com/inconshreveable/mousetrap",
	"github.com/invopop/jsonschema",
	"github.com/pb33f/ordered-map/v2",
	"github.com/rogpeppe/go-internal",
	"github.com/santhosh-tekuri/jsonschema/v6",
	"github.com/spf13/cobra",
	"github.com/spf13/pflag",
	"github.com/yosida95/uritemplate/v3",
	"go.yaml.in/yaml/v4",
	"golang.org/x/text",
}

// module returns the contents of a go.mod for the folder. It returns nil if no go.mod is
// needed: the enclosing module requires mcpgen, or encloses a package with a name of its own.
func (p *project) module(name string) (*skeleton.Module, error) {
	around, err := enclosing(p.out)
	if err != nil {
		return nil, err
	}
	if around != "" && (p.named && p.pkg != "main" || mentions(around, "require", "module")) {
		return nil, nil
	}
	version, sum, folder := origins()
	if version == unreleased && folder == "" {
		return nil, errNoCheckout
	}
	m := &skeleton.Module{Path: "example.com/" + pathElement(name), Version: version, Replace: folder}
	m.Sums, m.Go, m.Needs = requirements()
	if folder == "" {
		m.Sums = fmt.Sprintf("%s %s %s\n%[1]s %[2]s/go.mod %[4]s\n", modulePath, version, sum, modSum(root.Mod)) + m.Sums
	}
	return m, nil
}

// requirements returns the requirements of a generated server: the lines of its go.sum, its Go
// version, and the modules with their versions.
func requirements() (sums, language string, modules []string) {
	requires := map[string]string{}
	for line := range strings.Lines(root.Mod) {
		fields := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "require "))
		if len(fields) < 2 {
			continue
		}
		if fields[0] == "go" {
			language = fields[1]
		}
		if slices.Contains(needed, fields[0]) {
			requires[fields[0]] = fields[1]
		}
	}
	var text strings.Builder
	for line := range strings.Lines(root.Sum) {
		fields := strings.Fields(line)
		if len(fields) == 3 && strings.TrimSuffix(fields[1], "/go.mod") == requires[fields[0]] {
			text.WriteString(line)
		}
	}
	for _, path := range needed {
		modules = append(modules, path+" "+requires[path])
	}
	return text.String(), language, modules
}

// modSum returns the go.sum checksum of a go.mod.
func modSum(mod string) string {
	file := sha256.Sum256([]byte(mod))
	all := sha256.Sum256(fmt.Appendf(nil, "%x  go.mod\n", file))
	return "h1:" + base64.StdEncoding.EncodeToString(all[:])
}

// enclosing returns the go.mod of the module around a folder, or "" if there is none.
func enclosing(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for {
		name := filepath.Join(dir, "go.mod")
		if _, err := os.Stat(name); err == nil {
			return name, nil
		} else if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", nil
		}
		dir = parent
	}
}

// program returns the command that runs mcpgen in the folder's module.
func (p *project) program() (string, error) {
	around, err := enclosing(p.out)
	if err != nil {
		return "", err
	}
	if around != "" && mentions(around, "require", "module") && !mentions(around, "tool") {
		return "go run " + modulePath + "/cmd/mcpgen", nil
	}
	return "go tool mcpgen", nil
}

// hint returns the command that adds mcpgen to the folder's module, or "" if the module has it.
func (p *project) hint() string {
	around, err := enclosing(p.out)
	if err != nil || around == "" || mentions(around, "require", "module") {
		return ""
	}
	version, _, folder := origins()
	if folder == "" {
		return fmt.Sprintf("go get -tool %s/cmd/mcpgen@%s", modulePath, version)
	}
	return fmt.Sprintf("go mod edit -tool=%[1]s/cmd/mcpgen -require=%[1]s@%[2]s -replace=%[1]s=%[3]s && go mod tidy", modulePath, version, quoteWord(folder))
}

// mentions reports whether one of the directives in a go.mod mentions mcpgen.
func mentions(name string, directives ...string) bool {
	text, err := os.ReadFile(name)
	if err != nil {
		return false
	}
	block := ""
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "//")
		fields := strings.Fields(line)
		switch {
		case len(fields) == 0:
			continue
		case fields[0] == ")":
			block = ""
			continue
		case len(fields) == 2 && fields[1] == "(":
			block = fields[0]
			continue
		case block != "":
			fields = append([]string{block}, fields...)
		}
		if len(fields) > 1 && slices.Contains(directives, fields[0]) && (fields[1] == modulePath || strings.HasPrefix(fields[1], modulePath+"/")) {
			return true
		}
	}
	return false
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

// checkout returns the folder that this program was built from, or "" if it is unknown or gone.
func checkout() string {
	_, file, _, ok := runtime.Caller(0)
	if !ok || !filepath.IsAbs(file) {
		return ""
	}
	dir := filepath.Dir(filepath.Dir(filepath.Dir(file)))
	if text, err := os.ReadFile(filepath.Join(dir, "go.mod")); err != nil || !strings.HasPrefix(string(text), "module "+modulePath+"\n") {
		return ""
	}
	return dir
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

// errNoCheckout is the error if no go.mod can refer to mcpgen.
var errNoCheckout = fmt.Errorf("this mcpgen is not a released version, and the folder it was built from is unknown (built with -trimpath?): put a go.mod that requires %s into the folder", modulePath)
