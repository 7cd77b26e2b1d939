package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Way is the code that one more call executes.
type Way struct {
	Name      string // such as "2025-06-18 stdio"
	Functions []*Function
}

// Function is a function or method on the way, with the function literals in it, or the function literals of a
// variable of a package.
type Function struct {
	File       string // from the folder of the project
	Name       string // such as "Call.Progress"
	Codec      bool
	Statements int // on the way
}

// length counts the functions that match, their files and their statements on the way.
func (w *Way) length(matches func(*Function) bool) (files, functions, statements int) {
	seen := map[string]bool{}
	for _, f := range w.Functions {
		if matches(f) {
			seen[f.File] = true
			functions++
			statements += f.Statements
		}
	}
	return len(seen), functions, statements
}

// block is a block of statements with a coverage counter.
type block struct {
	file         string // with the import path
	line, column int
	statements   int
}

var profileLine = regexp.MustCompile(`(?m)^(.+):(\d+)\.(\d+),\d+\.\d+ (\d+) (\d+)$`)

// readProfile reads the counters of a coverage profile.
func readProfile(text string) map[block]int {
	counters := map[block]int{}
	for _, m := range profileLine.FindAllStringSubmatch(text, -1) {
		var n [4]int
		for i, digits := range m[2:] {
			n[i], _ = strconv.Atoi(digits)
		}
		counters[block{m[1], n[0], n[1], n[2]}] += n[3]
	}
	return counters
}

// functionsOf returns the functions with blocks on the way of a call, in the order of their files and lines, without
// those of the server's main package. The run that many counts has so many calls more than the run that few counts. A
// block is on the way if most of these calls ran it: what only a few ran depends on the machine, such as the making of
// a value that a sync.Pool has lost. Root is the folder of the module.
func functionsOf(root, module string, few, many map[block]int, calls int) ([]*Function, error) {
	blocks := map[string][]block{}
	for b, n := range many {
		if 2*(n-few[b]) > calls {
			blocks[b.file] = append(blocks[b.file], b)
		}
	}
	var all []*Function
	for _, name := range slices.SortedFunc(maps.Keys(blocks), byFolder) {
		file, ok := strings.CutPrefix(name, module+"/")
		if !ok {
			return nil, fmt.Errorf("%s is not in module %s", name, module)
		}
		if path.Dir(file) == serverMain {
			continue
		}
		found, err := functionsIn(root, file, blocks[name])
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// byFolder compares the names of files, those of a folder before those of the folders in it.
func byFolder(a, b string) int {
	return cmp.Or(cmp.Compare(path.Dir(a), path.Dir(b)), cmp.Compare(a, b))
}

// functionsIn returns the functions of a file that have some of the blocks.
func functionsIn(root, name string, blocks []block) ([]*Function, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, filepath.Join(root, filepath.FromSlash(name)), nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	isCodec := isBelow(path.Dir(name), codec...) || ast.IsGenerated(file)
	var all []*Function
	left := len(blocks)
	for _, decl := range file.Decls {
		f := &Function{File: name, Name: declared(decl), Codec: isCodec}
		start, end := fset.Position(decl.Pos()), fset.Position(decl.End())
		n := 0
		for _, b := range blocks {
			if !before(b.line, b.column, start) && before(b.line, b.column, end) {
				f.Statements += b.statements
				n++
			}
		}
		if left -= n; n > 0 {
			all = append(all, f)
		}
	}
	if left > 0 {
		return nil, fmt.Errorf("%s: %d blocks are in no declaration; the profile is of another version of the file", name, left)
	}
	return all, nil
}

// before reports whether a line and column are before a position.
func before(line, column int, p token.Position) bool {
	return line < p.Line || line == p.Line && column < p.Column
}

// declared returns the name of a declaration, with that of its receiver's type.
func declared(decl ast.Decl) string {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		if decl.Recv != nil {
			return receiver(decl.Recv.List[0].Type) + "." + decl.Name.Name
		}
		return decl.Name.Name
	case *ast.GenDecl:
		for _, spec := range decl.Specs {
			if spec, ok := spec.(*ast.ValueSpec); ok {
				return spec.Names[0].Name
			}
		}
	}
	return ""
}
