package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/gen/catalog"
	"github.com/mcpgen/mcpgen/gen/diff"
	"github.com/mcpgen/mcpgen/gen/diff/render"
	"github.com/mcpgen/mcpgen/gen/diff/render/page"
	"github.com/mcpgen/mcpgen/gen/tools"
)

// pairing is a comparison to make: the arguments of its two sides.
type pairing struct {
	old, new string
	// added and removed mean that only the new or the old side has the list.
	added, removed bool
	step           *render.Step // of a history
}

// pairings returns the comparisons that arguments ask for: that of two sides, those of the lists of
// two folders, or those of the steps of a history.
func (d *differ) pairings(cmd *cobra.Command, args []string) ([]pairing, error) {
	if len(args) == 2 {
		return folders(cmd.Context(), args[0], args[1])
	}
	object, ok, err := parseGit(args[0])
	if err != nil {
		return nil, err
	}
	from, to, ranged := strings.Cut(object.rev, "..")
	if !ok || !ranged || from == "" || strings.HasPrefix(to, ".") {
		return nil, fmt.Errorf("diff takes two arguments, OLD and NEW, a history such as git:v1.2..HEAD:tools.json, or --all; got %q", args[0])
	}
	if to == "" {
		to = "HEAD"
	}
	steps, err := history(cmd.Context(), from, to, object.path)
	if err != nil {
		return nil, err
	}
	var all []pairing
	old := gitObject{from, object.path}
	for _, s := range steps {
		new := gitObject{s.rev, object.path}
		if old.id(cmd.Context()) != new.id(cmd.Context()) {
			pairs, err := folders(cmd.Context(), old.String(), new.String())
			if err != nil {
				return nil, err
			}
			for _, p := range pairs {
				if !sameObject(cmd.Context(), p) {
					p.step = &render.Step{Title: s.title, Date: s.date}
					all = append(all, p)
				}
			}
		}
		old = new
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: nothing has changed in %s", args[0], object.path)
	}
	return all, nil
}

// sameObject reports whether both sides of a pairing are the same text in git.
func sameObject(ctx context.Context, p pairing) bool {
	old, _, _ := parseGit(p.old)
	new, _, _ := parseGit(p.new)
	return old.id(ctx) == new.id(ctx)
}

// folders returns the comparisons of the lists of two folders, which have the same names, or that of
// two other sides.
func folders(ctx context.Context, old, new string) ([]pairing, error) {
	was, err := openFolder(ctx, old)
	if err != nil {
		return nil, err
	}
	is, err := openFolder(ctx, new)
	if err != nil {
		return nil, err
	}
	if was.missing && is.missing {
		return nil, fmt.Errorf("%s and %s: neither commit has the file", old, new)
	}
	if was.files == nil && is.files == nil {
		return []pairing{{old: old, new: new, added: was.missing, removed: is.missing}}, nil
	}
	for _, side := range []*listFolder{was, is} {
		if side.files == nil && !side.missing {
			return nil, fmt.Errorf("%s is a folder but %s is not: cannot compare them", map[bool]string{true: new, false: old}[side == was], side.arg)
		}
	}
	var all []pairing
	for _, name := range slices.Compact(slices.Sorted(slices.Values(slices.Concat(was.files, is.files)))) {
		one := pairing{old: was.file(name), new: is.file(name), added: !slices.Contains(was.files, name), removed: !slices.Contains(is.files, name)}
		listed, err := anyList(ctx, one)
		if err != nil {
			return nil, err
		}
		if listed {
			all = append(all, one)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("comparing %s with %s: %w: no file is a list of what a server offers", old, new, diff.ErrNothing)
	}
	return all, nil
}

// listFolder is a side that may be a folder.
type listFolder struct {
	arg string
	// files are the paths of the files that may be lists, relative to the folder. They are nil if
	// the side is no folder.
	files []string
	// missing means that the commit of a side has neither a file nor a folder of the name.
	missing bool
}

// file returns the argument for a file.
func (f *listFolder) file(name string) string {
	if strings.HasPrefix(f.arg, "git:") {
		return strings.TrimSuffix(f.arg, "/") + "/" + name
	}
	return filepath.Join(f.arg, filepath.FromSlash(name))
}

func openFolder(ctx context.Context, arg string) (*listFolder, error) {
	f := &listFolder{arg: arg}
	object, ok, err := parseGit(arg)
	if err != nil {
		return nil, err
	}
	var names []string
	if ok {
		switch kind, err := object.kind(ctx); {
		case err != nil:
			return nil, err
		case kind != "tree":
			f.missing = kind == ""
			return f, nil
		}
		names, err = object.files(ctx)
	} else {
		if info, statErr := os.Stat(arg); statErr != nil || !info.IsDir() {
			return f, nil
		}
		err = filepath.WalkDir(arg, func(at string, entry fs.DirEntry, err error) error {
			if err == nil && entry.Type().IsRegular() {
				name, _ := filepath.Rel(arg, at) // at begins with arg
				names = append(names, filepath.ToSlash(name))
			}
			return errors.Join(err, ctx.Err())
		})
	}
	f.files = slices.DeleteFunc(append([]string{}, names...), func(name string) bool { return !mayBeList(name) })
	return f, err
}

// mayBeList reports whether a file of a folder may be a list, by its name.
func mayBeList(name string) bool {
	hidden := slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool { return strings.HasPrefix(part, ".") || part == "node_modules" })
	return !hidden && slices.Contains([]string{".json", ".jsonl", ".yaml", ".yml"}, path.Ext(name))
}

// anyList reports whether one of the files of a pairing is a list.
func anyList(ctx context.Context, p pairing) (bool, error) {
	for arg, missing := range map[string]bool{p.old: p.added, p.new: p.removed} {
		if missing {
			continue
		}
		src, err := readSide(ctx, nil, arg)
		if err != nil {
			return false, err
		}
		if _, schema := catalog.Schema(arg, src); schema {
			continue
		}
		if c, err := catalog.Read(arg, src); err == nil && !offersNothing(c) {
			return true, nil
		}
	}
	return false, nil
}

// none returns the side that does not have the list of another side: an empty list with the same
// parts.
func (d *differ) none(label string, other *diffSide) (*diffSide, error) {
	if other.tools == nil {
		return nil, fmt.Errorf("%s does not exist, but %s is %s: cannot compare them", label, other.label, other.kind())
	}
	c := &catalog.Catalog{Tools: &tools.List{}, Capabilities: "{}", Has: other.tools.Catalog.Has, Whole: true}
	d.sides = append(d.sides, page.Side{Label: label, Source: []byte("{}")})
	return &diffSide{label: label, tools: &diff.ToolList{Label: label, List: c.Tools, Catalog: c}}, nil
}
