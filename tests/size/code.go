package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Package is the size of a package below runtime/. Tests are not in it, and files for other operating systems are.
type Package struct {
	Path     string // from the folder of the project, such as "runtime/stdio"
	Core     bool   // a program of linked has it
	Lines    []int  // the lines of each file, all of them
	Code     int    // lines without comments and blank lines
	Exported int    // constants, variables, functions and types that programs of users can name
}

// Public reports whether programs of users can import the package.
func (p *Package) Public() bool { return !slices.Contains(strings.Split(p.Path, "/"), "internal") }

// readPackages reads the packages below runtime/ of the project in root, also those that are modules of their own.
// The packages of core are named by their folders.
func readPackages(root string, core map[string]bool) ([]*Package, error) {
	var all []*Package
	err := fs.WalkDir(os.DirFS(root), "runtime", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name := entry.Name(); name == "testdata" || strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".") {
				return fs.SkipDir
			}
			return nil
		}
		if path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		dir := path.Dir(name)
		i := slices.IndexFunc(all, func(p *Package) bool { return p.Path == dir })
		if i < 0 {
			i = len(all)
			all = append(all, &Package{Path: dir, Core: core[dir]})
		}
		return all[i].add(filepath.Join(root, filepath.FromSlash(name)))
	})
	return all, err
}

// add adds a file to the package.
func (p *Package) add(name string) error {
	src, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	file, err := parser.ParseFile(token.NewFileSet(), name, src, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	p.Lines = append(p.Lines, strings.Count(string(src), "\n"))
	p.Code += codeLines(src)
	if p.Public() {
		p.Exported += exported(file)
	}
	return nil
}

// codeLines counts the lines of a Go file that have more than comments and white space.
func codeLines(src []byte) int {
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, src, nil, 0)
	n, last := 0, 0 // last is the last line that is counted
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			return n
		}
		line := file.Line(pos)
		// The text of an operator is empty, that of a raw string may have several lines, and that of the semicolon
		// that the scanner adds to a line is a line feed.
		for part := range strings.SplitSeq(text, "\n") {
			if line > last && (strings.TrimSpace(part) != "" || text == "") {
				n++
				last = line
			}
			line++
		}
	}
}

// exported counts the exported names of a file, without methods and fields.
func exported(file *ast.File) int {
	n := 0
	count := func(names ...*ast.Ident) {
		for _, name := range names {
			if name.IsExported() {
				n++
			}
		}
	}
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Recv == nil {
				count(decl.Name)
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					count(spec.Name)
				case *ast.ValueSpec:
					count(spec.Names...)
				}
			}
		}
	}
	return n
}

// linkedFolders returns the folders of the packages of the project in root that programs link.
func linkedFolders(root string, programs ...string) (map[string]bool, error) {
	module, err := goCommand(root, "list", "-m")
	if err != nil {
		return nil, err
	}
	out, err := goCommand(root, append([]string{"list", "-deps"}, programs...)...)
	if err != nil {
		return nil, err
	}
	linked := map[string]bool{}
	for _, dep := range strings.Fields(out) {
		if dir, ok := strings.CutPrefix(dep, module+"/"); ok {
			linked[dir] = true
		}
	}
	if len(linked) == 0 {
		return nil, fmt.Errorf("%s link no package of %s", strings.Join(programs, ", "), module)
	}
	return linked, nil
}

// median returns the middle of some numbers, or 0.
func median(of []int) int {
	if len(of) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(of))[len(of)/2]
}
