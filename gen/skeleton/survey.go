package skeleton

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
)

// Survey is what a package's own files have, as opposed to the generated ones.
type Survey struct {
	// Package is the name of the package, "" where there are no files.
	Package string
	// Main says that there is a function main.
	Main bool
	// Implementations are the types of which a file says that they implement Tools, as in
	// "var _ Tools = (*handlers)(nil)", sorted.
	Implementations []string
	// Methods are the names of the methods of each type.
	Methods map[string]map[string]bool
}

// NewSurvey reads Go files by their names. A file with mistakes counts with what can be
// read of it, and a test or one of another package not at all; an error is that of files
// of several packages.
func NewSurvey(sources map[string][]byte) (*Survey, error) {
	s := &Survey{Methods: map[string]map[string]bool{}}
	implementations := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		file, _ := parser.ParseFile(token.NewFileSet(), name, sources[name], parser.SkipObjectResolution)
		if file == nil || file.Name == nil || file.Name.Name == "" || file.Name.Name == "_" {
			continue
		}
		if s.Package != "" && s.Package != file.Name.Name {
			return nil, fmt.Errorf("%s: is of package %s, and other files beside it are of package %s", name, file.Name.Name, s.Package)
		}
		s.Package = file.Name.Name
		for _, decl := range file.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				s.function(decl)
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					if value, ok := spec.(*ast.ValueSpec); ok {
						for _, name := range asserted(value) {
							implementations[name] = true
						}
					}
				}
			}
		}
	}
	s.Implementations = slices.Sorted(maps.Keys(implementations))
	return s, nil
}

func (s *Survey) function(f *ast.FuncDecl) {
	if f.Recv == nil {
		s.Main = s.Main || f.Name.Name == "main"
		return
	}
	if len(f.Recv.List) != 1 {
		return
	}
	receiver := f.Recv.List[0].Type
	if star, ok := receiver.(*ast.StarExpr); ok {
		receiver = star.X
	}
	if name, ok := receiver.(*ast.Ident); ok {
		if s.Methods[name.Name] == nil {
			s.Methods[name.Name] = map[string]bool{}
		}
		s.Methods[name.Name][f.Name.Name] = true
	}
}

// asserted are the types that a "var _ Tools = value" is about. A value may be
// (*handlers)(nil), &handlers{}, handlers{} or new(handlers).
func asserted(v *ast.ValueSpec) []string {
	if of, ok := v.Type.(*ast.Ident); !ok || of.Name != "Tools" {
		return nil
	}
	var names []string
	for _, value := range v.Values {
		if name := implementation(value); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// implementation is the type of a value, "" where that is not to be seen.
func implementation(value ast.Expr) string {
	switch v := value.(type) {
	case *ast.UnaryExpr:
		if literal, ok := v.X.(*ast.CompositeLit); ok {
			return typeName(literal.Type)
		}
	case *ast.CompositeLit:
		return typeName(v.Type)
	case *ast.CallExpr:
		if name, ok := v.Fun.(*ast.Ident); ok && name.Name == "new" && len(v.Args) == 1 {
			return typeName(v.Args[0])
		}
		if _, ok := v.Fun.(*ast.ParenExpr); ok {
			return typeName(v.Fun)
		}
	}
	return ""
}

// typeName is the name of a type, or of the one that it points to.
func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.ParenExpr:
		return typeName(e.X)
	case *ast.StarExpr:
		return typeName(e.X)
	}
	return ""
}
