package main

import (
	"errors"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// enclosing returns the go.mod of the module around a folder, or "" if there is none.
func enclosing(dir string) (string, error) { return above(dir, "go.mod") }

// within returns the path to the folder from that of the module around it, or "" if they are the same.
func (p *project) within() (string, error) {
	around, err := enclosing(p.out)
	if err != nil || around == "" {
		return "", err
	}
	dir, err := filepath.Abs(p.out)
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(filepath.Dir(around), dir)
	if rel == "." {
		rel = ""
	}
	return filepath.ToSlash(rel), err
}

// above returns the nearest file of a name in a folder or in one around it, or "" if there is none.
func above(dir, file string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for {
		name := filepath.Join(dir, file)
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

// workspace returns the go.work of the workspace around a folder, or "" if there is none.
func workspace(dir string) string {
	if set := os.Getenv("GOWORK"); set != "" {
		if set == "off" {
			return ""
		}
		return set
	}
	work, err := above(dir, "go.work")
	if err != nil {
		return ""
	}
	return work
}

// mentions reports whether one of the directives in a go.mod mentions mcpgen.
func mentions(name string, directives ...string) bool {
	for fields := range directivesOf(name) {
		if len(fields) > 1 && slices.Contains(directives, fields[0]) && (fields[1] == modulePath || strings.HasPrefix(fields[1], modulePath+"/")) {
			return true
		}
	}
	return false
}

// requires reports whether a go.mod requires a module.
func requires(name, path string) bool {
	for fields := range directivesOf(name) {
		if len(fields) > 1 && fields[0] == "require" && fields[1] == path {
			return true
		}
	}
	return false
}

// replacement returns the folder that replaces mcpgen in a go.mod, or "" if none does.
func replacement(name string) string {
	for fields := range directivesOf(name) {
		if len(fields) < 4 || fields[0] != "replace" || fields[1] != modulePath {
			continue
		}
		folder := strings.Trim(strings.Join(fields[slices.Index(fields, "=>")+1:], " "), "\"`")
		if filepath.IsAbs(folder) {
			return folder
		}
		if strings.HasPrefix(folder, ".") {
			return filepath.Join(filepath.Dir(name), folder)
		}
	}
	return ""
}

// directivesOf returns the words of each directive in a go.mod, without comments. In a block, the first
// word is that of the block.
func directivesOf(name string) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		text, err := os.ReadFile(name)
		if err != nil {
			return
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
			if !yield(fields) {
				return
			}
		}
	}
}
