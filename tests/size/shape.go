package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
)

// Shape counts declarations in a file, or in the files of a folder.
type Shape struct {
	Name  string
	In    string // from the folder of the project
	Count func(*ast.File) int
}

// count returns how many declarations there are, and in how many files. None is an error: the row is stale.
func (s Shape) count(root string) (n, files int, err error) {
	names := []string{filepath.Join(root, filepath.FromSlash(s.In))}
	if !strings.HasSuffix(s.In, ".go") {
		if names, err = filepath.Glob(filepath.Join(names[0], "*.go")); err != nil {
			return 0, 0, err
		}
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return 0, 0, fmt.Errorf("%s: %w", s.Name, err)
		}
		if of := s.Count(file); of > 0 {
			n += of
			files++
		}
	}
	if n == 0 {
		return 0, 0, fmt.Errorf("%s: none in %s; correct the row in tests/size/main.go", s.Name, s.In)
	}
	return n, files, nil
}

// interfaces counts the interface types of a file, but for constraints of type parameters.
func interfaces(file *ast.File) int {
	n := 0
	for typ := range types(file) {
		if i, ok := typ.Type.(*ast.InterfaceType); ok && !isConstraint(i) {
			n++
		}
	}
	return n
}

// isConstraint reports whether an interface lists types.
func isConstraint(i *ast.InterfaceType) bool {
	for _, member := range i.Methods.List {
		switch member.Type.(type) {
		case *ast.BinaryExpr, *ast.UnaryExpr:
			return true
		}
	}
	return false
}

// methodsOf counts the methods that a file declares for a type.
func methodsOf(typ string) func(*ast.File) int {
	return func(file *ast.File) int {
		n := 0
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv != nil && receiver(f.Recv.List[0].Type) == typ {
				n++
			}
		}
		return n
	}
}

// receiver returns the name of a receiver's type.
func receiver(expr ast.Expr) string {
	switch t := expr.(type) {
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.IndexListExpr:
		return receiver(t.X)
	case *ast.Ident:
		return t.Name
	}
	return ""
}

// fieldsOf counts the fields of a struct type; an embedded type is one.
func fieldsOf(name string) func(*ast.File) int {
	return func(file *ast.File) int {
		for typ := range types(file) {
			if s, ok := typ.Type.(*ast.StructType); ok && typ.Name.Name == name {
				return s.Fields.NumFields()
			}
		}
		return 0
	}
}

// types calls yield for the types of a file.
func types(file *ast.File) func(yield func(*ast.TypeSpec) bool) {
	return func(yield func(*ast.TypeSpec) bool) {
		for _, decl := range file.Decls {
			if decl, ok := decl.(*ast.GenDecl); ok {
				for _, spec := range decl.Specs {
					if typ, ok := spec.(*ast.TypeSpec); ok && !yield(typ) {
						return
					}
				}
			}
		}
	}
}
