// Package files brings generated files to the disk, or tells how the disk
// differs from them.
//
// A file is ours when it starts with a generated-code header. Others are never
// written over nor removed; a file of ours that is no longer planned is
// removed. Either all files are written or none is.
package files

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// File is a planned file; Path has slashes and is relative to the folder all
// files of a plan go to.
type File struct {
	Path    string
	Content []byte
}

// Plan is all that a generator wants to have under a folder.
type Plan struct {
	Dir   string
	Files []File
	// Owned are the folders below Dir that hold nothing but planned files:
	// generated files found there and not planned are stale.
	Owned []string
	// Suffixes are how the names of files end that may be stale; none is ".go".
	Suffixes []string
	// Users are files that belong to the user once they are there: they are written where
	// there is nothing, and otherwise left alone, whatever they are.
	Users []File
}

// Change is a difference between a plan and the disk.
type Change struct {
	Path     string
	Old, New []byte
	// Kind is "add", "modify" or "remove".
	Kind string
}

// Diff renders the change as a unified diff.
func (c Change) Diff() []byte {
	oldName, newName := "a/"+c.Path, "b/"+c.Path
	switch c.Kind {
	case "add":
		oldName = "/dev/null"
	case "remove":
		newName = "/dev/null"
	}
	return diff.Diff(oldName, c.Old, newName, c.New)
}

// Changes compares the plan with the disk. It fails when the plan would touch
// a file that is not ours or that lies behind a symbolic link.
func (p Plan) Changes() ([]Change, error) {
	var changes []Change
	var errs []error
	planned := map[string]bool{}
	for _, f := range p.Files {
		planned[f.Path] = true
		old, err := p.read(f.Path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			changes = append(changes, Change{Path: f.Path, New: f.Content, Kind: "add"})
		case err != nil:
			// What is wrong with a folder is so for each file in it.
			if !slices.ContainsFunc(errs, func(e error) bool { return e.Error() == err.Error() }) {
				errs = append(errs, err)
			}
		case bytes.Equal(old, f.Content):
		case !Generated(old):
			errs = append(errs, fmt.Errorf("%s: is not a generated file; it will not be overwritten", filepath.Join(p.Dir, f.Path)))
		default:
			changes = append(changes, Change{Path: f.Path, Old: old, New: f.Content, Kind: "modify"})
		}
	}
	for _, f := range p.Users {
		_, err := os.Lstat(p.join(f.Path))
		if errors.Is(err, fs.ErrNotExist) {
			changes = append(changes, Change{Path: f.Path, New: f.Content, Kind: "add"})
		} else if err != nil {
			errs = append(errs, err)
		}
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	stale, err := p.stale(planned)
	if err != nil {
		return nil, err
	}
	changes = append(changes, stale...)
	slices.SortFunc(changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return changes, nil
}

// Write makes the disk like the plan and returns what it changed. Every file
// is first written in full beside its place, so that a failure on the way
// leaves the old tree.
func (p Plan) Write() ([]Change, error) {
	changes, err := p.Changes()
	if err != nil {
		return nil, err
	}
	return changes, p.apply(changes)
}

// Replace writes files whoever wrote what is there now: all of them or none.
func Replace(dir string, list []File) error {
	p := Plan{Dir: dir}
	var changes []Change
	for _, f := range list {
		changes = append(changes, Change{Path: f.Path, New: f.Content, Kind: "modify"})
	}
	return p.apply(changes)
}

func (p Plan) apply(changes []Change) error {
	staged := map[string]string{}
	defer func() {
		for _, name := range staged {
			os.Remove(name)
		}
	}()
	for _, c := range changes {
		if c.Kind == "remove" {
			continue
		}
		name, err := p.stage(c)
		if err != nil {
			return err
		}
		staged[c.Path] = name
	}
	for _, c := range changes {
		target := p.join(c.Path)
		if c.Kind == "remove" {
			if err := os.Remove(target); err != nil {
				return err
			}
			continue
		}
		if err := os.Rename(staged[c.Path], target); err != nil {
			return err
		}
		delete(staged, c.Path)
	}
	return nil
}

// stage writes the new content to a temporary file in the folder of its place.
func (p Plan) stage(c Change) (string, error) {
	dir := filepath.Dir(p.join(c.Path))
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(dir, ".mcpgen-*")
	if err != nil {
		return "", err
	}
	_, err = f.Write(c.New)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		os.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}

func (p Plan) join(path string) string { return filepath.Join(p.Dir, filepath.FromSlash(path)) }

// read returns a file of the tree, and refuses what is no regular file.
func (p Plan) read(path string) ([]byte, error) {
	name := p.join(path)
	if info, err := os.Stat(p.join(".")); err == nil && !info.IsDir() {
		return nil, fmt.Errorf("%s: is not a folder", p.join("."))
	}
	for dir := path; dir != "."; dir = filepath.ToSlash(filepath.Dir(dir)) {
		info, err := os.Lstat(p.join(dir))
		if err != nil {
			continue
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			return nil, fmt.Errorf("%s: is a symbolic link; generated files are not written through links", p.join(dir))
		}
		if dir == path && !info.Mode().IsRegular() {
			return nil, fmt.Errorf("%s: is not a regular file", name)
		}
		if dir != path && !info.IsDir() {
			return nil, fmt.Errorf("%s: is not a folder", p.join(dir))
		}
	}
	return os.ReadFile(name)
}

// stale finds generated files in the owned folders that are not planned.
func (p Plan) stale(planned map[string]bool) ([]Change, error) {
	var changes []Change
	for _, dir := range p.Owned {
		entries, err := os.ReadDir(p.join(dir))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, entry := range entries {
			path := strings.TrimPrefix(dir+"/"+entry.Name(), "./")
			if planned[path] || !entry.Type().IsRegular() || !p.mayBeStale(path) {
				continue
			}
			old, err := os.ReadFile(p.join(path))
			if err != nil {
				return nil, err
			}
			if Generated(old) {
				changes = append(changes, Change{Path: path, Old: old, Kind: "remove"})
			}
		}
	}
	return changes, nil
}

func (p Plan) mayBeStale(path string) bool {
	if len(p.Suffixes) == 0 {
		return strings.HasSuffix(path, ".go")
	}
	return slices.ContainsFunc(p.Suffixes, func(s string) bool { return strings.HasSuffix(path, s) })
}

var header = regexp.MustCompile(`(?m)\A// Code generated by mcpgen from .*; DO NOT EDIT\.$`)

// Generated reports whether a file's content says that mcpgen wrote it.
func Generated(content []byte) bool { return header.Match(content) }
