// Package files writes generated files to the disk, or reports how the disk differs from
// them.
//
// A file is ours if it starts with a generated-code header. Other files are never
// overwritten or removed. A file of ours that is no longer planned is removed. Either all
// files are written or none.
package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// File is a planned file. Path has slashes and is relative to the plan's folder.
type File struct {
	Path    string
	Content []byte
}

// Plan lists all files that a generator wants under a folder.
type Plan struct {
	Dir   string
	Files []File
	// Owned lists the folders below Dir that contain only planned files. Other generated
	// files in them are stale.
	Owned []string
	// Suffixes lists the suffixes of the file names that may be stale. It defaults to
	// ".go".
	Suffixes []string
	// Users are files that belong to the user once they exist: they are created if missing
	// and otherwise left alone, whatever they contain.
	Users []File
	// Former has texts of users' files by path. A file with one of them was never changed by the user, so it is
	// replaced, or removed if it is not among Users.
	Former map[string][][]byte
	// Notes are for the user; they are not written to a file.
	Notes []string
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
	return diff.Diff(oldName, lines(c.Old), newName, lines(c.New))
}

// Changes compares the plan with the disk. It returns an error if the plan would change a
// file that is not ours or that is behind a symbolic link.
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
			// A problem with a folder occurs for each file in it and is reported once.
			if !slices.ContainsFunc(errs, func(e error) bool { return e.Error() == err.Error() }) {
				errs = append(errs, err)
			}
		case Same(old, f.Content):
		case !Generated(old):
			errs = append(errs, fmt.Errorf("%s: is not a generated file and will not be overwritten", filepath.Join(p.Dir, f.Path)))
		default:
			changes = append(changes, Change{Path: f.Path, Old: old, New: f.Content, Kind: "modify"})
		}
	}
	former := maps.Clone(p.Former)
	for _, f := range p.Users {
		_, err := os.Lstat(p.join(f.Path))
		if errors.Is(err, fs.ErrNotExist) {
			changes = append(changes, Change{Path: f.Path, New: f.Content, Kind: "add"})
		} else if err != nil {
			errs = append(errs, err)
		} else if old, ok := p.unchanged(f.Path); ok && !Same(old, f.Content) {
			changes = append(changes, Change{Path: f.Path, Old: old, New: f.Content, Kind: "modify"})
		}
		delete(former, f.Path)
	}
	for path := range former {
		if old, ok := p.unchanged(path); ok {
			changes = append(changes, Change{Path: path, Old: old, Kind: "remove"})
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

// Write applies the plan to the disk and returns what it changed. It first writes each file in full
// to a temporary file beside its target, so that a failure or the end of ctx leaves the old tree.
// After that, it gives the files their names and ignores the end of ctx.
func (p Plan) Write(ctx context.Context) ([]Change, error) {
	changes, err := p.Changes()
	if err != nil {
		return nil, err
	}
	return changes, p.apply(ctx, changes)
}

// Replace writes files even if the existing ones are not ours: all of them or none, as Write does. A path leads to its
// [Target].
func Replace(ctx context.Context, dir string, list []File) error {
	var p Plan
	var changes []Change
	for _, f := range list {
		name, err := Target(filepath.Join(dir, filepath.FromSlash(f.Path)))
		if err != nil {
			return err
		}
		change := Change{Path: filepath.ToSlash(name), New: f.Content, Kind: "modify"}
		if change.Old, err = os.ReadFile(name); errors.Is(err, fs.ErrNotExist) {
			change.Kind = "add"
		} else if err != nil {
			return err
		}
		changes = append(changes, change)
	}
	return p.apply(ctx, changes)
}

// Target returns the name of the file that [Replace] writes for a name, which may be that of a symbolic link. It
// returns an error if something is there that must not be replaced: a folder, a device, or a file that nobody may
// write.
func Target(name string) (string, error) {
	if linked, err := filepath.EvalSymlinks(name); err == nil {
		name = linked
	}
	switch info, err := os.Lstat(name); {
	case errors.Is(err, fs.ErrNotExist):
		return name, nil
	case err != nil:
		return "", err
	case info.IsDir():
		return "", fmt.Errorf("%s: is a folder", name)
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s: is not a regular file, so it is not replaced", name)
	case info.Mode()&0o222 == 0:
		return "", fmt.Errorf("%s: is read-only, so it is not replaced", name)
	}
	return name, nil
}

// apply makes all changes or none. If it makes none, it removes the folders that it has made.
func (p Plan) apply(ctx context.Context, changes []Change) (err error) {
	staged := make([]string, len(changes)) // the temporary files
	var folders []string                   // the new ones, the outer ones first
	done := 0
	defer func() {
		if err == nil {
			return
		}
		for i, c := range changes {
			if i < done {
				err = errors.Join(err, p.undo(c))
			} else if staged[i] != "" {
				os.Remove(staged[i])
			}
		}
		for _, dir := range slices.Backward(folders) {
			os.Remove(dir) // fails if somebody else has put a file there
		}
	}()
	for i, c := range changes {
		if err := ctx.Err(); err != nil {
			return err
		}
		if c.Kind == "remove" {
			continue
		}
		made, err := makeFolders(filepath.Dir(p.join(c.Path)))
		folders = append(folders, made...)
		if err == nil {
			staged[i], err = p.stage(c.Path, c.New)
		}
		if err != nil {
			return p.unwritable(c, err)
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	for i, c := range changes {
		if c.Kind == "remove" {
			err = os.Remove(p.join(c.Path))
		} else {
			err = os.Rename(staged[i], p.join(c.Path))
		}
		if err != nil {
			return p.unwritable(c, err)
		}
		done++
	}
	return nil
}

// undo restores what a file was before a change.
func (p Plan) undo(c Change) error {
	if c.Kind == "add" {
		return os.Remove(p.join(c.Path))
	}
	name, err := p.stage(c.Path, c.Old)
	if err != nil {
		return err
	}
	return os.Rename(name, p.join(c.Path))
}

// unwritable returns the error of a change, with the name of the file in place of that of a temporary one.
func (p Plan) unwritable(c Change, err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err
	} else if e, ok := errors.AsType[*os.LinkError](err); ok {
		err = e.Err
	}
	if c.Kind == "remove" {
		return fmt.Errorf("%s: cannot be removed: %w", p.join(c.Path), err)
	}
	return fmt.Errorf("%s: cannot be written: %w", p.join(c.Path), err)
}

// makeFolders makes a folder and those around it. It returns the new ones, the outer ones first.
func makeFolders(dir string) (made []string, err error) {
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(at); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		made = append(made, at)
	}
	slices.Reverse(made)
	return made, os.MkdirAll(dir, 0o777)
}

// stage writes the content of a file to a temporary file in its folder.
func (p Plan) stage(path string, content []byte) (string, error) {
	f, err := os.CreateTemp(filepath.Dir(p.join(path)), ".mcpgen-*")
	if err != nil {
		return "", err
	}
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(p.join(path)); err == nil {
		mode = info.Mode().Perm()
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Chmod(mode)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		os.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}

func (p Plan) join(path string) string { return filepath.Join(p.Dir, filepath.FromSlash(path)) }

// read returns the content of a file. It returns an error if it is not a regular file.
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

// stale returns the generated files in the owned folders that are not planned.
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

// unchanged returns the text of a file, and reports whether it is one of the texts that Former has
// for it.
func (p Plan) unchanged(path string) ([]byte, bool) {
	if p.Former[path] == nil {
		return nil, false
	}
	text, err := p.read(path)
	return text, err == nil && slices.ContainsFunc(p.Former[path], func(former []byte) bool { return Same(former, text) })
}

func (p Plan) mayBeStale(path string) bool {
	if len(p.Suffixes) == 0 {
		return strings.HasSuffix(path, ".go")
	}
	return slices.ContainsFunc(p.Suffixes, func(s string) bool { return strings.HasSuffix(path, s) })
}

var header = regexp.MustCompile(`(?m)\A// Code generated by mcpgen from .*; DO NOT EDIT\.\r?$`)

// lines returns a text with the line ends of Unix. Git for Windows checks files out with those of Windows.
func lines(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")) }

// Same reports whether two texts are equal but for their line ends.
func Same(a, b []byte) bool { return bytes.Equal(lines(a), lines(b)) }

// Generated reports whether a file's content has the header of files that mcpgen generates.
func Generated(content []byte) bool { return header.Match(content) }
